"""Runs kept in files, one JSON event a line, written as they happen."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from clinfo import errors
from clinfo.errors import Cancelled, ClinfoError, RecordError, UsageError
from clinfo.files import claim
from clinfo.runs.events import Answered, Event, EventTypes, RunCancelled, RunFailed, dumps
from clinfo.runs.pipeline import Log, Pipeline, Request
from clinfo.runs.run_log import RunLog

BEGINNING = b'{"schema"'
"""The beginning of a first line that was torn off while `clinfo.runs.events.dumps`' text was
written; there may be less of it.
"""

NO_LINES = frozenset((".bib", ".csv", ".docx", ".html", ".md", ".nbib", ".pdf", ".ris", ".xlsx"))
"""Endings of names under which nobody looks for lines of JSON."""


def read(path: Path, pipeline: Pipeline[Request, Log]) -> list[Event]:
    """The events of a saved run. Raises UsageError for a file that cannot be opened, RecordError
    for what is not a run.
    """
    events = begun(path, pipeline)
    if not events:
        raise RecordError(f"{path} contains no saved run")
    return events


def pipeline_of(path: Path) -> str:
    """The pipeline that the first event of a saved run names; "" where it names none. Raises
    UsageError for a file that cannot be opened.
    """
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline())
    except OSError as error:
        raise UsageError(f"the file {path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        return ""
    settings = first.get("settings") if isinstance(first, dict) else None
    return str(settings.get("pipeline", "")) if isinstance(settings, dict) else ""


def begun(path: Path, pipeline: Pipeline[Request, Log]) -> list[Event]:
    """The events in a file, none where the first line of it was cut off. Raises UsageError,
    RecordError as `read` does.
    """
    return _read(path, pipeline.events)[0]


def unfinished(path: Path, request: Request, pipeline: Pipeline[Request, Log]) -> list[Event]:
    """The events to go on from when a run of ``request`` is saved in ``path``; none where there is
    nothing in it.

    Only what may be spent, in money and time, may differ from the run begun. Raises UsageError
    where the file holds anything else: a finished run, a run of another request, or no run at all.
    """
    try:
        if path.stat().st_size == 0:
            return []
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UsageError(f"--save: {path} cannot be used: {error.strerror}") from None
    advice = "choose another file, or add --overwrite"
    try:
        events, whole = _read(path, pipeline.events)
        if whole and not events:
            raise RecordError("it contains lines that are not events of this version")
    except RecordError:
        raise UsageError(f"--save: {path} already exists and contains no run; {advice}") from None
    log = pipeline.log(events)
    started = log.started
    if started is None and events:
        raise UsageError(f"--save: {path} does not contain the start of a run; {advice}")
    if started is not None and not pipeline.same_run(started.request, request):
        raise UsageError(
            f"--save: {path} contains a run with another question or other flags; {advice}"
        )
    if "answer" in log:
        raise UsageError(
            f"--save: {path} contains this finished run: show it with --replay {path}, or {advice}"
        )
    return events


class Saving:
    """A file that events are put into as they happen. When it can no longer be written, the run
    goes on without it.

    While it is open no other run can put anything into it (on Windows that is not looked at). A new
    file can be read by its owner only: it holds the question and all that was said about it.
    """

    def __init__(
        self,
        path: Path,
        kinds: EventTypes,
        events: Sequence[Event],
        complain: Callable[[str], None],
        overwrite: bool = False,
    ) -> None:
        """Begin the file, or go on after ``events``, which are all that it holds; with
        ``overwrite`` whatever it holds goes.

        Raises UsageError when it cannot be written, is in use by another run, or was written by one
        in the meantime.
        """
        if path.suffix.lower() in NO_LINES:
            raise UsageError(
                f"--save: {path} would hold the run as JSON lines; let its name end in .jsonl "
                f"(--format, or an answer's save, writes {path.suffix})"
            )
        self.path = path
        self._complain = complain
        self._file: BinaryIO | None = None
        try:
            file = os.fdopen(
                os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600), "wb"
            )
            try:
                claim(file, f"--save: {path} is in use by another run")
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    _prepare(file, path, kinds, events, overwrite)
            except BaseException:
                file.close()
                raise
        except OSError as error:
            raise UsageError(f"--save: {path} cannot be written: {error.strerror}") from None
        self._file = file

    def put(self, event: Event) -> None:
        if self._file is None:
            return
        try:
            self._file.write(dumps(event).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            self._file = None
            self._complain(
                f"--save: {self.path} can no longer be written: {error.strerror}; the run "
                "continues unsaved"
            )

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _prepare(
    file: BinaryIO, path: Path, kinds: EventTypes, events: Sequence[Event], overwrite: bool
) -> None:
    """Cut off what does not belong to ``events``, and end their last line."""
    whole = 0
    if not overwrite and path.stat().st_size:
        with contextlib.suppress(RecordError):
            held, whole = _read(path, kinds)
            if held == list(events):
                ended = path.read_bytes()[:whole].endswith(b"\n")
                file.truncate(whole)
                file.seek(whole)
                if whole and not ended:
                    file.write(b"\n")
                return
        raise UsageError(f"--save: another run has since written to {path}; choose another file")
    file.truncate(0)


def _read(path: Path, kinds: EventTypes) -> tuple[list[Event], int]:
    """Events, and the number of bytes that hold them: a last line that was torn off in the middle
    is left out.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"the file {path} cannot be read: {error.strerror}") from None
    whole = data.rfind(b"\n") + 1
    with contextlib.suppress(ValueError, RecursionError):
        json.loads(data[whole:])
        whole = len(data)  # no more was torn off than the line end
    if not whole and not (data.startswith(BEGINNING) or BEGINNING.startswith(data)):
        raise RecordError(f"{path} is not a saved run")
    try:
        return list(kinds.loads(data[:whole].decode().split("\n"))), whole
    except UnicodeDecodeError:
        raise RecordError(f"{path} is not a saved run: it is not UTF-8 text") from None
    except RecordError as error:
        raise RecordError(f"{path} is not a saved run: {error}") from None


def ended(
    events: Sequence[Event], raised: Mapping[str, Exception] | None = None
) -> Sequence[Event]:
    """The events of a run that came to its answer. Raises what ended it otherwise, RecordError
    where nothing did. The cause is the one of ``raised``, by its message, that the run tells of.
    """
    if any(isinstance(event, Answered) for event in events):
        return events
    last = events[-1]
    if isinstance(last, RunCancelled):
        raise Cancelled("the run was cancelled")
    if isinstance(last, RunFailed):
        kind = getattr(errors, last.error, ClinfoError)
        error = kind(last.problem) if issubclass(kind, ClinfoError) else ClinfoError(last.problem)
        error.retryable, error.cost_usd = last.retryable, RunLog(events).spent_usd
        causes = (raised or {}).items()
        raise error from next((one for said, one in causes if said in last.problem), None)
    raise RecordError("the saved run is not finished; ask with the same save= to resume it")
