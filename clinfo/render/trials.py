"""The page of the trials pipeline's answer, as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.records.trials import TrialsAnswer
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph
from clinfo.text.printable import one_line
from clinfo.views.counts import model_names
from clinfo.views.trials import QuoteView, pooled, study_view, tally

_BETTER = {"lower": "lower is better", "higher": "higher is better"}


def page(answer: TrialsAnswer) -> Iterator[Block]:
    """The blocks of an answer's page; nothing in their texts is markup."""
    pico = answer.pico
    yield Heading(one_line(answer.question), 1)
    parts = [
        ("Intervention", pico.intervention),
        ("Comparator", pico.comparator or "not named"),
        ("Outcome", pico.outcome),
    ]
    yield Paragraph("\n".join(f"{name}: {one_line(text)}" for name, text in parts))
    yield Paragraph(
        f"{tally(answer)} Which way is better: {_BETTER.get(pico.better or '', 'not known')}."
    )
    if together := pooled(answer):
        yield Paragraph(one_line(together))
    for study in answer.studies:
        view = study_view(study, answer)
        yield Heading(one_line(view.name))
        said = " — ".join(part for part in (view.conclusion, view.favours) if part)
        yield Paragraph(one_line(said))
        if view.numbers:
            effect = f": {view.effect}" if view.effect else ""
            yield Paragraph(one_line(f"Numbers: {view.numbers}{effect}"))
        if view.stated:
            yield Paragraph(one_line(f"The paper states: {view.stated}"))
        if view.as_read:
            yield Paragraph(one_line(f"As it was read: {view.as_read}"))
        if view.places:
            yield Paragraph("Where the numbers stand:")
            yield Items(tuple(map(_quoted, view.places)))
        if view.edits:
            yield Items(tuple(Item(one_line(f"By hand: {edit}")) for edit in view.edits))
        if view.flags:
            yield Items(tuple(Item(one_line(flag)) for flag in view.flags))
        if view.quotes:
            yield Items(tuple(map(_quoted, view.quotes)))
        if view.candidates:
            yield Paragraph("Passages that most likely report the outcome (quoted, not judged):")
            yield Items(tuple(map(_quoted, view.candidates)))
        yield Paragraph(one_line("; ".join(filter(None, (view.reason, view.read, view.papers)))))
    if answer.warnings:
        yield Heading("Warnings")
        yield Items(tuple(Item(one_line(text)) for text in answer.warnings))
    yield Heading("How this was made")
    how = f"by {', '.join(model_names(answer))}, method {answer.settings['method']}"
    yield Paragraph(f"Read on {answer.read_on} {how}. {' '.join(answer.notices)}")


def _quoted(one: QuoteView) -> Item:
    lines = "\n".join(map(one_line, one.text.split("\n")))
    return Item(f"“{lines}” ({one_line(one.where)})")
