"""A logical form as a query, which `clinfo.pipelines.cohort.query` reads back, and as
nested boxes.
"""

from collections.abc import Callable, Sequence
from typing import Any

from clinfo.patients.quantities import quantities
from clinfo.pipelines.cohort.facts import value_code
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
    parts_of,
)  # fmt: skip

_SUBJECTS = {"patient": "", "family": "family history of", "other": "other person"}


def query_text(form: Form) -> str:
    """The query of a form."""
    match form:
        case And(parts):
            return " and ".join(_within(part, And, Or) for part in parts)
        case Or(parts):
            return " or ".join(_within(part, Or) for part in parts)
        case Not(part, stated):
            return ("denied " if stated else "not ") + _within(part, And, Or)
        case Before(parts, days):
            within = f"within {days} days " if days is not None else ""
            return f" {within}before ".join(map(_operand, parts))
        case AtLeast(count, parts):
            return f"at least {count} of ({', '.join(map(query_text, parts))})"
    return _leaf(form)


def form_tree(form: Form, counted: Callable[[Form], int | str]) -> dict[str, Any]:
    """The form and its parts, each with its query, ``joins`` (what holds its parts together) and
    ``count``, how many match.
    """
    inner = [form_tree(part, counted) for part in parts_of(form)]
    return {"text": query_text(form), "joins": joins(form), "count": counted(form), "parts": inner}


def joins(form: Form) -> str:
    """Return what holds the parts of a form together; "" for a single criterion."""
    match form:
        case And():
            return "and"
        case Or():
            return "or"
        case Not(_, stated):
            return "denied" if stated else "not"
        case Before(_, within):
            return f"before, within {within} days" if within is not None else "before"
        case AtLeast(count):
            return f"at least {count} of"
    return ""


def _within(form: Form, *looser: type) -> str:
    """A part in parentheses where it would bind less than what it stands in."""
    return f"({query_text(form)})" if isinstance(form, looser) else query_text(form)


def _operand(form: Form) -> str:
    """One side of an order in time; a span of time of its own would be taken for the order's."""
    spanned = isinstance(form, (Has, Value)) and (form.since or form.until)
    return f"({query_text(form)})" if spanned else _within(form, And, Or, Not, Before)


def _leaf(form: Leaf) -> str:
    match form:
        case Has():
            parts = _has(form)
        case Value():
            parts = _value(form)
        case Gene(genes, change, nature, origin, others):
            parts = [origin, "gene", _one_or_list([_gene(one) for one in genes]),
                     "" if change == "alteration" else f"change {quoted(change)}",
                     f"nature {quoted(nature)}" if nature else "", _except(others)]  # fmt: skip
        case Age(low, high, at):
            parts = ["age", _bounds(low, high, False, str), f"in {at}" if at else ""]
        case Sex(sex):
            parts = [sex]
        case Dead(dead, at):
            parts = ["dead" if dead else "alive", f"in {at}" if at else ""]
    return " ".join(filter(None, parts))


def _has(form: Has) -> list[str]:
    then = _bounds(form.age_from, form.age_to, False, str)
    return [
        form.when if form.when in ("current", "new", "latest") else "",
        "suspected" if form.certainty == "suspected" else "", _SUBJECTS[form.subject],
        form.kind or "any", quoted(form.concept), _except(form.other_than),
        f"at least {form.times} times" if form.times > 1 else "",
        f"at age {then}" if then else "", _window(form.since, form.until),
        "at diagnosis" if form.when == "at diagnosis" else "",
    ]  # fmt: skip


def _value(form: Value) -> list[str]:
    own = quantities().get(form.name)
    unit = f" {own.unit}" if own is not None and own.unit != "-" else ""

    def said(value: float) -> str:
        return value_code(form.name, value) + unit

    return [
        form.when if form.when in ("latest", "current", "new") else "",
        "value", form.name, _bounds(form.low, form.high, form.strict, said),
        f"as {_marked(form.said)}" if form.said else "",
        form.when if form.when in ("ever", "at diagnosis") else "",
        _window(form.since, form.until),
    ]  # fmt: skip


def _bounds(low: float | None, high: float | None, strict: bool, said: object) -> str:
    assert callable(said)
    if low is not None and high is not None:
        if strict:
            return f"> {said(low)} < {said(high)}"
        return f"= {said(low)}" if low == high else f"{said(low)} to {said(high)}"
    if low is not None:
        return f"{'>' if strict else '>='} {said(low)}"
    return f"{'<' if strict else '<='} {said(high)}" if high is not None else ""


def _window(since: str, until: str) -> str:
    if since and since == until and " " not in since:
        return f"in {since}"
    first = f"within {since}" if " " in since else f"since {since}" if since else ""
    last = f"until {until} ago" if " " in until else f"until {until}" if until else ""
    return " ".join(filter(None, (first, last)))


def _except(names: Sequence[str]) -> str:
    return f"except {_one_or_list([quoted(name) for name in names])}" if names else ""


def _one_or_list(said: Sequence[str]) -> str:
    return f"({', '.join(said)})" if len(said) > 1 else said[0]


def _gene(symbol: str) -> str:
    return symbol if symbol.replace("-", "").isalnum() and symbol.isascii() else quoted(symbol)


def quoted(name: str) -> str:
    """A name in quotation marks, but for one small word that is none of the language."""
    plain = name.isascii() and name.isalpha() and name.islower()
    if plain and len(name) > 4 and name not in _WORDS:
        return name
    return _marked(name)


def _marked(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_WORDS = frozenset((
    "alive", "allergy", "after", "before", "condition", "current", "currently", "denied", "except",
    "family", "female", "first", "latest", "newly", "other", "procedure", "since", "suspected",
    "until", "value", "without",
))  # fmt: skip
