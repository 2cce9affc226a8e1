"""Set algebra over the facts of an index: who matches a form, who does not, and whom nothing is
documented of; each with the rows of facts behind it.

A single criterion is matched where the record affirms it and not matched where the record only
denies it; of all other patients nothing is documented. ``and`` and ``or`` are those of Kleene's
three values. ``not`` is "nothing affirms it", so that ``A but not B`` is a difference of sets;
with ``stated`` the absence itself has to be documented.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from clinfo.pipelines.cohort.birth import day_of
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.facts import AT_LEAST, PAST
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Not,
    Or,
    Sex,
    Value,
    leaves,
)  # fmt: skip
from clinfo.pipelines.cohort.marks import first_day
from clinfo.terms.mesh import Mesh

_CURRENT_DAYS = 366
"""A fact is current where it was last stated within so many days of the patient's last note."""
_LOST_YEARS = 2
"""Years without a note after which a patient is lost to follow-up, whose life is not documented."""
_KINDS = {
    "condition": ("condition", "procedure"),
    "procedure": ("procedure", "condition"),
    "": ("condition", "procedure", "drug", "observation"),
}
Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """Patients (their numbers) who match and who do not, each with the rows of ``held`` behind it;
    of the others nothing is documented. ``first`` is the first day that a criterion is seen.
    """

    yes: Mapping[int, Rows]
    no: Mapping[int, Rows] = field(default_factory=dict)
    first: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Patient:
    first: str
    last: str
    born: tuple[str, str]
    aged: Rows


