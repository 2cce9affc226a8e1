"""The files of a run's folder: records whole or not at all, events as they come, one writer at a
time; what the run's source holds of an external system's references; how long cells took.

A reference has the number that it states as "n", a whole number from 1, else that of its place in
the list, from 1. Of several that state one number the first has it and the others have none; so has
one whose place's number another states. Whatever has no number, or no PMID, is no article that a
sentence could cite.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import IO, Any, Final

import msgspec
from filelock import FileLock, Timeout

from benchmarks.pubmedrs200.running.records import NO_REGIME, Cell, Record
from clinfo.errors import RecordError, UsageError
from clinfo.files import whole_file
from clinfo.pipelines.literature.events import ArticlesFetched, loads
from clinfo.records.articles import Article
from clinfo.runs.events import CostIncurred, Event, RunFailed, dumps

LOCK: Final = ".lock"
UNDER_WAY: Final = ".tmp"
"""Ends the names of files that are being written; ``.partial`` is that of events, which are gone on
from.
"""
CITED: Final = "cited"
TIMINGS: Final = "timings.jsonl"
SCHEMA: Final = 1


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, partial=UNDER_WAY) as file:
        file.write(text)


def write_record(root: Path, record: Record) -> None:
    """Write the record of a cell."""
    write_text(
        record.cell.path(root), json.dumps(msgspec.to_builtins(record), ensure_ascii=False) + "\n"
    )


def load_record(path: Path) -> Record:
    """The record in a file. Raises FileNotFoundError, and UsageError for a file that holds none."""
    try:
        return msgspec.convert(json.loads(path.read_bytes()), type=Record)
    except (ValueError, RecursionError) as error:  # what msgspec raises is a ValueError
        raise UsageError(f"{path}: not the record of a run ({str(error)[:200]})") from None


def read_record(root: Path, cell: Cell) -> Record | None:
    """The record of a cell, None where there is none that can be read (a disk that was full, a
    machine that lost power).
    """
    try:
        return load_record(cell.path(root))
    except (FileNotFoundError, UsageError):
        return None


def write_events(root: Path, cell: Cell, events: Iterable[Event]) -> None:
    """Write the lasting events of a cell."""
    write_text(
        cell.path(root, "events", ".jsonl"), "".join(dumps(event) + "\n" for event in events)
    )


def read_events(root: Path, cell: Cell) -> list[Event]:
    """The lasting events of a cell; none where there are none. Raises RecordError where they cannot
    be read.
    """
    try:
        return list(
            loads(cell.path(root, "events", ".jsonl").read_text(encoding="utf-8").split("\n"))
        )
    except FileNotFoundError:
        return []
    except UnicodeDecodeError:
        raise RecordError("its events are not text in UTF-8") from None


class Begun:
    """The events of a cell that runs, kept as they come, so that a run that was killed goes on from
    them.

    ``events`` are those there were before: of this try, else those that a failed one left behind.
    """

    def __init__(self, root: Path, cell: Cell) -> None:
        self.path = partial_path(root, cell)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.events: list[Event] = read_partial(self.path)
        if not self.events and (
            left := [one for one in read_events(root, cell) if not isinstance(one, RunFailed)]
        ):
            write_text(self.path, "".join(dumps(event) + "\n" for event in left))
            self.events = left
        self._file: IO[str] = self.path.open("a", encoding="utf-8")

    def put(self, event: Event) -> None:
        """Keep an event, at once."""
        self._file.write(dumps(event) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def partial_path(root: Path, cell: Cell) -> Path:
    """Return where the events of a cell are while it runs."""
    return cell.path(root, "events", ".jsonl.partial")


def read_partial(path: Path) -> list[Event]:
    """The events of a file that may end in the middle of a line, which is cut off. Raises
    RecordError for what is not an event.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(path, whole)
    try:
        return list(loads(data[:whole].decode().split("\n")))
    except (UnicodeDecodeError, RecordError) as error:
        raise RecordError(f"its events so far ({path.name}) cannot be read: {error}") from None


