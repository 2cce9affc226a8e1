"""A logical form as nested boxes: what joins its parts, and how many match each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clinfo.pipelines.cohort.form import And, AtLeast, Before, Form, Not, Or, parts_of
from clinfo.pipelines.cohort.query_text import query_text


def boxes(form: Form, counted: Callable[[Form], int | str]) -> dict[str, Any]:
    """The form and its parts, each with its query, ``joins`` (what holds its parts together) and
    ``count``, how many match.
    """
    joins, parts = joined(form)
    inner = [boxes(part, counted) for part in parts]
    return {"text": query_text(form), "joins": joins, "count": counted(form), "parts": inner}


def joined(form: Form) -> tuple[str, tuple[Form, ...]]:
    """What joins the parts of a form, and the parts; none of a single criterion."""
    words = ""
    match form:
        case And():
            words = "and"
        case Or():
            words = "or"
        case Not(_, stated):
            words = "denied" if stated else "not"
        case Before(_, within):
            words = f"before, within {within} days" if within is not None else "before"
        case AtLeast(count):
            words = f"at least {count} of"
    return words, parts_of(form)
