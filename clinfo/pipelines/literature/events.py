"""Events of a run of the literature chain, besides those of every run (`clinfo.runs.events`)."""

import hashlib
from dataclasses import replace
from typing import Any, Final, Literal

from clinfo.records.answer import Resolved
from clinfo.records.appraisal import Appraisal, Certainty, Notice, kinds
from clinfo.records.articles import (
    Article,
    CitationChase,
    Identifier,
    Judgement,
    LineCount,
    Part,
    Pico,
    Query,
    RunRequest,
    SearchResult,
    SeedStudy,
    Sentence,
    Study,
    Summary,
    TermCount,
    Unreadable,
)
from clinfo.runs.events import Event, EventTypes, StreamedReset, StreamedText
from clinfo.runs.run_log import By, Field, Held, RunLog

TYPES: Final = {
    "article_withheld": "article_excluded",
    "articles_screened": "articles_not_assessed",
    "query_loosened": "query_relaxed",
    "known_checked": "seed_studies_checked",
}
KEYS: Final = {
    "withheld": "excluded",
    "screened_out": "not_assessed",
    "why": "reason",
    "level_why": "level_reason",
    "relation": "stance",
    "direction": "effect_direction",
    "told_by": "reported_by",
    "search_proof": "search_report",
    "known": "seed_studies",
    "way": "side",
    "ways": "sides",
}
_STANCE: Final = {"does not answer": "other outcomes"}
_VALUES: Final[dict[str, dict[Any, Any]]] = {
    "relation": _STANCE,
    "way": _STANCE,
    "ways": {"relation": "stance", "direction": "effect_direction"},
    "schema": {1: 2},
}
_FREE: Final = {"request", "settings"}
"""Fields whose keys are the user's or the settings', never words of the schema."""


def upgraded(form: dict[str, Any]) -> dict[str, Any]:
    """The JSON form of an event or answer of schema 1 as schema 2 writes it; an event's key stays
    as it was recorded.
    """
    if form.get("type") in TYPES:
        form = {**form, "type": TYPES[form["type"]]}
    return {
        KEYS.get(key, key): value if key in _FREE else _upgraded(key, value)
        for key, value in form.items()
    }


