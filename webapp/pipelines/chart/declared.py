"""The chart pipeline in the web app: where the host switched it on, for people whom it knows."""

from clinfo.pipelines.chart import ChartAnswer
from clinfo.runs import named
from webapp.pipelines import Asked, WebPipeline
from webapp.pipelines.chart import asking
from webapp.watch.page import in_order

_HERE = "webapp.pipelines.chart"

WEB = WebPipeline(
    name="chart",
    asks=lambda fields, web, chain, again_of: Asked(asking.checked_fields(fields, web, chain)),
    live=in_order(
        "chart",
        "Reading the record",
        {
            "record": ("Record", "reading the record"),
            "question": ("Question", "reading the question"),
            "found": ("Notes", "finding notes"),
            "written": ("Answer", "writing the answer"),
        },
    ),
    page=named(f"{_HERE}.pages:ended"),
    sent=asking.ChartFields,
    answers=ChartAnswer,
    within="Chart",
    models=asking.offered_models,
    described=asking.described,
    pages=(f"{_HERE}.pages:pages",),
    form="chart.form",
    title="Chart",
    does="One patient’s notes, asked. The record stays on the machines of this site; only whoever "
    "asked sees the run, also by its address; each use is logged. Not for care: it misreads and "
    "misses notes.",
    after="after staged deterministic retrieval, King’s College London, 2026",
    of_patients=True,
    listed=lambda request: "a patient’s record",
    offered=lambda web: web.chart,
    private=lambda request: True,
    needs_login=lambda fields: True,
    logged=asking.logged,
    sweeper=asking.sweeper,
    hosted=lambda run, packed, web, chain: (chain, {"read": asking.reader(chain)}),
)
