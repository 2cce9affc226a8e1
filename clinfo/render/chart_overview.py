"""A record at a glance as a page of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.patients.contradictions import Place
from clinfo.patients.overview import Overview
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph
from clinfo.text.printable import one_line

_LONGEST = 120


def page(shown: Overview) -> Iterator[Block]:
    """What a record tells at a glance, each with where it stands."""
    yield Heading(one_line(f"Record of {shown.patient}"), 1)
    yield Paragraph(f"{shown.notes:,} notes up to {shown.as_of}.")
    yield Heading("Conditions and operations")
    yield _items(
        f"{each.concept}: {each.first or 'undated'} to {each.last or 'undated'}, {each.count:,} "
        f"{'times' if each.count > 1 else 'time'}: {_quoted(each.place.quote, each.place.note)}"
        for each in shown.conditions
    )
    yield Heading("Allergies")
    denied = [f"None known: {_told(shown.no_allergies)}"] if shown.no_allergies else []
    yield _items(iter([*(f"{name}: {_told(place)}" for name, place in shown.allergies), *denied]))
    yield Heading("Medicines")
    yield _items(
        f"{each.day or 'undated'} {each.change} {each.drug} {each.dose}: "
        f"{_quoted(each.quote, each.note)}" + (" (list)" if each.basis == "list" else "")
        for each in shown.medications
    )
    yield Heading("Contradictions")
    yield _items(
        f"{each.concept} ({each.kind}): {_told(each.said)}; denied {_told(each.denied)}"
        for each in shown.contradictions
    )
    yield Heading("Newest values")
    yield _items(
        f"{concept}: {values[0].value} {values[0].unit} ({values[0].day or 'undated'}): "
        f"{_quoted(values[0].quote, values[0].note)}; {len(values)} in all"
        for concept, values in shown.values.items()
    )
    for score in shown.scores:
        yield Heading(one_line(f"{score.name}, {score.use}"))
        yield Paragraph(one_line(str(score)))
        yield _items(
            f"{item.name}: {item.state}"
            + (f", {item.least} to {item.most}" if item.least != item.most else f", {item.least}")
            + "".join(f"; {_told(place)}" for place in item.places)
            for item in score.items
        )
        yield Paragraph(one_line(f"Source: {score.source}"))


def _items(texts: Iterator[str]) -> Items | Paragraph:
    items = tuple(Item(one_line(text)) for text in texts)
    return Items(items) if items else Paragraph("None found.")


def _told(place: Place) -> str:
    return f"{place.day or 'undated'} {_quoted(place.quote, place.note)}"


def _quoted(quote: str, note: str) -> str:
    short = quote if len(quote) <= _LONGEST else quote[:_LONGEST] + "…"
    return f"“{' '.join(short.split())}” [{note or 'coded'}]"
