"""The plan of a run: the parts of a question, with the tools that a model names for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clinfo.llm.schemas import TEXT, closed, list_of
from clinfo.records.copilot import Planned
from clinfo.text.printable import one_line
from clinfo.text.structured import texts_of, words_of

MOST_PARTS: Final = 6
FORMAT: Final = (
    'Reply with one JSON object and nothing else:\n{"parts": [{"question": "…", "tools": ["…"]}]}'
)
SCHEMA: Final = closed(parts=list_of(closed(question=TEXT, tools=list_of(TEXT))))


def items(text: str) -> list[str]:
    """The lines of a text that begin with a dash, each with the lines below it."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            found.append(line[2:].strip())
        elif found and line.strip():
            found[-1] += f" {line.strip()}"
    return found


def parts_of(form: Mapping[str, Any] | None, tools: Mapping[str, Any]) -> tuple[Planned, ...]:
    """The plan of a reply; tools that there are not are left out of it."""
    return tuple(_parts(form, tools))[:MOST_PARTS]


def _parts(form: Mapping[str, Any] | None, tools: Mapping[str, Any]) -> Iterator[Planned]:
    listed = form.get("parts") if form else None
    for one in listed if isinstance(listed, list) else []:
        question = words_of(one.get("question")) if isinstance(one, dict) else None
        if question:
            named = tuple(name for name in texts_of(one.get("tools")) if name in tools)
            yield Planned(one_line(question)[:1_000], named)
