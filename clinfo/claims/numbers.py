"""Checks that the numbers of a sentence, however it is worded, can come from the article it cites.

This is the one thing besides citations that rules may hold against free wording, so they hold it
only where no reading helps: a number that the article has in no form, nor rounded, nor converted,
nor computed from two others; or one that it has only with another unit.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.records.articles import Article
from clinfo.text.computed import asked_of, follows
from clinfo.text.figures import NumericExpression, find_figures, same, worded_numbers
from clinfo.text.numerals import numerals, plain
from clinfo.text.passages import passages
from clinfo.text.regex import regex

LOOSE = Decimal("0.06")
"""The distance, as a share, at which a number may lie from a longer one that it may stand for,
rounded.
"""
SMALL = 12
"""Whole numbers up to this one are too easily counted or said in other words to be missed."""
MOST_PAIRED = 30
"""Numbers of a sentence of which two are reckoned with."""
_FACTORS = tuple(Decimal(factor) for factor in (60, 24, 7, 12, 30, 52, 365, 10, 100, 1000))
"""By which a number in another unit may be multiplied or divided."""
_SPOKEN = frozenset(("fraction", "fold"))
_LIMITS = frozenset("<≤>≥")
"""A number so led ("more than 50 %") may be the writer's own measure for one that is stated."""
_BOUNDS = frozenset(("interval", "range", "p value"))
_MEASURED = frozenset(("quantity", "percent", "spread", "difference"))
_DIGITS = regex(r"\d+(?:[.·]\d+)?")


@dataclass(frozen=True)
class Place:
    """A figure at [start, end) of a field of the article, and all figures of its sentence."""

    figure: NumericExpression
    field: str
    mates: tuple[NumericExpression, ...]


@dataclass(frozen=True)
class Wrong:
    """A number of a sentence that cannot come from the article: as written, and the same number
    there with another unit ("").
    """

    written: str
    there: str = ""


def wrong_numbers(text: str, article: Article) -> tuple[Wrong, ...]:
    """The figures of ``text`` that cannot come from ``article``."""
    return tuple(
        wrong
        for figure in find_figures(text)
        if (wrong := _wrong(figure, text, article)) is not None
    )


def states_size(count: Decimal, article: Article) -> bool:
    """Return whether an article states that many people, or so large a number at all."""
    return count in _values(article.title, article.abstract)


def _wrong(figure: NumericExpression, text: str, article: Article) -> Wrong | None:
    if (
        figure.worded
        or figure.kind in _SPOKEN
        or (figure.comparator in _LIMITS and figure.kind != "p value")
        or _follows(figure, text, article)
    ):
        return None
    known = _values(article.title, article.abstract)
    written = text[figure.start : figure.end]
    loose = figure.comparator != "=" or asked_of(figure, text).leaning != ""
    missing = [value for value in figure.values if not _known(abs(value), known, loose, figure)]
    if missing and not all(
        _reckoned(abs(value), figure.unit == "%", article.title, article.abstract)
        for value in missing
    ):
        return Wrong(written)
    if figure.kind in _MEASURED and figure.unit is not None and len(figure.values) == 1:
        return _otherwise_measured(figure, written, article)
    return None


def _known(
    value: Decimal, known: frozenset[Decimal], loose: bool, figure: NumericExpression
) -> bool:
    """Return whether a value stands among those ``known``, in some form."""
    if value in known or (value == int(value) and value <= SMALL and figure.unit != "%"):
        return True
    digits = len((value if figure.unit == "%" else value.normalize()).as_tuple().digits)
    for other in known:
        if not other:
            continue
        shorter = loose or digits < len(other.normalize().as_tuple().digits)
        if shorter and abs(other - value) <= LOOSE * other:
            return True
        if figure.unit not in ("%", "participants", "studies") and any(
            value in (other * factor, other / factor)
            or (abs(other / factor - value) <= LOOSE * value and shorter)
            for factor in _FACTORS
        ):
            return True
    return False


