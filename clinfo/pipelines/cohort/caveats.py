"""What is said beside a cohort, a line each and only where it applies: a form that finds otherwise
than its words may seem to say, and names that no record holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.pipelines.cohort.answer import Cohort
from clinfo.pipelines.cohort.form import Age, Dead, Form, Gene, Has, Leaf, Value, leaves
from clinfo.pipelines.cohort.matching import LOST_YEARS
from clinfo.pipelines.cohort.query_text import quoted

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
    if not cohort.members and least <= 1:
        yield from dict.fromkeys(_unheard(one) for one in asked if not index.stated(one))


def _unheard(form: Leaf) -> str:
    match form:
        case Has(concept, subject=subject):
            return f"no record names {quoted(concept)}{_WHOSE[subject]}"
        case Value(name):
            return f"no record has a value of {name}"
        case Gene(genes):
            return f"no record names a change of {' or '.join(genes)}"
    return "no record states a death"
