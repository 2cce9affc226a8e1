"""The parts of a question: as a model planned them, or as a case report lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clinfo.pipelines.copilot.replies import Plan
from clinfo.records.copilot import Planned
from clinfo.text.printable import one_line

MOST_PARTS: Final = 6


def items(text: str) -> list[str]:
    """The lines of a text that begin with a dash, each with the lines below it."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            found.append(line[2:].strip())
        elif found and line.strip():
            found[-1] += f" {line.strip()}"
    return found


def parts_of(plan: Plan | None, tools: Mapping[str, Any]) -> tuple[Planned, ...]:
    """The plan of a reply; tools that there are not are left out of it."""
    return tuple(
        Planned(one_line(one.question)[:1_000], tuple(name for name in one.tools if name in tools))
        for one in (plan.parts if plan is not None else ())[:MOST_PARTS]
        if one.question.strip()
    )