def _reckoned(value: Decimal, percent: bool, title: str, abstract: str) -> bool:
    """Return whether a value is reckoned from two numbers of one sentence: a difference or a share;
    if no percentage, a sum or ratio.
    """
    near = Decimal(5).scaleb(int(value.as_tuple().exponent) - 1)
    return any(abs(each - value) <= near for each in _pairs(title, abstract)[0 if percent else 1])


@lru_cache(maxsize=256)
def _pairs(title: str, abstract: str) -> tuple[frozenset[Decimal], frozenset[Decimal]]:
    shares: set[Decimal] = set()
    others: set[Decimal] = set()
    for mates in {place.mates for place in _places(title, abstract)}:
        shares |= {
            100 - value
            for mate in mates
            if mate.unit == "%" and mate.kind not in _BOUNDS
            for value in mate.values
        }
        told = [
            (_unit(mate), abs(value))
            for mate in mates
            if mate.kind not in _BOUNDS
            for value in mate.values
            if value
        ]
        for place, (unit, one) in enumerate(told[:MOST_PAIRED]):
            for other in (value for its, value in told[place + 1 : MOST_PAIRED] if its == unit):
                low, high = min(one, other), max(one, other)
                shares |= {
                    high - low,
                    100 * low / high,
                    100 - 100 * low / high,
                    100 * high / low - 100,
                }
                others |= {high - low, high + low, high / low}
    return frozenset(shares), frozenset(others)


def _otherwise_measured(figure: NumericExpression, written: str, article: Article) -> Wrong | None:
    """A quantity whose number the article has only with units that it cannot be converted from."""
    there = [
        place
        for place in _places(article.title, article.abstract)
        if set(map(abs, figure.values)) <= set(map(abs, place.figure.values))
    ]
    if not there or any(place.figure.unit in (None, figure.unit) for place in there):
        return None
    loose = [
        number
        for number in _plain_numbers(article.title, article.abstract)
        if number == abs(figure.values[0])
    ]
    if len(loose) > len(there):  # one of them is not a number, so that nothing is known of its unit
        return None
    place = there[0]
    field = article.title if place.field == "title" else article.abstract
    return Wrong(written, field[place.figure.start : place.figure.end])


def _follows(figure: NumericExpression, text: str, article: Article) -> bool:
    asked = asked_of(figure, text)
    for place in _places(article.title, article.abstract):
        if same(figure, place.figure) or follows(asked, place.figure, place.mates) is not None:
            return True
    if figure.kind == "range":
        return all(
            _follows(
                replace(figure, kind="quantity" if figure.unit else "number", values=(value,)),
                text,
                article,
            )
            for value in figure.values
        )
    return False


@lru_cache(maxsize=256)
def _places(title: str, abstract: str) -> tuple[Place, ...]:
    found: list[Place] = []
    texts = {"title": title, "abstract": abstract}
    known = {name: (*find_figures(text), *worded_numbers(text)) for name, text in texts.items()}
    for part in _passages(title, abstract):
        inside = tuple(figure for figure in known[part[0]] if part[1] <= figure.start < part[2])
        found += (Place(figure, part[0], inside) for figure in inside)
    return tuple(found)


def _passages(title: str, abstract: str) -> list[tuple[str, int, int]]:
    from clinfo.records.articles import Section

    return [
        (p.field, p.start, p.end)
        for p in passages(Article(id="", title=title, sections=(Section(abstract),)))
    ]


def _unit(figure: NumericExpression) -> str:
    """Return what two figures must share to be reckoned with each other: their unit, people and
    bare whole numbers taken as one.
    """
    whole = all(value == int(value) for value in figure.values)
    return (
        figure.unit if figure.unit not in (None, "participants") else "count" if whole else "value"
    )


@lru_cache(maxsize=256)
def _plain_numbers(title: str, abstract: str) -> tuple[Decimal, ...]:
    return tuple(abs(number.value) for number in numerals(plain(f"{title}\n{abstract}")))


@lru_cache(maxsize=256)
def _values(title: str, abstract: str) -> frozenset[Decimal]:
    """Every number of the article in every reading, also those that are part of a name."""
    text = f"{title}\n{abstract}"
    digits = {Decimal(match.group().replace("·", ".")) for match in _DIGITS.finditer(text)}
    return frozenset(digits | set(_plain_numbers(title, abstract)))
