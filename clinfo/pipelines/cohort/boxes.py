"""A logical form as nested boxes: what joins its parts, and how many match each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clinfo.pipelines.cohort.form import And, AtLeast, Before, Form, Not, Or
from clinfo.pipelines.cohort.wording import text_of


def boxes(form: Form, counted: Callable[[Form], int | str]) -> dict[str, Any]:
    """The form and its parts, each with its words, ``joins`` (what holds its parts together) and
    ``count``, how many match.
    """
    joins, parts = joined(form)
    inner = [boxes(part, counted) for part in parts]
    return {"text": text_of(form), "joins": joins, "count": counted(form), "parts": inner}


def joined(form: Form) -> tuple[str, tuple[Form, ...]]:
    """What joins the parts of a form, and the parts; none of a single criterion."""
    match form:
        case And(parts):
            return "and", parts
        case Or(parts):
            return "or", parts
        case Not(part, stated):
            return "documented absence of" if stated else "not", (part,)
        case Before(first, second, within):
            words = f"before, within {within} days" if within is not None else "before"
            return words, (first, second)
        case AtLeast(count, parts):
            return f"at least {count} of", parts
    return "", ()
