"""``python -m benchmarks run``: questions × systems × regimes × repeats, each cell once, whatever
interrupts it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks import flags
from benchmarks.own.scores import OUTPUTS, label
from benchmarks.pubmedrs200.running import decisions
from benchmarks.pubmedrs200.running import pool as pools
from benchmarks.pubmedrs200.running.cells import Outcome
from benchmarks.pubmedrs200.running.folder import (
    add_timing,
    are_lacking,
    done,
    held,
    not_held,
    partial_path,
    read_articles,
    read_record,
    spent,
    tidy,
    write_or_compare,
    write_text,
)
from benchmarks.pubmedrs200.running.planning import Plan, Prepared, notices, prepare
from benchmarks.pubmedrs200.running.records import REGIMES, Cell, Record
from benchmarks.pubmedrs200.running.work import Work
from clinfo.cli.progress import TELL, Bar
from clinfo.console import streams
from clinfo.errors import BudgetReached, Cancelled, ServiceError
from clinfo.pipelines.literature.events import ArticlesFetched
from clinfo.runs.spending import dollars
from clinfo.sources.registry import choice
from clinfo.text.wording import number
from pubmedrs.records import Review

PREDICTIONS = "predictions.jsonl"
QUARANTINE = "quarantine.jsonl"


DESCRIPTION: Final = """\
Run systems on the questions of a data set, under each regime. A run that was interrupted, in whatever way, is
resumed by the same command; what is done is not asked or paid for again.

examples:
  python -m benchmarks run --data PubMedRS-200.csv --model extractive --source local --index INDEX --out RUN
  python -m benchmarks run --data PubMedRS-200.csv --subset scored145 --systems systems.toml --repeats 3 --max-cost 20 --out RUN
  python -m benchmarks run --data PubMedRS-200.csv --model openai/gpt-4o-mini --bare openai/gpt-4o-mini --limit 10 --out RUN

exit status: 0 done, 2 wrong usage, 4 some cells failed (the others are done), 5 --max-cost reached, 130 interrupted"""  # noqa: E501


def parser() -> argparse.ArgumentParser:
    """The parser; every flag that is left off is None or its default."""
    made = argparse.ArgumentParser(
        "python -m benchmarks run",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = made.add_argument_group("what is run")
    flags.add(
        what,
        {
            "--data": {
                "required": True,
                "metavar": "FILE",
                "help": "the data set: PubMedRS-200, PubMedQA or BioASQ as published, or rows "
                "of CSV, JSON or "
                "JSON lines with question and, where known, id, answer, reference, pmids, date",
            },
            "--subset": {
                "default": "all",
                "metavar": "NAME",
                "help": "all, scored145, or a file of PMIDs, one per line [all]",
            },
            **flags.LIMIT,
            "--systems": {
                "metavar": "FILE.toml",
                "help": "systems to run, each a [[system]] table with a name",
            },
            "--model": {
                "action": "append",
                "default": [],
                "metavar": "NAME",
                "help": "the chain with this model; may be repeated",
            },
            "--bare": {
                "action": "append",
                "default": [],
                "metavar": "NAME",
                "help": "this model without retrieval; may be repeated",
            },
            "--regimes": {
                "metavar": "A,B",
                "help": f"[of {', '.join(REGIMES)} those that the questions allow]",
            },
            "--repeats": {
                "type": flags.positive,
                "default": 1,
                "metavar": "N",
                "help": "times that each question is asked, with other seeds [1]",
            },
            "--seed": {"type": int, "default": 0, "metavar": "N", "help": "[0]"},
        },
    )
    where = made.add_argument_group("articles")
    flags.add(
        where,
        {
            "--source": {"metavar": "NAME", "help": f"{choice()} [CLINFO_SOURCE]"},
            "--index": {
                "metavar": "DIR",
                "help": "the index that --source local searches [CLINFO_INDEX_DIR]",
            },
            "--record": {
                "metavar": "DIR",
                "help": "freeze the first chain's candidates there, when the run is done",
            },
            "--pool": {
                "metavar": "DIR",
                "help": "give the chains recorded candidates instead of a search",
            },
        },
    )
    chain = made.add_argument_group("chains, unless their entry in --systems says otherwise")
    flags.add(
        chain,
        {
            "--queries": {"type": int, "metavar": "N", "help": "queries a question [3]"},
            "--per-query": {"type": int, "metavar": "N", "help": "articles a query [16]"},
            "--max-articles": {"type": int, "metavar": "N", "help": "most articles judged [100]"},
            "--rerank": {
                "type": int,
                "metavar": "N",
                "help": "summarise only the N best when more than 35 are relevant [off]",
            },
            "--chase": {
                "type": int,
                "metavar": "N",
                "help": "follow links of the N first relevant articles [0]",
            },
            "--strategy": {"metavar": "NAME", "help": "seeds or pico [seeds]"},
            "--judge": {"metavar": "NAME", "help": "model, nli, both or none [none]"},
        },
    )
    how = made.add_argument_group("how")
    flags.add(
        how,
        {
            "--out": {"required": True, "metavar": "DIR", "help": "the run's folder"},
            "--concurrency": {
                "type": flags.positive,
                "metavar": "N",
                "help": "cells at a time [4; 2 if all is local]",
            },
            "--max-cost": {
                "type": float,
                "metavar": "USD",
                "help": "most that models may cost, earlier starts of the run included",
            },
            "--retry-failed": {"action": "store_true", "help": "run failed cells again"},
            "--quiet": {"action": "store_true", "help": "no progress on stderr"},
        },
    )
    return made


def main(argv: list[str]) -> None:
    """Run, or resume a run; ends the process with its exit status."""
    arguments = parser().parse_args(argv)
    with flags.ending("run", "run the same command again to resume"):
        sys.exit(run(arguments))


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 0 done, 4 with failed cells, 5 at the cost cap, 130 interrupted. Raises
    ClinfoError.
    """
    ready = prepare(arguments)
    for line in notices(arguments, ready.plan.systems):
        print(line, file=sys.stderr)
    with held(ready.root):
        form = write_or_compare(ready.root / "run.json", ready.form)
        if arguments.record is not None:
            pools.check_free(Path(arguments.record), form, _first_chain(ready.plan))
        return _Run(ready, form, arguments).go()


