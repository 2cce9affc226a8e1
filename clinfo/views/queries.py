"""A query and what its source answered, as every page says it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.records.answer import Resolved, SearchedQuery
from clinfo.records.articles import Pico, SeedStudy
from clinfo.text.printable import one_line
from clinfo.text.wording import number
from clinfo.views.unanswered import failed_search


@dataclass(frozen=True)
class QueryView:
    """A query: ``sent`` and ``translation`` are "" where they are no other text, ``taken`` where
    all hits were.

    ``alone`` says how many articles it alone found; ``steps`` are what was sent in turn, each with
    its hits, of a query that found nothing at first; ``notes`` are what is said about it, each
    once.
    """

    name: int
    text: str
    breadth: str
    sent: str
    translation: str
    hits: str
    taken: str
    alone: str
    notes: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]


def query_view(query: SearchedQuery, place: int) -> QueryView:
    """A query; ``place`` counts the queries from 1, for records without numbers."""
    text, sent, translation = map(one_line, (query.text, query.sent, query.translation or ""))
    return QueryView(
        name=name_of(query, place),
        text=text or sent,
        breadth=query.breadth or "",
        sent=sent if sent != text else "",
        translation=translation if translation not in (sent, text) else "",
        hits="failed" if failed_search(query) else number(query.count, "hit"),
        taken=f"best {len(query.ids):,} retrieved" if query.count > len(query.ids) else "",
        alone=f"{len(query.unique):,} found by this query only" if query.unique else "",
        notes=tuple(one_line(warning) for warning in query.warnings if warning),
        steps=tuple((one_line(step.sent), number(step.count, "hit")) for step in query.steps),
    )


def name_of(query: SearchedQuery, place: int) -> int:
    """The number by which everything calls a query: its own, for records without one its place."""
    return query.number or place


def pico_parts(pico: Pico) -> tuple[tuple[str, str], ...]:
    """Return what a question was understood as: the parts that have terms, each with them."""
    parts = (
        ("Population", pico.population),
        ("Intervention", pico.intervention),
        ("Comparator", pico.comparator),
        ("Outcome", pico.outcome),
    )
    return tuple((name, ", ".join(terms)) for name, terms in parts if terms)


def understood(pico: Pico) -> str:
    """``population adults, elderly; intervention zinc``."""
    return "; ".join(f"{name.lower()} {terms}" for name, terms in pico_parts(pico))


_AS_TYPED: Final = {
    "alone": "Asked as typed: it stands alone.",
    "no model": "Asked alone, as typed: there is no language model.",
    "unusable": "Asked alone, as typed: the model's reply could not be used.",
}


def resolved_as(resolved: Resolved) -> str:
    """Return as what a follow-up was understood, or that it was asked as typed, in a sentence."""
    if resolved.how != "rewritten":
        return _AS_TYPED[resolved.how]
    taken = f" ({'; '.join(map(one_line, resolved.assumptions))})" if resolved.assumptions else ""
    return f"Understood as: {one_line(resolved.question)}{taken}"


def found_by_queries(known: Sequence[SeedStudy]) -> str:
    """Return how many of the seed studies the queries find, at whatever rank, and how many of
    these only beyond what was asked for.
    """
    found = sum(bool(item.hits) for item in known)
    beyond = sum(bool(item.hits) and not any(hit.within for hit in item.hits) for item in known)
    further = f", {beyond:,} of them beyond the articles requested" if beyond else ""
    return f"{found:,} of {len(known):,} found by the queries{further}"
