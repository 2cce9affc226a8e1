"""Numbers that follow from a sentence's numbers by arithmetic: 24 % from 12 of 50, "halved" from 40
and 20 %.

Only what a reader would do in the head, and only where the claim's own words ask for it: a
difference where it says "by 28 points" or "28 % lower", a relative reduction from a ratio where it
says that something fell or rose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache

from clinfo.lazy_dataclass import dataclass
from clinfo.text.figures import NumericExpression
from clinfo.text.lexicon import either
from clinfo.text.regex import anycase
from clinfo.text.units import DOSES

THRESHOLDS = frozenset(map(Decimal, ("0.1", "0.05", "0.01", "0.005", "0.001", "0.0001")))
"""Levels that a p value is said to lie below."""
SIGNIFICANT = Decimal("0.05")
"""Least level that a p value is said to lie above."""
NEAR = Decimal("0.05")
"""The distance, as a share, of a value from what is called "about" it."""
ABOUT_DOUBLE = Decimal("0.06")
"""The distance, as a share, at which a ratio may lie from 2 to be called "doubled"."""
SPREAD_BETWEEN = 2
"""Places between a value and the one it is compared with, in figures of a kind: 52 (15) and 20
(19).
"""
MORE_THAN_TIMES = Decimal("1.45")
"""The factor by which a ratio may exceed a stated "more than" so many times: "more than twice" up
to 2.9.
"""
SPOKEN, SPOKEN_OF_SMALL = Decimal("0.02"), Decimal("0.1")
"""The distance of a share from the fraction it is called, and that distance as a part of that
fraction.
"""
ABOUT = Decimal("0.12")
"""The distance, as a share, at which a computed value may lie from one called "about", "over" or
"nearly" it.
"""
LOOSELY = Decimal("0.1")
"""The same for one called "about" or "nearly" so many times."""
SMALL_WHOLE = 10
"""Greatest whole of a proportion that is a way of speaking ("four in five") and need be no count of
people.
"""
WORDS_AROUND = 60
"""Characters on either side of a figure that say what it is a change of."""

_DOWN = anycase(rf"\b(?:{either('falling', 'figures_down')}|protect)")
_UP = anycase(rf"\b(?:{either('rising', 'figures_up')})")
_CHANGE = (
    rf"(?:{either('falling', 'change_of')}|{either('rising', 'change_of')}|improvement|"
    r"difference|gap|margin)s?"
)
_BY = anycase(
    rf"\b(?:by|{_CHANGE}\s(?:of|was|were|is))\s(?:(?:about|around|approximately|only|nearly|almost|"
    r"roughly|some|over|under|"
    r"at\sleast|(?:more|less)\sthan|just\s(?:over|under))\s)?(?:an?\s(?:\w+\s)?)?\Z"
)
_MORE = anycase(
    r"\s?(?:(?:percentage\s)?points?\s?)?(?:(?:absolute|relative)\s)?(?:(?:higher|lower|more|fewer|"
    r"less|greater|shorter|longer|"
    rf"smaller|larger)\b|{_CHANGE}\b)"
)
_LACKING = anycase(
    r"\b(?:miss(?:ed|es|ing)|without|not|n't|fail(?:ed|s)?|never|free|lack(?:ed|s|ing)?|remaining|"
    r"other)\b"
)
_LEANING = anycase(
    r"\b(?:(?P<above>more\sthan|over|above|greater\sthan|at\sleast)|(?P<below>nearly|almost|"
    r"just\sunder|less\sthan|under|"
    r"fewer\sthan)|"
    r"(?P<about>about|around|approximately|roughly|some|close\sto))\s(?:an?\s)?\Z"
)
_DAYS = {
    "minute": Decimal(1) / 1440,
    "hour": Decimal(1) / 24,
    "day": Decimal(1),
    "week": Decimal(7),
}
_MONTHS = {"month": Decimal(1), "year": Decimal(12)}
_SCALES = {
    "kg": ("g", 3),
    "g": ("g", 0),
    "mg": ("g", -3),
    "µg": ("g", -6),
    "ng": ("g", -9),
    "pg": ("g", -12),
    "L": ("L", 0),
    "dL": ("L", -1),
    "mL": ("L", -3),
    "m": ("m", 0),
    "cm": ("m", -2),
    "mm": ("m", -3),
    "km": ("m", 3),
    "mol": ("mol", 0),
    "mmol": ("mol", -3),
    "µmol": ("mol", -6),
    "nmol": ("mol", -9),
    "pmol": ("mol", -12),
}
_VALUES = frozenset({"percent", "quantity", "number", "count", "spread"})
"""Kinds of figures of which two can be a value before and after, or in one arm and the other."""
_RATIOS = frozenset({"HR", "OR", "RR", "PR", "SMR"})


@dataclass(frozen=True)
class Step:
    """The derivation of a number from others, in words; ``derived`` where its value is not just
    another writing of one stated.
    """

    reason: str
    derived: bool = True


@dataclass(frozen=True)
class Asked:
    """A claim's figure with what the words around it say of it."""

    figure: NumericExpression
    before: str
    after: str

    @cached_property
    def value(self) -> Decimal:
        return abs(self.figure.values[0])

    @cached_property
    def falls(self) -> bool:
        return _DOWN.search(f"{self.before} {self.after}") is not None

    @cached_property
    def rises(self) -> bool:
        return _UP.search(f"{self.before} {self.after}") is not None

    @cached_property
    def leaning(self) -> str:
        """Return which way it is said to be rounded: "above", "below", "about", or "" where it is
        said as it is.
        """
        worded = _LEANING.search(self.before[-24:])
        if worded is not None:
            return str(worded.lastgroup)
        return {">": "above", "≥": "above", "<": "below", "≤": "below", "≈": "about"}.get(
            self.figure.comparator, ""
        )

    def meets(self, computed: Decimal) -> bool:
        """Return whether a computed value is the figure rounded to its decimals, or near it on the
        side that the words around it say.
        """
        value, leaning = self.value, self.leaning
        if leaning == "above":
            return value <= computed <= value * (1 + ABOUT)
        if leaning == "below":
            return value * (1 - ABOUT) <= computed <= value
        return _exact(value, computed) or (
            leaning == "about" and abs(computed - value) <= ABOUT * value
        )

    @cached_property
    def lacking(self) -> bool:
        """Return whether the words around it speak of those without something."""
        return _LACKING.search(f"{self.before} {self.after}") is not None

    @cached_property
    def change(self) -> bool:
        """Return whether the figure is said to be a difference or change."""
        return _BY.search(self.before) is not None or _MORE.match(self.after) is not None


