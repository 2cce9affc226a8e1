"""The literature chain in the web app, and the parts of a running run's page, read from the run log
by the views that the finished answer is read by. No HTML here.
"""

from collections.abc import Iterator
from typing import Any, Final

from clinfo import sources
from clinfo.evidence import level, stated_design, strength
from clinfo.pipelines.literature import ArticleSummarised, LiteratureLog, build_answer
from clinfo.records import Answer, RunRequest
from clinfo.runs import named
from clinfo.sources import source_specs
from clinfo.views import (
    article_view,
    brief,
    doing,
    failed_search,
    funnel,
    listed,
    number,
    pico_parts,
    published,
    reading,
    result_of,
    run_steps,
    tldr,
    wanted,
    writing,
)
from webapp.pipelines import WebPipeline
from webapp.pipelines.literature import asking
from webapp.pipelines.literature.reading import shown_query
from webapp.pipelines.literature.sources import hits_link, reasons, sentences
from webapp.watch.page import NOTES, LivePipeline, Shown, Status, told

_ENOUGH: Final = 3
"""Articles that must be through before their speed tells how long the others take."""


def _queries(run_log: LiteratureLog, answer: Answer | None, request: RunRequest) -> Iterator[Any]:
    """The queries by number, those not yet written as places that wait for them: with what became
    of each and, where it was searched, how the answer shows it.
    """
    known = {event.query.index: event for event in run_log.queries}
    searched = {one.number - 1: one for one in answer.queries} if answer else {}
    expected = 0 if run_log.fetched else wanted(run_log, request)
    for index in range(max(expected, max(known, default=-1) + 1)):
        event, search = known.get(index), searched.get(index)
        shown = shown_query(search, index + 1) if search else None
        if event is None and index >= expected:
            continue
        query = event.query if event else None
        asked = f"{sources.title(request.source)} is being asked"
        states = (
            (event is None, "to come", "being written" if run_log.started else "to be written"),
            (
                event is not None and event.same_as is not None,
                "same",
                f"the same as query {((event and event.same_as) or 0) + 1}",
            ),
            (query and not query.text, "empty", "no query could be derived from the question"),
            (
                search is None,
                "searching",
                asked if run_log.fetched is None else "not searched",
            ),
            (search is not None and failed_search(search), "failed", "could not be searched"),
            (search is not None and not search.count, "answered", "found nothing"),
            (True, "answered", f"{len(search.ids) if search else 0:,} retrieved"),
        )
        state, said = next((state, said) for holds, state, said in states if holds)
        link = hits_link(request.source, (search and search.sent) or (query.text if query else ""))
        notes = shown["notes"] if shown else (*query.repairs, *query.remarks) if query else ()
        yield index + 1, state, said, query.text if query else "", shown, link, notes


def _cards(run_log: LiteratureLog, answer: Answer | None) -> list[dict[str, Any]]:
    """The articles in their order, each with what became of it; ``n`` is its citation number once
    that is fixed.
    """
    numbers = run_log.numbers if run_log.appraisal is not None else {}
    problems = {
        event.id: event.problem for event in run_log.all(ArticleSummarised) if event.problem
    }
    cards: list[dict[str, Any]] = []
    for article, read in zip(run_log.articles, answer.articles if answer else (), strict=True):
        view = article_view(read)
        summary = read.summary if view.kept else None
        design = (summary and summary.design) or stated_design(article) if view.kept else None
        problem = problems.get(article.id, "")
        waits = view.kept and not (read.summary or problem or view.later[:15] == "not summarised:")
        cards.append(
            {
                "article": article,
                "view": view,
                "where": published(article),
                "n": numbers.get(article.id),
                "place": len(cards),
                "design": design,
                "level": level(design),
                "summary": summary,
                "result": result_of(summary) if summary else "",
                "problem": problem,
                "awaits_summary": waits and "timed read" not in run_log,
            }
        )
    return cards


def _best(cards: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The strongest article among those judged relevant, by level of evidence, then by rank; one
    whose finding is known before one that waits for it. None without any.
    """
    return min(
        (one for one in cards if one["view"].state == "relevant"),
        key=lambda one: (one["summary"] is None, strength(one["design"]), one["place"]),
        default=None,
    )


def _status(run_log: LiteratureLog, request: RunRequest) -> Status:
    """The line on the progress of the run."""
    kept = f"Results so far are kept: {_kept(run_log)}." if run_log.started else ""
    return Status("running", doing(run_log, request).said, kept, _share(run_log, request))


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
    if not read.over:  # an article is through when it is summarised, or irrelevant
        total = 2 * max((read.to_judge or 0) + read.unread, 1)
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


def _parts(run_log: LiteratureLog, request: RunRequest, run_id: str) -> Iterator[Shown]:
    answer = build_answer(run_log) if run_log.started else None
    read, cards = reading(run_log), _cards(run_log, answer)
    titles = {article.id: article.title for article in run_log.articles}
    names = {n: titles[id] for id, n in run_log.numbers.items()}
    shown = {
        part: sentences(answer, part, set(names)) if answer else ()
        for part in ("tldr", "synthesis")
    }
    short = tldr(run_log)
    first = next((one for one in cards if one["article"].id == short.article), None)
    yield Shown("tldr", "tldr", (short, shown["tldr"], names, first))
    yield Shown("synthesis-state", "synthesis_state", writing(run_log))
    written = answer.synthesis if answer else ""
    text = (shown["synthesis"], reasons(shown["synthesis"]), names, written)
    yield Shown("synthesis", "synthesis", text)
    yield Shown("reading", "reading", (read, f"{run_id}/articles?which="))
    yield Shown("best", "best", _best(cards))
    yield Shown("articles-head", "articles_head", read)
    yield Shown("articles", "article", {f"article-{one['place']}": one for one in cards}, each=True)
    yield Shown("found", "found", funnel(answer)[0] if answer and run_log.fetched else "")
    asks = request.strategy == "pico" and not request.own_queries and run_log.fetched is None
    pico = run_log.understood
    yield Shown("understood", "understood", (pico_parts(pico) if pico else None, asks))
    queries = {f"query-{one[0]}": one for one in _queries(run_log, answer, request)}
    yield Shown("queries", "query", queries, each=True)
    yield from (one for one in told(run_log) if one.name != "notices")
    notices = run_log.started.notices if run_log.started else ()
    yield Shown("notices", "notices", " · ".join(map(brief, notices)))


LIVE: Final = LivePipeline(
    "literature",
    "literature/watch.html",
    "watch/parts.html",
    {"articles": ("ol", "articles"), "queries": ("ol", "queries"), **NOTES},
    run_steps,
    _parts,
    _status,
    reading_left,
)

_HERE = "webapp.pipelines.literature"

WEB = WebPipeline(
    name="literature",
    asks=asking.asks,
    live=LIVE,
    page=named(f"{_HERE}.read_pages:ended"),
    sent=asking.AskFields,
    answers=Answer,
    described=asking.described,
    pages=(f"{_HERE}.ask_pages:pages", f"{_HERE}.read_pages:pages"),
    form="ask.form",
    again="read.again",
    title="Ask",
    listed=lambda request: next(
        (one.heading for one in source_specs() if one.name == request.source), request.source
    ),
    hosted=asking.hosted,
    continued=asking.continued,
)
