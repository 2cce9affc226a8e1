"""What is said beside a cohort, a line each and only where it applies: a form that finds otherwise
than its words may seem to say, and criteria that nobody matches, excluded ones too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from clinfo.pipelines.cohort.answer import Cohort
from clinfo.pipelines.cohort.form import (
    Age,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Leaf,
    Not,
    Value,
    leaves,
    parts_of,
)  # fmt: skip
from clinfo.pipelines.cohort.matching import LOST_YEARS
from clinfo.pipelines.cohort.query_text import query_text, quoted

_WHOSE = {"patient": "", "family": " of a relative", "other": " of another person"}


def caveats(cohort: Cohort, form: Form, least: int) -> Iterator[str]:
    """The lines. With ``least`` more than 1 none of them tells of the records."""
    index, asked = cohort.index, tuple(leaves(form))
    if any(isinstance(one, Dead) and one.dead for one in asked):
        yield '"dead" finds only those whose death a record states'
    if any(isinstance(one, Age) and not one.at for one in asked):
        told = f"ages run to {index.today.isoformat()}, also of patients last seen long before"
        lost = sum(index.lost(one) for one in cohort.members)
        if least > 1:
            yield told
        elif lost:
            seen = "member was" if lost == 1 else "members were"
            yield f"{told}: {lost:,} {seen} not seen in the last {LOST_YEARS} years"
    often = {one.times: None for one in asked if isinstance(one, Has) and one.times > 1}
    for times in often:
        counted = "counts days on which it is mentioned, not how often it happened"
        yield f'"at least {times} times" {counted}'
    yield from dict.fromkeys(_orders(form))
    if least <= 1:
        yield from dict.fromkeys(_unmatched(cohort, form))


def _orders(form: Form) -> Iterator[str]:
    if isinstance(form, Before) and form.within_days is None:
        first, second = map(query_text, form.parts)
        yield f"the first {first} is compared with the first {second}"
    for part in parts_of(form):
        yield from _orders(part)


def _unmatched(cohort: Cohort, form: Form, excluded: bool = False) -> Iterator[str]:
    """The criteria that nobody matches; ``excluded`` those under a ``not``."""
    if isinstance(form, Not) and not form.stated:
        yield from _unmatched(cohort, form.part, not excluded)
        return
    if isinstance(form, Leaf) and not cohort.count(form):
        if excluded:
            yield _removes_nobody(form)
        elif cohort.index.stated(form):
            yield f"no patient matches {query_text(form)}"
        else:
            yield _unheard(form)
    if isinstance(form, Not):  # an absence that is stated
        if not cohort.count(form):
            yield f"no patient matches {query_text(form)}"
        return
    for left_out in _left_out(form):
        if not cohort.count(left_out):
            yield _removes_nobody(left_out)
    for part in parts_of(form):
        yield from _unmatched(cohort, part, excluded)


def _left_out(form: Form) -> Iterator[Leaf]:
    """What a criterion does not count (``except``)."""
    match form:
        case Has(kind=kind, subject=subject):
            yield from (Has(name, kind, subject=subject) for name in form.other_than)
        case Gene():
            yield from (replace(form, change=one, other_than=()) for one in form.other_than)


def _removes_nobody(form: Leaf) -> str:
    plain = isinstance(form, Has) and form == Has(form.concept, form.kind)
    said = quoted(form.concept) if plain and isinstance(form, Has) else query_text(form)
    return f"nobody's records state {said}: this exclusion removes nobody"


def _unheard(form: Leaf) -> str:
    match form:
        case Has(concept, subject=subject):
            return f"no record names {quoted(concept)}{_WHOSE[subject]}"
        case Value(name):
            return f"no record has a value of {name}"
        case Gene(genes):
            return f"no record names a change of {' or '.join(genes)}"
    return "no record states a death"