def follows(
    asked: Asked, source: NumericExpression, mates: Sequence[NumericExpression]
) -> Step | None:
    """Return how the figure of ``asked`` follows from ``source`` and its ``mates``; None where it
    does not.

    ``mates`` are all figures of one sentence, ``source`` among them; it is always one of those
    computed with.
    """
    return next(_steps(asked, source, mates), None)


@lru_cache(maxsize=512)
def asked_of(claim: NumericExpression, text: str) -> Asked:
    """A figure read from ``text`` with what the words around it say of it."""
    before, after = (
        text[max(0, claim.start - WORDS_AROUND) : claim.start],
        text[claim.end : claim.end + WORDS_AROUND],
    )
    return Asked(claim, before, after)


def _steps(
    asked: Asked, source: NumericExpression, mates: Sequence[NumericExpression]
) -> Iterator[Step]:
    claim = asked.figure
    single = len(source.values) == 1
    if claim.kind == "p value" or source.kind == "p value":
        if claim.kind == source.kind:
            yield from _p_values(claim, source)
    elif claim.kind in ("interval", "range", "spread"):
        if (
            source.kind == claim.kind
            and not single
            and _alike(claim, source)
            and all(map(_rounded, claim.values, source.values))
        ):
            yield Step("rounded", derived=False)
    elif claim.kind in ("fraction", "proportion", "fold"):
        yield from _parts(asked, source, mates)
    else:
        if (
            (single or source.kind == "spread")
            and _alike(claim, source)
            and _rounds(claim, source, asked.leaning)
        ):
            yield Step("rounded", derived=False)
        if claim.unit == "%":
            yield from _percentages(asked, source, mates)
        elif claim.kind == "quantity" and single and claim.unit != source.unit:
            yield from _conversions(claim, source)
            if asked.change:
                yield from _differences(asked, source, mates)
        elif claim.kind == "count" and source.unit == "%" and single:
            wholes = [
                mate
                for mate in mates
                if mate.kind in ("count", "sample size") and mate.unit in (claim.unit, None)
            ]
            if any(_exact(asked.value, source.values[0] * mate.values[0] / 100) for mate in wholes):
                yield Step("that share of the number stated")
        elif claim.kind == "number" and source.unit == "%" and single and 0 < asked.value < 1:
            if _exact(asked.value, source.values[0] / 100):
                yield Step("the percentage as a proportion", derived=False)
        elif (
            claim.kind == "number"
            and claim.unit is None
            and source.unit == "%"
            and claim.values == source.values
        ):
            yield Step("the same percentage", derived=False)
        elif claim.kind in ("quantity", "number", "count", "difference") and asked.change:
            yield from _differences(asked, source, mates)


