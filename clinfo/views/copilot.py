"""What is shown of the copilot's answer: claims with what they quote, sources by silo, and which
tool was used at which step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clinfo.pipelines.copilot.events import CopilotLog, Thought, ToolCalled, ToolObserved
from clinfo.records.copilot import UNASKED, Claim, CopilotAnswer, NotIn, Source, called
from clinfo.runs.events import CostIncurred
from clinfo.runs.usage import usage_of
from clinfo.text.wording import number
from clinfo.views.counts import used
from clinfo.views.verdicts import NOT_VERIFIED, VERDICTS

ONE_BY_ONE = 6
"""Citations in a row that are shown one by one; more are shown as ranges."""


@dataclass(frozen=True)
class ClaimView:
    """A claim: the passage that it rests on first (None where its number is gone), the part of it
    that is quoted, and the other passages as `ranges`; the verdict in words, "" for one that is
    supported.
    ``whole``: the claim is the quotation.
    """

    claim: Claim
    source: Source | None
    quote: str
    others: tuple[tuple[int, int], ...]
    word: str
    reason: str
    whole: bool


@dataclass(frozen=True)
class Use:
    """How a tool was used: calls at each step, calls and passages in all, calls without a
    result.
    """

    tool: str
    by_step: tuple[int, ...]
    calls: int
    passages: int
    problems: int


@dataclass(frozen=True)
class CallView:
    """A call while a run goes on: what was asked of which tool, and what came of it so far."""

    id: str
    tool: str
    asked: str
    result: str
    state: str


@dataclass(frozen=True)
class StepView:
    """A round of calls: what was thought, the calls, what the model was paid for it."""

    step: int
    thought: str
    calls: tuple[CallView, ...]
    spent: str


def claim_view(claim: Claim, sources: Mapping[int, Source]) -> ClaimView:
    """A claim as it is shown."""
    cited = [sources[n] for n in claim.sources if n in sources]
    start, end = claim.span
    own = next((one for one in cited if _holds(one, claim)), None)
    quote = own.quote[start - own.span[0] : end - own.span[0]].strip() if own else ""
    quiet = claim.verdict in ("supported", "quoted")
    reason = NOT_VERIFIED if claim.verdict == "not_verified" else claim.reason
    return ClaimView(
        claim,
        own,
        quote,
        ranges(one.n for one in cited if one is not own),
        "" if quiet else VERDICTS[claim.verdict],
        "" if quiet else reason,
        quote.split() == claim.text.split(),
    )


def ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Citations as the first and last number of each run: 1–3 and 7. Up to `ONE_BY_ONE` stay
    single.
    """
    found: list[tuple[int, int]] = []
    every = sorted(set(numbers))
    if len(every) <= ONE_BY_ONE:
        return tuple((n, n) for n in every)
    for n in every:
        if found and n == found[-1][1] + 1:
            found[-1] = found[-1][0], n
        else:
            found.append((n, n))
    return tuple(found)


def _holds(source: Source, claim: Claim) -> bool:
    return (source.silo, source.document) == (claim.silo, claim.document) and (
        source.span[0] <= claim.span[0] and claim.span[1] <= source.span[1]
    )


def says_of(source: Source) -> str:
    """Return what the fields of an item say of which drugs: "Vemurafenib: does not support …"."""
    facts = source.facts
    told = " ".join(filter(None, (facts.get("direction", "").lower(), facts.get("significance"))))
    return ": ".join(filter(None, (facts.get("drugs"), told)))


def silo_name(answer: CopilotAnswer, silo: str) -> str:
    """Return what a silo of an answer is called for a reader."""
    return called(silo, answer.settings.get("silos", {}).get(silo, {}))


