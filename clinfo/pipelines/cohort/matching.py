"""Logical forms run over the facts of an index, each criterion as SQL: who matches, who does not,
and of whom nothing is documented.

A single criterion is matched where the record affirms it and not matched where the record only
denies it; of all other patients nothing is documented. ``and`` and ``or`` are those of Kleene's
three values. ``not`` is "nothing affirms it", so that ``A but not B`` is a difference of sets;
with ``stated`` the absence itself has to be documented, and so has another age or sex.
"""

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

from clinfo.patients.times import day_span, instant, is_before
from clinfo.pipelines.cohort.age_and_sex import day_of
from clinfo.pipelines.cohort.alterations import answers
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.facts import ACTIVE, BOUNDS, IN_PARTS, PAST, TESTED, UNNAMED, WITHIN
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
from clinfo.terms.genes import genes_of
from clinfo.terms.mesh import Mesh

_CURRENT_DAYS = 366
"""A fact is current where it was last stated within so many days of the patient's last note."""
LOST_YEARS = 2
"""Years without a note after which a patient is lost to follow-up, whose life is not documented."""
_KEPT = 64
"""Forms whose sets are kept, so that a form that is edited is not worked out anew."""
_NEVER = "~"
"""The time of what has none, behind all times."""
_EVER = "9999"
_NUMBERED = count()
_KINDS = {
    "condition": ("condition", "procedure"),
    "procedure": ("procedure", "condition"),
    "drug": ("drug", "procedure"),  # treatments: immunotherapy takes in passive immunization
    "": ("condition", "procedure", "drug", "observation"),
}
_DAYS = {"days": 1, "weeks": 7, "months": 30, "years": 365}
_SEEN = "substr(time, 1, 10) <= :as_of"
_OWN = f"{_SEEN} AND subject = 'patient' AND NOT negated"
_NAMED = "name IN (SELECT name FROM below WHERE above IN (SELECT value FROM json_each(:{0})))"
_WHOLE = f"""said != '{TESTED}' OR name IN (SELECT value FROM json_each(:own))
    OR concept IN (SELECT value FROM json_each(:own))"""
"""A test for one virus denies no hepatitis of other kinds."""
_WITHIN = "time != '' AND time >= :since AND substr(time, 1, length(:until)) <= :until"


class Statement(NamedTuple):
    """A fact's number, and a place that states it: time, the note's number, code points [start,
    stop); ``unclear`` where the reader is not sure of what it says.
    """

    fact: int
    time: str
    note: int
    start: int
    stop: int
    unclear: int


@dataclass(frozen=True, slots=True)
class Matched:
    """Patients, by number, who match, each with when a criterion is first stated, and who do not;
    of the others nothing is documented. ``behind`` gives the statements behind a patient's yes or
    no, and the unclear ones of who is not documented; ``times`` all times of the statements behind
    a yes, by patient.
    """

    yes: Mapping[int, str]
    no: Set[int]
    behind: Callable[[int], Sequence[Statement]]
    times: Callable[[], Mapping[int, Set[str]]] | None = None


class _Patient(NamedTuple):
    """A patient's id, the time of the last note, and the days between which one was born."""

    id: str
    last: str
    born: tuple[str, str]


