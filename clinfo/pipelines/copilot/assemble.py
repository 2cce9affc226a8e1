"""From settings and a request to a copilot with its models, tools, prompts and budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from clinfo.cache import Cache
from clinfo.claims.registry import learned_judge
from clinfo.llm.prompts import Prompt
from clinfo.patients.access import Kind, allowed, require_allowed
from clinfo.pipelines.copilot.declared import COPILOT
from clinfo.pipelines.copilot.run import Copilot, Run
from clinfo.pipelines.copilot.run_log import CopilotLog
from clinfo.pipelines.copilot.stages import NOBODY, PROMPTS, REFINE, WRITE
from clinfo.pipelines.copilot.tools import Host, OpenTool, declared, opened
from clinfo.pipelines.models import priced, stage_models
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records.copilot import CopilotRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.retrieval.rerankers import NONE
from clinfo.retrieval.silos.store import open_silos_of
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Runner
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget

if TYPE_CHECKING:
    from clinfo.llm.prices import Price
    from clinfo.retrieval.silos import Silos
    from clinfo.settings import Settings

RECORDS: Final = frozenset(("chart", "cohort"))
"""Kinds of tools that read patients' records."""


def assemble(
    settings: Settings,
    request: CopilotRequest,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    silos: Silos | None = None,
    models: Mapping[str, ChatModel] | None = None,
    tools: Mapping[str, OpenTool] | None = None,
    clock: Clock | None = None,
) -> Runner[CopilotRequest, CopilotLog]:
    """What carries out a request; `clinfo.runs.pipeline.Assemble` says what the others are.

    ``silos`` and ``tools`` take the place of those of the settings. Nothing of a run with a case
    goes into a cache. Raises UsageError, PromptError, and before anything is sent NotForPatients
    where a case would go to what may not see one, IdentifiersFound where a question without one
    seems to identify a patient and would leave this machine.
    """
    records = RECORDS.intersection(settings.copilot_allow.replace(",", " ").split())
    of_patients = bool(request.case or records)
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
    if of_patients:
        for name in dict.fromkeys(request.models.values()):
            require_allowed("model", name, settings)
        for kind, name in through:
            require_allowed(kind, name, settings)
    prompts = PROMPTS.checked(request.prompts)
    cache = None
    if settings.cache == "on" and not of_patients:
        cache = Cache(settings.cache_dir / "cache.sqlite", owner=owner)
    if models is None:
        models = stage_models(settings, COPILOT, request.models, cache, prices, api_key)
    if request.max_cost is not None:
        priced(models)
    guarded = not of_patients and not request.allow_identifiers
    leaves = not all(allowed(kind, name, settings) for kind, name in through)
    if guarded and (leaves or any(model.remote for model in models.values())):
        refuse_texts({"question": request.question})
    budget = budget or MemoryBudget(request.max_cost, spent=RunLog(after).spent_usd)
    clock = clock or SystemClock()
    missing: Mapping[str, str] = {}
    if tools is None:
        silos = silos if silos is not None else open_silos_of(settings)
        host = Host(
            settings,
            silos,
            EXTRACTIVE if request.models["write"] == EXTRACTIVE else models["write"],
            budget,
            request.max_cost,
            of_patients,
            _refining(models, prompts),
        )
        tools, missing = opened(every, host, request.tools)
    parts = Copilot(
        models,
        prompts,
        clock,
        tools,
        missing,
        {} if silos is None else _about(silos, tools),
        None if request.judge == NOBODY else learned_judge(settings, request.judge),
        settings.context_tokens,
    )
    return Runner(
        COPILOT, lambda recorder, asked: Run(parts, asked, recorder).answer(), models, budget, clock
    )


def _refining(
    models: Mapping[str, ChatModel], prompts: Mapping[str, Prompt]
) -> tuple[ChatModel, Prompt] | None:
    """The model that refines, where it is a language model, and its prompt."""
    model = models.get(REFINE.name, models[WRITE.name])
    return None if model.name == EXTRACTIVE else (model, prompts[REFINE.name])


def _about(silos: Silos, tools: Mapping[str, OpenTool]) -> dict[str, Mapping[str, Any]]:
    used = {silo for one in tools.values() for silo in (one.declared.silo, *one.silos)}
    return {name: dict(silos.about(name)) for name in silos.names() if name in used}
