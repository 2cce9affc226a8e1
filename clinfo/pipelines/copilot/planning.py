"""The plan of a run: the parts of a question and the tools of each, by a model or by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from clinfo.llm.schemas import TEXT, closed, list_of
from clinfo.records.copilot import Planned
from clinfo.text.printable import one_line
from clinfo.text.structured import texts_of, words_of

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.assemble import Copilot

MOST_PARTS: Final = 6
MOST_ROUTED: Final = 2_000
"""Characters that the router reads."""
FORMAT: Final = (
    'Reply with one JSON object and nothing else:\n{"parts": [{"question": "…", "tools": ["…"]}]}'
)
SCHEMA: Final = closed(parts=list_of(closed(question=TEXT, tools=list_of(TEXT))))
ALONE: Final = ("chart", "cohort", "trials")
"""Silos for which no other can answer: of the patient, of the house, of what is under way."""
OF_A_HOST: Final = "guidelines"
"""The silos that a host loads itself: asked of medicines too, since they may hold them."""
MEDICINES: Final = "drugs"
SEARCHES: Final = ("silo", "gene_drugs", "registry")
"""Kinds of tools that may be asked in the place of another."""
MOST_INSTEAD: Final = 2
Calls = tuple[tuple[str, Mapping[str, Any]], ...]


class ByRule:
    """The plan by rule: what the router names for each question, as far as it is loaded."""

    def __init__(self, copilot: Copilot, case: str) -> None:
        self._copilot, self._case = copilot, case
        self._orders: dict[str, list[str]] = {}
        self._first: dict[tuple[str, str], str] = {}  # one tool a silo: a second would say less
        for name, one in copilot.tools.items():
            self._first.setdefault((one.declared.routed, one.declared.silo), name)

    def order(self, question: str) -> list[str]:
        """The silos that may answer, best first, loaded or not; with the case where the question
        alone is for none that is loaded ("What next?", "Which drugs for her?").
        """
        if question in self._orders:
            return self._orders[question]
        found = list(self._copilot.route(question[:MOST_ROUTED]))
        if self._case and not self._named(found):
            found = list(self._copilot.route(f"{question} {self._case}"[:MOST_ROUTED]))
        if MEDICINES in found and OF_A_HOST not in found:
            found.append(OF_A_HOST)
        self._orders[question] = found
        return found

    def part(self, question: str) -> tuple[Planned, tuple[str, ...]]:
        """The part of a question, and what is to be said of silos that are not loaded."""
        order = self.order(question)
        named = self._named(order)
        missing = [to for to in order if not self._named((to,)) and to != OF_A_HOST]
        if order[:1] == [OF_A_HOST] and not self._named(order[:1]):
            missing.insert(0, OF_A_HOST)
        instead = [] if named or not order else self._others(question, order)[:1]
        asked = f" Asked instead: {', '.join(map(self._called, instead))}, which may not answer it."
        told = tuple(
            f"This reads as a question for {to}, and no silo or tool of that is loaded here: "
            f"it was not looked up there.{asked * bool(instead)}"
            for to in missing
        )
        return Planned(question, (*named, *instead)), told

    def instead(self, parts: Sequence[Planned]) -> tuple[str, ...]:
        """The tools that may be asked, one after the other, where the plan's find nothing."""
        used = {name for one in parts for name in one.tools}
        found: dict[str, None] = {}
        for one in parts:
            for name in self._others(one.question, self.order(one.question)) if one.tools else ():
                if name not in used:
                    found[name] = None
        return tuple(found)[:MOST_INSTEAD]

    def _named(self, order: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            name for to in order for (routed, _), name in self._first.items() if routed == to
        )

    def _others(self, question: str, order: Sequence[str]) -> list[str]:
        """Tools of silos that the router does not name, the likeliest first."""
        if not order or order[0] in ALONE:
            return []
        chances = self._copilot.chances(question[:MOST_ROUTED])
        ranked = sorted(chances, key=lambda name: -chances[name])
        further = [one for one in ranked if one not in order]
        return [
            name
            for name in self._named(further)
            if self._copilot.tools[name].declared.kind in SEARCHES
        ]

    def _called(self, tool: str) -> str:
        return self._copilot.tools[tool].declared.silo


def calls(parts: Sequence[Planned], copilot: Copilot, case: str) -> Calls:
    """The first calls of a plan: its tools with the question and the case."""
    found = [
        (name, given)
        for part in parts
        for name in part.tools
        if (given := _arguments(name, part.question, copilot, case)) is not None
    ]
    return tuple(one for place, one in enumerate(found) if one not in found[:place])


def _arguments(name: str, question: str, copilot: Copilot, case: str) -> Mapping[str, Any] | None:
    arguments = copilot.tools[name].declared.arguments
    first = next((a for a, one in arguments.items() if one.type == "string"), None)
    return {first: " ".join(f"{question} {case}".split())[:2_000]} if first is not None else None


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
