"""The files of a run's folder: records whole or not at all, events as they come, one writer at a
time.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.errors import RecordError, UsageError
from clinfo.files import whole_file
from clinfo.pipelines.literature.events import loads
from clinfo.runs.events import CostIncurred, Event, RunFailed, dumps

LOCK: Final = ".lock"
WORKER_LOCK: Final = ".worker-{}.lock"
UNDER_WAY: Final = ".tmp"
"""Ends the names of files that are being written; ``.partial`` is that of events, which are gone on
from.
"""
WORKERS_END: Final = 30.0
"""Seconds that workers of a run that was killed are waited for; they end when they miss it."""


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, partial=UNDER_WAY) as file:
        file.write(text)


def write_record(root: Path, record: Record) -> None:
    """Write the record of a cell."""
    import msgspec

    write_text(
        record.cell.path(root), json.dumps(msgspec.to_builtins(record), ensure_ascii=False) + "\n"
    )


def load_record(path: Path) -> Record:
    """The record in a file. Raises FileNotFoundError, and UsageError for a file that holds none."""
    import msgspec

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


def append_line(path: Path, form: dict[str, Any]) -> None:
    """Add a line to a file of JSON lines; one that a kill tore off before it is cut off."""
    with path.open("ab+") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            if file.read(1) != b"\n":
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(form, ensure_ascii=False).encode() + b"\n")


@contextlib.contextmanager
def held(root: Path) -> Iterator[None]:
    """Have the folder for this run alone. Raises UsageError where another has it, or where it
    cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = FileLock(root / LOCK, timeout=0)
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
        _wait_for_workers(sorted(root.glob(WORKER_LOCK.format("*"))), root)
        yield
        for path in root.glob(WORKER_LOCK.format("*")):
            path.unlink(missing_ok=True)
    finally:
        lock.release()


def _wait_for_workers(paths: Sequence[Path], root: Path) -> None:
    """Workers of a run that was killed may still be writing for a moment."""
    from filelock import FileLock, Timeout

    for path in paths:
        try:
            with FileLock(path, timeout=WORKERS_END):
                pass
        except Timeout:
            raise UsageError(
                f"a worker of an earlier run is still writing into {root}; wait for it, or end it"
            ) from None
        path.unlink(missing_ok=True)
