"""The run log of the literature chain: articles, judgements, summaries, sentences."""

from __future__ import annotations

from dataclasses import replace

from clinfo.pipelines.literature.events import (
    ArticleExcluded,
    ArticleFlagged,
    ArticleJudged,
    ArticleReused,
    ArticlesChased,
    ArticlesFetched,
    ArticlesReranked,
    ArticleSummarised,
    ContextCut,
    DoubtsRaised,
    EvidenceAppraised,
    QueryGenerated,
    QueryRelaxed,
    QuerySearched,
    QuestionAskedBack,
    QuestionUnderstood,
    RunStarted,
    SentenceChecked,
    SynthesisReset,
    SynthesisText,
    TldrText,
)
from clinfo.records.appraisal import Appraisal, Notice
from clinfo.records.articles import (
    Article,
    Judgement,
    Part,
    Pico,
    SearchResult,
    Sentence,
    Study,
    Summary,
)
from clinfo.runs.run_log import Held, RunLog


class LiteratureLog(RunLog):
    """The events of one run, each key once."""

    started = Held(RunStarted, "run")
    fetched = Held(ArticlesFetched, "fetched")
    chased = Held(ArticlesChased, "chased")
    reranked = Held(ArticlesReranked, "reranked")

    @property
    def understood(self) -> Pico | None:
        understood = self.get(QuestionUnderstood, "understood")
        return understood.pico if understood else None

    @property
    def asked_back(self) -> str | None:
        """Return what the model asked in return of a question that cannot be searched."""
        asked = self.get(QuestionAskedBack, "asked back")
        return asked.text if asked else None

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
    def excluded(self) -> dict[str, str]:
        """Reason by article id."""
        return {event.id: event.reason for event in self.all(ArticleExcluded)}

    @property
    def judgements(self) -> dict[str, Judgement]:
        """Judgement by article id."""
        return {event.judgement.id: event.judgement for event in self.all(ArticleJudged)}

    @property
    def reused(self) -> dict[str, bool]:
        """The articles whose judgement an earlier run made, and whether their summary too."""
        return {event.id: event.summary for event in self.all(ArticleReused)}

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
        kinds: dict[str, tuple[str, ...]] = {}
        for notice in self.notices:
            kinds[notice.id] = (*kinds.get(notice.id, ()), notice.kind)
        return kinds

    @property
    def appraisal(self) -> Appraisal | None:
        event, doubts = self.get(EvidenceAppraised, "appraised"), self.get(DoubtsRaised, "doubts")
        if event is None or doubts is None:
            return event.appraisal if event else None
        return replace(event.appraisal, uncertainty=tuple(one.text for one in doubts.sentences))

    @property
    def summaries(self) -> dict[str, Summary]:
        """Summary by article id."""
        return {
            event.id: event.summary
            for event in self.all(ArticleSummarised)
            if event.summary is not None
        }

    @property
    def numbers(self) -> dict[str, int]:
        """Citation number by article id: relevant articles counted from 1 in fused rank order."""
        return {article.id: n for n, article in enumerate(self.relevant, 1)}

    @property
    def context_cut(self) -> tuple[str, ...]:
        cut = self.get(ContextCut, "context cut")
        return cut.ids if cut else ()

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
