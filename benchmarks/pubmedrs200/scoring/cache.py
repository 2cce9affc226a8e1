"""Values that were computed already, in a file beside the output, so that scoring resumes where it
was stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import TextIO

from benchmarks.pubmedrs200.scoring.batches import Batch, Computed
from clinfo.errors import UsageError
from clinfo.files import whole_file


class ScoreCache:
    """Values of batches by key. Each is appended at once; a line that a kill cut off is
    forgotten.
    """

    def __init__(self, path: Path, fresh: bool = False) -> None:
        """Raises UsageError where the file cannot be read or written."""
        self.path = path
        self._known: dict[str, Computed] = {}
        self._file: TextIO | None = None
        try:
            if fresh:
                self._replace(())
            elif path.exists():
                self._read()
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or 'unknown'}") from None

    def __enter__(self) -> ScoreCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, batch: Batch) -> Computed | None:
        """Return what is known of a batch; None where nothing is, or something that cannot be of
        it.
        """
        known = self._known.get(batch.key)
        return known if known is not None and known.fits(batch) else None

    def put(self, batch: Batch, computed: Computed) -> None:
        """Keep what was computed of a batch, in the file too."""
        self._known[batch.key] = computed
        if self._file is not None:
            self._file.write(_line(batch.key, computed))

    def flush(self) -> None:
        """Hand what was kept to the operating system: from here on a kill does not lose it."""
        if self._file is not None:
            self._file.flush()

    def settle(self, keys: Collection[str], metrics: Collection[str]) -> None:
        """Of ``metrics`` leave only what ``keys`` name, sorted: the same bytes however often the
        work was interrupted.

        Values of other metrics stay, for a call that asks for them again: those of a model may have
        taken hours.
        """
        asked = set(metrics)
        kept = {
            *keys,
            *(key for key, known in self._known.items() if asked.isdisjoint(known.values)),
        }
        if self._file is not None:
            self._file.close()
            self._file = None
        self._replace(_line(key, self._known[key]) for key in sorted(kept))

    def _read(self) -> None:
        """Take all lines; one that a kill cut off is cut from the file, too."""
        whole = 0
        with self.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                self._take(line)
        if whole < self.path.stat().st_size:
            os.truncate(self.path, whole)

    def _take(self, line: bytes) -> None:
        try:
            form = json.loads(line)
            values = {
                name: [float(value) for value in listed] for name, listed in form["values"].items()
            }
            if all(isfinite(value) for listed in values.values() for value in listed):
                truncated = {
                    name: [int(place) for place in places]
                    for name, places in form.get("truncated", {}).items()
                }
                self._known[str(form["key"])] = Computed(values, truncated)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            return  # damaged: it is computed again

    def _replace(self, lines: Iterable[str]) -> None:
        with whole_file(self.path) as file:
            file.writelines(lines)


def _line(key: str, computed: Computed) -> str:
    form = {"key": key, "values": {name: list(values) for name, values in computed.values.items()}}
    truncated = {name: list(places) for name, places in computed.truncated.items() if places}
    return (
        json.dumps(form | ({"truncated": truncated} if truncated else {}), allow_nan=False) + "\n"
    )
