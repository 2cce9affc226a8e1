"""The answer of the chart pipeline as a page of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.records.chart import NOT_DOCUMENTED, ChartAnswer
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph
from clinfo.text.printable import one_line

QUOTING = 5
"""Notes that are shown; the others are counted."""


def page(answer: ChartAnswer) -> Iterator[Block]:
    """The answer, the notes it rests on with their dates, and how they were found."""
    yield Heading(one_line(answer.question), 1)
    short = answer.answer == NOT_DOCUMENTED
    said = (
        [answer.answer] if not (short and answer.established) or answer.status == "absent" else []
    )
    said += answer.established.splitlines() if short else []
    yield Paragraph("\n".join(map(one_line, (line for one in said for line in one.splitlines()))))
    quoted = [note for note in answer.notes if note.spans]
    by_rule = any(f"[{note.id}]" in answer.answer for note in quoted)  # it quotes them itself
    shown = [] if by_rule else quoted[:QUOTING]
    for note in shown:
        where = " ".join(filter(None, (note.date[:10] or "undated", note.category)))
        yield Heading(one_line(f"{where} [{note.id}]"))
        yield Items(tuple(Item(one_line(f"“{span.text}”")) for span in note.spans))
    others = len(answer.notes) - len(shown)
    if others:
        more = "more notes" if shown else "notes"
        yield Paragraph(f"{others:,} {more} were looked up, best first: --json lists them.")
    if answer.warnings:
        yield Heading("Warnings")
        yield Items(tuple(Item(one_line(text)) for text in answer.warnings))
    stages = (f"{one.name} {len(one.given):,} → {len(one.kept):,}" for one in answer.stages)
    models = dict.fromkeys(map(str, answer.settings.get("models", {}).values()))
    yield Heading("How this was found")
    searched = answer.counts.get("searched", 0)
    yield Paragraph(
        f"{searched:,} notes were searched; chunks by stage: {', '.join(stages)}. Answered by "
        f"{', '.join(models)}. " + " ".join(answer.notices)
    )