def _upgraded(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return upgraded(value)
    if isinstance(value, list):
        if key == "flags":
            return ["excluded" if flag == "withheld" else flag for flag in value]
        return [upgraded(one) if isinstance(one, dict) else one for one in value]
    return _VALUES.get(key, {}).get(value, value) if isinstance(value, (str, int)) else value


class QuestionFlagged(Event, stage="guard", key="flagged {0.where}"):
    """The parts of a text of the request that seem to identify a patient; ``allowed`` says that the
    run goes on.

    ``where`` is "question", "query 1", "query 2" …, "filter" or "prompt synthesis" …; code points
    refer to that text.
    """

    where: str
    identifiers: tuple[Identifier, ...]
    allowed: bool


class FollowUpResolved(Event, stage="resolve", key="resolved"):
    """The question that a follow-up asks, which all that comes after it is about."""

    resolved: Resolved


class QuestionUnderstood(Event, stage="question2query", key="understood"):
    """The concepts of the question, as the model understood it (the strategy pico)."""

    pico: Pico


class QuestionAskedBack(Event, stage="question2query", key="asked back"):
    """The model's question in return to a question that cannot be searched."""

    text: str


class QueryRepaired(Event, stage="question2query", key="repaired {0.index}"):
    """The changes of a generated query before it was sent, a sentence each: ``before`` is as
    written, ``after`` as meant.
    """

    index: int
    before: str
    after: str
    repairs: tuple[str, ...]


class QueryGenerated(Event, stage="question2query", key="query {0.query.index}"):
    """A query to be searched: a model's, cleaned, or the user's own. ``same_as`` names an equal
    earlier one.
    """

    query: Query
    same_as: int | None = None


class QuerySearched(Event, stage="retrieve", key="searched {0.index}"):
    """The source's answer to a query, or the ``problem`` that kept it from answering."""

    index: int
    asked: int
    source: str
    result: SearchResult | None = None
    problem: str | None = None


class QueryRelaxed(Event, stage="retrieve", key="loosened {0.index} {0.step}"):
    """A query that found nothing, sent again ``without`` some of it; ``step`` counts these sendings
    from 0.

    ``cause`` is "not found" where the source named what was taken out, "narrowest" where it was the
    part of an AND that has the fewest hits by itself.
    """

    index: int
    step: int
    cause: Literal["not found", "narrowest"]
    without: tuple[str, ...]
    query: str
    result: SearchResult

    @property
    def said(self) -> str:
        """Return what was taken out and what that brought: ``without “zinc[mh]”: 34 hits``."""
        named = ", ".join(
            f"“{text if len(text) <= 80 else text[:79].rstrip() + '…'}”" for text in self.without
        )
        why = " (not found by the source)" if self.cause == "not found" else ""
        return (
            f"without {named}{why}: {self.result.count:,} "
            f"hit{'' if self.result.count == 1 else 's'}"
        )


class QueryExplained(Event, stage="retrieve", key="explained {0.index}"):
    """The reason why a query found nothing that nobody may change, or that was not relaxed (any
    further), a sentence for its reader.
    """

    index: int
    text: str


class ArticlesFetched(Event, stage="retrieve", key="fetched"):
    """The union of the queries' articles in fused rank order, best first."""

    articles: tuple[Article, ...]
    missing: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class ArticlesChased(Event, stage="chase", key="chased"):
    """New articles that links from relevant ones led to, ranked after all that the queries found;
    ``problem``: why not all.
    """

    chase: CitationChase
    ids: tuple[str, ...]
    articles: tuple[Article, ...]
    missing: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    problem: str | None = None


class LinesCounted(Event, stage="proof", key="lines"):
    """Hits of every line of the strategies that the user gave as queries."""

    lines: tuple[LineCount, ...]


class TermsCounted(Event, stage="proof", key="terms"):
    """Hits of every term by itself, as far as they were asked for; ``left_out`` terms were too
    many.
    """

    terms: tuple[TermCount, ...]
    left_out: int = 0


class SeedStudiesChecked(Event, stage="proof", key="known"):
    """The queries that find each seed study, and those that lose it."""

    seed_studies: tuple[SeedStudy, ...]


class ArticleExcluded(Event, stage="retrieve", key="withheld {0.id}"):
    """An article that the run may not use, and why (regime, dates, retraction)."""

    id: str
    reason: str


class ArticleFlagged(
    Event, stage="integrity", key="noticed {0.notice.id} {0.notice.kind} {0.notice.count}"
):
    """A notice on an article.

    One of a kind is recorded again where it speaks of more articles (a reference list of which more
    is found to be retracted).
    """

    notice: Notice


class ArticlesNotAssessed(Event, stage="relevance", key="screened {0.cause}"):
    """Articles that were not judged: beyond ``max_articles``, or unread at the deadline
    (``cause``).
    """

    ids: tuple[str, ...]
    cause: str
    reason: str


class ArticleJudged(Event, stage="relevance", key="judged {0.judgement.id}"):
    """One relevance judgement."""

    judgement: Judgement


class ArticleReused(Event, stage="relevance", key="reused {0.id}"):
    """The judgement of an article, and its ``summary`` where there is one, taken as an earlier run
    recorded them.
    """

    id: str
    summary: bool


class ArticlesReranked(Event, stage="rerank", key="reranked"):
    """The relevant articles that BM25 kept, in fused rank order, when more than the limit were
    relevant.
    """

    kept: tuple[str, ...]
    dropped: tuple[str, ...]


class ArticleSummarised(Event, stage="summary", key="summarised {0.id}"):
    """The summary of one article, or the ``problem`` that kept it from being summarised."""

    id: str
    summary: Summary | None = None
    problem: str | None = None


class SummaryChecked(Event, stage="verify", key="summary checked {0.id}"):
    """The sentences of a summary's finding with their verdicts against the article's own title and
    abstract.
    """

    id: str
    sentences: tuple[Sentence, ...]


class EvidenceAppraised(Event, stage="evidence", key="appraised"):
    """The evidence table of the relevant articles, with groups, balance, conflict and doubts,
    before the synthesis is written.
    """

    appraisal: Appraisal


class ContextCut(Event, stage="synthesis", key="context cut"):
    """Studies left out of the synthesis because the model's context cannot hold them, by rank."""

    ids: tuple[str, ...]


class StudiesLeftToTable(Event, stage="synthesis", key="left to table"):
    """Relevant articles that the synthesis did not read, since others answer better; they stand in
    the evidence table.
    """

    ids: tuple[str, ...]


class SynthesisReset(StreamedReset, stage="synthesis", key="synthesis reset {0.attempt}"):
    """The synthesis text that came so far is void: streaming starts anew as attempt ``attempt``."""


class SynthesisText(StreamedText, stage="synthesis", key="synthesis {0.attempt} {0.piece}"):
    """A piece of the synthesis as it streams, before it is checked."""


class TldrText(Event, stage="tldr", key="{0.name}"):
    """The TL;DR as written: a draft until its `SentenceChecked` events, a `TldrRefused` or the
    answer come. The last one counts, as a writing that was broken off may have brought another.
    """

    text: str

    @property
    def name(self) -> str:
        """Return what tells this text from another TL;DR of the run."""
        digest = hashlib.sha256(self.text.encode(errors="replace")).hexdigest()
        return f"tldr {digest[:8]}"


class DoubtsRaised(Event, stage="verify", key="doubts"):
    """Why the answer is not certain: the sentences of the model that its judge found carried."""

    sentences: tuple[Sentence, ...]


class QuestionsLeft(Event, stage="synthesis", key="next"):
    """Questions that the studies leave open, as the model that names the doubts says."""

    questions: tuple[str, ...]


class AnswerRated(Event, stage="synthesis", key="rated"):
    """The certainty of the answer, and the citation number of the study that it rests on most, as
    the model that names the doubts says.
    """

    certainty: Certainty | None
    best_source: int | None


class SentenceChecked(Event, stage="verify", key="checked {0.sentence.part} {0.index}"):
    """A sentence of the final synthesis or TL;DR with its verdict; ``index`` counts within its
    part.
    """

    index: int
    sentence: Sentence


class SentencesRemoved(Event, stage="verify", key="removed {0.part}"):
    """Sentences that a strict run took out of a part because nothing carries them, with the
    verdicts that condemned them.
    """

    part: Part
    sentences: tuple[Sentence, ...]


class TldrRefused(Event, stage="verify", key="tldr refused"):
    """A TL;DR that does not stand as the answer, and why; the checked sentences that follow are
    those of another.
    """

    text: str
    reason: str


class AnswerWithheld(Event, stage="verify", key="answer withheld"):
    """Synthesis and TL;DR (``text``) that a strict run does not show as an answer, and why."""

    text: str
    reason: str


EVENTS = EventTypes(
    RunRequest,
    (
        FollowUpResolved,
        QuestionUnderstood,
        QuestionAskedBack,
        QueryRepaired,
        QueryGenerated,
        QuerySearched,
        QueryRelaxed,
        QueryExplained,
        ArticlesFetched,
        ArticlesChased,
        LinesCounted,
        TermsCounted,
        SeedStudiesChecked,
        ArticleExcluded,
        ArticlesNotAssessed,
        ArticleJudged,
        QuestionFlagged,
        ArticleFlagged,
        ArticleReused,
        ArticlesReranked,
        ArticleSummarised,
        SummaryChecked,
        EvidenceAppraised,
        ContextCut,
        StudiesLeftToTable,
        SynthesisReset,
        SynthesisText,
        TldrText,
        DoubtsRaised,
        QuestionsLeft,
        AnswerRated,
        SentenceChecked,
        SentencesRemoved,
        TldrRefused,
        AnswerWithheld,
    ),
    upgraded,
)
loads = EVENTS.loads


class LiteratureLog(RunLog):
    """The events of one run, each key once."""

    fetched = Held(ArticlesFetched, "fetched")
    chased = Held(ArticlesChased, "chased")
    reranked = Held(ArticlesReranked, "reranked")

    resolved = Field[Resolved | None](FollowUpResolved, "resolved", "resolved", None)
    next_questions = Field[tuple[str, ...]](QuestionsLeft, "next", "questions", ())
    certainty = Field[Certainty | None](AnswerRated, "rated", "certainty", None)
    best_source = Field[int | None](AnswerRated, "rated", "best_source", None)
    understood = Field[Pico | None](QuestionUnderstood, "understood", "pico", None)
    asked_back = Field[str | None](QuestionAskedBack, "asked back", "text", None)
    excluded = By[str](ArticleExcluded, "id", "reason")
    judgements = By[Judgement](ArticleJudged, "judgement.id", "judgement")
    reused = By[bool](ArticleReused, "id", "summary")
    """The articles whose judgement an earlier run made, and whether their summary too."""
    summaries = By[Summary](ArticleSummarised, "id", "summary")
    context_cut = Field[tuple[str, ...]](ContextCut, "context cut", "ids", ())

    @property
    def question(self) -> str:
        """The question that is searched and judged: as asked, or of a follow-up as resolved."""
        if (resolved := self.resolved) is not None:
            return resolved.question
        return self.started.request.question if self.started else ""

    @property
    def queries(self) -> list[QueryGenerated]:
        """The queries by index."""
        return sorted(self.all(QueryGenerated), key=lambda event: event.query.index)

    @property
    def searches(self) -> list[QuerySearched]:
        """Return what the source answered, by index of the query."""
        return sorted(self.all(QuerySearched), key=lambda event: event.index)

    def relaxed(self, index: int) -> list[QueryRelaxed]:
        """The further sendings of a query that found nothing, in order."""
        return sorted(
            (event for event in self.all(QueryRelaxed) if event.index == index),
            key=lambda event: event.step,
        )

    @property
    def results(self) -> dict[int, SearchResult]:
        """Return what each query brought in the end, by index; queries whose search failed are left
        out.
        """
        found = {event.index: event.result for event in self.searches if event.result is not None}
        for event in sorted(self.all(QueryRelaxed), key=lambda event: event.step):
            found[event.index] = event.result
        return found

    @property
    def articles(self) -> tuple[Article, ...]:
        """All fetched articles in fused rank order, then those that links led to."""
        found = self.fetched.articles if self.fetched else ()
        if self.chased is None:
            return found
        ids = {article.id for article in found}
        return (*found, *(article for article in self.chased.articles if article.id not in ids))

    @property
    def relevant(self) -> list[Article]:
        """Articles judged relevant, and those whose judgement could not be read, in fused rank
        order; none that is excluded.
        """
        judged, excluded = self.judgements, self.excluded
        kept = (
            article
            for article in self.articles
            if article.id in judged and article.id not in excluded
        )
        return [article for article in kept if judged[article.id].relevant is not False]

    @property
    def is_numbered(self) -> bool:
        """Return whether something recorded stands on the numbers of the relevant articles, so that
        none may be excluded any more.
        """
        return "appraised" in self or "cost synthesis" in self

    @property
    def notices(self) -> list[Notice]:
        """Return what is to be known of single articles, in the order of their ranks; of a kind the
        one that speaks of most articles.
        """
        rank = {article.id: place for place, article in enumerate(self.articles)}
        found: dict[tuple[str, str], Notice] = {}
        for event in self.all(ArticleFlagged):
            key = event.notice.id, event.notice.kind
            if key not in found or event.notice.count > found[key].count:
                found[key] = event.notice
        return sorted(
            found.values(), key=lambda notice: (rank.get(notice.id, len(rank)), notice.kind)
        )

    @property
    def noticed(self) -> dict[str, tuple[str, ...]]:
        """The kinds of notices by article id."""
        return {id: tuple(found) for id, found in kinds(self.notices).items()}

    @property
    def appraisal(self) -> Appraisal | None:
        event, doubts = self.get(EvidenceAppraised, "appraised"), self.get(DoubtsRaised, "doubts")
        if event is None or doubts is None:
            return event.appraisal if event else None
        carried = tuple(one.text for one in doubts.sentences if one.verdict == "supported")
        return replace(event.appraisal, uncertainty=carried)

    @property
    def numbers(self) -> dict[str, int]:
        """Citation number by article id: relevant articles counted from 1 in fused rank order."""
        return {article.id: n for n, article in enumerate(self.relevant, 1)}

    @property
    def studies(self) -> tuple[Study, ...]:
        """The studies that the synthesis stands on: summarised ones, by number, those whose
        relevance nobody could judge last.
        """
        numbers, summaries = self.numbers, self.summaries
        several = [
            group.ids
            for group in (self.appraisal.groups if self.appraisal else ())
            if len(group.ids) > 1
        ]
        groups = {each: place for place, ids in enumerate(several, 1) for each in ids}
        noticed, judged = self.noticed, self.judgements
        found = (
            Study(
                numbers[article.id],
                article,
                summaries[article.id],
                noticed.get(article.id, ()),
                groups.get(article.id, 0),
                judged[article.id].relevant is None,
            )
            for article in self.relevant
            if article.id in summaries
        )
        return tuple(sorted(found, key=lambda study: study.unread))

    @property
    def streamed_synthesis(self) -> str:
        """The synthesis as it has streamed since the last reset."""
        return self.streamed(SynthesisText, SynthesisReset)

    @property
    def tldr_draft(self) -> str:
        """The TL;DR as last written; "" where none is, or nothing of its synthesis is left."""
        if "timed synthesis" in self and not self.sentences("synthesis"):
            return ""
        return next((event.text for event in reversed(self.all(TldrText))), "")

    def sentences(self, part: Part) -> list[Sentence]:
        """The checked sentences of the synthesis or of the TL;DR, in order."""
        checked = [event for event in self.all(SentenceChecked) if event.sentence.part == part]
        return [event.sentence for event in sorted(checked, key=lambda event: event.index)]
