"""Set algebra over the facts of an index: who matches a form, who does not, and whom nothing is
documented of; each with the rows of facts behind it.

A single criterion is matched where the record affirms it and not matched where the record only
denies it; of all other patients nothing is documented. ``and`` and ``or`` are those of Kleene's
three values. ``not`` is "nothing affirms it", so that ``A but not B`` is a difference of sets;
with ``stated`` the absence itself has to be documented.

Sets are bitmaps with a place for each patient's number; the facts behind a patient are looked up
when they are asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from clinfo.pipelines.cohort.age_and_sex import day_of
from clinfo.pipelines.cohort.alterations import answers
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.facts import AT_LEAST, BOUNDS, PAST, Subject
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Leaf,
    Not,
    Or,
    Sex,
    Value,
)  # fmt: skip
from clinfo.pipelines.cohort.postings import (
    NO_DAY,
    Facts,
    Stamps,
    days,
    end_of,
    read_postings,
    stamp,
    stamp_digits,
)
from clinfo.pipelines.cohort.values import IN_PARTS, WITHIN
from clinfo.terms.genes import genes_of
from clinfo.terms.mesh import Mesh

_CURRENT_DAYS = 366
"""A fact is current where it was last stated within so many days of the patient's last note."""
LOST_YEARS = 2
"""Years without a note after which a patient is lost to follow-up, whose life is not documented."""
_KEPT = 64
"""Forms whose sets are kept, so that a form that is edited is not worked out anew."""
_NEVER = np.iinfo(np.int64).max
"""The stamp of what has no time."""
_KINDS = {
    "condition": ("condition", "procedure"),
    "procedure": ("procedure", "condition"),
    "drug": ("drug", "procedure"),  # treatments: immunotherapy takes in passive immunization
    "": ("condition", "procedure", "drug", "observation"),
}
_DAYS = {"days": 1, "weeks": 7, "months": 30, "years": 365}
Rows = tuple[int, ...]
Bits = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Matched:
    """Patients (by number) who match and who do not; of the others nothing is documented.

    ``first`` is when a criterion is first seen of a patient (`stamp`), ``rows`` gives the numbers
    of the facts behind a patient's yes or no, and the unclear ones of who is not documented.
    """

    yes: Bits
    no: Bits
    first: Stamps
    rows: Callable[[int], Rows]

    @property
    def members(self) -> list[int]:
        """The numbers of those who match, in order."""
        found: list[int] = np.flatnonzero(self.yes).tolist()
        return found


@dataclass(frozen=True, slots=True)
class _Patients:
    """What is known of all patients, by number: stamps of the first and last note, the days between
    which they were born (YYYYMMDD, 0 unknown), the fact that tells an age.
    """

    there: Bits
    last: Stamps
    born: tuple[Stamps, Stamps]
    aged: Stamps


