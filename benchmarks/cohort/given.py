"""The logical forms of the data, as forms of the program, by one table; and when two forms are the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Has,
    Not,
    Or,
    Sex,
    parts_of,
)

SUSPECTED = "suspected "
DAY = "2022"
"""The year for which the data gives ages and who lives."""
_OLDEST = 150


def form_of(given: Sequence[Any]) -> Form:
    """A form of the data: cond, med, and, or, diff, before, age [low, high, sex], dead. "history of
    X" is a name as recorded.
    """
    match given:
        case ["cond", str(name)]:
            suspected = name.startswith(SUSPECTED)
            certainty = "suspected" if suspected else "confirmed"
            return Has(name.removeprefix(SUSPECTED), "condition", certainty)  # type: ignore[arg-type]
        case ["med", str(name)]:
            return Has(name, "drug")
        case ["and", *parts]:
            return And(tuple(map(form_of, parts)))
        case ["or", *parts]:
            return Or(tuple(map(form_of, parts)))
        case ["diff", one, other]:
            return And((form_of(one), Not(form_of(other))))
        case ["before", one, other]:
            return Before((form_of(one), form_of(other)))
        case ["age", low, high, sex]:
            living = (Age(low, min(high, _OLDEST), DAY), Dead(False, DAY))
            return And((*living, Sex(sex)) if sex else living)
        case ["dead"]:
            return Dead(True)
    raise ValueError(f"no form of the data: {given!r}")


def same(one: Form, other: Form, concepts: Concepts) -> bool:
    """Return whether two forms ask for the same: names by what they stand for, parts in any order,
    ages whose last bound nobody reaches as open.
    """
    return bool(_meant(one, concepts) == _meant(other, concepts))


def _meant(form: Form, concepts: Concepts) -> Any:
    match form:
        case Has():
            found = concepts.named(form.concept)
            above = frozenset(found.above if found is not None else (form.concept.lower(),))
            return ("has", above, form.certainty, form.subject, form.times, form.since, form.until,
                    form.when == "current", form.age_from, form.age_to)  # fmt: skip
        case Age(low, high, at):
            return ("age", low or 0, None if high is None or high > 120 else high, at[:4])
        case And() | Or():
            own = [_meant(part, concepts) for part in parts_of(form)]
            inner = {each for one in own for each in (one[1] if one[0] == _name(form) else (one,))}
            return (_name(form), frozenset(inner))
        case Not(part, stated):
            return ("not", _meant(part, concepts), stated)
        case Before((first, second), days):
            return ("before", _meant(first, concepts), _meant(second, concepts), days)
        case AtLeast(count, parts):
            return (count, frozenset(_meant(part, concepts) for part in parts))
    return ("is", form)


def _name(form: And | Or) -> str:
    return "and" if isinstance(form, And) else "or"
