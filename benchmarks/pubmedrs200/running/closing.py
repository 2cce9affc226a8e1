"""The files of a finished run: predictions, the quarantine, and a table of how its cells ended."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.own.scores import OUTPUTS, label
from benchmarks.pubmedrs200.running.folder import read_record, write_text
from benchmarks.pubmedrs200.running.plan import Plan
from benchmarks.pubmedrs200.running.records import Record
from benchmarks.pubmedrs200.running.references import not_held, read_articles
from clinfo.pipelines.literature.events import ArticlesFetched
from clinfo.runs.spending import dollars
from clinfo.views.wording import number
from pubmedrs.records import Review

PREDICTIONS = "predictions.jsonl"
QUARANTINE = "quarantine.jsonl"


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
