"""The progress of a run: its six steps, what it does now and for whom it waits, as every display
says it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from clinfo.pipelines.literature.events import (
    ArticlesChased,
    ArticlesFetched,
    ArticlesNotAssessed,
    ArticlesReranked,
    ArticleSummarised,
    FollowUpResolved,
    LinesCounted,
    LiteratureLog,
    QueryExplained,
    QueryGenerated,
    QueryRelaxed,
    QuerySearched,
    QuestionUnderstood,
    SeedStudiesChecked,
    SentencesRemoved,
    SynthesisReset,
    SynthesisText,
    TermsCounted,
)
from clinfo.records.articles import Query, RunRequest, Sentence
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Event, StageTimed
from clinfo.runs.pipeline import Doing
from clinfo.sources import registry
from clinfo.text.wording import listed, number, seconds
from clinfo.views.counts import matching
from clinfo.views.queries import WITHHELD, found_by_queries, resolved_as, understood

StepState = Literal["to come", "now", "done", "left out"]


@dataclass(frozen=True)
class Step:
    """One of the six steps: ``said`` is how far it is, in a few words; ``target`` the part of a
    page that shows what it found.
    """

    name: str
    title: str
    target: str
    state: StepState
    said: str


@dataclass(frozen=True)
class Reading:
    """The progress of judging and summarising. ``to_judge``: None before the fetch."""

    to_judge: int | None = None
    judged: int = 0
    relevant: int = 0
    irrelevant: int = 0
    to_summarise: int = 0
    summarised: int = 0
    excluded: int = 0
    unread: int = 0
    over: bool = False
    by_model: bool = True

    @property
    def whole(self) -> str:
        """``46 articles judged, 20 relevant, 20 summarised``, or what was done without a model."""
        articles = number(self.judged, "article")
        if not self.by_model:
            return f"{articles} ranked, {self.relevant:,} name what is asked"
        return f"{articles} judged, {self.relevant:,} relevant, {self.summarised:,} summarised"


@dataclass(frozen=True)
class Writing:
    """The progress of a text. ``state`` "none" means that there is nothing to write it from.

    ``sentences`` of a TL;DR are there only once they are judged; before that it is a ``draft``, and
    before anything is written a ``quote`` of the article (an id) that was read first.
    """

    state: Literal["to come", "now", "streaming", "anew", "checking", "done", "empty", "none"]
    said: str
    removed: tuple[Sentence, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    draft: str = ""
    quote: str = ""
    article: str = ""


def reading(run_log: LiteratureLog) -> Reading:
    """The progress of judging and summarising."""
    if run_log.fetched is None:
        return Reading()
    excluded, judged = run_log.excluded, run_log.judgements
    unread = (
        {id for event in run_log.all(ArticlesNotAssessed) for id in event.ids}
        - excluded.keys()
        - judged.keys()
    )
    counted = [judgement for id, judgement in judged.items() if id not in excluded]
    relevant = sum(one.relevant is not False for one in counted)
    dropped = len(run_log.reranked.dropped) if run_log.reranked else 0
    return Reading(
        to_judge=len(run_log.articles) - len(excluded) - len(unread),
        judged=len(counted),
        relevant=relevant,
        irrelevant=len(counted) - relevant,
        to_summarise=relevant - dropped,
        summarised=len(run_log.summaries.keys() - excluded.keys()),
        excluded=len(excluded),
        unread=len(unread),
        over="timed read" in run_log,
        by_model=all(one.judge != EXTRACTIVE for one in counted),
    )


def writing(run_log: LiteratureLog) -> Writing:
    """The progress of the synthesis."""
    removed = tuple(
        sentence
        for event in run_log.all(SentencesRemoved)
        if event.part == "synthesis"
        for sentence in event.sentences
    )
    sentences, studies = run_log.sentences("synthesis"), run_log.studies
    over, read = "timed synthesis" in run_log, "timed read" in run_log
    unsupported = "None of the sentences of the synthesis is supported."
    put_together = f"{number(len(studies), 'study is', 'studies are')} being put together"
    written = Writing("done", matching(sentences) or "Written", removed)
    states = (
        ("answer withheld" in run_log, Writing("empty", f"{WITHHELD}.", removed)),
        (over, written if sentences else Writing("empty", unsupported, removed)),
        (not read, Writing("to come", "Written when the articles are read")),
        (not studies, Writing("none", "There are no studies to write it from")),
        (sentences, Writing("checking", "Checking each sentence", removed)),
        (
            "cost synthesis repaired" in run_log,
            Writing("checking", "Checking the repaired sentences"),
        ),
        (
            "cost synthesis" in run_log,
            Writing("checking", "Checking each sentence against its sources"),
        ),
        (run_log.streamed_synthesis, Writing("streaming", "Being written, not checked yet")),
        (
            run_log.attempt(SynthesisReset),
            Writing("anew", "It was interrupted and is being written again"),
        ),
    )
    return next((state for holds, state in states if holds), Writing("now", put_together))


def tldr(run_log: LiteratureLog) -> Writing:
    """The progress of the TL;DR."""
    sentences, draft = run_log.sentences("tldr"), run_log.tldr_draft
    quote, article = _read_first(run_log)
    over, read = "timed synthesis" in run_log, "timed read" in run_log
    writing = over and run_log.sentences("synthesis")
    states = (
        ("answer withheld" in run_log, Writing("none", "Withheld with the synthesis")),
        (sentences, Writing("done", matching(sentences) or "Written", sentences=tuple(sentences))),
        (
            "timed tldr" in run_log,
            Writing("none", "None of the sentences of the TL;DR is supported."),
        ),
        (draft, Writing("checking", "Draft, being checked", draft=draft)),
        (writing, Writing("now", "Being written", quote=quote, article=article)),
        (
            over or (read and not run_log.studies),
            Writing("none", "There is none without a synthesis"),
        ),
    )
    said = "Written when the articles are read"
    waits = Writing("to come", said, quote=quote, article=article)
    return next((state for holds, state in states if holds), waits)


def _read_first(run_log: LiteratureLog) -> tuple[str, str]:
    """(the first sentence of its article that the first typed reading quotes, the article's id)."""
    excluded = run_log.excluded
    for event in run_log.all(ArticleSummarised):
        if event.summary is not None and event.summary.quotes and event.id not in excluded:
            return event.summary.quotes[0], event.id
    return "", ""


def wanted(run_log: LiteratureLog, request: RunRequest) -> int:
    """Return how many queries there will be; a strategy of one call writes as many as it finds
    good, all before it searches.
    """
    if request.own_queries or request.documents:
        return len(request.own_queries) or 1
    if request.strategy != "seeds" and run_log.searches:
        return len(run_log.queries)
    return max(request.queries, len(run_log.queries))


def steps(run_log: LiteratureLog, request: RunRequest) -> list[Step]:
    """The six steps."""
    started, searched, read = (
        run_log.started is not None,
        run_log.fetched is not None,
        reading(run_log),
    )
    expected, written = wanted(run_log, request), len(run_log.queries)
    text, short = writing(run_log).state, tldr(run_log).state
    judged_all = searched and (
        read.over or (read.judged >= (read.to_judge or 0) and "timed retrieve" in run_log)
    )
    nothing = searched and not read.to_judge and not read.judged

    def step(name: str, part: str, said: str, done: bool, begun: bool, out: bool = False) -> Step:
        state: StepState = "left out" if out else "done" if done else "now" if begun else "to come"
        title = "TL;DR" if name == "tldr" else name.capitalize()
        return Step(name, title, f"{part}-part", state, said)

    hits = sum(1 for event in run_log.searches if event.result is not None or event.problem)
    answered = f"{hits:,} of {written:,} answered" if written else ""
    to_judge = f"{read.judged:,} of {read.to_judge:,}" if read.to_judge else ""
    to_summarise = f"{read.summarised:,} of {read.to_summarise:,}" if read.relevant else ""
    return [
        step(
            "queries",
            "queries",
            f"{written:,} of {expected:,}" if started else "",
            searched or (written >= expected and written > 0),
            started,
        ),
        step(
            "search",
            "queries",
            number(len(run_log.articles), "article") if searched else answered,
            searched,
            written > 0,
        ),
        step(
            "judge",
            "articles",
            to_judge or ("nothing to judge" if searched else ""),
            judged_all,
            searched,
            nothing,
        ),
        step(
            "summarise",
            "articles",
            to_summarise or ("nothing relevant" if read.over else ""),
            read.over,
            read.relevant > 0,
            read.over and not read.summarised,
        ),
        step(
            "synthesis",
            "synthesis",
            _SYNTHESIS_WORDS.get(text, ""),
            text in ("done", "empty"),
            read.over,
            text == "none",
        ),
        step(
            "tldr",
            "tldr",
            _TLDR_WORDS.get(short, ""),
            short == "done",
            short in ("now", "checking"),
            short == "none",
        ),
    ]


_SYNTHESIS_WORDS: Final = {
    "now": "beginning",
    "streaming": "writing",
    "anew": "anew",
    "checking": "checking",
    "done": "checked",
    "empty": "not supported",
    "none": "nothing to write",
}
_TLDR_WORDS: Final = {"now": "writing", "checking": "checking", "done": "checked", "none": "none"}
_AT_WORK: Final = {
    "queries": "question2query",
    "judge": "relevance",
    "summarise": "summary",
    "synthesis": "synthesis",
    "tldr": "tldr",
}
"""The stage whose model works at a step; at the search the source does."""


def doing(run_log: LiteratureLog, request: RunRequest) -> Doing:
    """The present work of a run that has not ended: the steps that are under way, and who works at
    them.
    """
    if run_log.started is None:
        return Doing("Starting …")
    source = registry.title(request.source)
    now = [one for one in steps(run_log, request) if one.state == "now"]
    if not now:
        asked = ["hits of single terms"] if request.term_counts and "terms" not in run_log else []
        asked += ["seed studies"] if request.known and "known" not in run_log else []
        return Doing("Finishing", f"{source} ({listed(asked)})" if asked else "")
    awaits = []
    for one in now:
        model = request.models.get(_AT_WORK.get(one.name, ""), "")
        who = source if one.name == "search" else f"the model {model}".rstrip()
        awaits.append(f"{who} ({' '.join(filter(None, (one.title, one.said)))})")
    return Doing(
        "; ".join(": ".join(filter(None, (one.title, one.said))) for one in now),
        listed(awaits),
        run_log.streamed_synthesis,
    )


def told(run_log: LiteratureLog, event: Event) -> Iterator[str]:
    """The lines that tell of an event, none of single articles."""
    match event:
        case FollowUpResolved():
            yield resolved_as(event.resolved)
        case QuestionUnderstood():
            yield f"Understood as: {understood(event.pico)}"
        case QueryGenerated() if event.same_as is not None:
            yield f"query {event.query.index + 1} is identical to query {event.same_as + 1}"
        case QuerySearched():
            yield from _searched(run_log, event)
        case QueryRelaxed():
            yield f"query {event.index + 1} found nothing; {event.said}"
        case QueryExplained():
            yield f"query {event.index + 1}: {event.text}"
        case ArticlesFetched():
            yield f"{number(len(event.articles), 'article')} fetched"
        case ArticlesChased():
            fetched = number(len(event.articles), "linked article")
            yield f"{fetched} fetched (of {event.chase.new:,} new articles found by links)"
        case ArticlesNotAssessed(cause="rank"):
            yield f"{number(len(event.ids), 'article')} not judged: {event.reason}"
        case SeedStudiesChecked():
            yield f"seed studies: {found_by_queries(event.seed_studies)}"
        case LinesCounted():
            yield f"hits of {number(len(event.lines), 'line')} of the strategy counted"
        case TermsCounted():
            yield f"hits of {number(len(event.terms), 'term')} counted"
        case ArticlesReranked():
            kept = number(len(event.kept), "article")
            yield f"{kept} of {len(event.kept) + len(event.dropped):,} relevant kept"
        case StageTimed(where="read"):
            yield f"{reading(run_log).whole} in {seconds(event.seconds)}"
        case StageTimed(where="tldr"):
            if shown := [*run_log.sentences("synthesis"), *run_log.sentences("tldr")]:
                yield matching(shown)
        case SynthesisText() if len(run_log.all(SynthesisText)) == 1:
            yield "writing the synthesis"
        case SynthesisReset():
            yield "the synthesis was interrupted and is started again"


def _searched(run_log: LiteratureLog, search: QuerySearched) -> Iterator[str]:
    """A query with its hits before its text (the end of a long line may be cut off), then what was
    mended and remarked; what the source said of it is told with the answer.
    """
    known = {event.query.index: event.query for event in run_log.queries}
    query = known.get(search.index, Query(search.index, ""))  # a damaged record may lack it
    hits = number(search.result.count, "hit") if search.result else f"failed ({search.problem})"
    yield f"query {search.index + 1} → {hits}: {query.text}"
    yield from (f"  note: {note}" for note in (*query.repairs, *query.remarks))
