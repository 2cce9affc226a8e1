"""Where a record names a thing, and what it says of it there: the places, newest first, and lines
of them in which what is repeated stands once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.patients.mentions import Assertion
from clinfo.patients.records import Note
from clinfo.pipelines.chart.coded_notes import is_coded, line_of
from clinfo.pipelines.chart.index import ChartIndex, Occurrence
from clinfo.pipelines.chart.lookup import Lookup, lookup
from clinfo.pipelines.chart.said import assertion_of, said_in_list
from clinfo.pipelines.chart.things import Name, Thing, running
from clinfo.text.regex import anycase
from clinfo.text.words import key

WHOLE: Final = 160
"""Characters up to which a sentence that commas divide is quoted whole."""


_REST: Final = anycase(r"[^\n.;]{0,80}")
_SECTIONS: Final = {
    "allergies": "allergies",
    "course": "hospital course",
    "family": "family history",
    "immunizations": "immunizations",
    "medications": "medications",
    "past": "past history",
    "plan": "assessment and plan",
    "present": "present illness",
    "procedures": "procedures",
    "results": "results",
    "review": "review of systems",
    "social": "social history",
}
"""Kinds of sections (`clinfo.patients.sections`) that are told with what stands in them."""


class Spanned(Protocol):
    """What knows its note's id ("": a coded entry), its words [start, end) there, its day."""

    @property
    def note(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def quote(self) -> str: ...
    @property
    def day(self) -> str: ...


@dataclass(frozen=True)
class Place:
    """Words [start, end) of a note that name a thing; ``section`` is the kind of their section,
    ``same`` what places have in common that say the same.
    """

    note: Note
    start: int
    end: int
    assertion: Assertion
    section: str = ""
    same: str = ""

    @property
    def quote(self) -> str:
        return " ".join(self.note.text[self.start : self.end].split())

    @property
    def day(self) -> str:
        return self.note.time[:10]


@dataclass(frozen=True)
class Line:
    """Places that say the same; the first is the one that is shown."""

    places: tuple[Place, ...]

    @property
    def told(self) -> str:
        """The line as it is shown: its newest place, and how often and since when it is said."""
        shown, days = self.places[0], [one.day for one in self.places if one.day]
        notes = len({one.note.id for one in self.places})
        newest = max(days, default="")
        other = f"first {min(days)}" if days and shown.day == newest else f"last {newest}"
        also = f" ({other}, {notes} notes)" if notes > 1 and days else ""
        where = f", {_SECTIONS[shown.section]}" if shown.section in _SECTIONS else ""
        where = f", {shown.note.category}" if is_coded(shown.note) else where
        return f'{shown.day or "undated"}{where}{also}: "{shown.quote}" [{shown.note.id}]'


def places_of(thing: Thing, index: ChartIndex) -> list[Place]:
    """The places that name all names of a thing together, newest first, undated ones last."""
    return newest_first(_places(thing.names, index))


def newest_first(places: Iterable[Place]) -> list[Place]:
    single = {(one.note.id, one.start, one.end, one.assertion): one for one in places}
    found = sorted(single.values(), key=lambda one: (one.note.id, one.start))
    return sorted(found, key=lambda one: one.note.time, reverse=True)


def _places(names: Sequence[Name], index: ChartIndex) -> Iterable[Place]:
    if not names:
        return
    held = lookup(index)
    by_form = [_items_naming(name, index) for name in names]
    by_mention = [_mentioned(name, held) for name in names]
    wanted = set.intersection(
        *(
            {n for item in items for n in held.of_item.get(item, ())}
            | {
                n
                for note, own in mentioned.items()
                for n in held.of_note.get(note, ())
                if any(
                    index.occurrences[n].at.start <= m[0] < index.occurrences[n].at.end for m in own
                )
            }
            for items, mentioned in zip(by_form, by_mention, strict=True)
        )
    )
    for number in sorted(wanted):
        one = index.occurrences[number]
        divided = held.parts.get(number)
        if divided and one.at.end - one.at.start > WHOLE:
            continue
        starts = []
        for items, mentioned in zip(by_form, by_mention, strict=True):
            at = next(
                (m for m in mentioned.get(one.note, ()) if one.at.start <= m[0] < one.at.end), None
            )
            if at is None and one.item not in items:
                break
            starts.append(at)
        else:
            if divided and any(_holds(index, n, by_form, by_mention) for n in divided):
                continue
            yield _place(one, index, starts, [items.get(one.item, "") for items in by_form])


def _holds(index: ChartIndex, number: int, by_form: Any, by_mention: Any) -> bool:
    """Return whether an item that is a part of another names all there is to name by itself."""
    one = index.occurrences[number]
    return all(
        one.item in items
        or any(one.at.start <= m[0] < one.at.end for m in mentioned.get(one.note, ()))
        for items, mentioned in zip(by_form, by_mention, strict=True)
    )


def _place(
    one: Occurrence, index: ChartIndex, mentioned: Sequence[Any], forms: Sequence[str]
) -> Place:
    note, (start, end) = index.notes[one.note], one.at.whole
    if note.id in index.coded.lines:
        stated: Assertion = next((s for s, held in _BY_STATUS if held(one)), "present")
        own: Assertion = next((m[1] for m in mentioned if m is not None), stated)
        return Place(note, start, end, own, one.at.section, f"{own} {key(one.at.text)}")
    known = [m for m in mentioned if m is not None]
    told = {m[1] for m in known}
    told |= {
        assertion_of(note.text, one.at, form.split())
        for form, m in zip(forms, mentioned, strict=True)
        if m is None
    }
    said: Assertion = next((each for each in _FIRST if each in told), "present")
    if said in ("present", "uncertain") and one.at.start > start:
        said = said_in_list(note.text, one.at, said)
    first = min((m[0] for m in known), default=one.at.start)
    if end - start > WHOLE:
        start, end = one.at.start, one.at.end
    same = note.text[first if first > one.at.whole[0] else one.at.start : one.at.end]
    return Place(note, start, end, said, one.at.section, f"{said} {one.at.section} {key(same)}")


_BY_STATUS: Final[tuple[tuple[Assertion, Callable[[Occurrence], Collection[str]]], ...]] = (
    ("negated", lambda one: one.denied),
    ("uncertain", lambda one: one.doubted),
    ("history", lambda one: one.past),
)
_FIRST: Final[tuple[Assertion, ...]] = ("family", "negated", "uncertain", "history")


def _items_naming(name: Name, index: ChartIndex) -> dict[int, str]:
    """The items in which a form of a name stands, each with it."""
    found: dict[int, str] = {}
    for form in sorted(name.forms):
        stems = form.split()
        candidates: set[int] | None = None
        for word in stems:
            if word in index.holding or len(stems) == 1:
                own = set(map(int, index.holding.get(word, ())))
                candidates = own if candidates is None else candidates & own
        for item in candidates or ():
            if form in running(index.texts[item]):
                found.setdefault(item, form)
    return found


def _mentioned(name: Name, held: Lookup) -> dict[str, list[tuple[int, Assertion]]]:
    """Where notes mention a concept of a name, and what they say of it, by note."""
    found: dict[str, list[tuple[int, Assertion]]] = {}
    for concept in sorted(name.concepts & held.concepts.keys()):
        for note, one in held.concepts[concept]:
            found.setdefault(note, []).append((one.start, one.assertion))
    return {note: sorted(own) for note, own in found.items()}


def quoted_span(one: Occurrence, number: int, index: ChartIndex) -> tuple[int, int] | None:
    """The characters that an item is quoted as: those of its sentence where that is short; None
    where its parts, or the whole that it is a part of, are quoted instead.
    """
    start, end = one.at.whole
    if end - start <= WHOLE:
        return (start, end) if (one.at.start, one.at.end) == (start, end) else None
    return None if lookup(index).parts.get(number) else (one.at.start, one.at.end)


def lines_of(places: Iterable[Place], oldest_first: bool = False) -> list[Line]:
    """Places that say the same together, in the order of the newest, or the oldest, of each."""
    same: dict[str, list[Place]] = {}
    for one in places:
        same.setdefault(one.same, []).append(one)
    found = [Line(tuple(own)) for own in same.values()]
    if oldest_first:
        found = [Line(line.places[::-1]) for line in found]
        found.sort(key=lambda line: (not line.places[0].day, line.places[0].day))
    return found


def within(places: Iterable[Place], holds: Callable[[str, str], bool]) -> list[Place]:
    """The places in notes that ``holds``, by id and time, lets count."""
    return [one for one in places if holds(one.note.id, one.note.time)]


def place_of(index: ChartIndex, one: Spanned) -> Place | None:
    """What a reader of the record found, as a place; None where it stands in no note or entry."""
    if not one.note:
        line = line_of(index.coded, one.quote, one.day)
        if line is None:
            return None
        return Place(index.notes[line.note], line.start, line.end, "present", "", key(line.note))
    note = index.notes.get(one.note)
    if note is None:
        return None
    return Place(note, one.start, one.end, "present", "", key(note.text[one.start : one.end]))


def coded_places(index: ChartIndex, kind: str) -> Iterator[Place]:
    """The coded entries of a kind that are or were so, where their lines stand."""
    for one in index.occurrences:
        note = index.notes[one.note]
        if (
            note.id in index.coded.lines
            and kind in one.at.kinds
            and not (one.denied or one.doubted)
        ):
            said: Assertion = "history" if one.past else "present"
            yield Place(note, *one.at.whole, said, one.at.section, key(one.at.text))


def to_line_end(one: Place | None) -> Place | None:
    """A place up to the end of its line or sentence."""
    if one is None or (rest := _REST.match(one.note.text, one.end)) is None:
        return one
    return replace(one, end=rest.end(), same=key(one.note.text[one.start : rest.end()]))


def shortened(text: str) -> str:
    """A quotation on one line, cut where it is long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= WHOLE else plain[: WHOLE - 1] + "…"
