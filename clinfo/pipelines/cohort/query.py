"""The query language of cohorts: a line of text → the logical form, by the grammar in
``query.lark`` beside this file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from clinfo.errors import UsageError
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
    parts_of,
)  # fmt: skip
from clinfo.pipelines.cohort.quantities import named_quantities
from clinfo.pipelines.cohort.shapes import DEEPEST, from_json, to_json
from clinfo.pipelines.cohort.values import ORDERED, STATED, code_value

if TYPE_CHECKING:
    from lark import Lark, Token

LONGEST = 20_000
"""Characters of a query."""
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
"""What is told to be missing, by the first of these that the grammar takes there."""
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_PREFIXED = re.compile(r"(?i)(?P<prefix>yp|yc|[cpyra])[ -]?(?P<code>[tnm])")
Made = TypeVar("Made", bound=Form)


def parse_query(text: str) -> Form:
    """The form that a query says. Raises UsageError with the place where it says none."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > LONGEST:
        raise UsageError(f"the query is longer than {LONGEST:,} characters")
    try:
        form: Form = _language().parse(text)  # type: ignore[assignment]
    except UnexpectedToken as error:
        place = len(text) if error.token.type == "$END" else error.token.start_pos or 0
        _wrong(text, place, _wanted(error.accepts or error.expected))
    except UnexpectedCharacters as error:
        _wrong(text, error.pos_in_stream, _wanted(error.allowed or ()))
    _not_too_deep(form)
    return from_json(to_json(form))


