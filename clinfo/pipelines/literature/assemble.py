"""From settings and a request to a chain with its models, source, cache and budget. Command line, web and benchmark call this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache as once
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.errors import UsageError
from clinfo.integrity.retractions import loaded_list
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.chain import Chain
from clinfo.pipelines.literature.declared import JUDGE_STAGE, LITERATURE, PROMPTS
from clinfo.pipelines.literature.run_log import Transcript
from clinfo.pipelines.models import EXTRACTIVE, priced, stage_models
from clinfo.privacy.phi_guard import refuse
from clinfo.records.articles import MODEL_JUDGES, JudgeChoice, RunRequest
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.protocols import ArticleSource, MeshLookup

if TYPE_CHECKING:
    from pydantic import SecretStr

    from clinfo.claims.learned import EntailmentJudge
    from clinfo.llm.prices import Price
    from clinfo.settings import Settings
    from clinfo.terms.mesh import Mesh


def assemble(
    settings: Settings,
    request: RunRequest,
    after: Iterable[Event] = (),
    *,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    api_key: str | None = None,
    owner: str | None = None,
    source: ArticleSource | None = None,
    clock: Clock | None = None,
    models: Mapping[str, ChatModel] | None = None,
) -> Chain:
    """The chain for a request. ``after``: saved events whose spending counts against ``max_cost``.

    ``budget`` takes the place of one kept in memory for this run alone, and must itself keep to ``max_cost``; ``prices`` (by
    model) go before litellm's. ``api_key`` is used for the request's models and kept in them only. What the run puts into the
    cache is noted under ``owner``, so that it can be forgotten with the run. A ready ``source`` takes the place of the one that
    the request names, and ready ``models`` (by stage) that of those it names; ``clock`` that of this machine's, for the run and
    for a source on this machine (a service on the network is asked at a pace and remembered for a day, so it keeps the real one).

    Raises UsageError for an unknown model or source, a model of unknown price under a budget, and PromptError for a
    prompt that cannot be used, and IdentifiersFound for a question that seems to identify a patient and would leave this
    machine: all of it before any call.
    """
    from clinfo.sources.semantic_scholar import refuse_unusable

    refuse_unusable(request)
    prompts = checked_prompts(request)
    cache = open_cache(settings, owner)
    if models is None:
        if request.models.get(JUDGE_STAGE) == EXTRACTIVE:
            raise UsageError(
                "the extractive model cannot judge sentences; leave --judge off, "
                "or name a language model for it (CLINFO_MODEL_VERIFY)"
            )
        models = stage_models(settings, LITERATURE, request.models, cache, prices, api_key)
    if request.max_cost is not None:
        priced(models)
    budget = budget or MemoryBudget(request.max_cost, spent=Transcript(after).spent_usd)
    source = source or article_source(settings, request.source, cache, clock)
    permit(settings, request.allow_identifiers)
    if source.remote or any(model.remote for model in models.values()):
        refuse(request)
    mesh, retractions = mesh_lookup(settings, source, cache), loaded_list(settings.data_dir)
    learned = learned_judge(settings, request.judge)
    return Chain(models, source, prompts, budget, clock or SystemClock(), settings.concurrency, mesh, retractions, learned)


def request_of(settings: Settings, model: str | None, **fields: Any) -> RunRequest:
    """The request of ``fields`` over the settings; ``model`` holds for every stage, whatever the environment says.

    Raises `clinfo.pipelines.literature.request.FieldError`.
    """
    from clinfo.pipelines.literature.request import checked

    of_stages = {} if model is not None else LITERATURE.stage_models(settings)
    everywhere = model if model is not None else settings.model
    if fields.get("judge") is None:
        fields["judge"] = default_judge(settings, of_stages.get(JUDGE_STAGE, everywhere))
    if fields.get("source") is None:
        fields["source"] = settings.source
    return checked(files=True, model=everywhere, models=of_stages, **fields)


def default_judge(settings: Settings, model: str | None) -> JudgeChoice:
    """Who judges where nobody says: CLINFO_JUDGE as far as it can be had; ``model`` is the one that would be the model judge.

    Without CLINFO_JUDGE: both where that is a language model, else the learned judge where there is one, else the rules alone.
    """
    if settings.judge is not None and settings.judge not in MODEL_JUDGES:
        return settings.judge
    if model is not None and model != EXTRACTIVE:
        return settings.judge or "both"
    return "learned" if settings.nli_model else "rules"


def learned_judge(settings: Settings, choice: JudgeChoice) -> EntailmentJudge | None:
    """The model that CLINFO_NLI_MODEL names, where ``choice`` has a learned judge. Raises UsageError where it cannot be loaded."""
    if choice not in ("learned", "both"):
        return None
    if settings.nli_model is None:
        if choice == "both":
            return None
        asked = "CLINFO_JUDGE=learned" if settings.judge == choice else "--judge learned"
        raise UsageError(f"{asked} needs a model of entailment: name a folder or a model of the hub with CLINFO_NLI_MODEL")
    return _nli_model(settings.nli_model)


@once
def _nli_model(name: str) -> EntailmentJudge:
    from clinfo.claims.nli import NliModel

    return NliModel(name)


def permit(settings: Settings, allow_identifiers: bool) -> None:
    """Raise UsageError where somebody allows what identifies a patient to be sent, and this installation forbids that."""
    if allow_identifiers and settings.identifiers == "refuse":
        raise UsageError("this installation does not send what identifies a patient, so allow_identifiers cannot be used")


def open_cache(settings: Settings, owner: str | None = None) -> Cache | None:
    """The cache of replies and source answers, or None where it is switched off."""
    return Cache(settings.cache_dir / "cache.sqlite", owner=owner) if settings.cache == "on" else None


def checked_prompts(request: RunRequest) -> dict[str, Prompt]:
    """The default prompts with the request's own laid over them. Raises PromptError."""
    return {name: PROMPTS.parse(name, text) for name, text in {**PROMPTS.defaults(), **request.prompts}.items()}