def not_found(answer: CopilotAnswer, one: NotIn) -> str:
    """What is said of a silo that was asked and brought nothing; of one whose load was broken off,
    that it is not whole; of one that could not be asked, why.
    """
    about = answer.settings.get("silos", {}).get(one.silo, {})
    name, what = silo_name(answer, one.silo), f": {one.what}" if one.what else ""
    if about.get("unfinished"):
        return (
            f"nothing found in {name}, which is not loaded to its end "
            f"({about['unfinished']:,} documents are not searched by all means){what}"
        )
    return f"{name}{what}" if one.what.endswith(UNASKED) else f"not in {name}{what}"


def bottom_line(answer: CopilotAnswer) -> ClaimView | None:
    """The bottom line, where there is one that stands."""
    if answer.bottom_line is None:
        return None
    return claim_view(answer.bottom_line, {one.n: one for one in answer.sources})


def by_part(answer: CopilotAnswer) -> dict[str, list[ClaimView]]:
    """The claims by the part of the question that they answer; quotations of a run without a
    language model by silo.
    """
    sources = {one.n: one for one in answer.sources}
    found: dict[str, list[ClaimView]] = {}
    for claim in answer.claims:
        part = silo_name(answer, claim.silo) if answer.by_rule else claim.part
        found.setdefault(part, []).append(claim_view(claim, sources))
    return found


def by_silo(answer: CopilotAnswer) -> dict[str, list[Source]]:
    """The sources, each silo's own, under the silo's name for a reader."""
    found: dict[str, list[Source]] = {}
    for one in answer.sources:
        found.setdefault(silo_name(answer, one.silo), []).append(one)
    return found


def uses(answer: CopilotAnswer) -> list[Use]:
    """The tools that were called, in the order of their first call."""
    steps = [one.step for one in answer.trace if one.calls]
    last = max(steps, default=0)
    calls: dict[str, Counter[int]] = {}
    passages: dict[str, set[int]] = {}
    problems: Counter[str] = Counter()
    for step in answer.trace:
        for call in step.calls:
            calls.setdefault(call.tool, Counter())[step.step] += 1
            passages.setdefault(call.tool, set()).update(call.passages)
            problems[call.tool] += bool(call.problem)
    return [
        Use(
            tool,
            tuple(counted[step] for step in range(1, last + 1)),
            counted.total(),
            len(passages[tool]),
            problems[tool],
        )
        for tool, counted in calls.items()
    ]


def step_views(run_log: CopilotLog) -> list[StepView]:
    """The rounds of calls so far."""
    costs = run_log.all(CostIncurred)
    found = []
    for thought in sorted(run_log.all(Thought), key=lambda one: one.step):
        calls = [one for one in run_log.calls if one.step == thought.step]
        own = {f"act {thought.step}", f"act {thought.step} again"}
        own_calls = tuple(f"{one.call} " for one in calls)
        paid = [
            one
            for one in costs
            if one.call in own or (own_calls and one.call.startswith(own_calls))
        ]
        found.append(
            StepView(
                thought.step,
                thought.text,
                tuple(_call_view(one, run_log.observed(one.call)) for one in calls),
                used(usage_of(paid)) if paid else "",
            )
        )
    return found


def _call_view(call: ToolCalled, seen: ToolObserved | None) -> CallView:
    asked = told(call.arguments.values())
    if seen is None:
        return CallView(call.call, call.tool, asked, "under way", "now")
    result = seen.observation
    if result.problem:
        return CallView(call.call, call.tool, asked, f"no result: {result.problem}", "failed")
    count = number(len(result.passages), "passage")
    empty = f"not in {', '.join(result.missing)}" if result.missing else count
    return CallView(call.call, call.tool, asked, empty if not result.passages else count, "done")


def told(values: Iterable[object]) -> str:
    """The arguments of a call in a line."""
    return "; ".join(map(str, values))


def side_by_side(answer: CopilotAnswer) -> Sequence[tuple[str, list[Source]]]:
    """Return what sources contradict each other on, with these sources."""
    sources = {one.n: one for one in answer.sources}
    return [
        (one.about, [sources[n] for n in one.sources if n in sources]) for one in answer.conflicts
    ]