@cache
def _language() -> Lark:
    from lark import Lark

    grammar = Path(__file__).with_name("query.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=_forms(), maybe_placeholders=True)


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
    raise UsageError(f"not a query: {where}: {told}")


def _not_too_deep(form: Form) -> None:
    level: Sequence[Form] = (form,)
    for _ in range(DEEPEST):
        level = [part for one in level for part in parts_of(one)]
        if not level:
            return
    raise UsageError(f"not a query: more than {DEEPEST} criteria stand within each other")


Change = Callable[[Any], Any]


def _forms() -> Any:
    """What makes forms of the parts of a parsed query (a class of a library that is heavy to
    import).
    """
    from lark import Transformer

    class Forms(Transformer):  # type: ignore[type-arg]
        """A method a rule of the grammar; parts of a criterion are changes of its form."""

        def start(self, found: list[Form]) -> Form:
            return found[0]

        def either(self, found: list[Any]) -> Form:
            return Or(tuple(found[::2]))

        def all(self, found: list[Any]) -> Form:
            return And(tuple(found[::2]))

        def negated(self, found: list[Any]) -> Form:
            return Not(found[1])

        def denied(self, found: list[Any]) -> Form:
            return Not(found[1], stated=True)

        def before(self, found: list[Any]) -> Form:
            return Before(found[0], found[2], _span_days(found[1]))

        def after(self, found: list[Any]) -> Form:
            return Before(found[2], found[0], _span_days(found[1]))

        def at_least(self, found: list[Any]) -> Form:
            return AtLeast(_number_in(found[0]), tuple(found[1:]))

        def named(self, found: list[Any]) -> Form:
            at = next(n for n, one in enumerate(found) if getattr(one, "type", "") == "KIND")
            kind = found[at].lower()
            form = Has(found[at + 1], "" if kind == "any" else kind)
            return _changed(form, [*found[:at], *found[at + 2 :]])

        def named_alone(self, found: list[Any]) -> Form:
            at = next(n for n, one in enumerate(found) if getattr(one, "type", "") == "QUOTED")
            return _changed(Has(_unquoted(found[at])), [*found[:at], *found[at + 1 :]])

        def value(self, found: list[Any]) -> Form:
            at = next(n for n, one in enumerate(found) if getattr(one, "type", "") == "VALUE")
            code, said, unit = _code(found[at + 1], found[at])
            form = Value(code, said=said)
            if found[at + 2] is not None:
                form = found[at + 2](form, unit)
            made = _changed(form, [*found[:at], *found[at + 3 :]])
            if made.low is made.high is None and not made.said:
                _at(found[at], f"the value of {code} wants a bound, such as > 7")
            return made

        def gene(self, found: list[Any]) -> Form:
            at = next(n for n, one in enumerate(found) if getattr(one, "type", "") == "GENE")
            return _changed(Gene(tuple(found[at + 1])), [*found[:at], *found[at + 2 :]])

        def age(self, found: list[Any]) -> Form:
            low, high = found[1].years()
            return Age(low, high, found[2] or "")

        def sex(self, found: list[Any]) -> Form:
            return Sex(found[-1].lower())

        def life(self, found: list[Any]) -> Form:
            return Dead(found[0].lower() == "dead", found[1] or "")

        def qualifier(self, found: list[Token]) -> Change:
            return _QUALIFIERS[found[0].type](found[0])

        def name(self, found: list[Token]) -> str:
            return _unquoted(found[0]) if found[0].type == "QUOTED" else " ".join(found)

        value_name = text = name

        def genes(self, found: list[Token]) -> list[str]:
            return [_unquoted(one) if one.type == "QUOTED" else str(one) for one in found]

        def change(self, found: list[Any]) -> Change:
            return lambda form: replace(form, change=found[1])

        def nature(self, found: list[Any]) -> Change:
            return lambda form: replace(form, nature=found[1])

        def excepted(self, found: list[Any]) -> Change:
            return _set(found[0], lambda form: {"other_than": (*form.other_than, *found[1:])})

        def within(self, found: list[Token]) -> Change:
            return _set(found[0], lambda form: {"since": _span(found[0])})

        def ago(self, found: list[Token]) -> Change:
            return _set(found[0], lambda form: {"until": _span(found[0])})

        def since(self, found: list[Token]) -> Change:
            return _set(found[0], lambda form: {"since": str(found[1])})

        def until(self, found: list[Token]) -> Change:
            return _set(found[0], lambda form: {"until": str(found[1])})

        def during(self, found: list[Token]) -> Change:
            day = str(found[1])
            return _set(found[0], lambda form: {"since": day, "until": day})

        def times(self, found: list[Token]) -> Change:
            return _set(found[0], lambda form: {"times": _number_in(found[0])})

        def at_age(self, found: list[Any]) -> Change:
            low, high = found[1].years()
            return _set(found[0], lambda form: {"age_from": low, "age_to": high})

        def said(self, found: list[Token]) -> Change:
            return _set(found[0], lambda form: {"said": _unquoted(found[1])})

        def when(self, found: list[Token]) -> Change:
            return _QUALIFIERS[found[0].type](found[0])

        def bound(self, found: list[Any]) -> _Bounds:
            return _Bounds(str(found[0]).lower(), found[1], found[1], found[2])

        def bounded(self, found: list[Any]) -> _Bounds:
            first, second = self.bound(found[:3]), self.bound(found[3:])
            return first.joined(second, found[3])

        def span(self, found: list[Any]) -> _Bounds:
            return _Bounds("to", found[1], found[4], found[5] or found[2])

        def literal(self, found: list[Token]) -> Token:
            return found[0]

        def at(self, found: list[Token]) -> str:
            return str(found[1])

    return Forms()


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


def _changed(form: Any, changes: Sequence[Change]) -> Any:
    """A form with its qualifiers and what follows its name."""
    first = False
    for change in changes:
        first = first or change is _first
        form = change(form)
    if first and isinstance(form, Has) and (form.since or form.until):
        return replace(form, when="new")
    return form


def _first(form: Form) -> Form:
    """As it was: `_changed` looks at it when the window is known."""
    return form


def _set(token: Any, fields: Callable[[Any], dict[str, Any]]) -> Change:
    """A change that is refused where the form has no such fields."""

    def change(form: Any) -> Any:
        try:
            return replace(form, **fields(form))
        except (TypeError, AttributeError):
            _at(token, f'"{token}" does not go with this criterion')

    return change


_QUALIFIERS: dict[str, Callable[[Any], Change]] = {
    "SUSPECTED": lambda said: _set(said, lambda form: {"certainty": "suspected"}),
    "FAMILY": lambda said: _set(said, lambda form: {"subject": "family"}),
    "OTHER": lambda said: _set(said, lambda form: {"subject": "other"}),
    "ORIGIN": lambda said: _set(said, lambda form: {"origin": str(said).lower()}),
    "HISTORY": lambda said: _set(said, lambda form: {"when": "ever"}),
    "FIRST": lambda said: _first,
} | {
    name.upper().replace(" ", "_"): lambda said, name=name: _set(said, lambda form: {"when": name})
    for name in ("ever", "current", "latest", "new", "at diagnosis")
}  # type: ignore[assignment,misc]


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
    if (quantity := named_quantities().get(own)) is None:
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
    return int(re.sub(r"\D", "", said))


def _span(said: str) -> str:
    """``2 years`` of "within the last 2 years"."""
    number, unit = re.search(r"(\d+)\s+(day|week|month|year)", said.lower()).groups()  # type: ignore[union-attr]
    return f"{int(number)} {unit}s"


def _span_days(said: str) -> int | None:
    if not any(one.isdigit() for one in said):
        return None
    number, unit = _span(said).split()
    return int(number) * _DAYS[unit[:-1]]
