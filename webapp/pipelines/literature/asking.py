"""From what a visitor asks of the literature to a request: the host's rules, the chain's checks,
the guard; and what a run that follows another one up takes over of it.

Such a run takes settings over and, as asked, the filters and the articles; the earlier question
only says what the new one means (the stage ``resolve``). Of the same question it takes over
judgements and summaries too (`clinfo.pipelines.literature.reading_stage.Reuse`).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import Field

from clinfo import sources
from clinfo.errors import FieldError, UsageError
from clinfo.pipelines import DEFAULT
from clinfo.pipelines.literature import (
    EVENTS,
    JUDGE_STAGE,
    LITERATURE,
    NARROWING,
    OPTIONS,
    PROMPTS,
    LiteratureLog,
    at,
    checked,
    default_judge,
    open_cache,
    plain,
)
from clinfo.privacy import of_request, refuse_texts
from clinfo.records import EXTRACTIVE, RunRequest
from clinfo.runs import shown
from clinfo.settings import Settings
from clinfo.sources import GIVEN, ArticleSource, refuse_unusable
from clinfo.text import one_line
from webapp.fields import Fields, Json, Key, checked_prompt, refuse
from webapp.pipelines import Asked
from webapp.pipelines.literature import documents
from webapp.records import ENDED, StoredRun, Visitor
from webapp.services import services
from webapp.settings import WebSettings
from webapp.visitors import children, may_see, parent_of

FIELDS = frozenset(at("http")) | {"api_key"}
"""The fields of a request over HTTP: the options declared for it, and the visitor's own key."""

MAX_LISTED: Final = 1_000
"""Articles that may be dropped."""
MAX_OWN_QUERIES: Final = 20

_ARTICLES: Final = ("max_articles", "per_query")
"""The fields that the host's limit on articles applies to."""
_NOTHING_STORED: Final = "Nothing was sent or stored."
_UNLESS_DEFAULT: Final = RunRequest(question="")


class AskFields(Fields):
    """A question and the settings of its run."""

    api_key: Key = None
    pipeline: Literal["literature"] = Field(
        "literature", description="What answers; not given: literature."
    )
    parent: str = Field(
        "",
        description="The id of a run that has ended, which this one follows up: its settings hold "
        "unless others are given, and null takes one away.",
    )
    keep: list[Literal["question", "filters", "articles"]] = Field(
        [],
        description="What is kept of the parent; not given: question and filters, and documents "
        "that were given to it. With question a model first writes the new one so that it stands "
        "alone; with articles the parent's relevant ones are read instead of searching.",
    )


def asks(fields: Mapping[str, Any], web: WebSettings, chain: Settings) -> Asked:
    """The request, with the documents that it answers from. Raises FieldError, IdentifiersFound."""
    held = documents.read(fields.get("documents"))
    if held is None:
        return Asked(checked_fields(fields, web, chain))
    request = held.asked(checked_fields({**fields, "documents": held.ids}, web, chain))
    if not request.allow_identifiers:
        held.refuse_identifiers(_NOTHING_STORED)
    return Asked(request, documents.pack(held))


def hosted(
    run: StoredRun, packed: bytes | None, web: WebSettings, chain: Settings
) -> tuple[Settings, dict[str, Any]]:
    """The source of documents. Raises ClinfoError."""
    if packed is None:
        return chain, {}

    def opened() -> ArticleSource:
        return sources.article_source(chain, run.request.source, open_cache(chain, run.id))

    return chain, {"source": documents.source_of(packed, opened)}