class Index:
    """An opened index as it was on ``as_of`` ("" today): the facts of later notes do not count."""

    def __init__(
        self, base: sqlite3.Connection, mesh: Mesh, as_of: str = "", least: int = 0
    ) -> None:
        self.base, self.as_of = base, as_of
        base.create_function("instant", 1, instant, deterministic=True)
        self.concepts = Concepts.of(base, mesh, least)
        self.today = day_of(as_of) or date.today()
        """The day from which is counted back and to which ages run."""
        sql = f"""SELECT number, id, last, born_from, born_to FROM patients
            WHERE {_SEEN.replace("time", "first")} ORDER BY number"""
        self.patients = {
            number: _Patient(id, last, (low, high))
            for number, id, last, low, high in base.execute(sql, {"as_of": as_of or _EVER})
        }
        """Those with a note by then."""
        self.match = lru_cache(maxsize=_KEPT)(self._match)
        """Matches a form."""

    def _match(self, form: Form) -> Matched:
        match form:
            case Has():
                return self._has(form)
            case Value():
                return self._value(form)
            case Gene():
                return self._gene(form)
            case Age(low, high, at):
                told = {one: self._aged(one, at or f"{self.today}", low, high)
                        for one in self.patients}  # fmt: skip
                given = {"as_of": self.as_of or _EVER}
                own = f"patient = :patient AND kind = 'age' AND {_SEEN}"
                newest = f"{own} AND fact = (SELECT max(fact) FROM statements WHERE {own})"
                return Matched(*_parted(told), lambda one: self._statements(newest, one, given))
            case Sex(sex):
                return self._stated(f"{_OWN} AND kind = 'sex'", "said = :sex", {"sex": sex})
            case Dead(dead, at):
                return self._dead(dead, at)
            case Not(part, stated):
                found = self.match(part)
                known = stated or isinstance(part, Age | Sex)
                yes = found.no if known else self.patients.keys() - found.yes.keys()
                return Matched(dict.fromkeys(yes, _NEVER), found.yes.keys(), found.behind)
            case Before(parts, within):
                return self._before(parts, within)
            case And(parts):
                return self._at_least(len(parts), parts, _last)
            case Or(parts):
                return self._at_least(1, parts, min)
            case AtLeast(count, parts):
                return self._at_least(count, parts, lambda times: _NEVER)

    def _stated(
        self, where: str, matches: str, given: Mapping[str, Any], unclear: str = "0"
    ) -> Matched:
        """Of the patients who have statements ``where``: yes who has one that ``matches``, no who
        has only others; the ``unclear`` stand behind those who are not documented.
        """
        sql = f"""SELECT patient, {matches}, first, min(instant(first)) FROM statements
            WHERE {where} GROUP BY 1, 2"""
        given = {"as_of": self.as_of or _EVER, **given}
        rows = [row for row in self.base.execute(sql, given) if row[0] in self.patients]
        yes = {patient: first for patient, matched, first, _ in rows if matched}
        no = {patient for patient, *_ in rows} - yes.keys()

        def behind(patient: int) -> list[Statement]:
            told = f"{where} AND ({matches}) = {patient in yes:d}"
            known = patient in yes or patient in no
            return self._statements(told if known else unclear, patient, given, not known)

        def times() -> dict[int, set[str]]:
            found: dict[int, set[str]] = {}
            sql = f"SELECT DISTINCT patient, time FROM statements WHERE {where} AND ({matches})"
            for patient, time in self.base.execute(sql, given):
                found.setdefault(patient, set()).add(time)
            return found

        return Matched(yes, no, behind, times)

    def _statements(
        self, where: str, patient: int, given: Mapping[str, Any], unclear: bool = False
    ) -> list[Statement]:
        """The statements of a patient by fact and time."""
        sql = f"""SELECT fact, time, note, start, stop, {unclear:d} FROM statements
            WHERE patient = :patient AND {where} ORDER BY fact, place"""
        return [Statement(*row) for row in self.base.execute(sql, {**given, "patient": patient})]

    def _has(self, form: Has) -> Matched:
        concept = self.concepts.named(form.concept)
        if concept is None:
            return Matched({}, set(), lambda patient: ())
        others = filter(None, map(self.concepts.named, form.other_than))
        without = [*concept.without, *(entry for one in others for entry in one.above)]
        kind = form.kind or concept.kind
        given = {
            "subject": form.subject, "certainty": form.certainty, "times": form.times,
            "kinds": json.dumps(_KINDS.get(kind, (kind,))), "above": json.dumps(concept.above),
            "own": json.dumps([entry.partition(":")[2] for entry in concept.above]),
            "without": json.dumps(without), "last": (day_of(self.as_of) or date.max).toordinal(),
        }  # fmt: skip
        told = (
            f"{_SEEN} AND kind IN (SELECT value FROM json_each(:kinds)) "
            f"AND {_NAMED.format('above')} AND NOT {_NAMED.format('without')} AND ({_WHOLE})"
        )
        named = f"{told} AND subject = :subject"
        own = "(subject = :subject OR (subject = 'family' AND certainty = 'unclear'))"
        where = self._windowed(f"{named} AND certainty != 'unclear' AND (negated OR certainty = "
                               ":certainty)", form, given)  # fmt: skip
        if form.when == "current":  # a later note that it ended takes an earlier one back
            where += f""" AND said != '{PAST}' AND (said = '{ACTIVE}'
                OR min(last_day, :last) - day <= {_CURRENT_DAYS} AND NOT EXISTS (SELECT 1 FROM
                  (SELECT patient AS whose, name AS what, day AS ended FROM statements
                   WHERE {named} AND said = '{PAST}')
                  WHERE whose = patient AND what = name AND ended > day))"""
        if form.times > 1:
            where += f""" AND (negated OR patient IN (SELECT patient FROM statements WHERE {where}
                AND NOT negated GROUP BY patient
                HAVING count(DISTINCT substr(time, 1, 10)) >= :times))"""
        unclear = f"""(({told} AND {own} AND NOT negated AND certainty != 'confirmed') OR
            ({_SEEN} AND name = '{UNNAMED}' AND kind IN (SELECT value FROM json_each(:kinds))))"""
        found = self._stated(where, "NOT negated", given, unclear)
        if form.age_from is None and form.age_to is None:
            return found
        aged = {
            patient: self._aged(patient, first[:10], form.age_from, form.age_to)
            for patient, first in found.yes.items() if day_of(first)
        }  # fmt: skip
        yes, no = _parted(aged)
        return replace(found, yes={one: found.yes[one] for one in yes}, no={*found.no, *no})

    def _windowed(self, where: str, form: Has | Value, given: dict[str, Any]) -> str:
        """Those stated in a note of the days asked for; with "new", of the patients of whom nothing
        affirms it earlier.
        """
        if not form.since and not form.until:
            return where
        given |= {"since": self._bound(form.since), "until": self._bound(form.until) or _EVER}
        new = f""" AND patient NOT IN (SELECT patient FROM statements
            WHERE {where} AND NOT negated AND first < :since)"""
        return f"{where} AND {_WITHIN}{new if form.when == 'new' else ''}"

    def _bound(self, said: str) -> str:
        """A bound of a window: as given, or so many days, weeks, months or years before today."""
        number, space, unit = said.partition(" ")
        return f"{self.today - timedelta(days=int(number) * _DAYS[unit])}" if space else said

    def _value(self, form: Value) -> Matched:
        own = f"{_OWN} AND kind IN ('observation', 'stage') AND "
        given = {"name": form.name}
        where = self._windowed(f"{own} name = :name AND certainty != 'unclear'", form, given)
        unclear = f"{own} (name = :name OR name = '{UNNAMED}') AND certainty = 'unclear'"
        if form.when in ("latest", "current", "at diagnosis"):
            first = form.when == "at diagnosis"
            time = f"ifnull(nullif(instant(time), ''), '{_NEVER}')" if first else "instant(time)"
            chosen = f"min({time})" if first else f"max({time})"
            where += f""" AND (patient, {time}) IN (SELECT patient, {chosen}
                FROM statements WHERE {where} GROUP BY patient)"""
        return self._judged(
            where, given, lambda said, value, _: _settled(form, said, value), unclear
        )

    def _gene(self, form: Gene) -> Matched:
        names = json.dumps([one.lower() for gene in form.genes for one in (*genes_of(gene), gene)])
        where = (
            f"{_SEEN} AND subject = 'patient' AND kind = 'alteration' AND name IN "
            "(SELECT value FROM json_each(:names))"
        )
        return self._judged(
            where, {"names": names}, lambda said, _, denied: answers(said, bool(denied), form)
        )

    def _judged(
        self,
        where: str,
        given: Mapping[str, Any],
        judge: Callable[[str, Any, int], bool | None],
        unclear: str = "0",
    ) -> Matched:
        """Of statements ``where``, as `_stated`, by what ``judge`` says of words, value and denial;
        None does not count.
        """
        name = f"judged_{next(_NUMBERED)}"
        self.base.create_function(name, 3, lru_cache(judge), deterministic=True)
        told = f"{name}(said, value, negated)"
        return self._stated(f"{where} AND {told} IS NOT NULL", told, given, unclear)

    def _aged(self, patient: int, at: str, low: int | None, high: int | None) -> bool | None:
        """Return whether somebody was of an age on a day; a year asks for the age that is reached
        in it. None where the days on which the patient can have been born leave both.
        """
        if not (born := self.patients[patient].born)[0]:
            return None
        day = at[5:10] or _NEVER
        ages = [int(at[:4]) - int(one[:4]) - (day < one[5:10]) for one in born]
        fits = {(low or 0) <= age and (high is None or age <= high) for age in ages}
        return fits.pop() if len(fits) == 1 else None

    def _dead(self, dead: bool, at: str) -> Matched:
        """Match who was seen at ``at`` (the end of the index without one), later, or not more than
        `LOST_YEARS` before, and of whose death no note tells, lives.
        """
        died = self._stated(f"{_OWN} AND kind = 'death'", "1", {})
        end = at or self.as_of or max((one.last for one in self.patients.values()), default=_EVER)
        start = f"{int(end[:4] or 0) - LOST_YEARS:04}{end[4:]}"
        lived = {
            number: _NEVER for number, one in self.patients.items()
            if number not in died.yes and one.last >= start
        }  # fmt: skip
        yes, no = (died.yes, lived) if dead else (lived, died.yes)
        return Matched(yes, no.keys(), died.behind)

    def lost(self, patient: int) -> bool:
        """Return whether a patient was last seen more than `LOST_YEARS` before `today`."""
        return (
            "" < self.patients[patient].last < f"{self.today.year - LOST_YEARS}{self.today:-%m-%d}"
        )

    def _at_least(
        self, count: int, forms: Sequence[Form], first: Callable[[Iterable[str]], str]
    ) -> Matched:
        """Match so many of some forms, with the statements of those forms that are answered as the
        whole is; ``first`` makes one of the times at which each form is first stated.
        """
        parts = [self.match(form) for form in forms]
        matching = Counter(patient for part in parts for patient in part.yes)
        lacking = Counter(patient for part in parts for patient in part.no)
        yes = {
            patient: first([part.yes.get(patient, _NEVER) for part in parts])
            for patient, many in matching.items() if many >= count
        }  # fmt: skip
        no = {one for one, many in lacking.items() if len(parts) - many < count} - yes.keys()

        def behind(patient: int) -> list[Statement]:
            told = patient in yes, patient in no
            same = (one for one in parts if (patient in one.yes, patient in one.no) == told)
            return [each for one in same for each in one.behind(patient)]

        return Matched(yes, no, behind)

    def _before(self, parts: Sequence[Form], within: int | None) -> Matched:
        """By the times of the first statements; ``within`` days by the days of any, where the same
        day is within any number of days.
        """
        one, other = map(self.match, parts)
        known = day_span if within is None else day_of
        both = {
            patient: first for patient, first in one.yes.items()
            if known(first) and known(other.yes.get(patient, _NEVER))
        }  # fmt: skip
        if within is None:
            earlier = {patient: is_before(at, other.yes[patient]) for patient, at in both.items()}
            yes = {patient: at for patient, at in both.items() if earlier[patient]}
            both = {patient: at for patient, at in both.items() if earlier[patient] is not None}
        else:
            starts, ends = map(self._days, parts)
            yes = {
                patient: first for patient, first in both.items()
                if any(0 <= (end - start).days <= within for start in starts.get(patient, ())
                       for end in ends.get(patient, ()))
            }  # fmt: skip
        no = {*one.no, *other.no, *(both.keys() - yes.keys())}
        return Matched(yes, no, lambda n: [*one.behind(n), *other.behind(n)])

    def _days(self, form: Form) -> dict[int, set[date]]:
        """The days on which notes state a criterion, by patient who matches; of forms but ``or``
        the first.
        """
        yes = self.match(form).yes
        told: Mapping[int, Set[str]] = {patient: {first} for patient, first in yes.items()}
        if isinstance(form, Or):
            found: dict[int, set[date]] = {}
            for part in form.parts:
                for patient, days in self._days(part).items():
                    found.setdefault(patient, set()).update(days)
            return found
        if isinstance(form, Leaf) and (times := self.match(form).times) is not None:
            told = times()
        return {
            patient: {day for time in told[patient] if (day := day_of(time)) is not None}
            for patient in yes
            if patient in told
        }


