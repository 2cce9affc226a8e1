"""Content of the parts of a running run's page, read from the run log. No HTML here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from clinfo import sources
from clinfo.evidence import level, stated_design, strength
from clinfo.pipelines.literature import (
    LITERATURE,
    ArticleSummarised,
    LiteratureLog,
    SynthesisReset,
    SynthesisText,
    read_articles,
    searched_queries,
)
from clinfo.records import Article, RunRequest, SearchedQuery, Sentence, Summary
from clinfo.runs import CostIncurred, Warned, usage_of
from clinfo.text import citation_marks
from clinfo.views import (
    State,
    article_view,
    doing,
    failed_search,
    listed,
    number,
    pico_parts,
    published,
    query_view,
    reading,
    result_of,
    run_steps,
    sentence_view,
    tldr,
    wanted,
    writing,
)
from clinfo.views import used as used_in_words
from webapp.pipelines.literature.linking import Link, hits_link
from webapp.pipelines.literature.run_facts import ShownNotice, shown_notices
from webapp.records import Head
from webapp.watch.page import Listed, LivePipeline, Shown, Status, ending

NOTES: Final = {
    f"{part}-notes": frozenset(step.name for step in LITERATURE.steps if step.part == part)
    for part in ("search", "reading", "writing")
}
"""The places of warnings, by the stage they come from: beside what they are about. Those of an
unknown stage stand with the first.
"""

_ENOUGH: Final = 3
"""Articles that must be through before their speed tells how long the others take."""


@dataclass(frozen=True)
class QueryLine:
    """A query with what became of it. ``link`` runs it where its hits can be counted again;
    ``notes`` are sentences.
    """

    number: int
    state: Literal["to come", "searching", "answered", "failed", "same", "empty"]
    text: str = ""
    hits: str = ""
    said: str = ""
    link: Link | None = None
    notes: tuple[str, ...] = ()
    translation: str | None = None


@dataclass(frozen=True)
class Best:
    """The strongest relevant article so far; ``finding`` is "" until it is summarised."""

    title: str
    place: int
    finding: str
    reason: str
    level: int | None
    design: str | None
    year: int | None


@dataclass(frozen=True)
class Card:
    """An article with what became of it. ``n`` is its citation number once it is fixed; ``reason``
    a sentence on ``state``.
    """

    place: int
    title: str
    url: str
    where: str
    source: str
    state: State
    word: str
    reason: str = ""
    n: int | None = None
    design: str | None = None
    level: int | None = None
    summary: Summary | None = None
    problem: str = ""
    flags: tuple[str, ...] = ()
    awaits_summary: bool = False

    @property
    def answer(self) -> str:
        """Return what the study found on what is asked; "" where that was not read."""
        return result_of(self.summary) if self.summary else ""


@dataclass(frozen=True)
class Fragment:
    """A stretch of a text, or a citation of articles at ``places`` (of their cards)."""

    text: str
    places: tuple[int, ...] = ()


@dataclass(frozen=True)
class Piece:
    """A part of the synthesis: as it streamed, or a checked sentence with its verdict."""

    name: str
    lead: str
    fragments: tuple[Fragment, ...]
    verdict: str = ""
    word: str = ""
    reason: str = ""
    added: bool = False


@dataclass(frozen=True)
class Understood:
    """The question as understood: (name, terms); empty before, and for a run that does not ask."""

    state: Literal["to come", "waiting", "known", "not asked"]
    parts: tuple[tuple[str, str], ...] = field(default_factory=tuple)


# ---- the search


def notices(run_log: LiteratureLog) -> tuple[ShownNotice, ...]:
    """Return what must be known of source and models from the start."""
    return shown_notices(run_log.started.notices) if run_log.started else ()


def understood(run_log: LiteratureLog, request: RunRequest) -> Understood:
    pico = run_log.understood
    if pico is None:
        asks = request.strategy == "pico" and not request.own_queries and run_log.fetched is None
        return Understood(("waiting" if run_log.started else "to come") if asks else "not asked")
    return Understood("known", pico_parts(pico))


def queries(run_log: LiteratureLog, request: RunRequest) -> list[QueryLine]:
    """The queries by number, those not yet written as places that wait for them."""
    known = {event.query.index: event for event in run_log.queries}
    searched = {query.number - 1: query for query in searched_queries(run_log)}
    expected = 0 if run_log.fetched else wanted(run_log, request)
    lines = []
    for index in range(max(expected, max(known, default=-1) + 1)):
        if index not in known:
            if index < expected:
                lines.append(
                    QueryLine(
                        index + 1,
                        "to come",
                        said="being written" if run_log.started else "to be written",
                    )
                )
            continue
        query, same = known[index].query, known[index].same_as
        notes = [*query.repairs, *query.remarks]
        if same is not None:
            lines.append(
                QueryLine(
                    index + 1,
                    "same",
                    query.text,
                    said=f"the same as query {same + 1}",
                    notes=tuple(notes),
                )
            )
        elif not query.text:
            lines.append(
                QueryLine(
                    index + 1,
                    "empty",
                    said="no query could be derived from the question",
                    notes=tuple(notes),
                )
            )
        else:
            lines.append(_searched(run_log, index, query.text, notes, searched.get(index), request))
    return lines


def _searched(
    run_log: LiteratureLog,
    index: int,
    text: str,
    notes: list[str],
    search: SearchedQuery | None,
    request: RunRequest,
) -> QueryLine:
    if search is None:
        said = (
            f"{sources.title(request.source)} is being asked"
            if run_log.fetched is None
            else "not searched"
        )
        return QueryLine(
            index + 1,
            "searching",
            text,
            said=said,
            link=hits_link(request.source, text),
            notes=tuple(notes),
        )
    view, failed = query_view(search, index + 1), failed_search(search)
    return QueryLine(
        index + 1,
        "failed" if failed else "answered",
        text,
        hits="" if failed else view.hits,
        said="could not be searched"
        if failed
        else f"{len(search.ids):,} retrieved"
        if search.count
        else "found nothing",
        link=hits_link(request.source, search.sent),
        notes=view.notes,
        translation=search.translation,
    )


def found(run_log: LiteratureLog) -> str:
    """Return what all queries brought together; "" before that is known."""
    fetched = run_log.fetched
    if fetched is None:
        return ""
    results = run_log.results.values()
    brought = Counter(id for result in results for id in set(result.ids))
    said = f"{number(len(brought), 'article')} found"
    if double := sum(times > 1 for times in brought.values()):
        said += f", {double:,} of them by more than one query"
    if chased := run_log.chased:
        said += f"; {number(len(chased.articles), 'more article')} by links from relevant ones"
    missing = len(fetched.missing) + len(fetched.unreadable)
    return f"{said}; {missing:,} could not be read." if missing else f"{said}."


def notes(run_log: LiteratureLog, places: Collection[str]) -> list[str]:
    """The warnings that belong to these stages, in order."""
    known = frozenset().union(*NOTES.values())
    first = NOTES["search-notes"]
    return [
        event.text
        for event in run_log.all(Warned)
        if event.where in places or (places == first and event.where not in known)
    ]


# ---- articles


def best(run_log: LiteratureLog, request: RunRequest) -> Best | None:
    """The strongest article among those judged relevant, by level of evidence, then by rank; one
    whose finding is known before one that waits for it. None without any.
    """
    place = {article.id: place for place, article in enumerate(run_log.articles)}
    judged, summaries = run_log.judgements, run_log.summaries
    ranked = []
    for article in run_log.relevant:
        if judged[article.id].relevant:
            summary = summaries.get(article.id)
            design = _design(article, summary)
            grade, why = level(design)
            finding = summary.finding if summary else ""
            shown = Best(
                article.title, place[article.id], finding, why, grade, design, article.year
            )
            ranked.append((not finding, strength(design), place[article.id], shown))
    return min(ranked, key=lambda one: one[:3])[3] if ranked else None


def cards(run_log: LiteratureLog, request: RunRequest) -> list[Card]:
    """The cards of all articles, in their order."""
    numbers = run_log.numbers if run_log.appraisal is not None else {}
    problems = {
        event.id: event.problem for event in run_log.all(ArticleSummarised) if event.problem
    }
    made = []
    for place, (article, read) in enumerate(
        zip(run_log.articles, read_articles(run_log), strict=True)
    ):
        view = article_view(read)
        design = _design(article, read.summary) if view.kept else None
        waits = not (
            read.summary or view.later.startswith("not summarised:") or article.id in problems
        )
        made.append(
            Card(
                place=place,
                title=article.title,
                url=article.url,
                where=published(article),
                source="PubMed" if article.pmid else "the record",
                state=view.state,
                word=f"{view.word[:1].upper()}{view.word[1:]}",
                reason=view.reason,
                n=numbers.get(article.id),
                design=design,
                level=level(design)[0],
                summary=read.summary if view.kept else None,
                problem=problems.get(article.id, ""),
                flags=view.flags,
                awaits_summary=view.kept and waits and "timed read" not in run_log,
            )
        )
    return made


def _design(article: Article, summary: Summary | None) -> str | None:
    """The design that a model read, else what the record states."""
    return (summary.design if summary else None) or stated_design(article)


# ---- writing


def synthesis(run_log: LiteratureLog) -> tuple[str, list[Piece]]:
    """Return what the synthesis consists of (streamed text of an attempt, or checked sentences),
    and its pieces.
    """
    if "answer withheld" in run_log:
        return "withheld", []
    sentences = run_log.sentences("synthesis")
    if sentences:
        return "checked", sentence_pieces(run_log, sentences, "s")
    attempt = run_log.attempt(SynthesisReset)
    pieces = sorted(
        (event for event in run_log.all(SynthesisText) if event.attempt == attempt),
        key=lambda one: one.piece,
    )
    return f"streamed {attempt}", [
        Piece(f"piece-{attempt}-{one.piece}", "", (Fragment(one.text),)) for one in pieces
    ]


def sentence_pieces(
    run_log: LiteratureLog, sentences: Sequence[Sentence], name: str
) -> list[Piece]:
    """Checked sentences, their citations leading to the cards of the articles. They are named as on
    the page of the answer: s1, s2 of the synthesis, t1 of the TL;DR.
    """
    place = {article.id: place for place, article in enumerate(run_log.articles)}
    cited = {n: place[id] for id, n in run_log.numbers.items()}
    pieces = []
    for nth, sentence in enumerate(sentences, 1):
        view, text = sentence_view(sentence), fragments(sentence.text, cited)
        why = "" if view.verdict in ("counted", "not_verified") else view.reason
        pieces.append(
            Piece(f"{name}{nth}", sentence.lead, text, view.verdict, view.word, why, sentence.added)
        )
    return pieces


def fragments(text: str, cited: dict[int, int]) -> tuple[Fragment, ...]:
    """The text cut at its citations; a citation of nothing known stays text."""
    found: list[Fragment] = []
    end = 0
    for mark in citation_marks(text):
        places = tuple(cited[n] for n in mark.numbers if n in cited)
        if not places:
            continue
        if mark.start > end:
            found.append(Fragment(text[end : mark.start]))
        found.append(Fragment(text[mark.start : mark.end], places))
        end = mark.end
    if end < len(text):
        found.append(Fragment(text[end:]))
    return tuple(found)


# ---- the whole


def status(run_log: LiteratureLog, request: RunRequest, head: Head) -> Status:
    """The line on the progress of the run."""
    kept = f"Results so far are kept: {_kept(run_log)}." if run_log.started else ""
    share = _share(run_log, request)
    return ending(head, kept, share, run_log) or Status(
        "running", doing(run_log, request).said, done=share
    )


def used(run_log: LiteratureLog) -> str:
    """``12,400 tokens in 83 model calls · $0.0041``; "" before the first call."""
    calls = run_log.all(CostIncurred)
    return used_in_words(usage_of(calls)) if calls else ""


def reading_left(run_log: LiteratureLog) -> float | None:
    """Estimate how many seconds reading still takes from the last event on, from this run alone:
    the time since the articles were fetched, times the work that is left over the work that is
    done. A judgement is one piece of work, a summary another; what is irrelevant needs none.

    None before three articles are through and after reading, and where nothing tells.
    """
    read, fetched = reading(run_log), run_log.fetched
    through = read.irrelevant + read.summarised
    if fetched is None or read.over or through < _ENOUGH:
        return None
    done = read.judged + read.summarised
    # Of those not judged yet as many are taken to be relevant as of those that are.
    unjudged = max(0, (read.to_judge or 0) - read.judged)
    waiting = max(0, read.to_summarise - read.summarised)
    left = unjudged * (1 + read.relevant / read.judged) + waiting
    return (run_log.last_t - fetched.t) * left / done


def _share(run_log: LiteratureLog, request: RunRequest) -> int:
    """The share of the work that is done, per cent: by steps, of which reading counts half. Only
    linked articles set it back.
    """
    if run_log.started is None:
        return 0
    if run_log.fetched is None:
        expected = max(wanted(run_log, request), 1)
        done = min(expected, len(run_log.queries)) + min(expected, len(run_log.searches))
        return round(10 * done / expected)
    read = reading(run_log)
    if not read.over:
        total = 2 * max(
            (read.to_judge or 0) + read.unread, 1
        )  # an article is through when it is summarised, or irrelevant
        return 20 + round(50 * min(1, (read.judged + read.irrelevant + read.summarised) / total))
    written = {"to come": 70, "now": 70, "streaming": 74, "anew": 74, "checking": 85}.get(
        writing(run_log).state
    )
    return written or {"now": 90, "checking": 96}.get(tldr(run_log).state, 98)


def _kept(run_log: LiteratureLog) -> str:
    read = reading(run_log)
    parts = [number(len(run_log.searches), "search", "searches")]
    if read.to_judge is not None:
        parts += [number(read.judged, "judgement"), number(read.summarised, "summary", "summaries")]
    if "timed synthesis" in run_log:
        parts.append("the synthesis")
    return listed(parts)


def _parts(run_log: LiteratureLog, request: RunRequest, run_id: str) -> Iterator[Shown | Listed]:
    short = tldr(run_log)
    read = reading(run_log)
    yield Shown("tldr", "tldr", (short, sentence_pieces(run_log, short.sentences, "t")))
    yield Shown("synthesis-state", "synthesis_state", writing(run_log))
    kind, pieces = synthesis(run_log)
    yield Listed("synthesis", "piece", {one.name: one for one in pieces}, kind)
    yield Shown("reading", "reading", (read, f"{run_id}/articles?which="))
    yield Shown("best", "best", best(run_log, request))
    yield Shown("articles-head", "articles_head", read)
    shown = {f"article-{card.place}": card for card in cards(run_log, request)}
    yield Listed("articles", "article", shown)
    yield Shown("found", "found", found(run_log))
    yield Shown("understood", "understood", understood(run_log, request))
    lines = {f"query-{one.number}": one for one in queries(run_log, request)}
    yield Listed("queries", "query", lines)
    for name, places in NOTES.items():
        said = notes(run_log, places)
        yield Listed(name, "note", {f"{name}-{n}": text for n, text in enumerate(said)})
    yield Shown("notices", "notices", notices(run_log))
    yield Shown("used", "used", used(run_log))


LIVE: Final = LivePipeline(
    "literature",
    "literature/watch.html",
    "watch/parts.html",
    {
        "synthesis": ("div", "reading synthesis"),
        "articles": ("ol", "articles"),
        "queries": ("ol", "queries"),
        **dict.fromkeys(NOTES, ("ul", "notes")),
    },
    run_steps,
    _parts,
    status,
    reading_left,
)
