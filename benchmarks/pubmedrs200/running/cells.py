"""One cell of a chain or of a bare model: run to its end or to where it is stopped, its record made
of its events alone.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.event_order import ordered
from benchmarks.pubmedrs200.running.folder import (
    Begun,
    partial_path,
    read_events,
    read_partial,
    read_record,
    write_events,
    write_record,
)
from benchmarks.pubmedrs200.running.records import Cell, Leak, Record, Status
from clinfo.errors import BudgetReached, ModelError, RecordError
from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.pipelines.literature.search.retrieve import exclusion_reason
from clinfo.records.articles import Article, RunRequest
from clinfo.runs.events import Answered, CostIncurred, Event, RunFailed, StageTimed
from clinfo.runs.pipeline import Carrier
from clinfo.runs.protocols import Budget, ChatModel, Clock, Message, ModelRequest
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog

INSTRUCTION: Final = (
    "You answer clinical questions for physicians. Answer from what you know: say what the "
    "evidence shows, how strong it is and "
    "what remains uncertain. Write one paragraph of at most 150 words, without headings, lists or "
    "references."
)
PROMPT_SHA256: Final = hashlib.sha256(INSTRUCTION.encode()).hexdigest()
STAGE: Final = "synthesis"
"""The stage under which the call is made and counted."""


End = Literal["done", "spent", "stopped"]
"""The end of a cell: with a record; at the cost cap; because it was stopped. After the latter two
it can be resumed.
"""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a cell; seconds are of wall time, those before an interruption included, None
    where they are known already.
    """

    end: End
    record: Record | None = None
    seconds: float | None = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)
    problem: str = ""


async def run_chain(
    root: Path,
    cell: Cell,
    chain: Carrier[Any],
    request: RunRequest,
    lookup: audit.Lookup,
    cancel: asyncio.Event,
) -> Outcome:
    """Run a cell, or go on with it, and write its record. Raises ClinfoError where nothing can be
    run.
    """
    begun = Begun(root, cell)
    events = list(begun.events)
    try:
        async for event in chain.run(request, after=begun.events, cancel=cancel):
            begun.put(event)
            events.append(event)
    finally:
        begun.close()
    last = events[-1] if events else None
    if isinstance(last, RunFailed) and last.error == "BudgetReached":
        return Outcome("spent", problem=last.problem)
    if not isinstance(last, (Answered, RunFailed)):
        return Outcome("stopped")
    run_log = LiteratureLog(events)
    own_doi = await lookup.doi(request.drop[0]) if request.drop else ""
    lasting = ordered(events)
    record = _record(cell, LiteratureLog(lasting), request, own_doi)
    keep(root, record, lasting)
    stages = {event.where: event.seconds for event in run_log.all(StageTimed)}
    return Outcome("done", record, run_log.last_t, stages)


def keep(root: Path, record: Record, lasting: Sequence[Event]) -> None:
    """Write what lasts of a cell: its events first, so that a record always has its events."""
    write_events(root, record.cell, lasting)
    write_record(root, record)
    partial_path(root, record.cell).unlink(missing_ok=True)


def failed(root: Path, cell: Cell, problem: str) -> Record:
    """Write the record of a cell that could not be run to its end, with the events and the spending
    that there are.

    A record of something better that is there already stays, and is given back.
    """
    before = read_record(root, cell)
    if before is not None and before.status != "failed":
        return before
    partial = partial_path(root, cell)
    try:
        events = ordered(read_partial(partial) or read_events(root, cell))
    except RecordError:  # damaged, and left for somebody to look at
        record = Record(cell, "failed", problem=problem)
        write_record(root, record)
        return record
    record = Record(cell, "failed", usage=used(events) if events else None, problem=problem)
    if events:
        keep(root, record, events)
    else:
        write_record(root, record)
        partial.unlink(missing_ok=True)
    return record


def used(events: Sequence[Event]) -> dict[str, Any]:
    """Tokens and dollars of the model calls among events, as an answer's ``usage`` has them."""
    calls = [event for event in events if isinstance(event, CostIncurred)]
    prices = [call.cost_usd for call in calls]
    return {
        "calls": len(calls),
        "cached": 0,
        "prompt_tokens": sum(call.prompt_tokens for call in calls),
        "completion_tokens": sum(call.completion_tokens for call in calls),
        "cost_usd": None if None in prices else sum(price for price in prices if price is not None),
    }


