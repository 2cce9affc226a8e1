"""The answer as a pure fold over a run's events, and its JSON form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from clinfo.events import (
    ArticlesScreened,
    ArticleSummarised,
    CostIncurred,
    Event,
    RunCancelled,
    RunFailed,
    StageTimed,
    TldrText,
    Warned,
)
from clinfo.records import Answer, Counts, Query, ReadArticle, Reference, SearchedQuery, Sentence, StageUsage, Usage
from clinfo.references import ieee
from clinfo.transcript import Transcript

SCHEMA = 1


def fold(events: Iterable[Event] | Transcript) -> Answer:
    """The answer of a run, or as much of it as its events hold so far. Raises ValueError without a run_started event."""
    transcript = events if isinstance(events, Transcript) else Transcript(events)
    started = transcript.started
    if started is None:
        raise ValueError("no run_started event: nothing to make an answer from")
    synthesis, tldr = transcript.sentences("synthesis"), transcript.sentences("tldr")
    written = transcript.get(TldrText, "tldr")
    articles = _articles(transcript)
    references = _references(transcript, synthesis + tldr, {article.id: article.flags for article in articles})
    return Answer(
        question=started.request.question,
        tldr=_joined(tldr) if tldr or "timed tldr" in transcript or written is None else written.text,
        synthesis=_joined(synthesis) if synthesis or "timed synthesis" in transcript else transcript.streamed_synthesis,
        searched_on=max((event.result.sent_at for event in transcript.searches if event.result), default=started.started_at)[
            :10
        ],
        notices=started.notices,
        references=references,
        sentences=tuple(synthesis + tldr),
        queries=_queries(transcript),
        articles=articles,
        counts=_counts(transcript, references),
        usage=_usage(transcript.all(CostIncurred)),
        timings={event.where: event.seconds for event in transcript.all(StageTimed)} | {"total": transcript.last_t},
        warnings=tuple(dict.fromkeys(_warnings(transcript))),
        settings=started.settings,
    )


def answer_json(answer: Answer) -> dict[str, Any]:
    """The JSON answer of the outer interface."""
    import msgspec

    form: dict[str, Any] = {"schema": SCHEMA, **msgspec.json.decode(msgspec.json.encode(answer))}
    for sentence in form["sentences"]:
        sentence.pop("lead")
        sentence["in"] = sentence.pop("part")
    return form


def _joined(sentences: list[Sentence]) -> str:
    return "".join(sentence.lead + sentence.text for sentence in sentences).strip()


def _queries(transcript: Transcript) -> tuple[SearchedQuery, ...]:
    texts = {event.query.index: event.query for event in transcript.queries}
    searched = []
    for event in transcript.searches:
        query, result = texts.get(event.index, Query(event.index, "")), event.result
        searched.append(
            SearchedQuery(
                text=query.text,
                sent=result.sent if result else query.text,
                seed=query.seed,
                source=event.source,
                sort=result.sort if result else "",
                asked=event.asked,
                count=result.count if result else 0,
                ids=result.ids if result else (),
                translation=result.translation if result else None,
                sent_at=result.sent_at if result else "",
                warnings=(*query.repairs, *(result.warnings if result else (event.problem or "",))),
            )
        )
    return tuple(searched)


def _articles(transcript: Transcript) -> tuple[ReadArticle, ...]:
    withheld, judged, summaries = transcript.withheld, transcript.judgements, transcript.summaries
    screened = {id: event.reason for event in transcript.all(ArticlesScreened) for id in event.ids}
    reranked = transcript.reranked
    beyond = set(reranked.dropped) if reranked else set()
    cut = set(transcript.context_cut)
    read = []
    for article in transcript.articles:
        judgement = judged.get(article.id)
        flags = list(judgement.flags) if judgement else []
        if article.id in withheld:
            reason, flags = withheld[article.id], ["withheld"]
        elif article.id in screened:
            reason, flags = screened[article.id], ["not judged"]
        else:
            reason = judgement.reason if judgement else "not judged yet"
        if article.id in beyond:
            flags.append("not summarised: ranked below the limit of --rerank")
        elif judgement and judgement.relevant is not False and article.id not in summaries:
            flags.append("not summarised")
        if article.id in cut:
            flags.append("left out of the synthesis: too much for the model's context")
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
            )
        )
    return tuple(read)


def _references(
    transcript: Transcript, sentences: list[Sentence], flags: dict[str, tuple[str, ...]]
) -> tuple[Reference, ...]:
    cited = {n for sentence in sentences for n in sentence.cites}
    numbers = transcript.numbers
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
        for article in transcript.relevant
    )


def _counts(transcript: Transcript, references: tuple[Reference, ...]) -> Counts:
    returned = [id for event in transcript.searches if event.result for id in event.result.ids]
    return Counts(
        found=len(set(returned)),
        duplicates=len(returned) - len(set(returned)),
        fetched=len(transcript.articles),
        withheld=len(transcript.withheld),
        screened_out=sum(len(event.ids) for event in transcript.all(ArticlesScreened)),
        judged=len(transcript.judgements),
        relevant=len(references),
        summarised=len(transcript.summaries),
        cited=sum(reference.cited for reference in references),
    )


def _usage(costs: list[CostIncurred]) -> Usage:
    by_stage: dict[str, list[CostIncurred]] = {}
    for event in costs:
        by_stage.setdefault(event.where, []).append(event)
    return Usage(**_totals(costs), by_stage={stage: StageUsage(**_totals(by_stage[stage])) for stage in sorted(by_stage)})


def _totals(costs: list[CostIncurred]) -> dict[str, Any]:
    prices = [event.cost_usd for event in costs]
    return {
        "calls": sum(not event.cached for event in costs),
        "cached": sum(event.cached for event in costs),
        "prompt_tokens": sum(event.prompt_tokens for event in costs),
        "completion_tokens": sum(event.completion_tokens for event in costs),
        "cost_usd": None if None in prices else sum(price for price in prices if price is not None),
    }


def _warnings(transcript: Transcript) -> Iterable[str]:
    for query in transcript.queries:
        if query.same_as is not None:
            yield f"Query {query.query.index + 1} is the same as query {query.same_as + 1} and was not searched again."
        elif not query.query.text:
            yield f"Query {query.query.index + 1} was not searched: no query could be made of the question."
    for search in transcript.searches:
        if search.problem:
            yield f"Query {search.index + 1} could not be searched: {search.problem}"
    if fetched := transcript.fetched:
        if fetched.missing:
            yield f"{_articles_word(len(fetched.missing))} found but not returned by the source: {', '.join(fetched.missing)}"
        for record in fetched.unreadable:
            yield f"The record {record.id} could not be read: {record.reason}"
    for screened in sorted(transcript.all(ArticlesScreened), key=lambda event: event.cause):
        yield f"{_articles_word(len(screened.ids))} not judged: {screened.reason}"
    for summarised in sorted(transcript.all(ArticleSummarised), key=lambda event: event.id):
        if summarised.problem:
            yield f"The article {summarised.id} could not be summarised: {summarised.problem}"
    if transcript.context_cut:
        yield (
            f"{_articles_word(len(transcript.context_cut))} left out of the synthesis, lowest ranks first, because the model's "
            "context cannot hold them all."
        )
    yield from (event.text for event in sorted(transcript.all(Warned), key=lambda event: event.key))
    replies = Counter(text for event in transcript.all(CostIncurred) for text in event.warnings)
    yield from sorted(replies)
    for end in (*transcript.all(RunFailed), *transcript.all(RunCancelled)):
        if end.seq != transcript.last_seq:
            continue  # the run was resumed after this
        if isinstance(end, RunFailed):
            yield f"This run stopped before its end: {end.problem}"
        else:
            yield "This run was stopped before its end; what stands here is what was done by then."


def _articles_word(count: int) -> str:
    return f"{count:,} article was" if count == 1 else f"{count:,} articles were"