def done(root: Path, cell: Cell, retry_failed: bool) -> Record | None:
    """The record of a cell that needs not be run; None for one that does. A retry that was begun is
    resumed.
    """
    record = read_record(root, cell)
    again = (
        record is not None
        and record.status == "failed"
        and (retry_failed or partial_path(root, cell).exists())
    )
    return None if again else record


def spent(root: Path, cell: Cell, record: Record | None) -> float:
    """US dollars that a cell's model calls have cost so far, as far as prices are known."""
    if record is not None and not partial_path(root, cell).exists():
        return float((record.usage or {}).get("cost_usd") or 0.0)
    with contextlib.suppress(RecordError):
        events = read_partial(partial_path(root, cell)) or read_events(root, cell)
        return sum(event.cost_usd or 0.0 for event in events if isinstance(event, CostIncurred))
    return 0.0


def tidy(root: Path, cells: Iterable[Cell], retry_failed: bool) -> None:
    """Remove what a kill left beside finished cells."""
    for cell in cells:
        path = partial_path(root, cell)
        if path.exists() and done(root, cell, retry_failed) is not None:
            path.unlink()
    for place in ("records/*/*/*/", "events/*/*/*/", "cited/*/*/*/", ""):
        for path in root.glob(f"{place}*{UNDER_WAY}"):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def held(root: Path) -> Iterator[None]:
    """Have the folder for this run alone. Raises UsageError where another has it, or where it
    cannot be written.
    """
    lock = FileLock(root / LOCK, timeout=0)
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UsageError(
            f"another run is writing into {root}; wait for it, or choose another folder"
        ) from None
    except OSError as error:
        raise UsageError(
            f"--out: {root} cannot be written: {error.strerror or 'unknown'}"
        ) from None
    try:
        yield
    finally:
        lock.release()


def add_timing(root: Path, cell: Cell, seconds: float, stages: Mapping[str, float]) -> None:
    """Note that a cell ended, with its seconds by stage, in the only file of a run whose bytes
    differ between runs. A line that a kill tore off before it is cut off. Raises OSError.
    """
    form = {"system": cell.system, "regime": cell.regime, "repeat": cell.repeat, "id": cell.id}
    parts = {stage: round(spent, 6) for stage, spent in stages.items()}
    path = root / TIMINGS
    if path.exists() and not (data := path.read_bytes()).endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**form, "seconds": round(seconds, 6), "stages": parts}) + "\n")


def seconds_of(run: Path) -> dict[Cell, float]:
    """Seconds by cell, all finite; of a cell that was begun more than once, the last. Empty where
    the run has no such file. Lines that are not of the form are left out.
    """
    path = run / TIMINGS
    found: dict[Cell, float] = {}
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    for line in text.split("\n"):
        with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError, RecursionError):
            form = json.loads(line)
            cell = Cell(
                str(form["system"]), str(form["regime"]), int(form["repeat"]), str(form["id"])
            )
            if isfinite(seconds := float(form["seconds"])):
                found[cell] = seconds
    return found


def cells_of(
    kinds: Mapping[str, str], regimes: Sequence[str], repeats: int, ids: Sequence[str]
) -> Iterator[Cell]:
    """All cells by system, regime, repeat and question, as `Plan.cells`; ``kinds`` is that of each
    system by name.
    """
    for name, kind in kinds.items():
        for regime in (NO_REGIME,) if kind == "bare" else regimes:
            for repeat in range(1, repeats + 1):
                for id in ids:
                    yield Cell(name, regime, repeat, id)


def write_or_compare(path: Path, form: Mapping[str, Any]) -> dict[str, Any]:
    """Write run.json at the first start; at later ones refuse what differs. The form that holds is
    given back.

    The day is that of the first start. Raises UsageError that names the first difference.
    """
    if not path.exists():
        write_text(path, json.dumps(form, ensure_ascii=False, indent=1) + "\n")
        return dict(form)
    before = read_run(path.parent)
    now = json.loads(json.dumps(form))
    if found := difference({**before, "day": None}, {**now, "day": None}):
        raise UsageError(
            f"{path.parent} holds another run: {found}; resume with the same, or choose another "
            "folder"
        )
    return before


