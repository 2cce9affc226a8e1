"""What a model answered, kept as lines of a file, so that a run that was broken off goes on."""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.runs.events import Answered
from clinfo.runs.pipeline import Carrier


class Outcomes:
    """Outcomes by key; those that the file has are known from the start. ``field`` is what a line
    calls them.
    """

    def __init__(self, path: Path, field: str) -> None:
        self._path, self._field = path, field
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        rows = map(json.loads, filter(str.strip, lines))
        self.known: dict[str, dict[str, Any]] = {row["key"]: row[field] for row in rows}

    def keep(self, key: str, outcome: dict[str, Any]) -> None:
        """Add an outcome to the file, at once."""
        self.known[key] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, self._field: outcome}, ensure_ascii=False) + "\n")


async def answer_of(carrier: Carrier[Any], request: Any) -> dict[str, Any]:
    """The answer of a run. Raises UsageError where it fails."""
    async with aclosing(carrier.run(request)) as events:  # type: ignore[type-var]
        last = [event async for event in events][-1]
    if not isinstance(last, Answered):
        raise UsageError(f"a run failed: {getattr(last, 'problem', last)}")
    return dict(last.answer)
