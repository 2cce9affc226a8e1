"""Logical form → the words that `clinfo.pipelines.cohort.parsing` reads as the same form."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
)  # fmt: skip
from clinfo.pipelines.cohort.special import qualified, signs
from clinfo.pipelines.cohort.values import said_value

_NOT_PLAIN = re.compile(
    r"[^\w '-]|\b(?:and|or|with|without|no|not|never|before|after|of|in|to|from|other|patients?|"
    r"suspected|possible|current|active|history|at|on|who|plus|free|using|status|disease|due)\b|"
    r"^(?:\w+ing|exactly|specific|any|all|some)\b", re.IGNORECASE,
)  # fmt: skip
_CUES = {"drug": "taking ", "procedure": "underwent "}


def text_of(form: Form) -> str:
    """The criteria of a form in words."""
    match form:
        case Has():
            return _has(form)
        case Value():
            return said_value(form)
        case Gene(genes, change, nature, origin, other_than):
            but = f" other than {' and '.join(other_than)}" if other_than else ""
            return " ".join(filter(None, (origin, nature, "/".join(genes), change))) + but
        case Age(low, high, at):
            span = (
                f"aged at most {high}"
                if low is None
                else f"aged at least {low}"
                if high is None
                else f"aged {low} to {high}"
            )
            return f"{span} in {at}" if at else span
        case Sex(sex):
            return sex
        case Dead(dead, at):
            return ("dead" if dead else "alive") + (f" in {at}" if at else "")
        case And(parts):
            return _joined(parts, " and ")
        case Or(parts):
            return _joined(parts, " or ")
        case AtLeast(count, parts):
            return f"at least {count} of: {_joined(parts, ', ')}"
        case Not(part, stated):
            bare = isinstance(part, Has) and not part.other_than
            said = text_of(part) if bare else f"({text_of(part)})"
            return ("documented absence of " if stated else "not ") + said
        case Before(first, second, days):
            within = f"within {days} days " if days is not None else ""
            return f"{_grouped(first)} {within}before {_grouped(second)}"


def _has(form: Has) -> str:
    times = f"at least {form.times} records of " if form.times > 1 else ""
    when = f"{form.when} " if form.when == "current" else ""
    suspected = "suspected " if form.certainty == "suspected" else ""
    but = f" except {' or '.join(map(_quoted, form.other_than))}" if form.other_than else ""
    return f"{_CUES.get(form.kind, '')}{times}{when}{suspected}{_quoted(form.concept)}{but}"


def _quoted(name: str) -> str:
    """A name, in quotation marks where it could be read as more than one."""
    plain = not _NOT_PLAIN.search(name) and not signs(name)[1].forms and not qualified(name)[0]
    return name if plain else f'"{name}"'


def _joined(parts: Sequence[Form], mark: str) -> str:
    return mark.join(map(_grouped, parts))


def _grouped(form: Form) -> str:
    simple = isinstance(form, (Has, Value, Age, Sex, Dead, Gene)) and not getattr(
        form, "other_than", ()
    )
    return text_of(form) if simple else f"({text_of(form)})"
