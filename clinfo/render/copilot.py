"""The answer of the copilot as a page of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.records.copilot import Claim, CopilotAnswer, Source
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph
from clinfo.text.printable import one_line
from clinfo.text.wording import number
from clinfo.views.copilot import by_part, by_silo, not_found, ranges, says_of, silo_name

NO_ANSWER = "No claim stands: no passage that a tool brought supports an answer."
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
        yield Heading("Bottom line")
        yield Items((_claim(answer, answer.bottom_line),))
    elif not answer.claims:
        yield Paragraph(NOTHING if answer.by_rule else NO_ANSWER)
    for part, claims in by_part(answer).items():
        yield Heading(one_line(part) or "Answer")
        yield Items(tuple(_claim(answer, one.claim) for one in claims))
    if answer.not_in:
        yield Heading("Not found")
        yield Items(tuple(Item(one_line(not_found(answer, one))) for one in answer.not_in))
    if answer.conflicts:
        yield Heading("Sources that contradict each other")
        by_number = {one.n: one for one in answer.sources}
        for conflict in answer.conflicts:
            yield Paragraph(one_line(conflict.about))
            yield Items(tuple(_source(by_number[n]) for n in conflict.sources if n in by_number))
    whole = all(one.verdict == "quoted" for one in answer.claims)  # what is shown are the sources
    for name, sources in () if whole and answer.by_rule else by_silo(answer).items():
        yield Heading(f"Sources: {one_line(name)}")
        yield Items(tuple(map(_source, sources)))
    if answer.left_out:
        yield Heading("Left out")
        yield Items(tuple(Item(one_line(f"{one.text} ({one.reason})")) for one in answer.left_out))
    if steps := tuple(_steps(answer)):
        yield Heading("How this was looked up")
        yield Items(steps)


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
            brought = call.problem or number(len(call.passages), "passage")
            yield Item(one_line(f"{call.tool}: {given[:160]} → {brought}"), call.id)