def checked_fields(fields: Mapping[str, Any], web: WebSettings, chain: Settings) -> RunRequest:
    """The request that a visitor's ``fields`` make at this host; nothing is stored or sent.

    Raises FieldError, IdentifiersFound.
    """
    for name in (one for one in fields if one not in FIELDS):
        lacking = "" if fields.get("question") else "; the field question is missing"
        raise FieldError(one_line(name)[:60], f"unknown field{lacking}")
    given = {
        name: value for name, value in fields.items() if value is not None and name != "api_key"
    }
    refuse(
        (
            given.get("prompts") and not web.edit_prompts,
            "prompts",
            "cannot be edited here; the host has disabled it",
        ),
        (
            given.get("allow_identifiers") is True and chain.identifiers == "refuse",
            "allow_identifiers",
            "cannot be used here: the host does not send patient identifiers",
        ),
    )
    for name, most in (("query", MAX_OWN_QUERIES), ("drop", MAX_LISTED)):
        if isinstance(given.get(name), (list, tuple)) and len(given[name]) > most:
            raise FieldError(
                name, f"has {len(given[name]):,} entries; at most {most:,} can be used"
            )

    given = _with_defaults(given, web, chain)
    request = _checked_here(given, web)
    _check_choices(request, web, chain)
    if "prompts" in given:
        request = replace(request, prompts=_edited(request.prompts))
    _refuse_identifiers(request, chain)
    return request


def fields_of(run: StoredRun) -> dict[str, Any]:
    """Return what was asked, as `ask` takes it, for "run again" and "run again with changes"; never
    a key.
    """
    request = run.request
    model = Counter(request.models.values()).most_common(1)[0][0]
    others = {stage: name for stage, name in request.models.items() if name != model}
    fields = {name: plain(getattr(request, one.field)) for name, one in at("http").items()}
    fields |= {
        "model": model,
        "models": others,
        "allow_identifiers": request.allow_identifiers or None,
    }
    if request.documents:
        fields["per_query"] = None
        fields["documents"] = [one.removeprefix("pmid:") for one in request.documents]
        if request.source == GIVEN:
            fields |= {"documents": services().store.documents(run.id), "source": None}
    return {name: value for name, value in fields.items() if value not in (None, [], {})}


def _checked_here(given: Mapping[str, Any], web: WebSettings) -> RunRequest:
    """The request, within the host's limits. Raises FieldError, which names the host's limit, not
    the chain's wider one.
    """
    most = {"max_seconds": web.longest_seconds}
    most |= {name: min(OPTIONS[name].option.most, web.most_articles) for name in _ARTICLES}
    try:
        request = checked(**given)
        wrong = next((name for name in most if getattr(request, name) > most[name]), None)
    except FieldError as error:
        if error.field not in most:
            raise
        wrong = error.field
    if wrong is not None:
        kind = "a whole number from 1 to" if wrong in _ARTICLES else "a number above 0 and at most"
        told = f"must be {kind} {most[wrong]:,g} here, not {one_line(str(given[wrong]))[:60]}"
        raise FieldError(wrong, told)
    return request


