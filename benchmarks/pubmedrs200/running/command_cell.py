"""One cell of an external system: a process a question, one JSON line in, one JSON object out,
nothing trusted.

It gets {"id", "question", "regime", "before", "drop"} on its standard input and answers the JSON
answer, or at least {"id", "synthesis", "tldr", "references": [{"pmid"}]}, in one line or indented
over several. What does not come as one JSON object in time, of the right form and for the right
question, is a failure.

The articles behind its references are those that the run's source holds
(`benchmarks.pubmedrs200.running.references`). Where the source could not be asked the record stands
without them, and the same run begun again asks the source, not the command.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from benchmarks.pubmedrs200.running import audit, references
from benchmarks.pubmedrs200.running.chain_cell import Outcome, failed
from benchmarks.pubmedrs200.running.command_answer import read_answer, record_of
from benchmarks.pubmedrs200.running.command_process import Unusable, ask
from benchmarks.pubmedrs200.running.folder import read_record, write_record
from benchmarks.pubmedrs200.running.reaper import Reaper
from benchmarks.pubmedrs200.running.records import Cell, System
from clinfo.records.articles import RunRequest


async def run_command(
    root: Path,
    cell: Cell,
    system: System,
    folder: str,
    question: str,
    request: RunRequest,
    lookup: audit.Lookup,
    warden: Reaper,
) -> Outcome:
    """Ask a command that is run in ``folder``, audit its answer, write the articles it refers to
    and the record.

    A command whose answer is recorded already is not asked again: that answer is audited anew, with
    its articles. The outcome has no seconds then.
    """
    seconds = None
    before = read_record(root, cell)
    if before is not None and before.status == "answered" and before.answer is not None:
        answer = before.answer
    else:
        references.remove_articles(root, cell)
        began = time.monotonic()
        line = {
            "id": cell.id,
            "question": question,
            "regime": cell.regime,
            "before": request.before.isoformat() if request.before else None,
            "drop": list(request.drop),
        }
        try:
            answer = read_answer(
                await ask(system, folder, json.dumps(line, ensure_ascii=False), warden), cell.id
            )
        except Unusable as error:
            return Outcome("done", failed(root, cell, str(error)), time.monotonic() - began)
        seconds = time.monotonic() - began
    pmids = references.pmids(answer["references"])
    # The review too, so that an answer without references has figures of support where all others
    # have them, and only there.
    own = request.drop or ((cell.id,) if cell.id.isdecimal() else ())
    held = await lookup.held((*own, *pmids))
    record = await record_of(cell, answer, request, lookup)
    if held is not None and record.status == "answered":
        references.write_articles(root, cell, {pmid: held[pmid] for pmid in pmids})
    write_record(root, record)
    return Outcome("done", record, seconds)
