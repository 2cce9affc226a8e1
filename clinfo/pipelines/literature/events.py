"""Events of a run of the literature chain, besides those of every run (`clinfo.runs.events`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from clinfo.pipelines.literature.schema_1 import upgraded
from clinfo.records.appraisal import Appraisal, Notice
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
    Summary,
    TermCount,
    Unreadable,
)
from clinfo.runs import events
from clinfo.runs.events import Event, EventTypes, StreamedReset, StreamedText


@dataclass(frozen=True, kw_only=True)
class RunStarted(events.RunStarted):
    """The beginning of a run of the literature chain."""

    request: RunRequest


@dataclass(frozen=True, kw_only=True)
class QuestionFlagged(Event):
    """The parts of a text of the request that seem to identify a patient; ``allowed`` says that the
    run goes on.

    ``where`` is "question", "query 1", "query 2" …, "filter" or "prompt synthesis" …; code points
    refer to that text.
    """

    type: ClassVar[str] = "question_flagged"
    stage_form: ClassVar[str] = "guard"
    key_form: ClassVar[str] = "flagged {0.where}"
    where: str
    identifiers: tuple[Identifier, ...]
    allowed: bool


@dataclass(frozen=True, kw_only=True)
class QuestionUnderstood(Event):
    """The concepts of the question, as the model understood it (the strategy pico)."""

    type: ClassVar[str] = "question_understood"
    stage_form: ClassVar[str] = "question2query"
    key_form: ClassVar[str] = "understood"
    pico: Pico


@dataclass(frozen=True, kw_only=True)
class QueryRepaired(Event):
    """The changes of a generated query before it was sent, a sentence each: ``before`` is as
    written, ``after`` as meant.
    """

    type: ClassVar[str] = "query_repaired"
    stage_form: ClassVar[str] = "question2query"
    key_form: ClassVar[str] = "repaired {0.index}"
    index: int
    before: str
    after: str
    repairs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class QueryGenerated(Event):
    """A query to be searched: a model's, cleaned, or the user's own. ``same_as`` names an equal
    earlier one.
    """

    type: ClassVar[str] = "query_generated"
    stage_form: ClassVar[str] = "question2query"
    key_form: ClassVar[str] = "query {0.query.index}"
    query: Query
    same_as: int | None = None


@dataclass(frozen=True, kw_only=True)
class QuerySearched(Event):
    """The source's answer to a query, or the ``problem`` that kept it from answering."""

    type: ClassVar[str] = "query_searched"
    stage_form: ClassVar[str] = "retrieve"
    key_form: ClassVar[str] = "searched {0.index}"
    index: int
    asked: int
    source: str
    result: SearchResult | None = None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class QueryRelaxed(Event):
    """A query that found nothing, sent again ``without`` some of it; ``step`` counts these sendings
    from 0.

    ``cause`` is "not found" where the source named what was taken out, "narrowest" where it was the
    part of an AND that has the fewest hits by itself.
    """

    type: ClassVar[str] = "query_relaxed"
    stage_form: ClassVar[str] = "retrieve"
    key_form: ClassVar[str] = "loosened {0.index} {0.step}"
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


@dataclass(frozen=True, kw_only=True)
class QueryExplained(Event):
    """The reason why a query found nothing that nobody may change, or that was not relaxed (any
    further), a sentence for its reader.
    """

    type: ClassVar[str] = "query_explained"
    stage_form: ClassVar[str] = "retrieve"
    key_form: ClassVar[str] = "explained {0.index}"
    index: int
    text: str


@dataclass(frozen=True, kw_only=True)
class ArticlesFetched(Event):
    """The union of the queries' articles in fused rank order, best first."""

    type: ClassVar[str] = "articles_fetched"
    stage_form: ClassVar[str] = "retrieve"
    key_form: ClassVar[str] = "fetched"
    articles: tuple[Article, ...]
    missing: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ArticlesChased(Event):
    """New articles that links from relevant ones led to, ranked after all that the queries found;
    ``problem``: why not all.
    """

    type: ClassVar[str] = "articles_chased"
    stage_form: ClassVar[str] = "chase"
    key_form: ClassVar[str] = "chased"
    chase: CitationChase
    ids: tuple[str, ...]
    articles: tuple[Article, ...]
    missing: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class LinesCounted(Event):
    """Hits of every line of the strategies that the user gave as queries."""

    type: ClassVar[str] = "lines_counted"
    stage_form: ClassVar[str] = "proof"
    key_form: ClassVar[str] = "lines"
    lines: tuple[LineCount, ...]


@dataclass(frozen=True, kw_only=True)
class TermsCounted(Event):
    """Hits of every term by itself, as far as they were asked for; ``left_out`` terms were too
    many.
    """

    type: ClassVar[str] = "terms_counted"
    stage_form: ClassVar[str] = "proof"
    key_form: ClassVar[str] = "terms"
    terms: tuple[TermCount, ...]
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class SeedStudiesChecked(Event):
    """The queries that find each seed study, and those that lose it."""

    type: ClassVar[str] = "seed_studies_checked"
    stage_form: ClassVar[str] = "proof"
    key_form: ClassVar[str] = "known"
    seed_studies: tuple[SeedStudy, ...]


@dataclass(frozen=True, kw_only=True)
class ArticleExcluded(Event):
    """An article that the run may not use, and why (regime, dates, retraction)."""

    type: ClassVar[str] = "article_excluded"
    stage_form: ClassVar[str] = "retrieve"
    key_form: ClassVar[str] = "withheld {0.id}"
    id: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ArticleFlagged(Event):
    """A notice on an article: of its integrity, or of text in it that is addressed to a language
    model.

    One of a kind is recorded again where it speaks of more articles (a reference list of which more
    is found to be retracted).
    """

    type: ClassVar[str] = "article_flagged"
    stage_form: ClassVar[str] = "integrity"
    key_form: ClassVar[str] = "noticed {0.notice.id} {0.notice.kind} {0.notice.count}"
    notice: Notice


