"""Rows of scores: one number for one question of one system under one metric, and their files.

    {"id": "34158009", "system": "extractive:restricted:tldr", "metric": "rouge_l", "value": 0.25}

A row of a question that the system left unanswered holds the metric's floor and `"unanswered":
true`.

A system's label is ``name:regime:output`` for a text, ``name:regime`` for what concerns the whole
answer (retrieval, citations, cost), and ``:2``, ``:3``, … after either for repeats beyond the
first; systems that are not told of a regime have ``none`` there. The published systems keep the
names of the published files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from clinfo.errors import UsageError
from clinfo.files import file_errors, whole_file

DATA: Final = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Real records, where they lie beside the checkout."""
OUTPUTS: Final = ("synthesis", "tldr", "both")
"""The texts of an answer; ``both`` is synthesis + " TL;DR: " + tldr. A bare model and systems
without a TL;DR have only ``synthesis``."""


@dataclass(frozen=True)
class ScoreRow:
    """One score; ``value`` is finite."""

    id: str
    system: str
    metric: str
    value: float
    unanswered: bool = False


def label(name: str, regime: str, output: str | None = None, repeat: int = 1) -> str:
    """The label of a system in rows, as described above. ``repeat`` counts from 1."""
    parts = [name, regime, *([output] if output else []), *([str(repeat)] if repeat > 1 else [])]
    return ":".join(parts)


def write_rows(path: Path, rows: Iterable[ScoreRow]) -> None:
    """Write rows as JSON lines, whole or not at all."""
    with whole_file(path) as file:
        for row in rows:
            form = {"id": row.id, "system": row.system, "metric": row.metric, "value": row.value}
            file.write(
                json.dumps(
                    form | ({"unanswered": True} if row.unanswered else {}), ensure_ascii=False
                )
                + "\n"
            )


def read_rows(path: Path) -> Iterator[ScoreRow]:
    """The rows of a file that `write_rows` wrote. Raises UsageError that names the line that is
    none.
    """
    with file_errors(str(path)):
        data = path.read_bytes()
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=ScoreRow)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise UsageError(f"{path}, line {number}: not a score ({error})") from None
