"""One cell of a bare model: the question in one prompt, without any article."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.running.chain_cell import Outcome, keep, used
from benchmarks.pubmedrs200.running.event_order import ordered
from benchmarks.pubmedrs200.running.folder import Begun
from benchmarks.pubmedrs200.running.records import Cell, Record, Status
from clinfo.errors import BudgetReached, ModelError
from clinfo.runs.events import CostIncurred
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
