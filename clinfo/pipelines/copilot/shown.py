"""What a model is shown: the case, tools, observations, each delimited where it is from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from clinfo.llm.delimiting import fenced
from clinfo.pipelines.copilot.events import ToolCalled
from clinfo.pipelines.copilot.run_log import CopilotLog, numbers_in
from clinfo.pipelines.copilot.tools import OpenTool
from clinfo.records.copilot import Observed, Planned
from clinfo.text.printable import one_line

MOST_OF_CALL: Final = 8_000
"""Characters of what one call brings that a model is shown, about 2,000 tokens."""
NO_CASE: Final = "(There is no case.)"


def case(text: str) -> str:
    """The case of a patient, delimited."""
    return f"The case:\n{fenced(text.strip(), 'case', by_line=True)}" if text.strip() else NO_CASE


def tools(every: Mapping[str, OpenTool]) -> str:
    """The tools, a line each."""
    lines = (f"- {name}: {one.declared.purpose.strip()}" for name, one in every.items())
    return "\n".join(lines) or "(none)"


def parts(plan: Iterable[Planned]) -> str:
    """The parts of a plan, a line each."""
    return "\n".join(
        f"- {one_line(one.question)}" + (f" ({', '.join(one.tools)})" if one.tools else "")
        for one in plan
    )


def passage(n: int, one: Observed) -> str:
    """A passage under its number, with where it is from; all of it is data."""
    dated = one.date or "undated"
    version = f"version {one.version}" if one.version else ""
    level = f"level of evidence {one.level}" if one.level else ""
    facts = [f"{name}: {value}" for name, value in one.facts.items() if value]
    head = " · ".join(filter(None, (one.silo, one.document, one.title, level, dated, version)))
    return f"[{n}] {fenced(chr(10).join((one_line(head), *facts, one.text.strip())), 'passage')}"


def passages(every: Mapping[int, Observed], most: int) -> tuple[str, tuple[int, ...]]:
    """Passages in their order in at most ``most`` characters, and the numbers that did not fit."""
    shown, left, size = list[str](), list[int](), 0
    for n, one in every.items():
        text = passage(n, one)
        if size + len(text) > most:
            left.append(n)
        else:
            shown.append(text)
            size += len(text)
    return "\n\n".join(shown) or "(No tool brought a passage.)", tuple(left)


def result(run_log: CopilotLog, call: ToolCalled) -> str:
    """What a call brought, in words for the agent."""
    event = run_log.observed(call.call)
    if event is None:
        return "There was no result."
    seen = event.observation
    if seen.problem:
        return f"There was no result: {fenced(seen.problem, 'problem', by_line=True)}"
    every, lines = run_log.passages(), list[str]()
    own = {n: every[n] for n in numbers_in(run_log, event)}
    text, left = passages(own, MOST_OF_CALL)
    lines += [f"not in {silo}: nothing was found there." for silo in seen.missing]
    lines += [fenced(line, "result") for line in seen.said]
    lines += [text] if own else []
    lines += [f"({len(left)} more did not fit.)"] if left else []
    return "\n\n".join(lines) or "Nothing was found."


def brief(run_log: CopilotLog, call: ToolCalled) -> str:
    """What a call brought by title alone, for one that is long past; the answer is written from the
    passages all the same.
    """
    event = run_log.observed(call.call)
    if event is None or event.observation.problem or not event.observation.passages:
        return result(run_log, call)
    every = run_log.passages()
    lines = [
        one_line(f"[{n}] {every[n].document} · {every[n].title}")[:120]
        for n in numbers_in(run_log, event)
    ]
    return f"(shortened)\n{fenced(chr(10).join(lines), 'result', by_line=True)}"


def asked(calls: Sequence[ToolCalled], run_log: CopilotLog) -> str:
    """What was asked of which silo, a line each, with whether it has anything."""
    lines = []
    for call in calls:
        event = run_log.observed(call.call)
        told = "; ".join(f"{value}" for value in call.arguments.values())
        brought = (
            "no result"
            if event is None or event.observation.problem
            else f"{len(event.observation.passages)} passages"
        )
        lines.append(one_line(f"- {call.silo or call.tool}: {told[:200]} ({brought})"))
    return "\n".join(lines) or "(nothing)"
