"""``ask``: a question in, an answer out whose every sentence is checked."""

import asyncio
from typing import Any

from pydantic import Field

from clinfo.mcp_server.host import Arguments, Checked, Host, Report, Result, typed
from clinfo.pipelines.literature.api import Answer
from clinfo.pipelines.literature.events import SynthesisText
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.records.answer import Reference
from clinfo.records.articles import RunRequest
from clinfo.records.request import MAX_QUESTION, Limit
from clinfo.runs.events import Event
from clinfo.runs.saved import ended
from clinfo.views.queries import unanswered
from clinfo.views.steps import doing

GRACE = 10.0
"""Seconds that a cancelled run has to end in good order."""


class Question(Arguments):
    """A question and what narrows its search."""

    question: str = Field(
        json_schema_extra={"minLength": 1, "maxLength": MAX_QUESTION},
        description=(
            "A clinical question in plain English that the literature can answer, such as: Does "
            "yoga lower blood pressure? Never name or describe an identifiable patient."
        ),
    )
    from_: str | None = Field(
        default=None, alias="from", description="First publication date: YYYY[-MM[-DD]]."
    )
    to: str | None = Field(default=None, description="Last publication date: YYYY[-MM[-DD]].")
    limits: tuple[Limit, ...] = Field(
        default=(),
        max_length=8,
        description="PubMed's limits; of one kind (ages, article types, years) any is enough.",
    )


class Told(Checked):
    """A sentence of the answer with its verdict."""

    part: str = Field(description="tldr or synthesis")


class Answered(Result):
    """The answer, or why there is none."""

    question: str
    answered: bool
    tldr: str
    synthesis: str
    why_not: str = Field(description="Why there is no answer; empty where there is one.")
    sentences: list[Told]
    references: list[Reference] = Field(
        description="``n`` is the number in the brackets; give ``id`` to the tool fetch; ``flags`` "
        "are such as erratum, expression of concern, preprint."
    )
    notices: list[str] = Field(description="To be shown with the answer.")
    warnings: list[str]
    counts: dict[str, int] = Field(description="Articles found, judged, relevant, cited, …")
    searched_on: str
    source: str
    models: list[str]
    cost_usd: float | None = Field(description="US dollars; null where a price is unknown.")


async def _ask(host: Host, asked: Question, report: Report) -> Answered:
    request = host.request(
        question=asked.question,
        limits=list(asked.limits) or None,
        **{"from": asked.from_, "to": asked.to},
    )
    chain = await asyncio.to_thread(host.chain, request)
    cancel = asyncio.Event()
    events: list[Event] = []
    run_log = LITERATURE.log([])

    async def carried_out() -> None:
        said = ""
        async for event in chain.run(request, cancel=cancel):
            events.append(event)
            run_log.add(event)
            if cancel.is_set() or isinstance(event, SynthesisText):
                continue
            if (now := doing(run_log, request).said) != said:
                said = now
                await report(len(events), said)

    run = asyncio.create_task(carried_out())
    try:
        await asyncio.shield(run)
    except asyncio.CancelledError:
        cancel.set()
        await _ended(run)
        raise
    return _answered(Answer(ended(events)), request)


async def _ended(run: asyncio.Task[None]) -> None:
    """Wait for a run that was cancelled, however often whoever waits is cancelled meanwhile."""
    from anyio import CancelScope

    with CancelScope(shield=True):
        await asyncio.wait([run], timeout=GRACE)
        run.cancel()


def _answered(answer: Answer, request: RunRequest) -> Answered:
    form: dict[str, Any] = answer.to_dict()
    why = None if answer.synthesis else unanswered(answer.record)
    return Answered(
        question=answer.question,
        answered=bool(answer.synthesis),
        tldr=answer.tldr,
        synthesis=answer.synthesis,
        why_not=f"{why.heading}. {why.said}" if why else "",
        sentences=[
            Told(
                part=one.part,
                text=one.text,
                cites=list(one.cites),
                verdict=one.verdict,
                reason=one.reason,
            )
            for one in (answer.sentences if answer.synthesis else ())
        ],
        references=list(answer.references),
        notices=list(answer.notices),
        warnings=list(answer.warnings),
        counts=form["counts"],
        searched_on=form["searched_on"],
        source=request.source,
        models=list(dict.fromkeys(request.models.values())),
        cost_usd=form["usage"]["cost_usd"],
    )


TOOL = typed(
    name="ask",
    title="Answer a clinical question from the literature",
    description=(
        "Searches the literature for a clinical question, reads the articles found and writes a "
        "TL;DR and a cited synthesis. Each sentence is checked against the articles that it cites "
        "and has a verdict. May take a minute; for a question about published evidence, not about "
        "a patient. Show the notices, and never show a sentence as established that is not "
        "“supported”."
    ),
    arguments=Question,
    result=Answered,
    call=_ask,
)
