"""Forms that nobody can match: an age over 60 and under 18, a man and a woman."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from clinfo.pipelines.cohort.form import Age, And, Dead, Form, Has, Not, Sex, Value, parts_of
from clinfo.pipelines.cohort.query_text import query_text


def contradictions(form: Form) -> tuple[str, ...]:
    """Pairs of criteria, as queries, that are all wanted and cannot both be true."""
    return tuple(
        f"{query_text(one)} and {query_text(other)}"
        for wanted in _wanted(form)
        for one, other in combinations(wanted, 2)
        if _exclude(one, other)
    )


def _wanted(form: Form) -> Iterator[list[Form]]:
    """What is wanted together, wherever it stands in a form."""
    if isinstance(form, And):
        yield list(_joined(form))
    for part in parts_of(form):
        yield from _wanted(part)


def _joined(form: Form) -> Iterator[Form]:
    for part in parts_of(form):
        if isinstance(part, And):
            yield from _joined(part)
        else:
            yield part


def _exclude(one: Form, other: Form) -> bool:
    match one, other:
        case (Age(), Age()) if one.at == other.at:
            return _apart(one, other)
        case (Value(), Value()) if one.when == other.when == "latest":
            same = (one.name, one.since, one.until) == (other.name, other.since, other.until)
            return same and _apart(one, other)
        case (Sex(), Sex()):
            return one != other
        case (Dead(), Dead()):
            return one.at == other.at and one.dead != other.dead
        case (Not(Has() as part), _) | (_, Not(Has() as part)):
            return part in (one, other)
    return False


def _apart(one: Age | Value, other: Age | Value) -> bool:
    """Whether two spans have no number in common."""
    low = max(-1e12 if each.low is None else each.low for each in (one, other))
    high = min(1e12 if each.high is None else each.high for each in (one, other))
    return low > high