def _record(cell: Cell, run_log: LiteratureLog, request: RunRequest, own_doi: str) -> Record:
    failure = next(iter(run_log.all(RunFailed)), None)
    usable = [one for one in run_log.articles if exclusion_reason(one, request) is None]
    irrelevant = {id for id, judgement in run_log.judgements.items() if judgement.relevant is False}
    form: dict[str, Any] = dict(run_log.all(Answered)[-1].answer) if "answer" in run_log else {}
    if not form and run_log.started is not None:
        form = {"usage": answer_json(build_answer(run_log))["usage"]}
    base = Record(
        cell,
        "failed",
        queries=tuple(
            search.result.sent for search in run_log.searches if search.result is not None
        ),
        retrieved=tuple(one.pmid for one in usable if one.pmid) if run_log.fetched else None,
        usage=form.get("usage"),
        problem=failure.problem if failure is not None else "",
    )
    if failure is not None:
        return base
    form.pop("timings", None)
    synthesis, tldr = str(form["synthesis"]), str(form["tldr"])
    if (
        not request.strict
    ):  # the text as the model wrote it, also where the program shows another TL;DR in its place
        tldr = str(form.get("refused_tldr") or tldr)
    leaks = _leaks(run_log, form, request, own_doi)
    used = {article.pmid: article for _, article in _used(run_log, form) if article.pmid}
    return replace(
        base,
        status="leaked" if leaks else "answered" if synthesis.strip() else "unanswered",
        synthesis=synthesis,
        tldr=tldr,
        answer=form,
        relevant=tuple(one.pmid for one in run_log.relevant if one.pmid),
        irrelevant=tuple(one.pmid for one in usable if one.id in irrelevant and one.pmid),
        leaks=leaks,
        unchecked=tuple(
            one.id
            for one in run_log.relevant
            if request.drop and not one.pmid and not (one.doi and own_doi)
        ),
        later=audit.later(used, request),
    )


def _used(run_log: LiteratureLog, form: Mapping[str, Any]) -> list[tuple[str, Article]]:
    """Return what an answer rests on, with where it stands: articles judged relevant, and the
    references.
    """
    articles = {article.id: article for article in run_log.articles}
    used = [("articles", article) for article in run_log.relevant]
    return used + [
        ("references", articles[one["id"]]) for one in form["references"] if one["id"] in articles
    ]


def _leaks(
    run_log: LiteratureLog, form: Mapping[str, Any], request: RunRequest, own_doi: str
) -> tuple[Leak, ...]:
    found = {leak.pmid: leak for leak in audit.of_articles(_used(run_log, form), request, own_doi)}
    citations = "\n".join(one["citation"] for one in form["references"])
    written = {"text": f"{form['synthesis']}\n{form['tldr']}", "references": citations}
    for leak in audit.of_text(written, request, own_doi):
        found.setdefault(leak.pmid, leak)
    return tuple(found.values())


async def run_bare(
    root: Path, cell: Cell, model: ChatModel, budget: Budget, clock: Clock, question: str, seed: int
) -> Outcome:
    """Ask a model, or go on from its recorded reply, and write the record."""
    begun = Begun(root, cell)
    began = clock.monotonic()
    recorder = Recorder({STAGE: model}, budget, clock, seed, RunLog(begun.events), begun.put)
    messages = (Message("system", INSTRUCTION), Message("user", question))
    text, problem = "", ""
    try:
        reply = await recorder.ask("synthesis", ModelRequest(STAGE, messages))
        text = reply.text.strip()
    except BudgetReached as error:
        return Outcome("spent", problem=str(error))
    except ModelError as error:
        problem = str(error)
    finally:
        begun.close()
    events = ordered(recorder.run_log.all(CostIncurred))
    status: Status = "failed" if problem else "answered" if text else "unanswered"
    record = Record(cell, status, synthesis=text, usage=used(events), problem=problem)
    keep(root, record, events)
    return Outcome(
        "done", record, clock.monotonic() - began, {"synthesis": clock.monotonic() - began}
    )