class Index:
    """An opened index as it was on ``as_of`` ("" today): the facts of later notes do not count."""

    def __init__(
        self, base: sqlite3.Connection, mesh: Mesh, as_of: str = "", least: int = 0
    ) -> None:
        self.base, self.as_of = base, as_of
        self.concepts = Concepts.of(base, mesh, least)
        self._until = end_of(as_of) if as_of else _NEVER - 1
        self.match = lru_cache(maxsize=_KEPT)(self._match)
        """Who matches a form."""

    @property
    def today(self) -> date:
        """The day from which is counted back and to which ages run."""
        return day_of(self.as_of) or date.today()

    def lost(self, patient: int) -> bool:
        """Return whether a patient was last seen more than `LOST_YEARS` before `today`."""
        last = min(int(self.patients.last[patient]), self._until)
        return 0 < last < int(f"{self.today:%Y%m%d}000000") - LOST_YEARS * 10**10

    @cached_property
    def patients(self) -> _Patients:
        """The patients with a note by then."""
        rows = self.base.execute(
            "SELECT number, first, last, replace(born_from, '-', ''), replace(born_to, '-', ''), "
            "aged FROM patients ORDER BY number"
        ).fetchall()
        size = rows[-1][0] + 1 if rows else 0
        table = np.zeros((6, size), np.int64)
        for number, first, last, low, high, aged in rows:
            told = (1, stamp(first), stamp(last), int(low or 0), int(high or 0), aged or 0)
            table[:, number] = told
        there = (table[0] > 0) & (table[1] <= self._until)
        return _Patients(there, table[2], (table[3], table[4]), table[5])

    def _match(self, form: Form) -> Matched:
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
                facts = self._facts(["sex"])
                return self._parted(facts, _said(facts, lambda said: said == sex))
            case Dead(dead, at):
                return self._dead(dead, at)
            case And(parts):
                found, first = self._at_least(len(parts), parts)
                return replace(found, first=np.max(np.where(first == _NEVER, 0, first), axis=0))
            case Or(parts):
                found, first = self._at_least(1, parts)
                return replace(found, first=np.min(first, axis=0))
            case AtLeast(count, parts):
                return self._at_least(count, parts)[0]
            case Not(part, stated):
                return self._not(self.match(part), stated)
            case Before(parts, within):
                return self._before(parts, within)

    def _facts(
        self,
        kinds: Iterable[str],
        names: Iterable[str] | None = None,
        subject: Subject = "patient",
    ) -> Facts:
        facts = read_postings(self.base, kinds, names, subject)
        return facts if not self.as_of else facts.where(facts.rows["time"] <= self._until)

    def _names(self, above: Iterable[str]) -> set[str]:
        entries = tuple(above)
        marks = ",".join("?" * len(entries))
        sql = f"SELECT DISTINCT name FROM below WHERE above IN ({marks})"
        return {name for (name,) in self.base.execute(sql, entries)}

    def _named(self, form: Has) -> Facts:
        concept = self.concepts.named(form.concept)
        if concept is None:
            return self._facts((), ())
        names = self._names(concept.above) - self._names(concept.without)
        for other in form.other_than:
            if (left_out := self.concepts.named(other)) is not None:
                names -= self._names(left_out.above)
        kinds = _KINDS.get(form.kind or concept.kind, (form.kind or concept.kind,))
        return self._facts(kinds, sorted(names), form.subject)

    def _has(self, form: Has) -> Matched:
        facts = self._named(form)
        unclear = facts.where(facts.rows["unclear"])
        negated = facts.rows["negated"]
        as_asked = facts.rows["suspected"] == (form.certainty == "suspected")
        facts = facts.where((negated | as_asked) & ~facts.rows["unclear"])
        if form.since or form.until:
            facts = facts.where(self._within_days(facts, form))
        if form.when == "current":
            facts = facts.where(_said(facts, lambda said: said != PAST) & self._current(facts))
        if form.times > 1:
            facts = facts.where(self._repeated(facts, form.times))
        found = self._parted(facts, ~facts.rows["negated"], unclear)
        bounded = form.age_from is not None or form.age_to is not None
        return self._at_age(found, form.age_from, form.age_to) if bounded else found

    def _at_age(self, found: Matched, low: int | None, high: int | None) -> Matched:
        """Of those who match, who was of an age when it was first stated; not documented where the
        days on which one can have been born leave both.
        """
        day = np.where(found.yes, found.first, 0) // 10**6
        fits = [_aged(born, day // 10_000, day % 10_000, low, high) for born in self.patients.born]
        known = found.yes & (self.patients.born[0] > 0) & (day % 10_000 > 0)
        no = found.no | (known & ~fits[0] & ~fits[1])
        return replace(found, yes=known & fits[0] & fits[1], no=no)

    def _within_days(self, facts: Facts, form: Has | Value) -> Bits:
        """Those stated in a note of the days asked for; with "new", of the patients of whom nothing
        affirms it earlier.
        """
        since = stamp(_bound_day(form.since, self.today))
        until = min(
            int(stamp_digits(_bound_day(form.until, self.today)).ljust(14, "9")), self._until
        )
        rows = facts.rows
        within: Bits = (rows["time"] > 0) & (rows["time"] >= since) & (rows["time"] <= until)
        if form.when == "new":
            earliest = self._never()
            affirmed = rows[~rows["negated"]]
            np.minimum.at(earliest, affirmed["patient"], affirmed["first"])
            within &= earliest[rows["patient"]] >= since
        return within

    def _repeated(self, facts: Facts, times: int) -> Bits:
        """The denials, and the facts of patients who have them on at least so many days."""
        affirmed = facts.rows[~facts.rows["negated"]]
        on_days = np.column_stack((affirmed["patient"], affirmed["time"] // 10**6))
        patients, counts = np.unique(np.unique(on_days, axis=0)[:, 0], return_counts=True)
        often = patients[counts >= times]
        return facts.rows["negated"] | np.isin(facts.rows["patient"], often)

    def _current(self, facts: Facts) -> Bits:
        end = days(np.minimum(self.patients.last, self._until))[facts.rows["patient"]]
        if self.as_of:
            end = np.minimum(end, days(np.array([self._until]))[0])
        seen = days(facts.rows["time"])
        known = (seen != NO_DAY) & (end != NO_DAY)
        current: Bits = known & (end - seen <= _CURRENT_DAYS)
        return current

    def _value(self, form: Value) -> Matched:
        facts = self._facts(("observation", "stage"), [form.name])
        facts = facts.where(~facts.rows["negated"])
        if form.since or form.until:
            facts = facts.where(self._within_days(facts, form))
        patient = facts.rows["patient"]
        if form.when in ("latest", "current"):
            chosen = np.zeros(self.patients.there.size, np.int64)
            np.maximum.at(chosen, patient, facts.rows["time"])
            facts = facts.where(facts.rows["time"] == chosen[patient])
        elif form.when == "at diagnosis":
            chosen, time = self._never(), facts.rows["time"]
            dated = np.where(time > 0, time, _NEVER)
            np.minimum.at(chosen, patient, dated)
            facts = facts.where(dated == chosen[patient])
        matches = _said(facts, lambda said: not form.said or said == form.said or said in BOUNDS)
        least, most = _ends(facts)
        # A value of which only one side is known says nothing where it may be in or out.
        outside = np.zeros(matches.size, bool)
        if form.low is not None:
            parts = form.name in IN_PARTS and form.low == int(form.low) and form.strict
            low = form.low + WITHIN if parts else form.low
            matches &= least > low if form.strict else least >= low
            outside |= most <= low if form.strict else most < low
        if form.high is not None:
            parts = form.name in IN_PARTS and form.high == int(form.high) and not form.strict
            high = form.high + WITHIN if parts else form.high
            matches &= most < high if form.strict else most <= high
            outside |= least >= high if form.strict else least > high
        known = matches | outside | ~_said(facts, BOUNDS.__contains__)
        return self._parted(facts.where(known), matches[known])

    def _gene(self, form: Gene) -> Matched:
        facts = self._facts(["alteration"], _symbols(form.genes))
        told = [[answers(said, negated, form) for negated in (False, True)] for said in facts.said]
        code = np.array([[-1 if one is None else int(one) for one in both] for both in told], int)
        judged = code.reshape(-1, 2)[facts.of, facts.rows["negated"].astype(int)]
        return self._parted(facts.where(judged >= 0), judged[judged >= 0] > 0)

    def _age(self, form: Age) -> Matched:
        """By the days on which the patient can have been born; a year asks for the age that is
        reached in it. Where both ends of the span differ, nothing is documented.
        """
        at = form.at or self.today.isoformat()
        year, day = int(at[:4]), int(at[5:7] + at[8:10]) if len(at) > 4 else 9999
        fits = [_aged(born, year, day, form.low, form.high) for born in self.patients.born]
        known = self.patients.there & (self.patients.born[0] > 0)
        aged = self.patients.aged
        return Matched(
            known & fits[0] & fits[1], known & ~fits[0] & ~fits[1], self._never(),
            lambda number: (int(aged[number]),),
        )  # fmt: skip

    def _dead(self, dead: bool, at: str) -> Matched:
        """Who was seen at ``at`` (the end of the index without one), later, or not more than
        `LOST_YEARS` before, and of whose death no note tells, lives.
        """
        facts = self._facts(["death"])
        died = self._parted(facts, np.ones(len(facts.rows), bool))
        last = self.patients.last[self.patients.there]
        end = stamp(at or self.as_of) or int(last.max(initial=0))
        start = end - LOST_YEARS * 10**10
        lived = self.patients.there & ~died.yes & (self.patients.last >= start)
        yes, no = (died.yes, lived) if dead else (lived, died.yes)
        return Matched(yes, no, died.first if dead else self._never(), died.rows)

    def _parted(self, facts: Facts, matches: Bits, unclear: Facts | None = None) -> Matched:
        """Facts by patient: yes where any of them matches, no where there are only others; the
        ``unclear`` stand behind those who are not documented.
        """
        there = self.patients.there
        patient, first = facts.rows["patient"], self._never()
        matches = matches.astype(bool)
        yes, no = np.zeros(there.size, bool), np.zeros(there.size, bool)
        yes[patient[matches]] = True
        no[patient[~matches]] = True
        np.minimum.at(first, patient[matches], facts.rows["first"][matches])
        yes &= there
        no &= there & ~yes

        def rows(number: int) -> Rows:
            if unclear is not None and not yes[number] and not no[number]:
                found = unclear.rows["fact"][unclear.rows["patient"] == number]
            else:
                found = facts.rows["fact"][(patient == number) & (matches == yes[number])]
            return tuple(dict.fromkeys(found.tolist()))

        return Matched(yes, no, first, rows)

    def _never(self) -> Stamps:
        return np.full(self.patients.there.size, _NEVER)

    def _not(self, found: Matched, stated: bool) -> Matched:
        yes = found.no if stated else self.patients.there & ~found.yes
        return Matched(yes, found.yes, self._never(), found.rows)

    def _at_least(self, count: int, forms: Sequence[Form]) -> tuple[Matched, Stamps]:
        """Who matches so many of some forms, with the facts of those forms that are answered as the
        whole is; and when each form is first seen, (forms, patients).
        """
        parts = [self.match(form) for form in forms]
        yes = np.sum([part.yes for part in parts], axis=0) >= count
        lacking = np.sum([part.no for part in parts], axis=0)
        no = ~yes & (len(parts) - lacking < count)

        def rows(number: int) -> Rows:
            told = bool(yes[number]), bool(no[number])
            same = [part for part in parts if (part.yes[number], part.no[number]) == told]
            return sum((part.rows(number) for part in same), ())

        return Matched(yes, no, self._never(), rows), np.array([part.first for part in parts])

    def _before(self, parts: Sequence[Form], within: int | None) -> Matched:
        first, second = map(self.match, parts)
        both = first.yes & second.yes
        one, other = (days(np.where(both, part.first, 0)) for part in (first, second))
        both &= (one != NO_DAY) & (other != NO_DAY)
        yes = both & (first.first < second.first)
        if within is not None:  # by the day: the same day is within any number of days
            yes = both & (one <= other) & (other - one <= within)
            for number in np.flatnonzero(both & ~yes):
                starts, ends = (self._days(part, int(number)) for part in parts)
                yes[number] = any(0 <= end - at <= within for at in starts for end in ends)
        no = first.no | second.no | (both & ~yes)
        return Matched(yes, no, first.first, lambda n: first.rows(n) + second.rows(n))

    def _days(self, form: Form, number: int) -> list[int]:
        """The days on which a patient's notes state a criterion; of forms but ``or`` the first."""
        found = self.match(form)
        if not found.yes[number]:
            return []
        if isinstance(form, Or):
            return [day for part in form.parts for day in self._days(part, number)]
        stamps = [int(found.first[number])]
        if isinstance(form, Leaf):
            facts = found.rows(number)
            sql = f"SELECT times FROM held WHERE number IN ({','.join('?' * len(facts))})"
            stamps = [stamp(time) for (times,) in self.base.execute(sql, facts)
                      for time in times.split("\t")]  # fmt: skip
        kept = [one for one in stamps if 0 < one <= self._until]
        return [int(day) for day in days(np.array(kept, np.int64)) if day != NO_DAY]


def _symbols(genes: Iterable[str]) -> dict[str, None]:
    return dict.fromkeys(one.lower() for gene in genes for one in (*genes_of(gene), gene))


def _bound_day(said: str, today: date) -> str:
    """A bound of a window: as given, or so many days, weeks, months or years before today."""
    number, space, unit = said.partition(" ")
    return (today - timedelta(days=int(number) * _DAYS[unit])).isoformat() if space else said


def _said(facts: Facts, fits: Callable[[str], bool]) -> Bits:
    """Of which facts the value in words fits."""
    marked: Bits = np.array([fits(said) for said in facts.said], bool)[facts.of]
    return marked


def _ends(facts: Facts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the most that each value can be: both are the value where it is known."""
    value = facts.rows["value"].astype(float)
    least, most = value.copy(), value.copy()
    over, under = _said(facts, ">".__eq__), _said(facts, "<".__eq__)
    least[over], most[under] = (
        np.nextafter(value[over], np.inf), np.nextafter(value[under], -np.inf)
    )  # fmt: skip
    most[over | _said(facts, AT_LEAST.__eq__)] = np.inf
    least[under | _said(facts, "<=".__eq__)] = -np.inf
    return least, most


def _aged(
    born: Stamps, year: int | Stamps, day: int | Stamps, low: int | None, high: int | None
) -> Bits:
    """Who, born on these days (YYYYMMDD), has an age within the bounds on a day (MMDD)."""
    age = year - born // 10_000 - (day < born % 10_000)
    fits: Bits = (age >= (0 if low is None else low)) & (age <= (_NEVER if high is None else high))
    return fits
