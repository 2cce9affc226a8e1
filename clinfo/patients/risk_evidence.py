"""What a record tells of the items of a risk score: concepts, words, medicines in use, the newest
value of a measure, age and sex, each with the places that tell it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from clinfo.patients.assertion_cues import is_kin
from clinfo.patients.coded import entry_mentions
from clinfo.patients.contradictions import EVER, Place, place_of
from clinfo.patients.measured import measured
from clinfo.patients.medications import MedicationEvent, medication_timeline
from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.records import CodedEntry, Kind, Note, Record
from clinfo.patients.sections import kind_at, sections
from clinfo.patients.times import day_span
from clinfo.text.regex import anycase

State = Literal["present", "absent", "uncertain", "contradicted", "not documented"]
_MOST_PLACES = 3
_SHORT = (
    r"(?m:^\W*|(?<=[.:] )|\b(?:an?|this|is|pt|patient) )(?P<years>[1-8]\d)(?-i:(?P<letter>[MF]))\b"
    r"(?= (?:with\b|w/|who\b|h/o|hx\b|pmh|s/p|p/w|c/o|present|admitted|here\b))"
)
"""The age and sex of "78F with"; never those of "98F", a temperature."""
_AGE = anycase(
    r"(?<![\d.])(?P<age>\d{1,3})(?:[ -]?(?:years?|yrs?)[ -]?old|\s?y[./]?o)\b\.?"
    r"(?=[\w,' /-]{0,60}?\b(?:male|female|man|woman|lady|gentleman|patient|boy|girl|"
    rf"(?-i:[MF]))\b)|{_SHORT}"
)
"""The age of the patient, with who that is behind it: not that of a son."""
_SEX = anycase(
    r"\b(?:\d{1,3}[ -]?(?:years?|yrs?|months?)?[ -]?(?:old|y[./]?o)\b\.?|gender:?|sex:?|"
    r"patient is an?|pleasant)[\w,' /-]{0,60}?\b"
    r"(?:(?P<female>female|woman|lady|girl|(?-i:F))|(?P<male>male|man|gentleman|boy|(?-i:M)))\b"
    rf"(?!['’])|{_SHORT}"
)
_BORN, _GENDER = "21112-8", "46098-0"
"""Codes of LOINC for the date of birth and the sex."""
_OLDEST = 125
_FAMILY = anycase(r"\bfamil(?:y|ial)\b|\bFH?x\b|\bFH\b")
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a score for one record: what is known of it, the points it gives at least and at
    most, and up to three places that tell it, the newest first.
    """

    name: str
    state: State
    least: int
    most: int
    places: tuple[Place, ...] = ()