class _Run:
    def __init__(
        self, ready: Prepared, form: dict[str, Any], arguments: argparse.Namespace
    ) -> None:
        self.ready, self.form, self.arguments = ready, form, arguments
        self.root, self.plan = ready.root, ready.plan
        self.commands = {one.name for one in self.plan.systems if one.kind == "command"}
        self.counts: Counter[str] = Counter()
        self.costs: dict[Cell, float] = {}

    def go(self) -> int:
        root, cells, again = self.root, list(self.plan.cells()), self.arguments.retry_failed
        tidy(root, cells, again)
        records = {cell: done(root, cell, again) for cell in cells}
        lacking = self._lacking(records.values())
        todo = [cell for cell in cells if records[cell] is None or cell in lacking]
        self.costs = {
            cell: spent(root, cell, record)
            for cell, record in records.items()
            if cell.system not in self.commands
        }
        self.counts.update(
            record.status
            for cell, record in records.items()
            if record is not None and cell not in lacking
        )
        work = Work(self.ready, sum(self.costs.values()))
        if todo:
            for name in (PREDICTIONS, QUARANTINE):
                (root / name).unlink(missing_ok=True)
            if before := self.counts.total():
                streams.say(f"going on: {before:,} of {len(cells):,} are done")
            asyncio.run(self._carried_out(work, todo, len(cells)))
            if not self.arguments.quiet:
                streams.say(self._progress(len(cells)))
            if work.spent_out:
                advice = "run the same command with a higher --max-cost to resume"
                streams.say(f"python -m benchmarks run: {work.spent_out}; {advice}")
        tidy(root, cells, False)
        return self._close(work)

    async def _carried_out(self, work: Work, todo: Sequence[Cell], total: int) -> None:
        bar = Bar("", self.arguments.quiet, every=TELL)
        try:
            async for cell, outcome in work.ends(todo):
                self._ended(cell, outcome)
                bar.show(self._progress(total), self.counts.total(), total)
        finally:
            bar.close()

    def _ended(self, cell: Cell, outcome: Outcome) -> None:
        record = outcome.record
        assert record is not None
        if outcome.seconds is not None:
            add_timing(self.root, cell, outcome.seconds, outcome.stages)
        if cell.system not in self.commands:
            self.costs[cell] = spent(self.root, cell, record)
        where = f"{cell.system} {cell.regime} {cell.repeat} {cell.id}"
        if record.status == "failed":
            streams.say(f"failed: {where}: {record.problem}")
        for leak in record.leaks:
            told = f"{leak.pmid} in {leak.where}: {leak.reason}"
            streams.say(f"leaked, quarantined: {where}: {told}")
        self.counts[record.status] += 1

    def _progress(self, total: int) -> str:
        parts = [f"{self.counts.total():,}/{total:,} done"]
        bad = (name for name in ("failed", "leaked") if self.counts[name])
        parts += [f"{self.counts[name]:,} {name}" for name in bad]
        cost = sum(self.costs.values())
        return ", ".join([*parts, *([dollars(cost, 2)] if cost else [])])

    def _lacking(self, records: Iterable[Record | None]) -> set[Cell]:
        """Cells of commands that answered and of whose references the source, where there is one,
        has still to be asked.
        """
        if self.ready.source is None:
            return set()
        found = (one for one in records if one is not None and one.cell.system in self.commands)
        return {record.cell for record in found if are_lacking(self.root, record)}

    def _close(self, work: Work) -> int:
        plan = self.plan
        rows = close(self.root, plan, self.ready.reviews)
        count = sum(row.statuses.total() for row in rows.values())
        left = len(list(plan.cells())) - count
        left += (
            sum(partial_path(self.root, cell).exists() for cell in plan.cells()) if not left else 0
        )
        for line in table(rows, left):
            print(line)
        if not left:
            if self.ready.labels:
                self._decide()
            print(f"predictions: {self.root / PREDICTIONS}; records: {self.root / 'records'}")
            if sum(row.statuses["leaked"] for row in rows.values()):
                print(f"quarantined, and left out of the predictions: {self.root / QUARANTINE}")
            if self.arguments.record is not None:
                self._record()
        if work.interrupted:
            streams.say("interrupted; run the same command again to resume")
            return Cancelled.exit_status
        if lacking := self._lacking(read_record(self.root, cell) for cell in plan.cells()):
            answers = number(len(lacking), "answer", "answers")
            lost = (
                f"the source could not be reached for the articles that {answers} of external "
                "systems cited: no figures of support"
            )
            streams.say(f"{lost}; run the same command again to retry")
        if work.spent_out:
            return BudgetReached.exit_status
        failures = sum(row.statuses["failed"] for row in rows.values())
        if failures:
            streams.say(f"{failures:,} failed; to run them again, add --retry-failed")
            return ServiceError.exit_status
        return 0

    def _decide(self) -> None:
        """Print accuracy and macro F1 of yes, no and maybe, and write them."""
        found = decisions.decided(self.root, self.plan, self.ready.labels)
        for name, pairs in found.items():
            print(*decisions.lines(name, pairs.values()), sep="\n")
        text = json.dumps(decisions.measured(found), ensure_ascii=False, indent=1)
        write_text(self.root / decisions.FILE, text + "\n")

    def _record(self) -> None:
        folder = Path(self.arguments.record)
        without = pools.record(folder, self.root, self.form, _first_chain(self.plan))
        print(f"candidates recorded: {folder}")
        if without:
            streams.say(
                f"no candidates to record for {number(len(without), 'question')}, first "
                f"{without[0]}"
            )


