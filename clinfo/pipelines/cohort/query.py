"""The query language of cohorts: a line of text → the logical form, by the grammar in
``query.lark`` beside this file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from clinfo.errors import UsageError
from clinfo.patients.quantities import named_quantities, quantity_named
from clinfo.pipelines.cohort.facts import ORDERED, STATED, code_value
from clinfo.pipelines.cohort.form import (
    DEEPEST,
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
    from_json,
    parts_of,
    to_json,
)  # fmt: skip
from clinfo.records.request import refuse_longer

if TYPE_CHECKING:
    from lark import Lark, Token

EXAMPLE = 'condition "Type 2 Diabetes" and not drug metformin and value hba1c > 7 within 6 months'
_CRITERION = f"a criterion, such as: {EXAMPLE}; age >= 18; female; gene EGFR change L858R"
_WANTED = {
    "KIND": _CRITERION,
    "AND": '"and", "or", "before", more of this criterion or the end',
    "OPERATOR": "a bound, such as > 7 or 3 to 5",
    "NUMBER": "a number",
    "WORD": "a name",
    "GENE_NAME": "the symbol of a gene",
    "CHANGE_WORD": "a word, or several in quotation marks",
    "DAY": "a year, month or day as 2022-01-31",
    "TO": '"to" and a second bound',
    "RPAR": 'a closing ")"',
    "$END": "the end",
}
"""Words for what is missing, by the first of these that the grammar takes there."""
_NAME = re.compile(r"[^\W\d](?:[\w-]|[ ](?!(?:and|or|before|after)\b))*", re.IGNORECASE)
"""Words that may be a name without its kind."""
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_PREFIXED = re.compile(r"(?i)(?P<prefix>yp|yc|[cpyra])[ -]?(?P<code>[tnm])")


def parse_query(text: str) -> Form:
    """The form that a query says. Raises UsageError with the place where it says none."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    refuse_longer("the query", text)
    try:
        form: Form = _language().parse(text)  # type: ignore[assignment]
    except UnexpectedToken as error:
        place = len(text) if error.token.type == "$END" else error.token.start_pos or 0
        _wrong(text, place, _wanted(error.accepts or error.expected))
    except UnexpectedCharacters as error:
        _wrong(text, error.pos_in_stream or 0, _wanted(error.allowed or ()))
    _not_too_deep(form)
    return from_json(to_json(form))


