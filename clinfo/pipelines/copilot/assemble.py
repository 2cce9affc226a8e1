"""From settings and a request to a copilot with its models, tools, prompts and budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from clinfo.claims.registry import learned_judge
from clinfo.patients.access import Kind, allowed, require_allowed
from clinfo.pipelines.copilot.declared import COPILOT
from clinfo.pipelines.copilot.run import Copilot
from clinfo.pipelines.copilot.stages import NOBODY
from clinfo.pipelines.copilot.tools import Host, OpenTool, declared
from clinfo.pipelines.copilot.tools import opened as opened_tools
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records.copilot import CopilotRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.retrieval.rerankers import NONE
from clinfo.retrieval.silos.store import open_silos_of
from clinfo.runs.engine import Opened

if TYPE_CHECKING:
    from clinfo.retrieval.silos import Silos
    from clinfo.settings import Settings

RECORDS: Final = frozenset(("chart", "cohort"))
"""Kinds of tools that read patients' records."""


def of_patients(settings: Settings, request: CopilotRequest) -> bool:
    """Return whether a model may read of a patient: of a case, or of records by a tool."""
    return bool(request.case or _records(settings))


def _records(settings: Settings) -> frozenset[str]:
    return RECORDS.intersection(settings.copilot_allow.replace(",", " ").split())


def parts(
    opened: Opened,
    request: CopilotRequest,
    *,
    silos: Silos | None = None,
    tools: Mapping[str, OpenTool] | None = None,
) -> Copilot:
    """What the runs of a request need; ``silos`` and ``tools`` take the place of those of the
    settings. Nothing of a run with a case goes into a cache. Raises UsageError, and before anything
    is sent NotForPatients where a case would go to what may not see one, IdentifiersFound where a
    question without one seems to identify a patient and would leave this machine.
    """
    settings, models = opened.settings, opened.models
    records, patients = _records(settings), of_patients(settings, request)
    searched: tuple[tuple[Kind, str | None], ...] = (
        ("embedder", settings.embedder),
        ("index", settings.qdrant_url),
    )
    through = [(kind, name) for kind, name in searched if name]
    every = [
        one
        for one in declared(settings.copilot_tools)
        if one.kind not in RECORDS or one.kind in records
    ]
    through += [("reranker", one.rerank) for one in every if tools is None and one.rerank != NONE]
    if patients:
        for kind, name in through:
            require_allowed(kind, name, settings)
    guarded = not patients and not request.allow_identifiers
    leaves = not all(allowed(kind, name, settings) for kind, name in through)
    if guarded and (leaves or opened.remote):
        refuse_texts({"question": request.question})
    missing: Mapping[str, str] = {}
    if tools is None:
        silos = silos if silos is not None else open_silos_of(settings)
        host = Host(
            settings,
            silos,
            EXTRACTIVE if request.models["write"] == EXTRACTIVE else models["write"],
            opened.budget,
            request.max_cost,
            patients,
        )
        tools, missing = opened_tools(every, host, request.tools)
    return Copilot(
        tools,
        missing,
        {} if silos is None else _about(silos, tools),
        None if request.judge == NOBODY else learned_judge(settings, request.judge),
    )


assemble = COPILOT.assemble


def _about(silos: Silos, tools: Mapping[str, OpenTool]) -> dict[str, Mapping[str, Any]]:
    used = {silo for one in tools.values() for silo in (one.declared.silo, *one.silos)}
    return {name: dict(silos.about(name)) for name in silos.names() if name in used}
