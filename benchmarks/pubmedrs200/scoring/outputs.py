"""The files that scoring writes: scores, their summary and what was computed so far; times in files
of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import UsageError


@dataclass(frozen=True)
class Outputs:
    """The paths of the outputs; ``scores`` and ``summary`` are named by the user, the others lie
    beside the scores.
    """

    scores: Path
    summary: Path

    @classmethod
    def named(cls, scores: Path, summary: Path | None = None) -> Outputs:
        """Those of a file of scores, the summary beside it where it has no name of its own."""
        return cls(scores, summary or scores.with_suffix(".summary.json"))

    @property
    def cache(self) -> Path:
        return self.scores.with_name(f"{self._stem}.cache.jsonl")

    @property
    def times(self) -> Path:
        return self.scores.with_name(f"timings-{self._stem}.jsonl")

    @property
    def times_summary(self) -> Path:
        return self.scores.with_name(f"timings-{self._stem}.summary.json")

    @property
    def _stem(self) -> str:
        return self.scores.name.removesuffix(".jsonl")

    def check(self, inputs: Sequence[Path]) -> None:
        """Raise UsageError where a file cannot be written, or would overwrite an input or another
        output.
        """
        written = (self.scores, self.summary, self.cache, self.times, self.times_summary)
        for path in written:
            if path.is_dir():
                raise UsageError(f"{path} is a folder; a file must be written there")
            if any(path.resolve() == given.resolve() for given in inputs):
                raise UsageError(f"{path} is an input; it would be overwritten")
        if len({path.resolve() for path in written}) < len(written):
            raise UsageError(
                f"--summary: {self.summary} is a file that --out {self.scores} writes already"
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the files for this command alone, their folders made. Raises UsageError where
        another one is writing them.
        """
        from filelock import FileLock, Timeout

        for folder in (self.scores.parent, self.summary.parent):
            folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.cache.with_name(self.cache.name + ".lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"another score command is writing {self.scores}: wait for it, or choose another "
                "--out"
            ) from None
        try:
            yield
        finally:
            with suppress(OSError):
                Path(lock.lock_file).unlink()  # nobody waits for it
            lock.release()