class Index:
    """An opened index as it was on ``as_of`` ("" today): the facts of later notes do not count."""

    def __init__(self, base: sqlite3.Connection, mesh: Mesh, as_of: str = "") -> None:
        self.base, self.as_of = base, as_of
        self.concepts = Concepts.of(base, mesh)
        self._until = f"{as_of}\uffff" if as_of else "\uffff"

    @cached_property
    def patients(self) -> dict[int, _Patient]:
        """The patients with a note by then."""
        rows = self.base.execute(
            "SELECT number, first, last, born_from, born_to, aged FROM patients "
            "WHERE first <= ? ORDER BY number",
            (self._until,),
        )
        return {
            number: _Patient(first, last, (low, high), (aged,))
            for number, first, last, low, high, aged in rows
        }

    def match(self, form: Form) -> Matched:
        """Who matches a form."""
        match form:
            case Has():
                return self._has(form)
            case Value():
                return self._value(form)
            case Gene():
                return self._gene(form)
            case Age():
                return self._age(form)
            case Sex(sex):
                return self._parted(self._rows("sex", None), lambda row: row["said"] == sex)
            case Dead(dead, at):
                return self._dead(dead, at)
            case And(parts):
                return _all([self.match(part) for part in parts])
            case Or(parts):
                return _any([self.match(part) for part in parts])
            case AtLeast(count, parts):
                return self._at_least(count, [self.match(part) for part in parts])
            case Not(part, stated):
                return self._not(self.match(part), stated)
            case Before(first, second, days):
                return _before(self.match(first), self.match(second), days)

    def _rows(self, kind: str, name: str | None) -> list[sqlite3.Row]:
        sql = "SELECT number, patient, value, said, certainty, negated, first, last FROM held "
        sql += "WHERE kind = ? AND subject = 'patient' AND first <= ?"
        values: list[object] = [kind, self._until]
        if name is not None:
            sql, values = sql + " AND name = ?", [*values, name]
        return self._asked(sql, values)

    def _asked(self, sql: str, values: Iterable[object]) -> list[sqlite3.Row]:
        cursor = self.base.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(sql, tuple(values)).fetchall()

    def _names(self, above: Iterable[str]) -> set[str]:
        entries = tuple(above)
        marks = ",".join("?" * len(entries))
        sql = f"SELECT DISTINCT name FROM below WHERE above IN ({marks})"
        return {name for (name,) in self.base.execute(sql, entries)}

    def _has(self, form: Has) -> Matched:
        concept = self.concepts.named(form.concept)
        if concept is None:
            return Matched({})
        names = self._names(concept.above) - self._names(concept.without)
        for other in form.other_than:
            if (left_out := self.concepts.named(other)) is not None:
                names -= self._names(left_out.above)
        kinds = _KINDS.get(form.kind or concept.kind, (form.kind or concept.kind,))
        marks = ",".join("?" * len(names)), ",".join("?" * len(kinds))
        more = ", sources" if form.times > 1 or form.when == "current" else ""
        more = ", sources" if form.since or form.until else more
        rows = self._asked(
            f"SELECT number, patient, certainty, negated, first, last, said{more} FROM held "
            f"WHERE kind IN ({marks[1]}) AND name IN ({marks[0]}) AND first <= ? AND subject = ?",
            (*kinds, *sorted(names), self._until, form.subject),
        )
        suspected = form.certainty == "suspected"
        rows = [
            row for row in rows if row["negated"] or (row["certainty"] == "suspected") == suspected
        ]
        if form.since or form.until:
            rows = self._within_days(rows, form)
        if form.when == "current":
            rows = [row for row in rows if row["said"] != PAST and self._is_current(row)]
        if form.times > 1:
            rows = self._repeated(rows, form.times)
        return self._parted(rows, lambda row: not row["negated"])

    def _within_days(self, rows: list[sqlite3.Row], form: Has) -> list[sqlite3.Row]:
        """Those stated in a note of the days asked for; with "new", of the patients of whom nothing
        affirms it earlier.
        """
        today = day_of(self.as_of) or date.today()
        since, until = first_day(form.since, today), f"{form.until}\uffff" if form.until else ""
        earliest: dict[int, str] = {}
        for row in rows:
            if not row["negated"]:
                known = earliest.get(row["patient"], row["first"])
                earliest[row["patient"]] = min(known, row["first"])
        return [
            row
            for row in rows
            if not (form.when == "new" and earliest.get(row["patient"], since) < since)
            and any(since <= time and (not until or time <= until) for time in self._times(row))
        ]

    def _times(self, row: sqlite3.Row) -> Iterator[str]:
        """The times of the notes that state a row, up to the day of asking."""
        for number in {int(one) for one in row["sources"].split()[::3]}:
            time = self.note(row["patient"], number)[1]
            if time and time <= self._until:
                yield time

    def _repeated(self, rows: list[sqlite3.Row], times: int) -> list[sqlite3.Row]:
        """Those of patients who have them on at least so many days."""
        days: dict[int, set[str]] = {}
        for row in rows:
            if not row["negated"]:
                for number in {int(one) for one in row["sources"].split()[::3]}:
                    day = self.note(row["patient"], number)[1][:10]
                    if day <= self._until:
                        days.setdefault(row["patient"], set()).add(day)
        return [row for row in rows if row["negated"] or len(days[row["patient"]]) >= times]

    def note(self, patient: int, number: int) -> tuple[str, str]:
        """Identifier and time of a patient's note."""
        found: tuple[str, str] = self.base.execute(
            "SELECT id, time FROM notes WHERE patient = ? AND number = ?", (patient, number)
        ).fetchone()
        return found

    def _is_current(self, row: sqlite3.Row) -> bool:
        patient = self.patients[row["patient"]]
        end, last = day_of(min(patient.last, self._until)), row["last"]
        if last > self._until:
            numbers = {int(one) for one in row["sources"].split()[::3]}
            times = (self.note(row["patient"], number)[1] for number in numbers)
            last = max((time for time in times if time <= self._until), default="")
        seen = day_of(last)
        if self.as_of:
            end = min(filter(None, (end, day_of(self.as_of))), default=None)
        return seen is not None and end is not None and (end - seen).days <= _CURRENT_DAYS

    def _value(self, form: Value) -> Matched:
        rows = [
            row
            for kind in ("observation", "stage")
            for row in self._rows(kind, form.name)
            if not row["negated"]
        ]
        if form.when in ("latest", "current", "at diagnosis"):
            pick = min if form.when == "at diagnosis" else max
            by_patient: dict[int, list[sqlite3.Row]] = {}
            for row in rows:
                by_patient.setdefault(row["patient"], []).append(row)
            time = "first" if form.when == "at diagnosis" else "last"
            chosen = {patient: pick(row[time] for row in of) for patient, of in by_patient.items()}
            rows = [row for row in rows if row[time] == chosen[row["patient"]]]
        if form.low is None or form.high is not None:
            rows = [row for row in rows if row["said"] != AT_LEAST]
        return self._parted(rows, lambda row: _within(row, form))

    def _gene(self, form: Gene) -> Matched:
        from clinfo.pipelines.cohort.alterations import answers

        rows = [row for gene in form.genes for row in self._rows("alteration", gene.lower())]
        told = [(row, answers(row["said"], bool(row["negated"]), form)) for row in rows]
        judged = {row["number"]: answer for row, answer in told}
        return self._parted(
            [row for row, answer in told if answer is not None],
            lambda row: bool(judged[row["number"]]),
        )

    def _age(self, form: Age) -> Matched:
        """By the days on which the patient can have been born; a year asks for the age that is
        reached in it. Where both ends of the span differ, nothing is documented.
        """
        yes: dict[int, Rows] = {}
        no: dict[int, Rows] = {}
        at = form.at or self.as_of or date.today().isoformat()
        for number, patient in self.patients.items():
            if not patient.born[0]:
                continue
            ages = {_age_at(born, at) for born in patient.born}
            answers = {
                (form.low is None or age >= form.low) and (form.high is None or age <= form.high)
                for age in ages
            }
            if len(answers) == 1:
                (yes if answers.pop() else no)[number] = patient.aged
        return Matched(yes, no)

    def _dead(self, dead: bool, at: str) -> Matched:
        """Who was seen at ``at`` (the end of the index without one), later, or not more than
        `_LOST_YEARS` before, and of whose death no note tells, lives.
        """
        died = {row["patient"]: (row["number"],) for row in self._rows("death", None)}
        end = at or self.as_of or max((one.last for one in self.patients.values()), default="")
        start = f"{int(end[:4]) - _LOST_YEARS}{end[4:]}" if end else ""
        lived: dict[int, Rows] = {
            number: ()
            for number, patient in self.patients.items()
            if number not in died and patient.last >= start
        }
        return Matched(died, lived) if dead else Matched(lived, died)

    def _not(self, found: Matched, stated: bool) -> Matched:
        if stated:
            return Matched(found.no, found.yes)
        yes = {
            number: found.no.get(number, ()) for number in self.patients if number not in found.yes
        }
        return Matched(yes, found.yes)

    def _at_least(self, count: int, parts: list[Matched]) -> Matched:
        yes: dict[int, Rows] = {}
        no: dict[int, Rows] = {}
        for number in self.patients:
            having = [part.yes[number] for part in parts if number in part.yes]
            lacking = [part.no[number] for part in parts if number in part.no]
            if len(having) >= count:
                yes[number] = sum(having, ())
            elif len(parts) - len(lacking) < count:
                no[number] = sum(lacking, ())
        return Matched(yes, no)

    def _parted(self, rows: list[sqlite3.Row], matches: Callable[[sqlite3.Row], bool]) -> Matched:
        """Rows by patient: yes where any of them matches, no where there are only others."""
        yes: dict[int, Rows] = {}
        no: dict[int, Rows] = {}
        first: dict[int, str] = {}
        for row in rows:
            side = yes if matches(row) else no
            patient = row["patient"]
            side[patient] = (*side[patient], row["number"]) if patient in side else (row["number"],)
            if side is yes:
                seen = row["first"]
                if patient not in first or seen < first[patient]:
                    first[patient] = seen
        for patient in yes.keys() & no.keys():
            del no[patient]
        return Matched(yes, no, first)

    def unknown(self, form: Form) -> tuple[str, ...]:
        """The concepts of a form that the index does not understand."""
        named = [
            name for leaf in leaves(form) if isinstance(leaf, Has)
            for name in (leaf.concept, *leaf.other_than)
        ]  # fmt: skip
        return tuple(dict.fromkeys(name for name in named if self.concepts.named(name) is None))