def article_source(settings: Settings, name: str, cache: Cache | None, clock: Clock | None = None) -> ArticleSource:
    """The source of this name. Raises UsageError, and RecordError for a file or an index that cannot be read.

    ``clock`` is for a source on this machine: the demo corpus, a local index, a citation file.
    """
    if name == "demo":
        return _demo() if clock is None else _demo_at(clock)
    if name == "pubmed":
        from clinfo.sources.pubmed import PubMed

        return PubMed(
            base_url=settings.eutils_url,
            api_key=_secret(settings.ncbi_api_key),
            email=settings.ncbi_email,
            rate=settings.eutils_rate,
            cache=cache,
            clock=SystemClock(),
        )
    if name == "semantic-scholar":
        from clinfo.sources.semantic_scholar import SemanticScholar

        return SemanticScholar(settings.s2_url, _secret(settings.s2_api_key), cache=cache, clock=SystemClock())
    if name == "local":
        from clinfo.pubmed.index import LocalIndex
        from clinfo.sources.local import Local

        if settings.index_dir is None:
            raise UsageError("the source local needs CLINFO_INDEX_DIR, the folder of an index made with clinfo index build")
        return Local(LocalIndex.open(settings.index_dir), clock)
    if name.endswith((".xml", ".xml.gz")):
        from clinfo.sources.memory import Memory

        return Memory.from_files([name], name=name, clock=clock, mesh=mesh_table(settings))
    raise UsageError(f"the source {name!r} is not known; choose pubmed, semantic-scholar, local, demo or a citation XML file")


def mesh_table(settings: Settings) -> Mesh:
    """MeSH as it was loaded on this machine, else as it comes with the program."""
    from clinfo.terms.mesh_table import MeshTable, table_path
    from clinfo.terms.packaged import PackagedTable

    path = table_path(settings.data_dir)
    return MeshTable(path) if path.exists() else PackagedTable()


def mesh_lookup(settings: Settings, source: ArticleSource, cache: Cache | None) -> MeshLookup | None:
    """MeSH for a run: an index's own, else `mesh_table`.

    Where PubMed is the source anyway the E-utilities are asked for what the table that comes with the program does not know.
    """
    from clinfo.sources.mesh_lookup import EutilsLookup, TableLookup
    from clinfo.terms.packaged import PackagedTable

    if source.query_prompt != "question2query":
        return None
    table = getattr(source, "mesh", None) or mesh_table(settings)
    eutils = getattr(source, "eutils", None)
    newer = EutilsLookup(eutils, cache) if eutils is not None and isinstance(table, PackagedTable) else None
    return TableLookup(table, newer)


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None


@once
def _demo() -> ArticleSource:
    return _demo_at(None)


def _demo_at(clock: Clock | None) -> ArticleSource:
    from clinfo.sources import demo
    from clinfo.sources.memory import Memory

    return Memory(demo.load(), name="demo", notices=(demo.NOTICE,), clock=clock)
