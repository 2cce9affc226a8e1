"""The time a run may take."""

from __future__ import annotations

from typing import Any

from clinfo.runs.recorder import Recorder

DEADLINE = "deadline"


class Deadline:
    """The deadline of one run; without ``max_seconds`` it never comes."""

    def __init__(self, max_seconds: float | None, recorder: Recorder[Any]) -> None:
        self._most = max_seconds
        self._recorder = recorder

    @property
    def left(self) -> float | None:
        """Seconds until the deadline, at least 0; None without one."""
        return None if self._most is None else max(0.0, self._most - self._recorder.elapsed)

    @property
    def told(self) -> str:
        """`` of 30 s``: the deadline of this run in words, or where it has none that of the run it
        resumes.
        """
        started = self._recorder.run_log.started
        first = started.request.max_seconds if started else None
        limit = self._most if self._most is not None else first
        return "" if limit is None else f" of {limit:g} s"