@cache
def _language() -> Lark:
    from lark import Lark, Transformer

    forms = type("Forms", (Transformer,), {name: _rule(make) for name, make in _RULES.items()})
    grammar = Path(__file__).with_name("query.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=forms(), maybe_placeholders=True)


def _rule(make: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """A rule as a method of the library's class, which is heavy to import."""
    return lambda self, found: make(found)


def _wanted(accepted: Any) -> str:
    names = set(accepted)
    if "WORD" in names and "AND" in names:
        names.discard("WORD")
    found = next((told for name, told in _WANTED.items() if name in names), "something else")
    return f"wanted {found}"


def _wrong(text: str, place: int, told: str) -> NoReturn:
    """Refuse a query with the place of its fault."""
    at = text[place : place + 30].split("\n")[0]
    where = f'at character {place + 1}, "{at}"' if at.strip() else "at the end"
    if told.endswith(_CRITERION) and (name := _NAME.match(text, place)):
        told = f'wanted what this is, as condition "{name[0]}", or quotation marks for any kind'
    raise UsageError(f"not a query: {where}: {told}")


def _not_too_deep(form: Form) -> None:
    level: Sequence[Form] = (form,)
    for _ in range(DEEPEST):
        level = [part for one in level for part in parts_of(one)]
        if not level:
            return
    raise UsageError(f"not a query: more than {DEEPEST} criteria stand within each other")


Change = Callable[[Any], Any]
"""A change of a form by one of its qualifiers, or by what stands behind its name."""


def _set(token: Any, **fields: Any) -> Change:
    """A change that is refused where the form has no such fields."""

    def change(form: Any) -> Any:
        try:
            return replace(form, **fields)
        except TypeError:
            _at(token, f'"{token}" does not go with this criterion')

    return change


def _first(form: Form) -> Form:
    """As it was: `_made` looks at it when the span of time is known."""
    return form


def _without(token: Any, names: Sequence[str]) -> Change:
    """A change that adds names to those that do not count."""
    return lambda form: _set(token, other_than=(*getattr(form, "other_than", ()), *names))(form)


def _made(found: Sequence[Any], kind: str, form: Callable[..., Any], arguments: int = 0) -> Any:
    """The form of a criterion: ``form`` is called with the token of this kind and so many parts
    behind it, all other parts change what it gives.
    """
    at = next(n for n, one in enumerate(found) if getattr(one, "type", "") == kind)
    end = at + 1 + arguments
    made, changes = form(*found[at:end]), (*found[:at], *found[end:])
    for change in changes:
        made = change(made)
    spanned = isinstance(made, Has) and (made.since or made.until)
    return replace(made, when="new") if spanned and _first in changes else made


def _has(kind: Token, name: str) -> Has:
    said = kind.lower().split()[0]
    return Has(name, "" if said == "any" else said)  # type: ignore[arg-type]


def _value(token: Token, name: str, bounds: _Bounds | None) -> Value:
    code, said, number = _code(name, token)
    form = Value(code, said=said)
    return form if bounds is None else bounds(form, number)


def _gene(token: Token, genes: Sequence[str], change: str | None) -> Gene:
    return Gene(tuple(genes), change or "alteration")


def _measured(found: Sequence[Any]) -> Value:
    made: Value = _made(found, "VALUE", _value, 2)
    if made.low is made.high is None and not made.said:
        token = next(one for one in found if getattr(one, "type", "") == "VALUE")
        _at(token, f"the value of {made.name} wants a bound, such as > 7")
    return made


def _words(found: Sequence[Token]) -> str:
    return _unquoted(found[0]) if found[0].type == "QUOTED" else " ".join(found)


def _at_age(found: Sequence[Any]) -> Change:
    low, high = found[1].years()
    return _set(found[0], age_from=low, age_to=high)


_QUALIFIERS: Mapping[str, Callable[[Any], Change]] = {
    "SUSPECTED": lambda said: _set(said, certainty="suspected"),
    "FAMILY": lambda said: _set(said, subject="family"),
    "OTHER": lambda said: _set(said, subject="other"),
    "ORIGIN": lambda said: _set(said, origin=str(said).lower()),
    "FIRST": lambda said: _first,
    "HISTORY": lambda said: _set(said, when="ever"),
    "EVER": lambda said: _set(said, when="ever"),
    "CURRENT": lambda said: _set(said, when="current"),
    "LATEST": lambda said: _set(said, when="latest"),
    "NEW": lambda said: _set(said, when="new"),
    "AT_DIAGNOSIS": lambda said: _set(said, when="at diagnosis"),
}
_RULES: Mapping[str, Callable[[Any], Any]] = {
    "start": lambda found: found[0],
    "either": lambda found: Or(tuple(found[::2])),
    "all": lambda found: And(tuple(found[::2])),
    "negated": lambda found: Not(found[1]),
    "denied": lambda found: Not(found[1], stated=True),
    "before": lambda found: Before((found[0], found[2]), _span_days(found[1])),
    "after": lambda found: Before((found[2], found[0]), _span_days(found[1])),
    "at_least": lambda found: AtLeast(_number_in(found[0]), tuple(found[1:])),
    "named": lambda found: _made(found, "KIND", _has, 1),
    "named_alone": lambda found: _made(found, "QUOTED", lambda name: Has(_unquoted(name))),
    "value": _measured,
    "gene": lambda found: _made(found, "GENE", _gene, 2),
    "age": lambda found: Age(found[1].years()[0], found[1].years()[1], found[2] or ""),
    "sex": lambda found: Sex("female" if found[-1][0].lower() in "fw" else "male"),
    "life": lambda found: Dead(found[0].lower() == "dead", found[1] or ""),
    "qualifier": lambda found: _QUALIFIERS[found[0].type](found[0]),
    "when": lambda found: _QUALIFIERS[found[0].type](found[0]),
    "name": _words,
    "value_name": _words,
    "text": _words,
    "genes": lambda found: [_words([one]) for one in found],
    "change": lambda found: _set(found[0], change=found[1]),
    "nature": lambda found: _set(found[0], nature=found[1]),
    "excepted": lambda found: _without(found[0], found[1:]),
    "within": lambda found: _set(found[0], since=_span(found[0])),
    "ago": lambda found: _set(found[0], until=_span(found[0])),
    "since": lambda found: _set(found[0], since=str(found[1])),
    "before_day": lambda found: _set(found[0], until=_beside(found[1], -1)),
    "after_day": lambda found: _set(found[0], since=_beside(found[1], 1)),
    "until": lambda found: _set(found[0], until=str(found[1])),
    "during": lambda found: _set(found[0], since=str(found[1]), until=str(found[1])),
    "times": lambda found: _set(found[0], times=_number_in(found[0])),
    "at_age": _at_age,
    "said": lambda found: _set(found[0], said=_unquoted(found[1])),
    "bound": lambda found: _Bounds(str(found[0]).lower(), found[1], found[1], found[2]),
    "bounded": lambda found: _RULES["bound"](found[:3]).joined(
        _RULES["bound"](found[3:]), found[3]
    ),
    "span": lambda found: _Bounds("to", found[1], found[4], found[5] or found[2]),
    "range": lambda found: _range(found[0], found[1]),
    "literal": lambda found: found[0],
    "at": lambda found: str(found[1]),
}
"""Makes of the parts of each rule of the grammar a form, a change of one, or bounds."""


class _Bounds:
    """Bounds as written: an operator, or "to", and the literals between which a value lies."""

    def __init__(self, operator: str, low: Token, high: Token, unit: Token | str | None) -> None:
        operator = " ".join(operator.split())
        self._low, self._high, self._unit = low, high, str(unit or "").strip()
        self._from = operator not in ("<", "<=", "≤", "at most", "below", "under", "less than")
        self._to = operator in ("=", "to") or not self._from
        self._strict = operator in (">", "<", "above", "over", "more than", "below", "under",
                                    "less than")  # fmt: skip

    def __call__(self, form: Value, number: Callable[[Token, str], float]) -> Value:
        if self._low.type == "QUOTED":
            return replace(form, said=_unquoted(self._low))
        low, high = number(self._low, self._unit), number(self._high, self._unit)
        return replace(
            form, low=low if self._from else None, high=high if self._to else None,
            strict=self._strict,
        )  # fmt: skip

    def joined(self, other: _Bounds, token: Token) -> _Bounds:
        """Both as one, where the one is a least and the other a greatest value."""
        if not (self._from and other._to) or self._to or other._from:
            if other._from and self._to and not self._from and not other._to:
                return other.joined(self, token)
            _at(token, "two bounds are a least and a greatest value")
        if self._strict != other._strict:
            _at(token, "two bounds count both themselves, or neither (>= with <=, > with <)")
        made = _Bounds("to", self._low, other._high, self._unit or other._unit)
        made._strict = self._strict
        return made

    def years(self) -> tuple[int | None, int | None]:
        """The least and the greatest number of whole years."""
        if self._unit.rstrip("s") not in ("", "year"):
            _at(self._low, f'"{self._unit}" is no unit of age: join criteria by "and" or "or"')
        if any(one.type != "NUMBER" or "." in one or "-" in one for one in (self._low, self._high)):
            _at(self._low, "an age is whole years")
        low, high = int(self._low), int(self._high)
        return (low + self._strict if self._from else None,
                high - self._strict if self._to else None)  # fmt: skip


def _code(name: str, value: Token) -> tuple[str, str, Callable[[Any, str], float]]:
    """The code of a value, the words that its name holds besides ("yp" of ypT), and what makes a
    number of a literal and its unit.
    """
    own = " ".join(name.lower().split())
    prefixed = _PREFIXED.fullmatch(own)
    code, said = (prefixed["code"], prefixed["prefix"]) if prefixed else (own, "")
    if code in ORDERED or code in STATED:

        def position(literal: Any, unit: str) -> float:
            number = code_value(str(literal)) if literal.type == "CODE" else float(literal)
            if number is None or unit:
                _at(literal, f"no value of {code}")
            return number

        return code, said, position
    if (quantity := quantity_named(own)) is None:
        from difflib import get_close_matches

        near = get_close_matches(own, (*named_quantities(), *ORDERED, *STATED), 3)
        told = f" (near: {', '.join(near)})" if near else ""
        _at(value, f'"{name}" names nothing that is measured{told}')

    def number(literal: Any, unit: str) -> float:
        if literal.type != "NUMBER":
            _at(literal, f"a value of {quantity.title} is a number")
        if (found := quantity.value(str(literal), unit)) is None:
            units = ", ".join((quantity.unit, *(row[0] for row in quantity.units)))
            _at(literal, f"{literal} {unit}".strip() + f" cannot be {quantity.title} ({units})")
        return found

    return quantity.code, "", number


def _at(token: Any, told: str) -> NoReturn:
    raise UsageError(f"not a query: at character {(token.start_pos or 0) + 1}: {told}")


def _unquoted(said: str) -> str:
    return said[1:-1].replace('""', '"') if said[0] == '"' else said[1:-1]


def _number_in(said: str) -> int:
    return int("".join(filter(str.isdecimal, said)))


def _span(said: str) -> str:
    """``2 years`` of "within the last 2 years"; of "the past year" one."""
    unit = next(unit for unit in _DAYS if unit in said.lower())
    return f"{int(''.join(filter(str.isdecimal, said)) or 1)} {unit}s"


def _beside(said: str, by: int) -> str:
    """The year, month or day before or after one."""
    parts = [int(part) for part in said.split("-")]
    months = parts[0] * 12 + (parts[1] - 1 + by if len(parts) > 1 else by * 12)
    if len(parts) < 3:
        return f"{months // 12:04}" + (f"-{months % 12 + 1:02}" if len(parts) > 1 else "")
    try:
        return (date(*parts) + timedelta(days=by)).isoformat()
    except ValueError:
        return said  # refused as no day


def _range(token: Token, unit: Token | None) -> _Bounds:
    """The bounds of "18-64", whose numbers stand at its place."""
    low, high = (
        token.update(type="NUMBER", value=one) for one in re.findall(r"\d+(?:\.\d+)?", token)
    )
    return _Bounds("to", low, high, unit)


def _span_days(said: str) -> int | None:
    if not any(one.isdigit() for one in said):
        return None
    number, unit = _span(said).split()
    return int(number) * _DAYS[unit[:-1]]
