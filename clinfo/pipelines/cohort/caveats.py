"""What is said beside a cohort, a line each and only where it applies: a form that finds otherwise
than its words may seem to say, and criteria that nobody matches, excluded ones too.
"""

from __future__ import annotations

from collections.abc import Iterator

from clinfo.pipelines.cohort.answer import Cohort
from clinfo.pipelines.cohort.form import Age, Before, Dead, Form, Has, Leaf, Not, every, parts_of
from clinfo.pipelines.cohort.matching import LOST_YEARS
from clinfo.pipelines.cohort.query_text import query_text


def caveats(cohort: Cohort, form: Form, least: int) -> Iterator[str]:
    """The lines. With ``least`` more than 1 none of them tells of the records."""
    yield from dict.fromkeys(_of_words(cohort, form, least))
    if least <= 1:
        yield from dict.fromkeys(_unmatched(cohort, form))


def _of_words(cohort: Cohort, form: Form, least: int) -> Iterator[str]:
    for one in every(form):
        match one:
            case Dead(dead=True):
                yield '"dead" finds only those whose death a record states'
            case Age(at=""):
                told = f"ages run to {cohort.index.today}, also of patients last seen long before"
                lost = sum(map(cohort.index.lost, cohort.members))
                seen = "member was" if lost == 1 else "members were"
                if least > 1:
                    yield told
                elif lost:
                    yield f"{told}: {lost:,} {seen} not seen in the last {LOST_YEARS} years"
            case Has(times=times) if times > 1:
                counted = "counts days on which it is mentioned, not how often it happened"
                yield f'"at least {times} times" {counted}'
            case Before(parts, None):
                first, second = map(query_text, parts)
                yield f"the first {first} is compared with the first {second}"


def _unmatched(cohort: Cohort, form: Form, excluded: bool = False) -> Iterator[str]:
    """The criteria that nobody matches; ``excluded`` those under a ``not``."""
    denied = isinstance(form, Not) and form.stated  # an absence that is stated is a criterion
    if (isinstance(form, Leaf) or denied) and not cohort.count(form):
        matched = cohort.index.match(form)
        told = "no patient matches" if matched.no.any() else "no record states"
        removes = ": this exclusion removes nobody" if excluded else ""
        yield f"{told} {query_text(form)}{removes}"
    for part in () if denied else parts_of(form):
        yield from _unmatched(cohort, part, excluded != isinstance(form, Not))