def _p_values(claim: NumericExpression, source: NumericExpression) -> Iterator[Step]:
    """p < 0.05 follows from p = 0.04 and p > 0.05 from p = 0.2; p = 0.03 from 0.034, but not 0.05
    from 0.049.

    A bound is quoted as it stands: who writes p < 0.05 where the article has p < 0.001 has taken it
    from elsewhere.
    """
    limit, value = claim.values[0], source.values[0]
    if source.comparator != "=":
        return
    if claim.comparator in ("<", "≤") and value < limit and limit in THRESHOLDS:
        yield Step("a smaller p value is stated", derived=False)
    elif claim.comparator in (">", "≥") and value > limit and limit >= SIGNIFICANT:
        yield Step("a larger p value is stated", derived=False)
    elif claim.comparator == "=" and _rounded(limit, value) and limit not in THRESHOLDS:
        yield Step("rounded", derived=False)


def _ratio(figure: NumericExpression, mates: Sequence[NumericExpression]) -> Decimal | None:
    """A ratio of risks that a figure states: one called so, or a plain number between the ends of
    an interval beside it.
    """
    value = abs(figure.values[0])
    if len(figure.values) != 1 or not value:
        return None
    if figure.kind in ("ratio", "fold") and figure.measure in (*_RATIOS, None):
        return value
    if figure.kind != "number" or figure.unit is not None:
        return None
    if figure.measure in _RATIOS:
        return value
    ends = (
        mate.values
        for mate in mates
        if mate.kind in ("interval", "range") and mate.unit is None and len(mate.values) == 2
    )
    return (
        value
        if value != int(value) and any(0 < low <= value <= high for low, high in ends)
        else None
    )


def _times(asked: Asked, ratio: Decimal, wanted: Decimal) -> bool:
    """Return whether a ratio may be called so many times: doubled for 2.1, "more than twice" for
    2.6, "a third" for 0.33.
    """
    if wanted < 1:
        return _leans(ratio, wanted, asked.before)
    leaning = asked.leaning
    if leaning == "above":
        return wanted <= ratio < wanted * MORE_THAN_TIMES
    if leaning == "below":
        return wanted * (1 - 2 * LOOSELY) <= ratio <= wanted
    return abs(ratio - wanted) <= (LOOSELY if leaning else ABOUT_DOUBLE) * wanted


