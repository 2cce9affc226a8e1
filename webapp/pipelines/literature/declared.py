"""The literature chain in the web app."""

from clinfo.records import Answer
from clinfo.runs import named
from clinfo.sources import source_specs
from webapp.pipelines import WebPipeline
from webapp.pipelines.literature import asking
from webapp.pipelines.literature.live import LIVE

_HERE = "webapp.pipelines.literature"

WEB = WebPipeline(
    name="literature",
    asks=asking.asks,
    live=LIVE,
    page=named(f"{_HERE}.read_pages:ended"),
    sent=asking.AskFields,
    answers=Answer,
    described=asking.described,
    pages=(f"{_HERE}.ask_pages:pages", f"{_HERE}.read_pages:pages"),
    form="ask.form",
    again="read.again",
    title="Ask",
    listed=lambda request: next(
        (one.heading for one in source_specs() if one.name == request.source), request.source
    ),
    hosted=asking.hosted,
    continued=asking.continued,
)
