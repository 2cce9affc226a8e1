"""The answer of the copilot as it is shown: claims with what they quote, sources by silo, the tools
by step; and as a page of blocks.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from types import SimpleNamespace

from clinfo.pipelines.copilot.answer import traced
from clinfo.pipelines.copilot.records import (
    UNASKED,
    Claim,
    CopilotAnswer,
    CopilotLog,
    NotIn,
    Source,
    TracedStep,
    called,
)
from clinfo.records.observations import Observation
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, section
from clinfo.runs.events import CostIncurred
from clinfo.runs.run_log import usage_of
from clinfo.text.wording import number, one_line
from clinfo.views.counts import NOT_VERIFIED, VERDICTS, used

ONE_BY_ONE = 6
"""Citations in a row that are shown one by one; more are shown as ranges."""


def claim_view(claim: Claim, sources: Mapping[int, Source]) -> SimpleNamespace:
    """A claim as it is shown: the passage that it rests on first (None where its number is gone),
    the part of it that is quoted, and the other passages as `ranges`; the verdict in words, "" for
    one that is supported. ``whole``: the claim is the quotation.
    """
    cited = [sources[n] for n in claim.sources if n in sources]
    start, end = claim.span
    own = next((one for one in cited if _holds(one, claim)), None)
    quote = own.quote[start - own.span[0] : end - own.span[0]].strip() if own else ""
    quiet = claim.verdict in ("supported", "quoted")
    reason = NOT_VERIFIED if claim.verdict == "not_verified" else claim.reason
    return SimpleNamespace(
        claim=claim,
        source=own,
        quote=quote,
        others=ranges(one.n for one in cited if one is not own),
        word="" if quiet else VERDICTS[claim.verdict],
        reason="" if quiet else reason,
        whole=quote.split() == claim.text.split(),
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
    """The words of an item's fields on its drugs: "Vemurafenib: no resistance found"; of which type
    it is where it names none ("prognostic: poor outcome"); of a trial its status.
    """
    facts = source.facts
    found = facts.get("significance", "").casefold()
    if found and facts.get("direction", "").casefold() == "does not support":
        found = f"no {found} found"
    status = facts.get("status", "").replace("_", " ").casefold()
    about = facts.get("drugs") or facts.get("type", "").casefold()
    return ": ".join(filter(None, (about, found or status)))


def silo_name(answer: CopilotAnswer, silo: str) -> str:
    """The name of a silo of an answer for a reader."""
    return called(silo, answer.settings.get("silos", {}).get(silo, {}))


def not_found(answer: CopilotAnswer, one: NotIn) -> str:
    """The line on a silo that was asked and brought nothing; of one whose load was broken off,
    that it is not whole; of one that could not be asked, why.
    """
    about = answer.settings.get("silos", {}).get(one.silo, {})
    name, what = silo_name(answer, one.silo), f": {one.what}" if one.what else ""
    if about.get("unfinished"):
        return (
            f"nothing found in {name}, of which {about['unfinished']:,} documents are not fully "
            f"searched{what}"
        )
    return f"{name}{what}" if one.what.endswith(UNASKED) else f"not in {name}{what}"


def bottom_line(answer: CopilotAnswer) -> SimpleNamespace | None:
    """The bottom line, where there is one that stands."""
    if answer.bottom_line is None:
        return None
    return claim_view(answer.bottom_line, {one.n: one for one in answer.sources})


def by_part(answer: CopilotAnswer) -> dict[str, list[SimpleNamespace]]:
    """The claims by the part of the question that they answer; quotations of a run without a
    language model by silo.
    """
    sources = {one.n: one for one in answer.sources}
    found: dict[str, list[SimpleNamespace]] = {}
    for claim in answer.claims:
        part = silo_name(answer, claim.silo) if answer.by_rule else claim.part
        found.setdefault(part, []).append(claim_view(claim, sources))
    return found


def by_silo(answer: CopilotAnswer, besides: Container[int] = ()) -> dict[str, list[Source]]:
    """The sources ``besides`` those of these numbers, each silo's own, under its name for a
    reader.
    """
    found: dict[str, list[Source]] = {}
    for one in answer.sources:
        if one.n not in besides:
            found.setdefault(silo_name(answer, one.silo), []).append(one)
    return found


def rounds(
    run_log: CopilotLog,
) -> Iterator[tuple[TracedStep, Mapping[str, Observation | None], str]]:
    """The rounds of calls so far, each with what came of its calls (by id, None while one is under
    way) and what its models were paid for.
    """
    for step in traced(run_log):
        own = (f"act {step.step}", f"act {step.step} again")
        within = tuple(f"{one.id} " for one in step.calls)
        costs = run_log.all(CostIncurred)
        paid = [one for one in costs if one.call in own or one.call.startswith(within)]
        seen = {one.id: run_log.observed(one.id) for one in step.calls}
        came = {id: event.observation if event else None for id, event in seen.items()}
        yield step, came, used(usage_of(paid)) if paid else ""


def side_by_side(answer: CopilotAnswer) -> list[tuple[str, list[Source]]]:
    """The subjects on which sources contradict each other, with these sources."""
    sources = {one.n: one for one in answer.sources}
    return [
        (one.about, [sources[n] for n in one.sources if n in sources]) for one in answer.conflicts
    ]


NO_ANSWER = "No answer: no passage that was found supports one."
NOTHING = "Nothing was found."
SHOWN = 400
"""Characters of a passage that are quoted; the whole of it is in the JSON form."""


def page(answer: CopilotAnswer) -> Iterator[Block]:
    """The bottom line, claims by part of the question, sources by silo, what is in none, what
    contradicts itself, what was left out and why, and the steps.
    """
    yield Heading(one_line(answer.question), 1)
    for notice in dict.fromkeys((*answer.warnings, *answer.notices)):
        yield Paragraph(one_line(notice))
    if answer.bottom_line is not None:
        yield from section("Bottom line", [_claim(answer, answer.bottom_line)])
    elif not answer.claims:
        yield Paragraph(NOTHING if answer.by_rule else NO_ANSWER)
    for part, claims in by_part(answer).items():
        own = (_claim(answer, one.claim) for one in claims)
        yield from section(one_line(part) or "Answer", own)
    yield from section("Not found", (not_found(answer, one) for one in answer.not_in))
    if answer.conflicts:
        yield Heading("Sources that contradict each other")
        for about, sources in side_by_side(answer):
            yield Paragraph(one_line(about))
            yield Items(tuple(map(_source, sources)))
    whole = all(one.verdict == "quoted" for one in answer.claims)  # what is shown are the sources
    for name, sources in () if whole and answer.by_rule else by_silo(answer).items():
        yield from section(f"Sources: {one_line(name)}", map(_source, sources))
    left_out = (f"{one.text} ({one.reason})" for one in answer.left_out)
    yield from section("Left out", left_out, folded=True)
    yield from section("How this was looked up", _steps(answer), folded=True)


def _claim(answer: CopilotAnswer, one: Claim) -> Item:
    numbers = ", ".join(f"{n}" if n == last else f"{n}–{last}" for n, last in ranges(one.sources))
    quiet = one.verdict in ("supported", "quoted")
    verdict = "" if quiet else f" ({one.verdict.replace('_', ' ')})"
    text = f"“{_cut(one.text)}”" if one.verdict == "quoted" else one.text
    source = next((each for each in answer.sources if (each.n,) == one.sources), None)
    about, says = (source.title, says_of(source)) if source is not None else ("", "")
    level, silo = one.level and f"level {one.level}", silo_name(answer, one.silo)
    told = ", ".join(filter(None, (about, says, silo, level, one.date, *one.notes)))
    return Item(one_line(f"{text} [{numbers}]{verdict} — {told}"))


def _source(one: Source) -> Item:
    parts = (
        one.document,
        one.title,
        says_of(one),
        one.level and f"level {one.level}",
        one.date or "undated",
        one.version and f"version {one.version}",
        one.licence,
    )
    head = ", ".join(one_line(part) for part in parts if part)
    return Item(f"{head}: “{_cut(one_line(one.quote))}”", str(one.n), one.url)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN].rsplit(" ", 1)[0] + " …"


def _steps(answer: CopilotAnswer) -> Iterator[Item]:
    for step in answer.trace:
        if step.thought:
            yield Item(one_line(step.thought), str(step.step))
        for call in step.calls:
            given = "; ".join(map(str, call.arguments.values()))
            brought = number(len(call.passages), "passage")
            yield Item(one_line(f"{call.tool}: {given[:160]} → {call.problem or brought}"), call.id)