def _changes(
    asked: Asked, wanted: Decimal, source: NumericExpression, mates: Sequence[NumericExpression]
) -> Iterator[Step]:
    """A fraction in words by which something fell or rose: "a third less", "by a quarter"."""
    ratio = _ratio(source, mates)
    if ratio is not None:
        if (asked.falls if ratio < 1 else asked.rises) and _leans(
            abs(1 - ratio), wanted, asked.before
        ):
            yield Step(f"the ratio {source.values[0]:f}")
    elif source.kind in _VALUES and (len(source.values) == 1 or source.kind == "spread"):
        for mate in _others(source, mates, SPREAD_BETWEEN):
            low, high = sorted((abs(source.values[0]), abs(mate.values[0])))
            if low and (
                (asked.falls and _leans((high - low) / high, wanted, asked.before))
                or (asked.rises and _leans((high - low) / low, wanted, asked.before))
            ):
                yield Step("the change from one value stated to the other")


def _parts(
    asked: Asked, source: NumericExpression, mates: Sequence[NumericExpression]
) -> Iterator[Step]:
    """Fractions in words, "one in five", "12/50", "halved" and "two-fold"."""
    claim = asked.figure
    fold = claim.kind == "fold"
    if not fold and not claim.values[1]:
        return
    wanted = claim.values[0] if fold else claim.values[0] / claim.values[1]
    if claim.kind == "proportion" and claim.values[1] > SMALL_WHOLE:
        wholes = [
            mate
            for mate in mates
            if mate.kind in ("count", "sample size") and mate.values[0] == claim.values[1]
        ]
        part = source.values[0] * claim.values[1] / 100
        if (
            wholes
            and source.unit == "%"
            and len(source.values) == 1
            and _exact(claim.values[0], part)
        ):
            yield Step("that share of the number stated")
        if source.kind in ("count", "number") and source.values[0] == claim.values[0]:
            whole = 100 * claim.values[0] / claim.values[1]
            if any(
                mate.unit == "%" and len(mate.values) == 1 and _exact(mate.values[0], whole)
                for mate in mates
            ):
                yield Step("the number and its share stated", derived=False)
        return
    share = _share(source)
    if share is None and claim.worded and _listed(source, mates):
        share = source.values[0] / 100
    if not fold and share is not None:
        if _leans(share, wanted, asked.before):
            yield Step("the share stated", derived=False)
        elif (claim.worded or asked.lacking) and _leans(1 - share, wanted, asked.before):
            yield Step("the rest of the share stated")
    if claim.kind == "fraction" and asked.change:
        yield from _changes(asked, wanted, source, mates)
    if not fold and claim.kind != "fraction":
        return
    value = abs(source.values[0])
    if not value:
        return
    ratio = source.kind in ("ratio", "fold") or (source.kind == "number" and value != int(value))
    if ratio and source.measure in (*_RATIOS, None) and _times(asked, value, wanted):
        yield Step("the ratio stated", derived=False)
    if source.kind in _VALUES and (len(source.values) == 1 or source.kind == "spread"):
        for mate in _others(source, mates, SPREAD_BETWEEN):
            other = abs(mate.values[0])
            if other and (
                _times(asked, other / value, wanted) or _times(asked, value / other, wanted)
            ):
                yield Step("the ratio of two values stated")


def _percentages(
    asked: Asked, source: NumericExpression, mates: Sequence[NumericExpression]
) -> Iterator[Step]:
    share = _share(source)
    value = asked.value
    if share is not None and source.unit != "%" and asked.meets(100 * share):
        yield Step("the share stated", derived=False)
    elif (
        source.kind == "number"
        and source.unit is None
        and 0 < source.values[0] < 1
        and _exact(value, 100 * source.values[0])
    ):
        yield Step("the proportion as a percentage", derived=False)
    if len(source.values) != 1:
        return
    stated = abs(source.values[0])
    ratio = _ratio(source, mates)
    if ratio is not None:
        change = 100 * abs(1 - ratio)
        if asked.meets(change) and (asked.falls if ratio < 1 else asked.rises):
            yield Step(f"the ratio {source.values[0]:f}")
    if source.kind == "percent" and asked.lacking and value and _exact(value, 100 - stated):
        yield Step("the rest of the share stated")
    if ratio is None and source.kind in ("percent", "quantity", "number", "count") and asked.change:
        if source.kind == "percent":
            yield from _differences(asked, source, mates)
        for mate in _others(source, mates):
            low, high = sorted((stated, abs(mate.values[0])))
            change = 100 * (high - low)
            if low and (
                (asked.falls and asked.meets(change / high))
                or (asked.rises and asked.meets(change / low))
            ):
                yield Step("the change from one value stated to the other")


