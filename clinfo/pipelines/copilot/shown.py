"""The words that a model is shown: case, tools, observations, delimited where from outside;
and what a reader must know of the silos that an answer rests on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from clinfo.llm.delimiting import fenced
from clinfo.pipelines.copilot.evidence_items import counted
from clinfo.pipelines.copilot.records import CopilotLog, Planned, ToolCalled, called
from clinfo.pipelines.tools import OpenTool
from clinfo.records.observations import Observed
from clinfo.text.wording import one_line

MOST_OF_CALL: Final = 16_000
"""Characters of what one call brings that a model is shown, about 4,000 tokens."""
OLD: Final = timedelta(days=2 * 365)
"""The age from which a silo's date is warned of."""
NO_CASE: Final = "(There is no case.)"


def case(text: str) -> str:
    """The case of a patient, delimited."""
    return f"The case:\n{fenced(text.strip(), 'case')}" if text.strip() else NO_CASE


def tools(every: Mapping[str, OpenTool]) -> str:
    """The tools, a line each."""
    lines = (f"- {name}: {one.offered().description}" for name, one in every.items())
    return "\n".join(lines) or "(none)"


def parts(plan: Iterable[Planned]) -> str:
    """The parts of a plan, a line each."""
    told = (
        f"- {one_line(one.question)}" + (f" ({', '.join(one.tools)})" if one.tools else "")
        for one in plan
    )
    return "\n".join(told) or "(one part: the question)"


def facts(one: Observed) -> str:
    """The fields of a passage beside its text, a line each."""
    level = {"level of evidence": one.level} | dict(one.facts)
    return "\n".join(f"{name}: {value}" for name, value in level.items() if value)


def passage(n: int, one: Observed) -> str:
    """A passage under its number, with where it is from; all of it is data."""
    dated = one.date or "undated"
    version = f"version {one.version}" if one.version else ""
    head = " · ".join(filter(None, (f"{one.silo}/{one.document}", one.title, dated, version)))
    text = "\n".join(filter(None, (one_line(head), facts(one), one.text.strip())))
    return f"[{n}] {fenced(text, 'passage')}"


def passages(every: Mapping[int, Observed], most: int) -> tuple[str, tuple[int, ...]]:
    """Passages in their order in at most ``most`` characters, and the numbers that did not fit."""
    shown, left, size = list[str](), list[int](), 0
    for n, one in every.items():
        text = passage(n, one)
        if left or size + len(text) > most:
            left.append(n)
        else:
            shown.append(text)
            size += len(text)
    return "\n\n".join(shown) or "(No tool brought a passage.)", tuple(left)


def result(run_log: CopilotLog, call: ToolCalled) -> str:
    """The result of a call in words for the agent: passages of an earlier call by number alone, and
    what does not fit counted.
    """
    event = run_log.observed(call.call)
    if event is None:
        return "There was no result."
    seen = event.observation
    if seen.problem:
        return f"There was no result: {fenced(seen.problem, 'problem')}"
    earlier = (one.call for one in run_log.calls if one.step < call.step)
    every, before = run_log.passages(), {n for one in earlier for n in run_log.brought(one)}
    numbers = run_log.brought(call.call)
    own = {n: every[n] for n in numbers if n not in before}
    text, left = passages(own, MOST_OF_CALL)
    lines = [f"not in {silo}: nothing was found there." for silo in seen.missing]
    lines += [fenced(line, "result") for line in seen.said]
    if again := [f"[{n}]" for n in numbers if n in before]:
        lines.append(f"Found before, shown above: {' '.join(again)}")
    lines += [text] if own else []
    if left:
        levels = Counter(f"level {every[n].level}" if every[n].level else "no level" for n in left)
        lines.append(f"({len(left)} more passages did not fit: {counted(levels)}.)")
    return "\n\n".join(lines) or "Nothing was found."


def brief(run_log: CopilotLog, call: ToolCalled) -> str:
    """The result of a call by title alone, for one that is long past; the answer is written from
    the passages all the same.
    """
    event = run_log.observed(call.call)
    if event is None or event.observation.problem or not event.observation.passages:
        return result(run_log, call)
    every = run_log.passages()
    lines = [
        one_line(f"[{n}] {every[n].silo}/{every[n].document} · {every[n].title}")[:120]
        for n in run_log.brought(call.call)
    ]
    return f"(shortened)\n{fenced(chr(10).join(lines), 'result')}"


def asked(calls: Sequence[ToolCalled], run_log: CopilotLog) -> str:
    """Return what was asked of which silo, a line each, with whether it has anything."""
    lines = []
    for call in calls:
        event = run_log.observed(call.call)
        told = "; ".join(f"{value}" for value in call.arguments.values())
        brought = (
            "could not be asked"
            if event is None or event.observation.problem
            else f"{len(event.observation.passages)} passages"
        )
        lines.append(one_line(f"- {call.silo or call.tool}: {told[:200]} ({brought})"))
    return "\n".join(lines) or "(nothing)"


def of_silos(
    silos: Mapping[str, Mapping[str, Any]], run_log: CopilotLog, day: date
) -> Iterator[tuple[str, str]]:
    """Warnings, each with its key: which silos that were asked are built-in examples or not loaded
    to their end, which that brought something are old or of no known date on ``day``.
    """
    for name in sorted({one.silo for one in run_log.calls} & set(silos)):
        title = called(name, silos[name])
        if left := silos[name].get("unfinished"):
            yield (
                f"unfinished {name}",
                f"The load of {title} was broken off: {left:,} of its documents are searched by "
                f"words alone. Finish it with the same “clinfo copilot load {name} …”.",
            )
        if silos[name].get("version") == "demo":
            yield (
                f"demo {name}",
                f"{title} here is a small built-in example: what it lacks says nothing of the "
                "whole source. Load it with “clinfo copilot load”.",
            )
    undated = []
    for name in sorted({one.silo for one in run_log.passages().values()} & set(silos)):
        title, stated = called(name, silos[name]), str(silos[name].get("date", ""))
        if not stated:
            undated.append(title)
        elif stated < (day - OLD).isoformat():
            yield f"age {name}", f"{title} is of {stated}: newer evidence is not in it."
    if undated:
        yield "age", f"Undated, may be old: {', '.join(undated)}."