@dataclass(frozen=True, kw_only=True)
class ArticlesNotAssessed(Event):
    """Articles that were not judged: beyond ``max_articles``, or unread at the deadline
    (``cause``).
    """

    type: ClassVar[str] = "articles_not_assessed"
    stage_form: ClassVar[str] = "relevance"
    key_form: ClassVar[str] = "screened {0.cause}"
    ids: tuple[str, ...]
    cause: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ArticleJudged(Event):
    """One relevance judgement."""

    type: ClassVar[str] = "article_judged"
    stage_form: ClassVar[str] = "relevance"
    key_form: ClassVar[str] = "judged {0.judgement.id}"
    judgement: Judgement


@dataclass(frozen=True, kw_only=True)
class ArticlesReranked(Event):
    """The relevant articles that BM25 kept, in fused rank order, when more than the limit were
    relevant.
    """

    type: ClassVar[str] = "articles_reranked"
    stage_form: ClassVar[str] = "rerank"
    key_form: ClassVar[str] = "reranked"
    kept: tuple[str, ...]
    dropped: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ArticleSummarised(Event):
    """The summary of one article, or the ``problem`` that kept it from being summarised."""

    type: ClassVar[str] = "article_summarised"
    stage_form: ClassVar[str] = "summary"
    key_form: ClassVar[str] = "summarised {0.id}"
    id: str
    summary: Summary | None = None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class SummaryChecked(Event):
    """The sentences of a summary's finding with their verdicts against the article's own title and
    abstract.
    """

    type: ClassVar[str] = "summary_checked"
    stage_form: ClassVar[str] = "verify"
    key_form: ClassVar[str] = "summary checked {0.id}"
    id: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, kw_only=True)
class EvidenceAppraised(Event):
    """The evidence table of the relevant articles, with groups, balance, conflict and doubts,
    before the synthesis is written.
    """

    type: ClassVar[str] = "evidence_appraised"
    stage_form: ClassVar[str] = "evidence"
    key_form: ClassVar[str] = "appraised"
    appraisal: Appraisal


@dataclass(frozen=True, kw_only=True)
class ContextCut(Event):
    """Studies left out of the synthesis because the model's context cannot hold them, by rank."""

    type: ClassVar[str] = "context_cut"
    stage_form: ClassVar[str] = "synthesis"
    key_form: ClassVar[str] = "context cut"
    ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SynthesisReset(StreamedReset):
    """The synthesis text that came so far is void: streaming starts anew as attempt ``attempt``."""

    type: ClassVar[str] = "synthesis_reset"
    stage_form: ClassVar[str] = "synthesis"
    key_form: ClassVar[str] = "synthesis reset {0.attempt}"


@dataclass(frozen=True, kw_only=True)
class SynthesisText(StreamedText):
    """A piece of the synthesis as it streams, before it is checked."""

    type: ClassVar[str] = "synthesis_text"
    stage_form: ClassVar[str] = "synthesis"
    key_form: ClassVar[str] = "synthesis {0.attempt} {0.piece}"


@dataclass(frozen=True, kw_only=True)
class TldrText(Event):
    """The TL;DR as written: a draft until its `SentenceChecked` events, a `TldrRefused` or the
    answer come.
    """

    type: ClassVar[str] = "tldr_text"
    stage_form: ClassVar[str] = "tldr"
    key_form: ClassVar[str] = "tldr"
    text: str


@dataclass(frozen=True, kw_only=True)
class SentenceChecked(Event):
    """A sentence of the final synthesis or TL;DR with its verdict; ``index`` counts within its
    part.
    """

    type: ClassVar[str] = "sentence_checked"
    stage_form: ClassVar[str] = "verify"
    key_form: ClassVar[str] = "checked {0.sentence.part} {0.index}"
    index: int
    sentence: Sentence


@dataclass(frozen=True, kw_only=True)
class SentencesRemoved(Event):
    """Sentences that a strict run took out of a part because nothing carries them, with the
    verdicts that condemned them.
    """

    type: ClassVar[str] = "sentences_removed"
    stage_form: ClassVar[str] = "verify"
    key_form: ClassVar[str] = "removed {0.part}"
    part: Part
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, kw_only=True)
class TldrRefused(Event):
    """A TL;DR that does not stand as the answer, and why; the checked sentences that follow are
    those of another.
    """

    type: ClassVar[str] = "tldr_refused"
    stage_form: ClassVar[str] = "verify"
    key_form: ClassVar[str] = "tldr refused"
    text: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class AnswerWithheld(Event):
    """Synthesis and TL;DR (``text``) that a strict run does not show as an answer, and why."""

    type: ClassVar[str] = "answer_withheld"
    stage_form: ClassVar[str] = "verify"
    key_form: ClassVar[str] = "answer withheld"
    text: str
    reason: str


EVENTS = EventTypes(
    (
        RunStarted,
        QuestionUnderstood,
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
        ArticlesReranked,
        ArticleSummarised,
        SummaryChecked,
        EvidenceAppraised,
        ContextCut,
        SynthesisReset,
        SynthesisText,
        TldrText,
        SentenceChecked,
        SentencesRemoved,
        TldrRefused,
        AnswerWithheld,
    ),
    upgraded,
)
loads = EVENTS.loads