def _conversions(claim: NumericExpression, source: NumericExpression) -> Iterator[Step]:
    value, stated, unit, other = (
        abs(claim.values[0]),
        abs(source.values[0]),
        claim.unit or "",
        source.unit or "",
    )
    if _same_time(value, unit, stated, other):
        yield Step("the same time in another unit", derived=False)
    elif _scaled(unit, other, stated) == value:
        yield Step("the same amount in another unit", derived=False)


def _same_time(value: Decimal, unit: str, stated: Decimal, other: str) -> bool:
    """Return whether two times are the same; weeks are called months four at a time, or 52 a year,
    days 30 at a time, or 365 a year.
    """
    if unit in _DAYS and other in _DAYS:
        return _exact(value, stated * _DAYS[other] / _DAYS[unit])
    if unit in _MONTHS and other in _MONTHS:
        return value * _MONTHS[unit] == stated * _MONTHS[other]
    if unit in _MONTHS and other == "week":
        months = value * _MONTHS[unit]
        return stated in (4 * months, 52 * months / 12)
    if unit in _MONTHS and other == "day":
        months = value * _MONTHS[unit]
        return stated in (30 * months, 365 * months / 12)
    return unit in ("week", "day") and other in _MONTHS and _same_time(stated, other, value, unit)


def _scaled(unit: str, other: str, value: Decimal) -> Decimal | None:
    """The value in ``unit`` of a value in ``other``, where both are of one kind ("mg/day" and
    "g/day").
    """
    one, _, per = unit.partition("/")
    two, _, rate = other.partition("/")
    if (
        per != rate
        or one not in _SCALES
        or two not in _SCALES
        or _SCALES[one][0] != _SCALES[two][0]
    ):
        return None
    return value.scaleb(_SCALES[two][1] - _SCALES[one][1])


def _differences(
    asked: Asked, source: NumericExpression, mates: Sequence[NumericExpression]
) -> Iterator[Step]:
    """The difference of two values or of two means with their spreads, also said in another unit of
    time.
    """
    if len(source.values) == 2 and source.kind != "spread":
        return
    unit, other = asked.figure.unit, source.unit
    if unit in (other, None):
        scale = Decimal(1)
    elif unit in _DAYS and other in _DAYS:
        scale = _DAYS[other] / _DAYS[unit]
    elif unit in _MONTHS and other in _MONTHS:
        scale = _MONTHS[other] / _MONTHS[unit]
    else:
        return
    for mate in _others(source, mates):
        if asked.meets(scale * abs(source.values[0] - mate.values[0])):
            yield Step("the difference of two values stated")


def _others(
    source: NumericExpression, mates: Iterable[NumericExpression], reach: int = 1
) -> Iterator[NumericExpression]:
    """The neighbours of a figure among those of its kind and unit, ``reach`` on either side."""
    alike = [mate for mate in mates if mate.kind == source.kind and mate.unit == source.unit]
    if source in alike:
        at = alike.index(source)
        yield from alike[max(0, at - reach) : at] + alike[at + 1 : at + 1 + reach]


