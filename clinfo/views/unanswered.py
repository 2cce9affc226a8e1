"""The reason why an answer has no synthesis, derived from its counts and warnings."""

from __future__ import annotations

from dataclasses import dataclass

from clinfo.extractive.coverage import LACKS, NAMES_NOTHING, UNNAMED
from clinfo.llm.failures import BLOCKED, REFUSED
from clinfo.pipelines.literature.request import NARROWING
from clinfo.records.answer import Answer, ReadArticle, SearchedQuery
from clinfo.sources import registry
from clinfo.text.wording import listed, number

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
    """Return what kept a run that came to its end from a synthesis. Call it only for an answer
    without one.
    """
    counts = answer.counts
    if answer.withheld_text:
        reason = answer.withheld_reason
        said = f"{reason[:1].upper()}{reason[1:]}. " if reason else ""
        return Unanswered(WITHHELD, f"{said}The studies retrieved are listed below.", widen=False)
    late = _late(answer)
    failed = _failed(answer)
    if counts.summarised:
        if answer.support.removed:
            why = "none of the sentences of the synthesis is supported"
            return _unanswered(
                why, f"{_articles(counts.summarised)} summarised; the evidence is listed below."
            )
        refusals = [one for one in answer.warnings if BLOCKED in one or REFUSED in one]
        told = "".join(f"{one}. " for one in refusals[-1:])
        return _unanswered(
            "the model wrote no synthesis", f"{told}{_articles(counts.summarised)} summarised."
        )
    if counts.relevant:
        why = (
            f"{'the deadline passed before any' if late else 'no'} relevant article "
            f"{'was' if late else 'could be'} summarised"
        )
        return _unanswered(
            why,
            (
                f"{_articles(counts.judged)} read, and {counts.relevant:,} of them kept as "
                f"relevant.{_time(late)}"
            ),
        )
    unnamed = " ".join(one for one in answer.warnings if one.startswith(UNNAMED))
    if counts.judged and counts.not_assessed:
        of = _articles(counts.judged + counts.not_assessed)
        none = unnamed or "None of those was judged relevant."
        said = f"{none} {counts.judged:,} of {of} read."
        return Unanswered(
            "Nothing relevant among the articles read",
            f"{said}{_time(late)}{failed}",
            widen=not late,
        )
    if counts.judged:
        none = unnamed or "None was judged relevant."
        said = f"{none} {_articles(counts.judged)} read.{failed}"
        return Unanswered("Nothing relevant was found", said, widen=True)
    if counts.not_assessed:
        why = f"{'the deadline passed before any article' if late else 'no article'} was read"
        return _unanswered(
            why, f"{_articles(counts.not_assessed)} found and not read.{_time(late)}"
        )
    if counts.fetched:
        said = (
            f"{_articles(counts.fetched)} found, and {'it' if counts.fetched == 1 else 'all'} had "
            "to be withheld."
        )
        return Unanswered("No usable article was found", said, widen=True)
    if counts.found:
        return _unanswered(
            "no record could be used",
            f"{_articles(counts.found)} found, but none of the records could be read.",
        )
    if late:
        return _unanswered(
            "the deadline passed before the search was done",
            f"No article was found by then.{_time(late)}",
        )
    if failed:
        return _unanswered(
            "the search is incomplete", f"The searches that were answered found no article.{failed}"
        )
    if not answer.queries:
        said = (
            "No query could be made of the question. Say what it is about, such as a treatment and "
            "a condition."
        )
        return Unanswered("Nothing was searched", said, widen=False)
    return Unanswered("Nothing relevant was found", "The searches found no article.", widen=True)


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
    ways = [Way("", "rephrase the question (in English), or ask about less at once")]
    source = registry.spec(str(answer.settings.get("source", "")))
    if source and source.caution:
        ways.insert(
            0,
            Way(
                "pubmed",
                f"ask all of PubMed: {source.title} knows a few questions only",
                "--source pubmed",
            ),
        )
    ways.append(Way("", "give a query of your own", "--query", "query"))
    ways.append(Way("per-query", "let each query bring more articles", "--per-query"))
    if answer.counts.not_assessed:
        ways.append(Way("articles", "have more articles judged", "--max-articles"))
    limits = [
        (one.option.narrows, one.option.flag or f"--{name.replace('_', '-')}")
        for name, one in NARROWING.items()
        if answer.settings.get(name)
    ]
    if limits:
        words, flags = zip(*limits, strict=True)
        ways.append(
            Way("limits", f"remove the limits set by {listed(list(words))}", ", ".join(flags))
        )
    return ways


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


def _time(late: bool) -> str:
    return " Allow more time (--max-seconds)." if late else ""
