"""Logical form → the words that `clinfo.pipelines.cohort.parsing` reads as the same form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clinfo.pipelines.cohort.ages import NOW
from clinfo.pipelines.cohort.ages_then import said_age_then
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
    mapped,
)  # fmt: skip
from clinfo.pipelines.cohort.marks import said_window
from clinfo.pipelines.cohort.quantities import quantities, said_quantity
from clinfo.pipelines.cohort.special import qualified, signs
from clinfo.pipelines.cohort.tokens import tokens
from clinfo.pipelines.cohort.values import said_value

_PLAIN = re.compile(r"[\w '-]+")
_CUES = {"drug": "taking ", "procedure": "underwent ", "allergy": "allergic to "}


def text_of(form: Form) -> str:
    """The criteria of a form in words."""
    times = [leaf.at for leaf in leaves(form) if isinstance(leaf, (Age, Dead)) and leaf != Dead()]
    return _text(mapped(form, _today) if any(times) and "" in times else form)


def _today(leaf: Form) -> Form:
    """An age or life of the day of asking, said to be so beside others of another time."""
    if isinstance(leaf, (Age, Dead)) and not leaf.at and leaf != Dead():
        return replace(leaf, at=NOW)
    return leaf


def _text(form: Form) -> str:
    match form:
        case Has():
            return _has(form)
        case Value():
            return said_quantity(form) if form.name in quantities() else said_value(form)
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
            return f"{span}{_at(at)}"
        case Sex(sex):
            return sex
        case Dead(dead, at):
            return ("dead" if dead else "alive") + _at(at)
        case And(parts):
            return _joined(parts, " and ")
        case Or(parts):
            return _joined(parts, " or ")
        case AtLeast(count, parts):
            return f"at least {count} of: {_joined(parts, ', ')}"
        case Not(part, stated):
            bare = isinstance(part, Has) and not part.other_than
            said = _text(part) if bare else f"({_text(part)})"
            return ("documented absence of " if stated else "not ") + said
        case Before(first, second, days):
            within = f"within {days} days " if days is not None else ""
            return f"{_grouped(first)} {within}before {_grouped(second)}"


def _at(at: str) -> str:
    return f" {at}" if at == NOW else f" in {at}" if at else ""


def _has(form: Has) -> str:
    times = f"at least {form.times} records of " if form.times > 1 else ""
    when = f"{form.when} " if form.when in ("current", "new") else ""
    suspected = "suspected " if form.certainty == "suspected" else ""
    family = "family history of " if form.subject == "family" else ""
    window = " ".join(
        filter(
            None, (said_age_then(form.age_from, form.age_to), said_window(form.since, form.until))
        )
    )
    but = f" except {' or '.join(map(_quoted, form.other_than))}" if form.other_than else ""
    return (
        f"{_CUES.get(form.kind, '')}{family}{times}{when}{suspected}{_quoted(form.concept)}"
        f"{f' {window}' if window else ''}{but}"
    )


def _is_of_all(form: Has, mark: str, last: bool) -> bool:
    """Whether its words without brackets would be said of what stands beside it too."""
    timed = form.since or form.until or form.age_from is not None or form.age_to is not None
    if mark == " or " and timed:
        return True
    family = form.subject == "family" and mark in (" or ", " and ")
    return not last and (family or (form.certainty == "suspected" and mark == " or "))


def _quoted(name: str) -> str:
    """A name, in quotation marks where it could be read as more than one."""
    said, held = signs(name)
    plain = (
        _PLAIN.fullmatch(name)
        and not held.held
        and not qualified(name)[0]
        and all(token.role == "word" for token in tokens(said, held, lambda _: False))
    )
    return name if plain else f'"{name}"'


def _joined(parts: Sequence[Form], mark: str) -> str:
    return mark.join(
        f"({_text(one)})"
        if isinstance(one, Has) and _is_of_all(one, mark, at == len(parts))
        else _grouped(one)
        for at, one in enumerate(parts, 1)
    )


def _grouped(form: Form) -> str:
    simple = isinstance(form, (Has, Value, Age, Sex, Dead, Gene)) and not getattr(
        form, "other_than", ()
    )
    return _text(form) if simple else f"({_text(form)})"