_SAID: dict[Assertion, State] = {
    "present": "present",
    "history": "present",
    "negated": "absent",
    "uncertain": "uncertain",
}
_ANY = frozenset(_SAID)
_HAS: frozenset[Assertion] = frozenset(("present", "history"))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a record tells of items, up to a day."""

    record: Record
    mentions: Mapping[str, Sequence[Mention]]
    read: Callable[[str], Sequence[Mention]]
    as_of: date

    def item(self, row: Mapping[str, Any]) -> Item:
        """What the record tells of a row of the table. Its ``minor`` concepts leave it open; where
        only some kinds of a thing are denied, only those of ``denied_by`` settle that it is absent.
        """
        if "ages" in row:
            return self._of_age(row)
        found = [
            *(self._named(set(row["concepts"])) if "concepts" in row else ()),
            *(("uncertain", place) for _, place in self._named(set(row.get("minor", ())), _HAS)),
            *(self._worded(row["words"]) if "words" in row else ()),
            *(self._measure(row) if "measure" in row else ()),
            *(self._in_use(set(row["medicines"])) if "medicines" in row else ()),
            *(self._sex(row["sex"]) if "sex" in row else ()),
        ]
        if settling := row.get("denied_by"):
            found = [
                ("uncertain" if kind == "absent" else kind, place) for kind, place in found
            ] + [(kind, place) for kind, place in self._named(set(settling)) if kind == "absent"]
        said = {kind for kind, _ in found}
        denied = any(kind == "absent" and EVER.search(place.quote) for kind, place in found)
        state: State = next((each for each in _STATES if each in said), "not documented")
        if state == "present" and ("sex" in row or denied) and "absent" in said:
            state = "contradicted"
        least = row["points"] if state == "present" else 0
        most = 0 if state == "absent" else row["points"]
        places = [place for kind, place in found if state == "contradicted" or kind == state]
        return Item(row["name"], state, least, most, _newest(places))

    def _named(
        self, concepts: set[str], only: Collection[Assertion] = _ANY
    ) -> Iterable[tuple[State, Place]]:
        for note in self.record.notes:
            for each in self.mentions.get(note.id, ()):
                if each.concept in concepts and each.assertion in only:
                    place = place_of(note, each.start)
                    if each.assertion != "negated" or not _of_family(note, each.start, place):
                        yield _SAID[each.assertion], place
        for entry in self.record.entries:
            for each in entry_mentions(entry, self.read) if entry.kind in _EVENTS else ():
                if each.concept in concepts and each.assertion in only:
                    yield _SAID[each.assertion], _place_of(entry)

    def _worded(self, words: Sequence[str]) -> Iterable[tuple[State, Place]]:
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
        for note in self.record.notes:
            for match in pattern.finditer(note.text):
                yield "uncertain", place_of(note, match.start())

    def _measure(self, row: Mapping[str, Any]) -> Iterable[tuple[State, Place]]:
        known = replace(
            self.record,
            entries=tuple(
                entry
                for entry in self.record.entries
                if entry.code == row["loinc"]
                or row["called"] in entry.text.lower()
                or "/" in entry.value
            ),
        )
        values = measured(row["measure"], known, self.mentions, self.read)
        numbers = ((value, _NUMBER.search(value.value)) for value in values)
        for value, found in [(value, found) for value, found in numbers if found][:1]:
            number = float(found.group())
            state: State = "present" if number > row["above"] else "absent"
            yield state, Place(value.note, value.day, value.start, value.end, value.quote)

    def _in_use(self, medicines: set[str]) -> Iterable[tuple[State, Place]]:
        last = {
            event.drug: event
            for event in medication_timeline(self.record, self.mentions, self.read)
            if medicines & set(event.drug.split(" / "))
        }
        states = {name: _use_by(event) for name, event in last.items()}
        state = next(
            (one for one in ("present", "uncertain", "absent") if one in states.values()), ""
        )
        for name, event in last.items():
            if states[name] == state:
                place = Place(event.note, event.day, event.start, event.end, event.quote)
                yield states[name], place

    def _sex(self, sex: str) -> Iterable[tuple[State, Place]]:
        coded = [e for e in self._coded(_GENDER) if e.value.lower() in ("female", "male")]
        for entry in coded:
            yield "present" if entry.value.lower() == sex else "absent", _place_of(entry)
        for note, match in () if coded else self._of_patient(_SEX):
            said = match[sex] or match["letter"] == sex[0].upper()
            yield "present" if said else "absent", place_of(note, match.start())

    def _of_age(self, row: Mapping[str, Any]) -> Item:
        bands: list[tuple[int, int]] = row["ages"]
        told = self._age()
        if told is None:
            return Item(row["name"], "not documented", 0, max(points for _, points in bands))
        *ages, place = told
        least, most = (
            max((points for begins, points in bands if age >= begins), default=0) for age in ages
        )
        state: State = "uncertain" if least != most else "present" if least else "absent"
        return Item(row["name"], state, least, most, (place,))

    def _age(self) -> tuple[int, int, Place] | None:
        """The age at least and at most, by the date of birth, else by the last note that has it."""
        for entry in self._coded(_BORN):
            if (born := day_span(entry.value)) and born[0] <= self.as_of:
                return self._years_since(born[1]), self._years_since(born[0]), _place_of(entry)
        for note, match in reversed([*self._of_patient(_AGE)]):
            written = day_span(note.time)
            age = int(match["age"] or match["years"])
            if written is not None and age <= _OLDEST:
                low, high = (age + self._years_since(day) for day in reversed(written))
                return low, high + 1, place_of(note, match.start())
        return None

    def _coded(self, code: str) -> list[CodedEntry]:
        return [entry for entry in self.record.entries if entry.code == code]

    def _of_patient(self, pattern: re.Pattern[str]) -> Iterable[tuple[Note, re.Match[str]]]:
        """The first match of each note in a sentence that names no other person."""
        for note in self.record.notes:
            for match in pattern.finditer(note.text):
                words = _WORD.findall(place_of(note, match.start()).quote)
                if not any(map(is_kin, words)):
                    yield note, match
                    break

    def _years_since(self, day: date) -> int:
        later = (self.as_of.month, self.as_of.day) >= (day.month, day.day)
        return max(self.as_of.year - day.year - (not later), 0)


def _use_by(event: MedicationEvent) -> State:
    """Whether a medicine is in use by what was last said of it: one that is only planned, or that
    the next list leaves out, may be.
    """
    if event.planned or (event.change == "stopped" and event.basis == "list"):
        return "uncertain"
    return "absent" if event.change == "stopped" else "present"


_EVENTS: tuple[Kind, ...] = ("condition", "procedure")
_STATES: tuple[State, ...] = ("present", "absent", "uncertain")


def _place_of(entry: CodedEntry) -> Place:
    return Place("", entry.start[:10], 0, len(entry.text), entry.text)


def _of_family(note: Note, at: int, place: Place) -> bool:
    """Return whether words may be of other persons: "no family history of stroke"."""
    named = any(map(is_kin, _WORD.findall(place.quote)))
    return (
        named or bool(_FAMILY.search(place.quote)) or kind_at(sections(note.text), at) == "family"
    )


def _newest(places: Sequence[Place]) -> tuple[Place, ...]:
    newest = sorted(dict.fromkeys(places), key=lambda each: (each.day, each.note, each.start))
    return tuple(reversed(newest[-_MOST_PLACES:]))