def _first_chain(plan: Plan) -> str:
    """The system whose candidates --record freezes."""
    return next(system.name for system in plan.systems if system.kind == "chain")


@dataclass
class Row:
    """The outcomes of the cells of one system under one regime. A sum is None where it is not known
    of some cell.

    ``references`` are those of external systems' answers that were looked up, ``not_held`` those
    that the source does not hold. These two, ``unchecked`` and ``later`` are without the cells in
    quarantine, which nobody scores.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    tokens: int | None = 0
    cost_usd: float | None = 0.0
    unchecked: int = 0
    later: int = 0
    references: int = 0
    not_held: int = 0

    def add(self, record: Record, cited: ArticlesFetched | None) -> None:
        """Count a cell; ``cited`` is what the source holds of a command's references."""
        self.statuses[record.status] += 1
        if record.status != "leaked":
            self.unchecked += bool(record.unchecked)
            self.later += len(record.later)
            if cited is not None and record.answer is not None:
                self.references += len(record.answer["references"])
                self.not_held += not_held(record.answer["references"], cited)
        usage = record.usage
        if usage is None:
            self.tokens = self.cost_usd = None
            return
        if self.tokens is not None:
            self.tokens += usage["prompt_tokens"] + usage["completion_tokens"]
        if self.cost_usd is not None:
            self.cost_usd = None if usage["cost_usd"] is None else self.cost_usd + usage["cost_usd"]