def read_run(folder: Path) -> dict[str, Any]:
    """The contents of a run's run.json. Raises UsageError where it is none."""
    path = folder / "run.json"
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"{path} cannot be read as the beginning of a run") from None
    if not isinstance(form, dict) or form.get("schema") != SCHEMA:
        raise UsageError(f"{path} is not of schema {SCHEMA}, the one this version writes")
    try:
        systems = [(str(one["name"]), str(one["kind"])) for one in form["systems"]]
        list(cells_of(dict(systems), form["regimes"], form["repeats"], form["ids"]))
    except (KeyError, TypeError):
        raise UsageError(f"{path} is damaged: it is not as the run command writes it") from None
    return form


def difference(before: Any, now: Any, place: str = "") -> str:
    """The first difference of two JSON values, with its place: ``seed is 0 there and 1 here``; ""
    where there is none.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*before, *now)):
            if found := difference(before.get(key), now.get(key), f"{place}.{key}".lstrip(".")):
                return found
        return ""
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True), 1)
        return next(
            (found for n, (old, new) in pairs if (found := difference(old, new, f"{place}[{n}]"))),
            "",
        )
    if isinstance(before, list) and isinstance(now, list):
        return f"{place} has {len(before):,} entries there and {len(now):,} here"
    return (
        ""
        if before == now and type(before) is type(now)
        else f"{place} is {_shown(before)} there and {_shown(now)} here"
    )


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def numbered(references: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """References by number; those without one are left out."""
    listed = list(references)
    stated: dict[int, Mapping[str, Any]] = {}
    for one in listed:
        if _states_number(one):
            stated.setdefault(one["n"], one)
    placed = {
        place: one
        for place, one in enumerate(listed, 1)
        if place not in stated and not _states_number(one)
    }
    return stated | placed


def _states_number(reference: Mapping[str, Any]) -> bool:
    number = reference.get("n")
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def cited_pmids(references: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The PMIDs of references, each once, in order."""
    return tuple(dict.fromkeys(one["pmid"] for one in references if one["pmid"] is not None))


def write_articles(root: Path, cell: Cell, held: Mapping[str, Article | None]) -> None:
    """Write what the source holds under the PMIDs of a cell's references, None where it holds
    nothing.
    """
    articles = tuple(article for article in held.values() if article is not None)
    missing = tuple(f"pmid:{pmid}" for pmid, article in held.items() if article is None)
    write_text(
        _cited(root, cell), dumps(ArticlesFetched(seq=0, articles=articles, missing=missing)) + "\n"
    )


def remove_articles(root: Path, cell: Cell) -> None:
    """Remove what `write_articles` wrote of an answer whose record a kill kept from being written:
    the next may be another one.
    """
    _cited(root, cell).unlink(missing_ok=True)


def load_articles(root: Path, cell: Cell) -> ArticlesFetched | None:
    """Return what `write_articles` wrote; None where the source was not asked. Raises UsageError
    for a file that holds something else.
    """
    path = _cited(root, cell)
    try:
        events = list(loads(path.read_text(encoding="utf-8").split("\n")))
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, RecordError) as error:
        raise UsageError(f"{path}: not the articles of an answer ({str(error)[:200]})") from None
    if len(events) != 1 or not isinstance(events[0], ArticlesFetched):
        raise UsageError(f"{path}: not the articles of an answer")
    return events[0]


def read_articles(root: Path, cell: Cell) -> ArticlesFetched | None:
    """As `load_articles`; None too where there is no file that can be read (a disk that was full, a
    machine that lost power).
    """
    try:
        return load_articles(root, cell)
    except UsageError:
        return None


def are_lacking(root: Path, record: Record) -> bool:
    """Return whether the source has still to be asked for the articles of a command's record."""
    return (
        record.status == "answered"
        and record.answer is not None
        and read_articles(root, record.cell) is None
    )


def not_held(references: Sequence[Mapping[str, Any]], fetched: ArticlesFetched) -> int:
    """Return how many references have a PMID under which the source holds nothing."""
    known = {article.pmid for article in fetched.articles}
    return sum(one["pmid"] is not None and one["pmid"] not in known for one in references)


def _cited(root: Path, cell: Cell) -> Path:
    return cell.path(root, CITED, ".jsonl")
