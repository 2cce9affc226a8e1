"""The answer as a pure fold over a run's events, and its JSON form."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    ArticlesNotAssessed,
    ArticleSummarised,
    LinesCounted,
    LiteratureLog,
    QueryExplained,
    QueryRelaxed,
    SeedStudiesChecked,
    SentenceChecked,
    SentencesRemoved,
    StudiesLeftToTable,
    SummaryChecked,
    TermsCounted,
    TldrRefused,
)
from clinfo.pipelines.literature.search.search_report import overlap, unique
from clinfo.records.answer import (
    Answer,
    Counts,
    ReadArticle,
    Reference,
    SearchedQuery,
    SearchReport,
    SearchStep,
    Support,
)
from clinfo.records.appraisal import Appraisal
from clinfo.records.articles import Query, SearchResult, Sentence, text_of
from clinfo.records.request import EXTRACTIVE
from clinfo.references import ieee
from clinfo.runs.events import (
    CostIncurred,
    Event,
    RunCancelled,
    RunFailed,
    Warned,
    plain,
)

SCHEMA = 2
CHECKS = 3
"""Edition of the checks that judged a run's sentences, in ``settings["checks"]``. What an older one
judged is shown as it was recorded: nothing is judged again without a judge.
"""


def build_answer(events: Iterable[Event] | LiteratureLog) -> Answer:
    """The answer of a run, or as much of it as its events hold so far. Raises ValueError before it
    began.
    """
    run_log = events if isinstance(events, LiteratureLog) else LiteratureLog(events)
    common = run_log.common()
    told = {
        "notices": _judged_by(run_log) + common["notices"],
        "warnings": tuple(dict.fromkeys(_warnings(run_log))),
    }
    synthesis, tldr = run_log.sentences("synthesis"), run_log.sentences("tldr")
    refused = run_log.get(TldrRefused, "tldr refused")
    tldr_text = text_of(tldr) if tldr or "timed tldr" in run_log else run_log.tldr_draft
    synthesis_text = (
        text_of(synthesis)
        if synthesis or "timed synthesis" in run_log
        else run_log.streamed_synthesis
    )
    withheld = run_log.get(AnswerWithheld, "answer withheld")
    support = _support(run_log, synthesis + tldr)
    articles = read_articles(run_log)
    references = _references(
        run_log, synthesis + tldr, {article.id: article.flags for article in articles}
    )
    return Answer(
        **(common | told),
        tldr="" if withheld else tldr_text,
        synthesis="" if withheld else synthesis_text,
        searched_on=max(
            (result.sent_at for result in run_log.results.values()),
            default=run_log.started.started_at if run_log.started else "",
        )[:10],
        references=references,
        sentences=tuple(synthesis + tldr),
        queries=searched_queries(run_log),
        articles=articles,
        counts=replace(_counts(run_log, references), not_verified=support.not_verified),
        understood=run_log.understood,
        resolved=run_log.resolved,
        next_questions=run_log.next_questions,
        search_report=_proof(run_log, articles),
        appraisal=run_log.appraisal or Appraisal(),
        article_notices=tuple(run_log.notices),
        support=support,
        withheld_text=withheld.text if withheld else "",
        withheld_reason=withheld.reason if withheld else "",
        refused_tldr=refused.text if refused else "",
        certainty=run_log.certainty,
        best_source=run_log.best_source,
    )


def answer_json(answer: Answer) -> dict[str, Any]:
    """The JSON answer of the outer interface."""
    form: dict[str, Any] = {"schema": SCHEMA, **plain(answer)}
    for article in form["articles"]:
        if article["judge"] == EXTRACTIVE:
            article["relevant"] = None  # nobody judged it; what it names stands in the reason
    for sentence in (
        *form["sentences"],
        *(one for article in form["articles"] for one in article["summary_check"]),
    ):
        sentence.pop("lead")
        sentence["in"] = sentence.pop("part")
    form["support"] |= {
        "rate": answer.support.rate,
        "told": answer.support.told,
        "claims": answer.support.claims,
    }
    return form


def folded(run_log: LiteratureLog) -> dict[str, Any]:
    """The JSON answer of a run, as far as it got."""
    return answer_json(build_answer(run_log))


def recorded(run_log: LiteratureLog, form: dict[str, Any]) -> dict[str, Any]:
    """The JSON answer as it was recorded, with the notice that it owes today."""
    return {**form, "notices": list(dict.fromkeys([*_judged_by(run_log), *form["notices"]]))}


def judged_by_older_checks(settings: Mapping[str, Any]) -> bool:
    """Return whether a run with these ``settings`` was begun by an older edition."""
    return _edition(settings) < CHECKS


def judged_by(settings: Mapping[str, Any]) -> str:
    """The notice of a run whose sentences an older edition judged: by which version."""
    version = settings.get("version", "of unknown version")
    return (
        f"Judged by clinfo {version} (edition {_edition(settings)} of the checks) and shown as "
        "recorded; nothing was judged again."
    )


def _edition(settings: Mapping[str, Any]) -> int:
    edition = settings.get("checks")
    return edition if isinstance(edition, int) else 1


def _judged_by(run_log: LiteratureLog) -> tuple[str, ...]:
    """The notice of what an older version judged."""
    started = run_log.started
    if started is None or not judged_by_older_checks(started.settings):
        return ()
    return (judged_by(started.settings),) if run_log.all(SentenceChecked) else ()


def searched_queries(run_log: LiteratureLog) -> tuple[SearchedQuery, ...]:
    """The queries that the source answered or failed at, with all that is said of each."""
    queries = {event.query.index: event.query for event in run_log.queries}
    explained = {event.index: event.text for event in run_log.all(QueryExplained)}
    results = run_log.results
    alone = unique({index: result.ids for index, result in results.items()})
    searched = []
    for event in run_log.searches:
        query = queries.get(event.index, Query(event.index, ""))
        first, last, relaxed = event.result, results.get(event.index), run_log.relaxed(event.index)
        said = [*query.repairs, *query.remarks]
        if first is not None and last is not None:
            said += first.warnings
            said += (f"It found nothing; {step.said}." for step in relaxed)
            said += [explained[event.index]] if event.index in explained else []
            said += last.warnings
        else:
            said.append(event.problem or "")
        searched.append(
            SearchedQuery(
                text=query.text,
                sent=last.sent if last else query.text,
                seed=query.seed,
                source=event.source,
                sort=last.sort if last else "",
                asked=event.asked,
                count=last.count if last else 0,
                ids=last.ids if last else (),
                translation=last.translation if last else None,
                sent_at=last.sent_at if last else "",
                warnings=tuple(dict.fromkeys(said)),
                number=event.index + 1,
                outcome=("zero" if last.count == 0 else last.outcome) if last else "failed",
                dropped=tuple(dict.fromkeys((*first.dropped, *last.dropped)))
                if first and last
                else (),
                repairs=query.repairs,
                remarks=query.remarks,
                breadth=query.breadth,
                unique=alone.get(event.index, ()),
                steps=_steps(query.text, first, relaxed),
            )
        )
    return tuple(searched)


def _steps(
    text: str, first: SearchResult | None, relaxed: list[QueryRelaxed]
) -> tuple[SearchStep, ...]:
    """All sendings of a query that was relaxed."""
    if first is None or not relaxed:
        return ()
    steps = [SearchStep(text, first.sent, (), first.count, first.sent_at)]
    without: tuple[str, ...] = ()
    for event in relaxed:
        without += event.without
        steps.append(
            SearchStep(
                event.query, event.result.sent, without, event.result.count, event.result.sent_at
            )
        )
    return tuple(steps)


def _proof(run_log: LiteratureLog, articles: tuple[ReadArticle, ...]) -> SearchReport:
    terms, known, chased = (
        run_log.get(TermsCounted, "terms"),
        run_log.get(SeedStudiesChecked, "known"),
        run_log.chased,
    )
    lines = run_log.get(LinesCounted, "lines")
    by_pmid = {article.pmid: article for article in articles if article.pmid}
    return SearchReport(
        overlap=overlap({index + 1: result.ids for index, result in run_log.results.items()}),
        lines=lines.lines if lines else (),
        terms=terms.terms if terms else (),
        terms_left_out=terms.left_out if terms else 0,
        seed_studies=tuple(
            replace(
                item,
                chased=chased is not None and f"pmid:{item.pmid}" in chased.ids,
                became=_became(by_pmid.get(item.pmid)),
            )
            for item in known.seed_studies
        )
        if known
        else (),
        chase=chased.chase if chased else None,
    )


def _became(article: ReadArticle | None) -> str:
    """Return what the run made of an article, in a few words; "" for one that was not fetched."""
    if article is None:
        return ""
    if article.judge:
        return "judged not relevant" if article.relevant is False else "judged relevant"
    return f"{article.flags[0]}: {article.reason}" if article.flags else article.reason


def _support(run_log: LiteratureLog, sentences: list[Sentence]) -> Support:
    written = [sentence for sentence in sentences if not sentence.added]
    verdicts: Counter[str] = Counter(
        sentence.verdict for sentence in written if not sentence.counts_only
    )
    removed = sum(len(event.sentences) for event in run_log.all(SentencesRemoved))
    counted, added = sum(one.counts_only for one in written), sum(one.added for one in sentences)
    return Support(**verdicts, counted=counted, removed=removed, added=added)


def read_articles(run_log: LiteratureLog) -> tuple[ReadArticle, ...]:
    """Return what became of each article so far, in rank order."""
    checks = {event.id: event.sentences for event in run_log.all(SummaryChecked)}
    noticed = run_log.noticed
    excluded, judged, summaries = run_log.excluded, run_log.judgements, run_log.summaries
    screened = {id: event.reason for event in run_log.all(ArticlesNotAssessed) for id in event.ids}
    reranked = run_log.reranked
    beyond = set(reranked.dropped) if reranked else set()
    cut = set(run_log.context_cut)
    left = {id for event in run_log.all(StudiesLeftToTable) for id in event.ids}
    read = []
    for article in run_log.articles:
        judgement = judged.get(article.id)
        flags = list(judgement.flags) if judgement else []
        if article.id in excluded:
            reason, flags = excluded[article.id], ["excluded"]
        elif article.id in screened:
            reason, flags = screened[article.id], ["not judged"]
        else:
            reason = judgement.reason if judgement else "not judged yet"
        if article.id in beyond:
            flags.append("not summarised: ranked below the number that is summarised")
        elif judgement and judgement.relevant is not False and article.id not in summaries:
            flags.append("not summarised")
        flags += noticed.get(article.id, ())
        if article.id in left:
            flags.append("in the evidence table only: others answer the question better")
        if article.id in cut:
            flags.append("left out of the synthesis: the model's context is full")
        read.append(
            ReadArticle(
                id=article.id,
                pmid=article.pmid,
                title=article.title,
                relevant=judgement.relevant if judgement else None,
                reason=reason,
                judge=judgement.judge if judgement else "",
                summary=summaries.get(article.id),
                flags=tuple(flags),
                summary_check=checks.get(article.id, ()),
            )
        )
    return tuple(read)


def _references(
    run_log: LiteratureLog, sentences: list[Sentence], flags: dict[str, tuple[str, ...]]
) -> tuple[Reference, ...]:
    cited = {n for sentence in sentences for n in sentence.cites}
    numbers = run_log.numbers
    return tuple(
        Reference(
            n=numbers[article.id],
            id=article.id,
            pmid=article.pmid,
            title=article.title,
            citation=ieee(article),
            url=article.url,
            cited=numbers[article.id] in cited,
            flags=flags[article.id],
        )
        for article in run_log.relevant
    )


def _counts(run_log: LiteratureLog, references: tuple[Reference, ...]) -> Counts:
    returned = [id for result in run_log.results.values() for id in result.ids]
    followed = run_log.chased.ids if run_log.chased else ()
    excluded = run_log.excluded
    return Counts(
        found=len({*returned, *followed}),
        duplicates=len(returned) - len(set(returned)),
        fetched=len(run_log.articles),
        excluded=len(excluded),
        not_assessed=len(
            {id for event in run_log.all(ArticlesNotAssessed) for id in event.ids} - excluded.keys()
        ),
        judged=len(run_log.judgements.keys() - excluded),
        relevant=len(references),
        summarised=len(run_log.summaries.keys() - excluded),
        cited=sum(reference.cited for reference in references),
    )


def _warnings(run_log: LiteratureLog) -> Iterable[str]:
    for query in run_log.queries:
        if query.same_as is not None:
            yield (
                f"Query {query.query.index + 1} is identical to query {query.same_as + 1} and was "
                "not sent again."
            )
        elif not query.query.text:
            yield (
                f"Query {query.query.index + 1} was not sent: no query could be derived from the "
                "question."
            )
    for search in run_log.searches:
        if search.problem:
            yield f"Query {search.index + 1} could not be searched: {search.problem}"
    for fetched in (run_log.fetched, run_log.chased):
        if fetched and fetched.missing:
            yield (
                f"{_articles_word(len(fetched.missing))} found, but not returned by the source: "
                f"{', '.join(fetched.missing)}"
            )
        for record in fetched.unreadable if fetched else ():
            yield f"The record {record.id} could not be read: {record.reason}"
    if chased := run_log.chased:
        if chased.problem:
            yield f"Not all links of relevant articles could be followed: {chased.problem}"
        if left := chased.chase.new - chased.chase.taken:
            yield (
                f"{_articles_word(left)} linked to relevant ones but not read: the limit of "
                "articles to judge is reached "
                "(max_articles)."
            )
    for screened in sorted(run_log.all(ArticlesNotAssessed), key=lambda event: event.cause):
        yield f"{_articles_word(len(screened.ids))} not judged: {screened.reason}"
    for summarised in sorted(run_log.all(ArticleSummarised), key=lambda event: event.id):
        if summarised.problem:
            yield f"The article {summarised.id} could not be summarised: {summarised.problem}"
    if run_log.context_cut:
        yield (
            f"{_articles_word(len(run_log.context_cut))} left out of the synthesis, lowest ranks "
            "first, because the "
            "model's context cannot contain them all."
        )
    yield from (event.text for event in sorted(run_log.all(Warned), key=lambda event: event.key))
    replies = Counter(text for event in run_log.all(CostIncurred) for text in event.warnings)
    yield from sorted(replies)
    for end in (*run_log.all(RunFailed), *run_log.all(RunCancelled)):
        if end.seq != run_log.last_seq:
            continue  # the run was resumed after this
        if isinstance(end, RunFailed):
            yield f"This run stopped early: {end.problem}"
        else:
            yield "This run was stopped early; this page shows what was done by then."


def _articles_word(count: int) -> str:
    return f"{count:,} article was" if count == 1 else f"{count:,} articles were"