def _parted(told: Mapping[int, bool | None]) -> tuple[dict[int, str], set[int]]:
    """The patients told to match, without a time, and those told not to."""
    yes = {patient: _NEVER for patient, answer in told.items() if answer}
    return yes, {patient for patient, answer in told.items() if answer is False}


def _last(times: Iterable[str]) -> str:
    """The last of some times; what has none does not count."""
    return max((time for time in times if time != _NEVER), default="")


def _settled(form: Value, said: str, value: float | None) -> bool | None:
    """Return whether a value is as asked; None of one of which only one side is known where it may
    be in or out.
    """
    least = most = math.nan if value is None else value
    if said in BOUNDS:
        edge = math.inf if said[0] == ">" else -math.inf
        beyond = least if said[1:] else math.nextafter(least, edge)
        least, most = (beyond, edge) if edge > 0 else (edge, beyond)
    low, high, parts = form.low, form.high, form.name in IN_PARTS
    inside, outside = form.said in ("", said) or said in BOUNDS, False
    if low is not None:
        low += WITHIN if parts and low == int(low) and form.strict else 0
        inside = inside and (least > low if form.strict else least >= low)
        outside = most <= low if form.strict else most < low
    if high is not None:
        high += WITHIN if parts and high == int(high) and not form.strict else 0
        inside = inside and (most < high if form.strict else most <= high)
        outside = outside or (least >= high if form.strict else least > high)
    return inside if inside or outside or said not in BOUNDS else None
