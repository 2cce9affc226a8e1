"""Facts of a run for its page: search, counts, cost, settings, and notices to read before it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clinfo import sources
from clinfo.claims import judge_spec as spec
from clinfo.pipelines.literature import EXTRACTIVE_NOTICE, LITERATURE, PROMPTS
from clinfo.records import EXTRACTIVE, Answer, RunRequest, SearchedQuery
from clinfo.sources import DEMO_NOTICE
from clinfo.text import day, one_line
from clinfo.text import printable_text as printable
from clinfo.views import QueryView, failed_search, listed, models_in_words, query_view, seconds
from webapp.pipelines.literature.linking import Link, query_link

STAGES = {step.name: step.doing for step in LITERATURE.steps}


@dataclass(frozen=True)
class ShownQuery(QueryView):
    """A query with what its source answered; ``elsewhere`` says that ``link`` leads to another
    source than was searched, ``counted_there`` that it shows what ``hits`` counts.
    """

    link: Link | None = None
    elsewhere: bool = False
    counted_there: bool = False


@dataclass(frozen=True)
class PromptChange:
    """A prompt that the run replaced: the lines that differ, each with " ", "-", "+" or "@" before
    it.
    """

    name: str
    lines: tuple[tuple[str, str], ...]


def prompt_changes(request: RunRequest) -> tuple[PromptChange, ...]:
    """The prompts that a run replaced and that differ from the default ones."""
    defaults = PROMPTS.defaults()
    changes = []
    for name, text in request.prompts.items():
        before, after = defaults.get(name, "").splitlines(), printable(text).splitlines()
        lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
        if lines:
            changes.append(PromptChange(name, tuple((line[:1] or " ", line[1:]) for line in lines)))
    return tuple(changes)


def shown_query(query: SearchedQuery, place: int) -> ShownQuery:
    """A query; ``place`` counts the queries from 1, for records without numbers."""
    source = sources.spec(query.source)
    return ShownQuery(
        **vars(query_view(query, place)),
        link=query_link(query),
        elsewhere=bool(source and source.caution),
        counted_there=bool(source and source.counts_there) and not failed_search(query),
    )


def source_in_words(answer: Answer) -> str:
    """The name of the source as people write it."""
    return sources.title(str(answer.settings.get("source", "")))


def settings(answer: Answer, request: RunRequest) -> tuple[tuple[str, str], ...]:
    """Return what the run was set to, each with its name; what is not set is left out."""
    settings: Mapping[str, Any] = answer.settings
    models = settings.get("models")
    by_stage = models if isinstance(models, Mapping) else {}
    several = len(set(by_stage.values())) > 1
    shown: list[tuple[str, str]] = []
    if several:
        shown += [
            (f"Model for {STAGES.get(stage, stage)}", str(name)) for stage, name in by_stage.items()
        ]
    else:
        shown.append(("Model", listed(models_in_words(answer))))
    shown += [
        ("Source", source_in_words(answer)),
        ("Regime", _regime(settings)),
        ("Publication dates", _dates(settings)),
        ("Filter", str(settings.get("filter") or "")),
        ("Limits", listed(list(settings.get("limits") or []))),
        ("Documents given", f"{len(request.documents):,}" if request.documents else ""),
        (
            "Queries",
            ""
            if request.documents
            else "given by the user"
            if request.own_queries
            else f"{settings.get('queries', '')} written by the model",
        ),
        (
            "Search strategy",
            ""
            if request.own_queries or request.documents
            else str(settings.get("strategy", "seeds")),
        ),
        (
            "Articles requested per query",
            "" if request.documents else str(settings.get("per_query", "")),
        ),
        ("Most articles judged", str(settings.get("max_articles", ""))),
        ("Most articles summarised", str(settings.get("rerank") or "")),
        (
            "Links followed",
            f"up to {settings['chase']} relevant articles" if settings.get("chase") else "",
        ),
        ("Seed studies searched for", f"{len(request.known):,}" if request.known else ""),
        (
            "Unsupported sentences",
            "removed, or repaired once" if settings.get("strict") else "kept and marked",
        ),
        ("Checked by", _judges(settings)),
        ("Edition of the checks", str(settings.get("checks") or "older than 2")),
        ("Deadline", seconds(settings["max_seconds"]) if settings.get("max_seconds") else "none"),
        ("Retractions known by", str(settings.get("retractions") or "the source's records")),
        (
            "Temperature",
            str(settings.get("temperature", "")) if set(by_stage.values()) != {EXTRACTIVE} else "",
        ),
        ("First seed", str(settings.get("seed", ""))),
        (
            "Prompts edited",
            listed([str(name) for name in settings.get("prompts_edited") or ()]) or "none",
        ),
        ("Version", f"clinfo {settings['version']}" if "version" in settings else ""),
    ]
    return tuple((name, one_line(value)) for name, value in shown if value)


def _judges(settings: Mapping[str, Any]) -> str:
    choice, learned = settings.get("judge"), settings.get("learned_judge")
    known = spec(str(choice)) if choice else None
    said = ["a language model"] if known and known.model else []
    said += [f"the entailment model {learned}"] if learned else []
    return listed(said) or "nobody"


def _regime(settings: Mapping[str, Any]) -> str:
    regime = str(settings.get("regime", "unrestricted"))
    if settings.get("before"):
        regime += f", before {day(str(settings['before']))}"
    if settings.get("drop"):
        regime += f", without PMID {listed([str(pmid) for pmid in settings['drop']])}"
    return regime


def _dates(settings: Mapping[str, Any]) -> str:
    first, last = settings.get("from"), settings.get("to")
    parts = [f"from {day(str(first))}" if first else "", f"to {day(str(last))}" if last else ""]
    return " ".join(part for part in parts if part)


BRIEF: Final[Mapping[str, str]] = {
    DEMO_NOTICE: "Demo corpus: do not base decisions on this answer.",
    EXTRACTIVE_NOTICE: "No language model: studies are quoted, nothing is judged.",
}
"""Notices that would push the answer off a phone's first screen, each in a few words that stand at
its head instead.
"""


@dataclass(frozen=True)
class ShownNotice:
    """A notice as it is given, and the words for it at the head of the page: the same ones, unless
    it has brief ones.
    """

    text: str
    head: str

    @property
    def shortened(self) -> bool:
        return self.head != self.text


def shown_notices(notices: Sequence[str]) -> tuple[ShownNotice, ...]:
    """The notices in the order in which they were given."""
    return tuple(
        ShownNotice(one_line(notice), BRIEF.get(notice, one_line(notice))) for notice in notices
    )
