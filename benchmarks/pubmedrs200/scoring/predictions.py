"""Files of predictions: JSON lines {"id", "system", "prediction", "reference", "source"?,
"failed"?}, with every fault named by its line.

A prediction of nothing but blanks means that the question went unanswered, which is not a fault;
`"failed": true` beside it, that a crash or an outage kept the system from answering.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from benchmarks.pubmedrs200.scoring.prediction_line import NEEDED, read_line, shown
from clinfo.errors import UsageError

LISTED: Final = 50
"""Faults that are listed; of the others only how many there are is said."""
_SHARED: Final = ("id", "system", "reference", "source")
_NULLS: Final = frozenset(("nan", "none", "null", "<na>"))


@dataclass(frozen=True)
class Prediction:
    """The output of one system for one question, the reference answer, and the review's text where
    it is known.

    ``failed`` says that the system broke down rather than abstained. ``file`` and ``line`` (from 1)
    say where it was read; two predictions are equal whatever their places.
    """

    id: str
    system: str
    prediction: str
    reference: str
    source: str | None = None
    failed: bool = False
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def answered(self) -> bool:
        return bool(self.prediction.strip())


@dataclass(frozen=True)
class LineFault:
    """Something wrong in a line of a file; line 0 stands for the file as a whole."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return (
            f"{self.file}, line {self.line}: {self.what}"
            if self.line
            else f"{self.file}: {self.what}"
        )


@dataclass(frozen=True)
class PredictionFile:
    """A file as it was read. ``named`` are (id, system, line) of all lines that say both, faulty
    ones included; ``remarks`` are oddities that do not keep a row from being scored."""

    rows: tuple[Prediction, ...]
    faults: tuple[LineFault, ...]
    named: tuple[tuple[str, str, int], ...]
    remarks: tuple[LineFault, ...] = ()


class FaultyPredictions(UsageError):
    """Predictions that cannot be scored as they are; ``faults`` are all that is wrong with them."""

    def __init__(self, faults: Sequence[LineFault]) -> None:
        count = f"{len(faults):,} fault{'s' if len(faults) != 1 else ''}"
        super().__init__(f"{count} in the predictions; nothing was scored and nothing written")
        self.faults = tuple(faults)

    def listing(self) -> list[str]:
        """A line each for the first `LISTED` faults, then how many more there are."""
        shown = [str(fault) for fault in self.faults[:LISTED]]
        left = len(self.faults) - len(shown)
        return [*shown, *([f"… and {left:,} more"] if left else [])]


def read(path: Path) -> PredictionFile:
    """All rows of a file that can be used, and all faults. Raises UsageError where the file cannot
    be read.

    Texts that several rows have in common, as references and sources are, are held once.
    """
    try:
        with path.open("rb") as file:
            if other := _other_format(file, path.suffix.lower()):
                return PredictionFile((), (LineFault(str(path), 0, other),), ())
            file.seek(0)
            return _rows(file, str(path))
    except OSError as error:
        raise UsageError(f"the file {path} cannot be read: {error.strerror or 'unknown'}") from None


def _rows(file: BinaryIO, name: str) -> PredictionFile:
    rows: list[Prediction] = []
    faults: list[LineFault] = []
    remarks: list[LineFault] = []
    named: list[tuple[str, str, int]] = []
    texts: dict[str, str] = {}
    for number, raw in _lines(file):
        form, wrong = read_line(raw)
        faults += [LineFault(name, number, what) for what in wrong]
        for key in _SHARED:
            if isinstance(text := form.get(key), str):
                form[key] = texts.setdefault(text, text)
        if all(isinstance(form.get(key), str) for key in ("id", "system")):
            named.append((form["id"], form["system"], number))
        if not wrong:
            id, system, prediction, reference = (form[key] for key in NEEDED)
            rows.append(
                Prediction(
                    id,
                    system,
                    prediction,
                    reference,
                    form.get("source"),
                    form.get("failed", False),
                    name,
                    number,
                )
            )
            remarks += [
                LineFault(
                    name,
                    number,
                    f"“{key}” is the word {form[key].strip()}, which is scored as text",
                )
                for key in ("prediction", "reference")
                if form[key].strip().casefold() in _NULLS
            ]
    if not rows and not faults:
        faults.append(LineFault(name, 0, "holds no predictions"))
    return PredictionFile(tuple(rows), tuple(faults), tuple(named), tuple(remarks))


def duplicates(files: Iterable[tuple[str, PredictionFile]]) -> Iterator[LineFault]:
    """A fault for each line that says again what an earlier line of any of the (name, file) said:
    the same id and system.
    """
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for name, file in files:
        for id, system, line in file.named:
            first, at = seen.setdefault((id, system), (name, line))
            if (first, at) != (name, line):
                where = f"line {at}" if first == name else f"{first}, line {at}"
                yield LineFault(
                    name, line, f"duplicate of {where}: id {shown(id)} of system {shown(system)}"
                )


def _other_format(file: BinaryIO, suffix: str) -> str:
    """Return what is said of a file that as a whole is not JSON lines, "" where it may be."""
    if file.read(2) in (b"\xff\xfe", b"\xfe\xff"):
        return "is UTF-16; predictions are read as UTF-8"
    file.seek(0)
    first = next((line for _, line in _lines(file)), b"").strip()
    kind = (
        "a table (CSV)"
        if first and suffix in (".csv", ".tsv") and not first.startswith(b"{")
        else ""
    )
    if first.startswith(b"["):
        whole = first + file.read().rstrip()
        kind = "a JSON array" if whole.endswith(b"]") and b"{" in whole else kind
    elif first.startswith(b"{") and not first.strip(b"{ \t\r"):
        kind = "JSON over several lines"
    return f"is {kind}; predictions are one JSON object a line" if kind else ""


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """(number from 1, bytes) of lines that are not blank, without a byte order mark."""
    for number, line in enumerate(file, 1):
        raw = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        if raw.strip():
            yield number, raw.removesuffix(b"\n").removesuffix(b"\r")
