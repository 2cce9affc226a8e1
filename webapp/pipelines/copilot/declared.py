"""The copilot in the web app."""

from __future__ import annotations

from clinfo.records import CopilotAnswer
from clinfo.runs import named
from webapp.pipelines import Asked, WebPipeline
from webapp.pipelines.copilot import asking
from webapp.pipelines.copilot.live import LIVE

_HERE = "webapp.pipelines.copilot"

WEB = WebPipeline(
    name="copilot",
    asks=lambda fields, web, chain, again_of: Asked(asking.checked_fields(fields, web, chain)),
    live=LIVE,
    page=named(f"{_HERE}.pages:ended"),
    sent=asking.CopilotFields,
    answers=CopilotAnswer,
    within="Copilot",
    pages=(f"{_HERE}.pages:pages",),
    form="copilot.form",
    title="Copilot",
    does="An agent that asks sources which are kept apart, each claim with its source. A case that "
    "is handed over goes only to models declared for patients and is seen by whoever asked only. "
    "Not for care.",
    after="after GeneSilico Copilot, 2024",
    of_patients=True,
    listed=lambda request: "copilot, with a case" if request.case else "copilot",
    offered=lambda web: web.copilot,
    private=lambda request: bool(request.case),
    needs_login=lambda fields: bool(fields.get("case")),
    hosted=lambda run, packed, web, chain: (asking.without_records(chain), {}),
)
