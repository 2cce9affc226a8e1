"""The answer of the chart pipeline as a page of blocks."""

from collections.abc import Iterator

from clinfo.pipelines.chart.records import NOT_DOCUMENTED, ChartAnswer, Claim
from clinfo.render.blocks import Block, Heading, Paragraph, section
from clinfo.text.printable import one_line
from clinfo.text.wording import number
from clinfo.views.counts import model_names
from clinfo.views.verdicts import VERDICTS

QUOTING = 5
"""Notes that are shown; the others are counted."""


def page(answer: ChartAnswer) -> Iterator[Block]:
    """The answer, each claim with its verdict and the words it rests on, or the notes quoted; what
    was looked for and read, and how it was found.
    """
    yield Heading(one_line(answer.question), 1)
    documented = answer.answer != NOT_DOCUMENTED
    if answer.claims:
        yield from section("", map(_claimed, answer.claims))
    elif documented:
        yield Paragraph("\n".join(map(one_line, answer.answer.splitlines())))
    told = answer.established.splitlines() or ([] if documented else [answer.answer])
    if told:
        yield Paragraph("\n".join(map(one_line, told)))
    quoted = [note for note in answer.notes if note.spans]
    if not documented and quoted:
        yield Heading("The nearest notes")
        for note in quoted[:QUOTING]:
            where = " ".join(filter(None, (note.date[:10] or "undated", note.category)))
            words = "; ".join(f"“{span.text}”" for span in note.spans)
            yield Paragraph(one_line(f"{where}: {words} [{note.id}]"))
    yield Paragraph(
        f"{number(len(answer.notes), 'note or entry', 'notes and entries')} ranked by nearness to "
        "the question; the form JSON lists them."
    )
    yield from section("Warnings", answer.warnings)
    stages = (f"{one.name} {len(one.given):,} → {len(one.kept):,}" for one in answer.stages)
    yield Heading("How this was found", folded=True)
    searched = answer.counts.get("searched", 0)
    yield Paragraph(
        f"{searched:,} notes searched; passages by stage: {', '.join(stages)}. Models: "
        f"{', '.join(model_names(answer))}. " + " ".join(answer.notices)
    )


def _claimed(one: Claim) -> str:
    told = VERDICTS[one.verdict] + (f": {one.reason}" if one.reason else "")
    where = (
        f"{each.date[:10] or 'undated'} [{each.note}]: “{each.quotation.text}”"
        for each in one.quoted
    )
    return f"{one.text} ({told}) {'; '.join(where)}"