def close(root: Path, plan: Plan, reviews: Mapping[str, Review]) -> dict[tuple[str, str], Row]:
    """Write predictions and quarantine, if all cells have records; the rows of the table, by system
    and regime.
    """
    rows: dict[tuple[str, str], Row] = defaultdict(Row)
    with_tldr: set[str] = set()
    commands = {system.name for system in plan.systems if system.kind == "command"}
    complete = True
    for cell in plan.cells():
        record = read_record(root, cell)
        if record is None:
            complete = False
            continue
        rows[cell.system, cell.regime].add(
            record, read_articles(root, cell) if cell.system in commands else None
        )
        if record.tldr:
            with_tldr.add(cell.system)
    if complete:
        with_tldr |= {system.name for system in plan.systems if system.kind == "chain"}
        predictions, quarantine = _lines(root, plan, reviews, with_tldr)
        write_text(root / QUARANTINE, quarantine)
        write_text(root / PREDICTIONS, predictions)
    return rows


def _lines(
    root: Path, plan: Plan, reviews: Mapping[str, Review], with_tldr: set[str]
) -> tuple[str, str]:
    predictions, quarantine = [], []
    for cell in plan.cells():
        record = read_record(root, cell)
        assert record is not None
        if record.status == "leaked":
            leaks = [asdict(leak) for leak in record.leaks]
            quarantine.append(
                {
                    "id": cell.id,
                    "system": label(cell.system, cell.regime, None, cell.repeat),
                    "leaks": leaks,
                }
            )
            continue
        for output in OUTPUTS if cell.system in with_tldr else OUTPUTS[:1]:
            predictions.append(
                {
                    "id": cell.id,
                    "system": label(cell.system, cell.regime, output, cell.repeat),
                    "prediction": getattr(record, output) if record.status == "answered" else "",
                    "reference": reviews[cell.id].reference,
                    "source": reviews[cell.id].context,
                    **({"failed": True} if record.status == "failed" else {}),
                }
            )
    return _json_lines(predictions), _json_lines(quarantine)


def _json_lines(forms: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(form, ensure_ascii=False) + "\n" for form in forms)


def table(rows: Mapping[tuple[str, str], Row], left: int) -> Iterator[str]:
    """The closing table, line by line; ``left`` cells have not been run."""
    head = ("system", "regime", "answered", "unanswered", "failed", "leaked", "tokens", "dollars")
    cells: list[tuple[str, ...]] = [head]
    for (system, regime), row in rows.items():
        counts = [f"{row.statuses[status]:,}" for status in head[2:6]]
        tokens = "unknown" if row.tokens is None else f"{row.tokens:,}"
        cost = "unknown" if row.cost_usd is None else dollars(row.cost_usd, 2)
        cells.append((system, regime, *counts, tokens, cost))
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    for line in cells:
        first = [text.ljust(width) for text, width in zip(line[:2], widths[:2], strict=True)]
        others = [text.rjust(width) for text, width in zip(line[2:], widths[2:], strict=True)]
        yield "  ".join((*first, *others))
    if left:
        yield f"{number(left, 'cell is', 'cells are')} not done"
    for (system, regime), row in rows.items():
        if row.unchecked:
            answers = number(row.unchecked, "answer uses", "answers use")
            yield (
                f"{system}, {regime}: {answers} articles that cannot be checked; a leak cannot be "
                "ruled out"
            )
        if row.later:
            said = number(row.later, "article used has", "articles used have")
            higher = (
                "a higher PMID than the review and no known entry date: a leak cannot be ruled out"
            )
            yield f"{system}, {regime}: {said} {higher}"
        if row.not_held:
            said = f"{row.not_held:,} of {number(row.references, 'reference')}"
            yield (
                f"{system}, {regime}: the source does not hold {said}; a sentence that cites one "
                "counts as not supported"
            )
