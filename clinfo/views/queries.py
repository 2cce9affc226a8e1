"""A query and what its source answered, and why an answer has no synthesis: derived from its counts
and warnings, as every page says it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Final

from clinfo.extractive.concepts import LACKS, NAMES_NOTHING, UNNAMED
from clinfo.extractive.model import NOTICE as EXTRACTIVE_NOTICE
from clinfo.llm.failures import BLOCKED, REFUSED
from clinfo.pipelines.literature.request import NARROWING
from clinfo.records.answer import Answer, ReadArticle, Resolved, SearchedQuery
from clinfo.records.articles import Pico, SeedStudy
from clinfo.sources import registry
from clinfo.text.wording import listed, number, one_line


def query_view(query: SearchedQuery, place: int) -> SimpleNamespace:
    """A query as it is shown; ``place`` counts the queries from 1, for records without numbers.

    ``sent`` and ``translation`` are "" where they are no other text, ``taken`` where all hits were.
    ``alone`` says how many articles it alone found; ``steps`` are what was sent in turn, each with
    its hits, of a query that found nothing at first; ``notes`` are what is said about it.
    """
    text, sent, translation = map(one_line, (query.text, query.sent, query.translation or ""))
    return SimpleNamespace(
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


WITHHELD = "Withheld: too little of the answer is supported"
NEAREST = 3
"""Articles that are shown where none is relevant."""


@dataclass(frozen=True)
class Unanswered:
    """The reason for an answer that is missing: a ``heading``, one or two sentences that ``said``
    it, and whether a wider search may help.
    """

    heading: str
    said: str
    widen: bool


@dataclass(frozen=True)
class Way:
    """A change that finds more, as a clause. ``name`` is what a page knows it by, "" where somebody
    has to write.

    ``flag`` is that of the command line, ``field`` the field of a form that it is written in.
    """

    name: str
    text: str
    flag: str = ""
    field: str = "question"


def unanswered(answer: Answer) -> Unanswered:
    """Return what kept a run that came to its end from a synthesis: the first reason that holds.
    Call it only for an answer without one.
    """
    counts, late, failed = answer.counts, _late(answer), _failed(answer)
    why, read = answer.withheld_reason, counts.judged + counts.not_assessed
    refusals = [one for one in answer.warnings if BLOCKED in one or REFUSED in one]
    unnamed = " ".join(one for one in answer.warnings if one.startswith(UNNAMED))
    time = " Allow more time (--max-seconds)." if late else ""
    reasons = (
        (
            answer.withheld_text,
            Unanswered(
                WITHHELD,
                f"{f'{why[:1].upper()}{why[1:]}. ' if why else ''}The studies retrieved are listed "
                "below.",
                widen=False,
            ),
        ),
        (
            counts.summarised and answer.support.removed,
            _unanswered(
                "none of the sentences of the synthesis is supported",
                f"{_articles(counts.summarised)} summarised; the evidence is listed below.",
            ),
        ),
        (
            counts.summarised,
            _unanswered(
                "no study found has a conclusion to quote"
                if EXTRACTIVE_NOTICE in answer.notices
                else "the model wrote no synthesis",
                f"{''.join(f'{one}. ' for one in refusals[-1:])}{_articles(counts.summarised)} "
                "summarised.",
            ),
        ),
        (
            counts.relevant,
            _unanswered(
                f"{'the deadline passed before any' if late else 'no'} relevant article "
                f"{'was' if late else 'could be'} summarised",
                f"{_articles(counts.judged)} read, and {counts.relevant:,} of them kept as "
                f"relevant.{time}",
            ),
        ),
        (
            counts.judged and counts.not_assessed,
            Unanswered(
                "Nothing relevant among the articles read",
                f"{unnamed or 'None of those was judged relevant.'} {counts.judged:,} of "
                f"{_articles(read)} read.{time}{failed}",
                widen=not late,
            ),
        ),
        (
            counts.judged,
            Unanswered(
                "Nothing relevant was found",
                f"{unnamed or 'None was judged relevant.'} {_articles(counts.judged)} read."
                f"{failed}",
                widen=True,
            ),
        ),
        (
            counts.not_assessed,
            _unanswered(
                f"{'the deadline passed before any article' if late else 'no article'} was read",
                f"{_articles(counts.not_assessed)} found and not read.{time}",
            ),
        ),
        (
            counts.fetched,
            Unanswered(
                "No usable article was found",
                f"{_articles(counts.fetched)} found, and {'it' if counts.fetched == 1 else 'all'} "
                "had to be withheld.",
                widen=True,
            ),
        ),
        (
            counts.found,
            _unanswered(
                "no record could be used",
                f"{_articles(counts.found)} found, but none of the records could be read.",
            ),
        ),
        (
            late,
            _unanswered(
                "the deadline passed before the search was done",
                f"No article was found by then.{time}",
            ),
        ),
        (
            failed,
            _unanswered(
                "the search is incomplete",
                f"The searches that were answered found no article.{failed}",
            ),
        ),
        (
            not answer.queries,
            Unanswered(
                "Nothing was searched",
                "No query could be made of the question. Say what it is about, such as a treatment "
                "and a condition.",
                widen=False,
            ),
        ),
    )
    nothing = Unanswered("Nothing relevant was found", "The searches found no article.", widen=True)
    return next((reason for holds, reason in reasons if holds), nothing)


def near_misses(answer: Answer) -> list[ReadArticle]:
    """The articles that come nearest to the question where none is relevant, those that lack least
    first, at most `NEAREST`.

    None that names nothing of it. What each lacks is in its ``reason``; only without a language
    model it is counted, so another judge's come in the order of the search.
    """
    if answer.counts.relevant:
        return []
    near = [
        article
        for article in answer.articles
        if article.relevant is False and not article.reason.startswith(NAMES_NOTHING)
    ]
    return sorted(near, key=_lacks)[:NEAREST]


def _lacks(article: ReadArticle) -> int:
    """Return how many of the question's concepts an article lacks, less those it names."""
    named, _, lacking = article.reason.partition(LACKS)
    return lacking.count(", ") - named.count(", ") if lacking else 0


