"""Follow-up runs: what a new question keeps of an earlier run, and the links between the two.

A run that follows another one up takes its settings over and, as asked, its question, its filters
and its articles. Of the same question it takes over judgements and summaries too
(`clinfo.pipelines.literature.reading_stage`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from clinfo import sources
from clinfo.errors import FieldError
from clinfo.pipelines import DEFAULT
from clinfo.pipelines.literature import NARROWING, OPTIONS, LiteratureLog, plain
from webapp.pipelines.literature.asking import fields_of
from webapp.records import ENDED, StoredRun, Visitor
from webapp.services import services
from webapp.visitors import children, may_see, parent_of

KEEP: Final = ("question", "filters", "articles")
"""What may be kept of a run beside its settings, which always are."""
FILTERS: Final = (*NARROWING, "regime", "before", "drop")
LIMITS: Final = OPTIONS["limits"].option.choices
_OF_QUESTION: Final = ("query", "known")
"""What another question does not keep."""


@dataclass(frozen=True)
class FollowUp:
    """What a run's page says of following it up. ``fields`` are those it was asked with,
    ``filters`` those that narrow it, in words, and ``articles`` how many it can hand on. ``parent``
    is the run it follows up, ``reused`` how many judgements and summaries it took over from it.
    ``limits`` are those that its source has, with their titles.
    """

    fields: Mapping[str, Any]
    filters: tuple[str, ...]
    articles: int
    parent: StoredRun | None
    children: tuple[StoredRun, ...]
    reused: tuple[int, int]
    limits: tuple[tuple[str, str], ...]


def follow_up(run: StoredRun, run_log: LiteratureLog, who: Visitor) -> FollowUp:
    """What the page of a run that has ended says of following it up; of other runs only what the
    visitor may see.
    """
    fields = fields_of(run)
    pubmed = sources.reads_pubmed(run.request.source) and not run.request.documents
    return FollowUp(
        fields,
        tuple(
            f"{OPTIONS[name].option.label}: {_in_words(name, fields[name])}"
            for name in FILTERS
            if name in fields and fields[name] != OPTIONS[name].default
        ),
        len(run.request.documents if _given(run) else _articles(run, run_log)),
        parent_of(run, who),
        children(run, who),
        (len(run_log.reused), sum(run_log.reused.values())),
        tuple((name, title) for name, (title, _) in LIMITS.items()) if pubmed else (),
    )


def followed(fields: Mapping[str, Any], who: Visitor) -> tuple[dict[str, Any], StoredRun | None]:
    """(what `webapp.asking.ask` is given for ``fields`` that may name a ``parent`` and what to
    ``keep`` of it, by default all; that run). Any field that is given, null too, goes before what
    is kept.

    Raises FieldError for a run that has not ended or is none of the visitor's business.
    """
    given = dict(fields)
    named, keep = given.pop("parent", None), given.pop("keep", None)
    if named is None:
        if keep is not None:
            raise FieldError("keep", "needs a parent, the run of which something is kept")
        return given, None
    parent = followable(named, who)
    names = KEEP if keep is None else _names(keep)
    made = {
        name: value
        for name, value in fields_of(parent).items()
        if name not in ("question", "allow_identifiers", "documents")
        and ("filters" in names or name not in FILTERS)
    }
    before, asked = parent.request.question, given.pop("question", None)
    if asked is not None and asked != before:
        for name in _OF_QUESTION:
            made.pop(name, None)
    if "question" in names and asked != before:
        asked = f"{before} {asked}" if isinstance(asked, str) and asked.strip() else before
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


def _in_words(name: str, value: Any) -> str:
    choices = OPTIONS[name].option.choices
    values = value if isinstance(value, list) else [plain(value)]
    return ", ".join(choices[one][0] if one in choices else str(one) for one in values)