def _share(figure: NumericExpression) -> Decimal | None:
    """A share of 0 to 1 that a figure states."""
    if figure.unit == "%" and len(figure.values) == 1:
        return figure.values[0] / 100
    if (
        figure.kind in ("proportion", "fraction")
        and figure.values[1] > 0
        and figure.values[0] <= figure.values[1]
    ):
        return figure.values[0] / figure.values[1]
    return None


def _listed(figure: NumericExpression, mates: Iterable[NumericExpression]) -> bool:
    """Return whether a number stands among percentages as one of them: "11.6, 24.8 % and 40.6
    %".
    """
    plain = figure.kind == "number" and figure.unit is None and figure.measure is None
    decimal = plain and 1 < figure.values[0] < 100 and figure.values[0] != int(figure.values[0])
    return decimal and any(mate.unit == "%" for mate in mates)


def _leans(share: Decimal, wanted: Decimal, before: str) -> bool:
    """Return whether a share may be called so: a third for 0.33, more than half for 0.54, nearly a
    quarter for 0.24.
    """
    leaning = _LEANING.search(before[-24:])
    if leaning is not None and leaning["above"]:
        return 0 <= share - wanted <= 3 * NEAR * (1 if wanted >= Decimal("0.5") else 2 * wanted)
    if leaning is not None and leaning["below"]:
        return 0 <= wanted - share <= 2 * NEAR
    far = min(SPOKEN, SPOKEN_OF_SMALL * wanted)
    return abs(share - wanted) <= (2 * far if leaning is not None else far)


def _alike(claim: NumericExpression, source: NumericExpression) -> bool:
    if {claim.kind, source.kind} == {"count", "sample size"}:
        return claim.unit is None or source.unit is None or claim.unit == source.unit
    if claim.unit != source.unit or (
        claim.measure and source.measure and claim.measure != source.measure
    ):
        return False
    if claim.level and source.level and claim.level != source.level:
        return False
    if source.kind == "spread" and claim.kind in ("quantity", "number", "difference", "percent"):
        return True
    return claim.kind == source.kind or {claim.kind, source.kind} <= {
        "ratio",
        "number",
        "difference",
    }


def _rounds(claim: NumericExpression, source: NumericExpression, leaning: str = "") -> bool:
    """Return whether a value is the source's rounded, or near it where the claim says "about";
    never a dose, nor an exact count.
    """
    value, stated = abs(claim.values[0]), abs(source.values[0])
    rounder = _digits(value) < _digits(stated)
    if source.comparator == "=" and (claim.comparator == "≈" or leaning == "about"):
        return rounder and (
            abs(stated - value) <= NEAR * stated or (value >= 1 and _rounded(value, stated))
        )
    if claim.comparator in (">", "≥") and source.comparator == "=":
        return rounder and value <= stated <= value * (1 + 2 * NEAR)
    if claim.comparator in ("<", "≤") and source.comparator == "=":
        return rounder and value * (1 - 2 * NEAR) <= stated <= value
    exact = claim.kind in ("count", "sample size") or (claim.unit or "").partition("/")[0] in DOSES
    return (
        not exact
        and claim.comparator == source.comparator
        and _rounded(value, stated)
        and value not in (0, 1)
    )


def _digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)


def _rounded(claim: Decimal, source: Decimal) -> bool:
    """Return whether ``claim`` is ``source`` rounded to the decimals of ``claim``, half up or to
    even.
    """
    exponent = int(claim.as_tuple().exponent)
    if claim == source:
        return True
    if exponent <= int(source.as_tuple().exponent) or not claim or abs(source) > 10**9:
        return False
    step = Decimal(1).scaleb(exponent)
    return claim in (source.quantize(step, ROUND_HALF_UP), source.quantize(step, ROUND_HALF_EVEN))


def _exact(claim: Decimal, computed: Decimal) -> bool:
    """Return whether a computed value is ``claim`` when rounded to its decimals, and is not
    nothing.
    """
    exponent = int(claim.as_tuple().exponent)
    return bool(claim) and abs(computed - claim) <= Decimal(5).scaleb(exponent - 1)