def _with_defaults(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> dict[str, Any]:
    """The fields with the host's choices where a visitor made none.

    Naming no model at all brings the models that the environment sets for single stages, as on the
    command line.
    """
    fields: dict[str, Any] = {
        "source": web.offered_sources(chain)[0],
        "max_seconds": min(web.max_seconds, web.longest_seconds),
    }
    fields |= {
        name: min(getattr(_UNLESS_DEFAULT, name), web.most_articles)
        for name in _ARTICLES
        if getattr(_UNLESS_DEFAULT, name) > web.most_articles
    }
    if "model" not in given:
        fields["model"] = web.offered_models(chain)[0]
        if "models" not in given:
            fields["models"] = LITERATURE.stage_models(chain)
    fields |= dict(given)
    models = fields.get("models")
    reader = models.get(JUDGE_STAGE) if isinstance(models, Mapping) else None
    return {"judge": default_judge(chain, reader or fields.get("model"))} | fields


def _check_choices(request: RunRequest, web: WebSettings, chain: Settings) -> None:
    """Only models and sources that the host offers, in combinations that the chain can carry
    out.
    """
    offered = web.offered_models(chain)
    for stage, name in request.models.items():
        if name not in offered and LITERATURE.stage_models(chain).get(stage) != name:
            field = "model" if len(set(request.models.values())) == 1 else "models"
            raise FieldError(
                field,
                f"{shown(name)} is not available here; choose one of: {', '.join(offered)}",
            )
    sources = web.offered_sources(chain)
    refuse(
        (
            request.source not in sources,
            "source",
            f"{request.source} is not available here; choose one of: {', '.join(sources)}",
        ),
        (
            request.models.get(JUDGE_STAGE) == EXTRACTIVE,
            "judge",
            "the extractive model cannot judge sentences; choose a language model, or nobody",
        ),
    )
    try:
        refuse_unusable(request.source, request.filter)
    except UsageError as error:
        raise FieldError("filter", str(error).removeprefix("filter: ")) from None


def _edited(prompts: Mapping[str, str]) -> dict[str, str]:
    """The prompts that differ from the default ones, with newlines as ``\\n``, each checked. Raises
    FieldError.

    A browser sends newlines of its own kind and may lose some at the ends, which is not an edit.
    """
    made = {name: checked_prompt(PROMPTS, name, text).text for name, text in prompts.items()}
    usual = {name: PROMPTS.parse(name, text).text for name, text in PROMPTS.defaults().items()}
    return {
        name: text for name, text in made.items() if text.strip() != usual.get(name, "").strip()
    }


def _refuse_identifiers(request: RunRequest, chain: Settings) -> None:
    """Also where nothing would leave the house: what is asked is stored here, and read by whoever
    has the address of the run.
    """
    if request.allow_identifiers:
        return
    way_out = "Remove it and ask again."
    if chain.identifiers == "ask":
        way_out = "Remove it and ask again, or allow sending it (allow_identifiers)."
    refuse_texts(of_request(request), f"{_NOTHING_STORED} {way_out}")


def described(schemas: dict[str, Json], web: WebSettings, chain: Settings) -> None:
    """Put in the host's limits, and what `clinfo.pipelines.literature.answer.answer_json` adds and
    leaves out.
    """
    fields = schemas["AskFields"]["properties"]
    schemas["AskFields"]["required"] = ["question"]
    for name in _ARTICLES:
        fields[name]["maximum"] = min(fields[name]["maximum"], web.most_articles)
    for name, most in (("query", MAX_OWN_QUERIES), ("drop", MAX_LISTED)):
        fields[name]["anyOf"][1]["maxItems"] = most
    whole, told = {"type": "integer"}, "How many of the sentences shown"
    added: dict[str, Json] = {
        "Answer": {"schema": {"const": 2, "description": "The version of this form."}},
        "Support": {
            "rate": {
                "type": ["number", "null"],
                "description": "The share of the sentences shown that claim something that is "
                "supported, 0 to 1.",
            },
            "told": whole | {"description": f"{told} a judge could tell: supported or not."},
            "claims": whole | {"description": f"{told} claim something."},
        },
    }
    sentence = schemas["Sentence"]["properties"]
    sentence["in"] = sentence.pop("part")
    del sentence["lead"]
    for name in ("Answer", "Support", "Sentence"):
        schemas[name]["properties"] |= added.get(name, {})
        schemas[name]["required"] = list(schemas[name]["properties"])
    kinds = f"{', '.join(sorted(EVENTS.kinds))}; more may be added."
    schemas["Event"]["properties"]["type"]["description"] = kinds
    for name, text in PROMPTS.defaults().items():
        fields["prompts"]["properties"][name]["examples"] = [text]


KEEP: Final = ("question", "filters", "articles")
"""The parts of a run that may be kept beside its settings, which always are."""
FILTERS: Final = (*NARROWING, "regime", "before", "drop")
LIMITS: Final = OPTIONS["limits"].option.choices
_OF_QUESTION: Final = ("query", "known")
"""The fields that another question does not keep."""


def follow_up(run: StoredRun, run_log: LiteratureLog, who: Visitor) -> dict[str, Any]:
    """The words of the page of a run that has ended on following it up; of other runs only those
    that the visitor may see. ``fields`` are those it was asked with, ``articles`` is how many it
    can hand on. ``parent`` is the run it follows up, ``reused`` how many judgements and summaries
    it took over from it. ``limits`` are those that its source has, with their titles; ``resolves``
    says that a model will be asked what a follow-up means, ``suggestions`` are its questions.
    """
    fields = fields_of(run)
    pubmed = sources.reads_pubmed(run.request.source) and not run.request.documents
    return {
        "fields": fields,
        "articles": len(run.request.documents if _given(run) else _articles(run, run_log)),
        "parent": parent_of(run, who),
        "children": children(run, who),
        "reused": (len(run_log.reused), sum(run_log.reused.values())),
        "limits": [(name, title) for name, (title, _) in LIMITS.items()] if pubmed else [],
        "resolves": fields.get("models", {}).get("resolve", fields["model"]) != EXTRACTIVE,
        "suggestions": run_log.next_questions,
    }


def question_of(run: StoredRun) -> str:
    """The question that a run searched and judged: of a follow-up the resolved one."""
    run_log: LiteratureLog = services().store.log(run)
    return run_log.question or run.request.question


def followed(fields: Mapping[str, Any], who: Visitor) -> tuple[dict[str, Any], StoredRun | None]:
    """(what `webapp.asking.ask` is given for ``fields`` that may name a ``parent`` and what to
    ``keep`` of it; that run). Any field that is given, null too, goes before what is kept.

    Raises FieldError for a run that has not ended or is none of the visitor's business.
    """
    given = dict(fields)
    named, keep = given.pop("parent", None), given.pop("keep", None)
    if named is None:
        if keep is not None:
            raise FieldError("keep", "needs a parent, the run of which something is kept")
        return given, None
    parent = followable(named, who)
    usual = KEEP if _given(parent) else KEEP[:2]
    names = usual if keep is None else _names(keep)
    made = {
        name: value
        for name, value in fields_of(parent).items()
        if name not in ("question", "allow_identifiers", "documents")
        and ("filters" in names or name not in FILTERS)
    }
    before, asked = question_of(parent), given.pop("question", None)
    made.pop("follows", None)  # what a follow-up was taken to ask is not resolved once more
    if "question" in names and asked in (None, before, parent.request.question):
        asked = before
    elif asked is not None and asked != before:
        for name in _OF_QUESTION:
            made.pop(name, None)
        if "question" in names:
            made["follows"] = before
    if "articles" in names and _given(parent):
        made["documents"] = fields_of(parent)["documents"]
    elif "articles" in names:
        run_log: LiteratureLog = services().store.log(parent)
        if pmids := _articles(parent, run_log):
            made["query"] = [" OR ".join(f"{pmid}[pmid]" for pmid in pmids)]
            made |= {"per_query": max(len(pmids), parent.request.per_query), "chase": 0}
            made["strategy"] = "seeds"
        elif keep is not None:
            raise FieldError("keep", "this run has no articles that a search can be limited to")
    return made | given | {"question": asked}, parent


def continued(fields: dict[str, Any], who: Visitor) -> tuple[dict[str, Any], dict[str, Any]]:
    """`followed`, for a request over HTTP."""
    given, parent = followed(fields, who)
    return given, {"parent": parent}


def followable(run_id: object, who: Visitor) -> StoredRun:
    """The run, if it has ended and the visitor may see it. Raises FieldError, which tells no run
    that may not be seen from one that does not exist.
    """
    run = services().store.get(run_id) if isinstance(run_id, str) else None
    if run is None or run.pipeline != DEFAULT or not may_see(who, run):
        raise FieldError("parent", "this run does not exist")
    if run.status not in ENDED:
        raise FieldError("parent", "this run has not ended yet")
    return run


def _names(keep: object) -> tuple[str, ...]:
    several = (keep,) if isinstance(keep, str) else keep
    if not isinstance(several, (list, tuple)) or any(name not in KEEP for name in several):
        raise FieldError("keep", f"must be some of: {', '.join(KEEP)}")
    return tuple(several)


def _given(run: StoredRun) -> bool:
    """Return whether it answers from records that a visitor gave, whole or as PMIDs."""
    return bool(run.request.documents)


def _articles(run: StoredRun, run_log: LiteratureLog) -> list[str]:
    """The PMIDs of the relevant articles, where its source can be asked for them."""
    if not sources.reads_pubmed(run.request.source):
        return []
    return [article.pmid for article in run_log.relevant if article.pmid is not None]