def _all(parts: list[Matched]) -> Matched:
    numbers = set(parts[0].yes).intersection(*(part.yes for part in parts[1:]))
    yes = {number: sum((part.yes[number] for part in parts), ()) for number in sorted(numbers)}
    no: dict[int, Rows] = {}
    for part in parts:
        for number, rows in part.no.items():
            no[number] = (*no.get(number, ()), *rows)
    first = {
        number: max((part.first[number] for part in parts if number in part.first), default="")
        for number in yes
    }
    return Matched(yes, no, first)


def _any(parts: list[Matched]) -> Matched:
    yes: dict[int, Rows] = {}
    first: dict[int, str] = {}
    for part in parts:
        for number, rows in part.yes.items():
            yes[number] = (*yes.get(number, ()), *rows)
            if number in part.first:
                first[number] = min(first.get(number, part.first[number]), part.first[number])
    numbers = set(parts[0].no).intersection(*(part.no for part in parts[1:]))
    no = {number: sum((part.no[number] for part in parts), ()) for number in sorted(numbers)}
    return Matched(dict(sorted(yes.items())), no, first)


def _before(first: Matched, second: Matched, days: int | None) -> Matched:
    yes: dict[int, Rows] = {}
    no: dict[int, Rows] = {**first.no, **second.no}
    for number in sorted(set(first.yes) & set(second.yes)):
        rows = first.yes[number] + second.yes[number]
        one, other = first.first.get(number, ""), second.first.get(number, "")
        earlier, later = day_of(one), day_of(other)
        if earlier is None or later is None:
            continue
        near = days is None or (later - earlier).days <= days
        (yes if one < other and near else no)[number] = rows
    return Matched(yes, no, {number: first.first[number] for number in yes})


def _within(row: sqlite3.Row, form: Value) -> bool:
    if form.said and row["said"] != form.said:
        return False
    if form.low is None and form.high is None:
        return True
    value = row["value"]
    if form.strict and value in (form.low, form.high):
        return False
    return (
        value is not None
        and (form.low is None or value >= form.low)
        and (form.high is None or value <= form.high)
    )


def _age_at(born: str, at: str) -> int:
    if len(at) == 4:
        return int(at) - int(born[:4])
    return int(at[:4]) - int(born[:4]) - (at[5:10] < born[5:10])