def ways_to_widen(answer: Answer) -> list[Way]:
    """Return what to change to find more, best first; of a run cut short only its time."""
    if _late(answer) and not unanswered(answer).widen:
        return [Way("time", "allow more time", "--max-seconds", "max_seconds")]
    source = registry.spec(str(answer.settings.get("source", "")))
    few = source.title if source and source.caution else ""
    limits = {
        one.option.flag or f"--{name.replace('_', '-')}": one.option.narrows
        for name, one in NARROWING.items()
        if answer.settings.get(name)
    }
    narrowed = f"remove the limits set by {listed([*limits.values()])}"
    ways = (
        (
            few,
            Way(
                "pubmed", f"ask all of PubMed: {few} knows a few questions only", "--source pubmed"
            ),
        ),
        (True, Way("", "rephrase the question (in English), or ask about less at once")),
        (True, Way("", "give a query of your own", "--query", "query")),
        (True, Way("per-query", "let each query bring more articles", "--per-query")),
        (
            answer.counts.not_assessed,
            Way("articles", "have more articles judged", "--max-articles"),
        ),
        (limits, Way("limits", narrowed, ", ".join(limits))),
    )
    return [way for holds, way in ways if holds]


def failed_search(query: SearchedQuery) -> bool:
    """Return whether the source gave no answer; the problem then stands in the query's warnings."""
    return not query.sent_at and not query.sort


def _unanswered(why: str, said: str) -> Unanswered:
    return Unanswered(f"Not answered: {why}", said, widen=False)


def _late(answer: Answer) -> bool:
    return any("deadline" in warning.lower() for warning in answer.warnings)


def _failed(answer: Answer) -> str:
    failed = sum(map(failed_search, answer.queries))
    searches = number(len(answer.queries), "search", "searches")
    return (
        f" {failed:,} of {searches} failed; ask again later to include their results."
        if failed
        else ""
    )


def _articles(count: int) -> str:
    return f"{number(count, 'article')} {'was' if count == 1 else 'were'}"
