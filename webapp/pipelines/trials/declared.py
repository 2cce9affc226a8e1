"""The trials pipeline in the web app."""

from __future__ import annotations

from clinfo.records import TrialsAnswer
from clinfo.runs import named
from webapp.pipelines import WebPipeline
from webapp.pipelines.trials import asking
from webapp.pipelines.trials.live import LIVE

_HERE = "webapp.pipelines.trials"

WEB = WebPipeline(
    name="trials",
    asks=asking.asks,
    live=LIVE,
    page=named(f"{_HERE}.pages:ended"),
    sent=asking.TrialsFields,
    answers=TrialsAnswer,
    within="Of",
    described=asking.described,
    pages=(f"{_HERE}.pages:pages", f"{_HERE}.api:api"),
    form="trials.form",
    title="Trials",
    does="What each trial concludes, from full-text papers that you hand over, with a forest plot. "
    "The papers are kept with the run and deleted with it. Of 174 numbers that rules read from "
    "held-out papers 91 were wrong.",
    after="after URCA and CochraneForest, 2025",
    listed=lambda request: f"{len(request.papers)} papers",
    hosted=lambda run, packed, web, chain: (
        chain,
        {"read": asking.reader(packed), "guarded": True},
    ),
    continued=named(f"{_HERE}.form:continued"),
)
