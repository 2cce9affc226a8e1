"""The answer of the chart pipeline, and a record at a glance, as pages of blocks."""

from collections.abc import Iterator
from itertools import chain

from clinfo.patients.coded import meant, stands
from clinfo.patients.overview import Overview
from clinfo.patients.records import CodedEntry
from clinfo.pipelines.chart.records import NOT_DOCUMENTED, ChartAnswer, Claim
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, section
from clinfo.text.wording import number, one_line
from clinfo.views.counts import VERDICTS, model_names

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


MOST = 20
"""Entries of a kind that are told one by one."""
_LONGEST = 120
_OF_PATIENT = ("Birth date", "Sex", "Deceased")
"""Entries of who the patient is, which are no results."""


def overview_page(shown: Overview) -> Iterator[Block]:
    """Yield what a record tells at a glance, each with where it stands."""
    yield Heading(one_line(f"Record of {shown.patient}"), 1)
    yield Paragraph(
        f"{shown.notes:,} notes up to {shown.as_of}. Allergies, medicines and results are those of "
        "coded entries: what notes say of them, clinfo chart ask finds."
    )
    if who := [
        f"{one}: {shown.values[one][0].shown}" for one in _OF_PATIENT if one in shown.values
    ]:
        yield Paragraph(one_line("; ".join(who)))
    yield Heading("Conditions and operations")
    yield _items(
        f"{each.concept}: {' to '.join(dict.fromkeys((each.first, each.last))) or 'undated'}, "
        f"named {number(each.count, 'time')}: "
        f"{_quoted(each.place.quote, each.place.note)}"
        for each in shown.conditions
    )
    for name, entries in (("Allergies", shown.allergies), ("Medicines", shown.medications)):
        yield Heading(name)
        told = shown.told_in_notes.get(name.lower(), 0)
        noted = f"; {number(told, 'note has', 'notes have')} a section on them or names one"
        yield _items(map(_entry, entries), f"None among the coded entries{noted if told else ''}.")
    yield Heading("Newest results")
    yield _items(
        f"{name}: {_result(own[0])} ({own[0].start[:10] or 'undated'}); {len(own)} in all"
        for name, own in shown.values.items()
        if name not in _OF_PATIENT
    )
    for heading, entries in shown.others.items():
        yield Heading(heading)
        left = len(entries) - MOST
        more = (f"and {left:,} more",) if left > 0 else ()
        yield _items(chain((_entry(one, f"{one.kind}: ") for one in entries[:MOST]), more))


def _entry(entry: CodedEntry, kind: str = "") -> str:
    return f"{entry.start[:10] or 'undated'} {kind}{entry.name}{stands(entry)}"


def _result(entry: CodedEntry) -> str:
    said = meant(entry)
    return (f"{entry.shown} {entry.unit}".strip() or "no value recorded") + (
        f", {said}" if said else ""
    )


def _items(texts: Iterator[str], none: str = "None found.") -> Items | Paragraph:
    items = tuple(Item(one_line(text)) for text in texts)
    return Items(items) if items else Paragraph(none)


def _quoted(quote: str, note: str) -> str:
    short = quote if len(quote) <= _LONGEST else quote[:_LONGEST] + "…"
    return f"“{' '.join(short.split())}” [{note or 'coded'}]"
