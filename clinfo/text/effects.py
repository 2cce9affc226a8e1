"""Effects: ratios and differences between groups with their intervals, as a title or an abstract
states them.

Figures are read by `clinfo.text.figures`; here a figure is given its measure, by the name that
stands before it (or before the effect it stands in a list with), and its interval. An interval that
does not hold its estimate makes the reading void, and so does an abbreviation that the abstract
uses for something else ("HR" for heart rate).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import isfinite
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.records.appraisal import Effect, Scale
from clinfo.records.articles import Article, Span
from clinfo.text.abstracts import Role, abstract_sentences
from clinfo.text.figures import NumericExpression, find_figures
from clinfo.text.numerals import plain
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import acronyms

_MEASURES: tuple[tuple[str, Scale, str], ...] = (
    ("IRR", "ratio", r"a?IRRs?|(?i:incidence[\s-](?:density[\s-])?(?:rate[\s-])?ratios?)"),
    (
        "HR",
        "ratio",
        r"(?:a|s|cs|c|u)?HRs?|AHR|SHR|(?i:(?:sub)?-?hazards?[\s-]ratios?|relative\shazards?)",
    ),
    ("OR", "ratio", r"(?:a|c|u|p|adj|m)?ORs?|AOR|(?i:(?:odds[\s-]ratios?|relative\sodds))"),
    ("PR", "ratio", r"a?PRs?|APR|(?i:prevalence[\s-](?:rate[\s-])?ratios?)"),
    ("SMR", "ratio", r"SMRs?|(?i:standardi[sz]ed\smortality\sratios?)"),
    ("SIR", "ratio", r"SIRs?|(?i:standardi[sz]ed\sincidence\sratios?)"),
    (
        "RR",
        "ratio",
        r"a?RRs?|(?i:risk[\s-]ratios?|relative[\s-](?:risks?|rates?)|rate[\s-]ratios?)",
    ),
    ("Hedges g", "standardised difference", r"(?i:hedges?'?s?'?)\s?[gG]"),
    ("Cohen d", "standardised difference", r"(?i:cohen'?s?)\s?[dD]"),
    (
        "SMD",
        "standardised difference",
        r"SMDs?|(?i:standardi[sz]ed\s(?:weighted\s)?mean\sdifferences?|"
        r"standardi[sz]ed\sdifferences?)",
    ),
    ("ES", "standardised difference", r"ESs?|(?i:(?:standardi[sz]ed\s)?effect[\s-]sizes?)"),
    ("WMD", "difference", r"WMDs?|(?i:weighted\smean\sdifferences?)"),
    (
        "MD",
        "difference",
        (
            r"A?MDs?|(?i:mean\s(?:[\w-]+\s){0,2}?differences?|differences?\s(?:in|of|"
            r"between)\s(?:the\s)?(?:group\s)?means?)"
        ),
    ),
    ("ARR", "difference", r"ARR|(?i:absolute\srisk\sreductions?)"),
    ("RD", "difference", r"RDs?|(?i:(?:absolute\s)?(?:risk|rate)\sdifferences?)"),
    ("difference", "difference", r"(?i:(?<!no\s)(?<!significant\s)differences?)"),
)
"""Measures with their scale and names; the more telling name first where two begin at one place."""

SCALES: dict[str, Scale] = {name: scale for name, scale, _ in _MEASURES}
_NAMES = "|".join(f"(?P<_{place}>{names})" for place, (_, _, names) in enumerate(_MEASURES))
_NAME = regex(rf"(?<![\w-])(?:{_NAMES})(?![^\W\d]|-\w)")
_NEXT = regex(r"[,;:.]|\s(?:and|or|but|whereas|while)\s")
_HINT = regex(
    r"ratio|differen|[Rr]isk|[Oo]dds|hazard|Hazard|hedge|Hedge|[Cc]ohen|effect.size|RR|OR|[HPIM]R|"
    r"MD|RD|ES"
)
"""Words of a sentence with an effect: a quick test before the slower ones."""
_NEEDS_INTERVAL = frozenset({"PR", "RD", "ES", "difference"})
"""Measures whose names mean other things as well: read only with an interval."""
_NO_EFFECTS = frozenset({"AUC", "NNT", "NNH", "RRR"})
_KINDS = frozenset({"ratio", "difference", "number", "quantity", "percent"})
_FARTHEST_NAME = 90
"""Characters between a measure's name and its figure."""
_FARTHEST_SUBJECT = 240
"""The same where the name is the subject of a sentence: "the relative risk of …, as adjudicated by
…, was 2.4".
"""
_SAYS = regex(r"\b(?:was|were|is|are)\s\Z")
_FARTHEST_INTERVAL = 34
_BREAK = anycase(r"[;!?]|\.\s|\b(?:whereas|while|but|respectively|however|p\s?[<=>])")
_GAP = anycase(
    r"(?:[\s,;:()\[\]=/]|\b(?:with|and|an?|the|two|sided|adjusted|associated|corresponding|at|its|"
    r"their|per|week|weeks|points?|"
    r"units?|"
    r"confidence|intervals?|limits?|credible|from|of|to|was|ranging|exact|Bayesian|"
    r"bootstrap(?:ped)?|CI|CrI)\b|-|mm\s?Hg|"
    r"[a-zA-Zµ²%°]{1,8}/[a-zA-Z0-9]{1,5}|"
    r"%|\b(?:kg|g|mg|cm|mm|days?|hours?|min(?:utes)?|months?|years?)\b)*"
)
_NO_INTERVAL = anycase(r"\b(?:range|IQR|interquartile|SDs?|SEM?|quartiles?|from)\b")
_TAGGED = anycase(r"(?:CI|CrI|confidence\s(?:interval|limits?))s?[\])]?\W{0,4}\Z")
_END = r"[+−-]?\s?\d+(?:\.\d+)?"
_WRITTEN = regex(
    r"\s?[,;]?\s?(?P<opened>[\[(])?\s?(?P<tag>(?:\d\d\s?%?\s?-?\s?)?(?:CI|"
    r"CrI)s?(?:\s?\d\d\s?%)?[\s:=,]*[\[(]?\s?)?"
    rf"(?P<low>{_END})\s?(?P<unit>%)?(?:\s?[,;]\s?|\s?/\s?|\s(?:to|and|-)\s|"
    rf"-)(?P<high>{_END})(?![\d.]*\d)(?:\s?%)?"
)
"""An interval as typed where its numbers are hard to tell: "[- 6.15, - 0.95]", "95CI 0.05 to 0.97",
"CI95% 0.6/0.9".
"""
_OPENS = {")": "(", "]": "["}
_LEVEL = regex(
    r"(?<![\d.])(?P<level>\d\d(?:\.\d)?)\s?%\s?-?(?:CI|CrI|confidence|credible)|"
    r"CI\s?\(?(?P<late>\d\d)\s?%"
)


@dataclass(frozen=True)
class StatedEffect:
    """An effect with the stretch of text that tells what it is of, and the part its sentence plays.

    ``clause`` is that stretch, from the effect before it; ``lead`` the words before the first
    effect of the sentence, which all effects of a list share, "" for the first. The effect itself
    stands at [at, to) of the clause.
    """

    effect: Effect
    clause: str
    lead: str
    sentence: str
    role: Role | Literal["title"]
    at: int = 0
    to: int = 0


@dataclass(frozen=True)
class _Bounds:
    """An interval that ends at ``end``; ``said`` where it is called one."""

    low: float
    high: float
    unit: str | None
    level: float | None
    said: bool
    end: int


Meanings = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Name:
    """A measure's name at code points [start, end)."""

    start: int
    end: int
    measure: str


@dataclass(frozen=True)
class _Reading:
    """An effect in one text: code points [start, end)."""

    measure: str
    estimate: float
    low: float | None
    high: float | None
    level: float | None
    unit: str | None
    start: int
    end: int


def stated_effects(article: Article, n: int) -> tuple[StatedEffect, ...]:
    """All effects that title and abstract of study ``n`` state, in their order; spans are those of
    the canonical abstract.
    """
    return tuple(_stated(article, n))


def _stated(article: Article, n: int) -> Iterator[StatedEffect]:
    meanings = tuple(
        sorted(
            (short, _meaning(long))
            for short, long in acronyms(f"{article.title}. {article.abstract}").items()
        )
    )
    if article.title:
        yield from _of_text(article.title, "title", "title", 0, n, meanings)
    for sentence in abstract_sentences(article):
        if sentence.role != "notice":
            yield from _of_text(
                sentence.text, "abstract", sentence.role, sentence.start, n, meanings
            )


def _of_text(
    text: str,
    field: Literal["title", "abstract"],
    role: Role | Literal["title"],
    at: int,
    n: int,
    meanings: Meanings,
) -> Iterator[StatedEffect]:
    readings = _read(text, meanings)
    lead = text[: readings[0].start] if readings else ""
    for place, each in enumerate(readings):
        begins = readings[place - 1].end if place else 0
        ends = _tail(
            text, each, readings[place + 1].start if place + 1 < len(readings) else len(text)
        )
        span = Span(n, field, at + each.start, at + each.end)
        effect = Effect(
            each.measure,
            SCALES[each.measure],
            each.estimate,
            each.low,
            each.high,
            each.level,
            each.unit,
            span,
        )
        yield StatedEffect(
            effect,
            text[begins:ends],
            lead if place else "",
            text,
            role,
            each.start - begins,
            each.end - begins,
        )


def _meaning(long: str) -> str:
    """The measure that the long form of an abbreviation names; "" where it names something else."""
    match = _NAME.search(long)
    return _measure(match) if match else ""


def _tail(text: str, reading: _Reading, end: int) -> int:
    """Return where the words end that may say what the effect is of: behind a bracket soon, as what
    follows belongs to the next effect.
    """
    if text[max(0, reading.start - 3) : reading.start].rstrip()[-1:] not in ("(", "["):
        return end
    closing = re.compile(r"[)\]]").search(text, reading.end - 1, min(end, reading.end + 80))
    cut = _NEXT.search(text, closing.end(), end) if closing else None
    return cut.start() if cut else end


@lru_cache(maxsize=1024)
def _read(text: str, meanings: Meanings = ()) -> tuple[_Reading, ...]:
    """The effects of one sentence in order; ``meanings`` are the abbreviations that the article
    defines itself.
    """
    if _HINT.search(text) is None:
        return ()
    clean = plain(text)
    defined = dict(meanings)
    names = [
        _Name(match.start(), match.end(), defined.get(match.group(), _measure(match)))
        for match in _NAME.finditer(clean)
        if defined.get(match.group(), "said") in ("said", *SCALES)
    ]
    names = [name for place, name in enumerate(names) if not _is_paired(clean, names, place)]
    if not names:
        return ()
    ends = [name.end for name in names]
    told = _told_level(clean)
    figures = find_figures(text)
    found: list[_Reading] = []
    named: str | None = None
    for place, figure in enumerate(figures):
        if found and figure.start < found[-1].end:
            continue
        if (
            figure.kind not in _KINDS
            or figure.worded
            or figure.comparator not in ("=", "≈")
            or len(figure.values) != 1
        ):
            continue
        if figure.measure in _NO_EFFECTS or re.match(
            r",\d", clean[figure.end : figure.end + 2]
        ):  # a decimal comma: two numbers
            continue
        since = found[-1].end if found else 0
        bounds = _bounds(clean, figures, place, told)
        last = bisect_right(ends, figure.start) - 1
        if (
            last >= 0
            and names[last].start >= since
            and _belongs(clean, names[last], figures, place)
        ):
            whole = _with_long_form(clean, names, last)
            measure, start = whole.measure, whole.start
        elif last >= 0 and names[last].start >= since and figure.kind in ("ratio", "difference"):
            measure, start = names[last].measure, figure.start
        elif named is not None and bounds is not None and _listed(clean, found[-1], figure):
            measure, start = named, figure.start
        else:
            continue
        reading = _made(measure, figure, bounds, start, clean)
        if reading is not None:
            found.append(reading)
            named = measure
    return tuple(found)


def _belongs(clean: str, name: _Name, figures: Sequence[NumericExpression], place: int) -> bool:
    """Return whether the figure at ``place`` follows the measure's name within one clause, with no
    other figure between.
    """
    figure = figures[place]
    farthest = (
        _FARTHEST_SUBJECT
        if _SAYS.search(clean, max(0, figure.start - 8), figure.start)
        else _FARTHEST_NAME
    )
    parted = (
        place and figures[place - 1].end > name.start and not _is_level(figures, place - 1, clean)
    )
    if parted or figure.start - name.end > farthest:
        return False
    return (
        figure.kind in ("ratio", "difference")
        or _BREAK.search(clean, name.end, figure.start) is None
    )


def _with_long_form(clean: str, names: Sequence[_Name], place: int) -> _Name:
    """The name at ``place`` with the long form it abbreviates: "adjusted relative risk [ARR]" is a
    relative risk.
    """
    name = names[place]
    if place and clean[names[place - 1].end : name.start].strip() in ("(", "["):
        return _Name(names[place - 1].start, name.end, names[place - 1].measure)
    return name


def _is_paired(clean: str, names: Sequence[_Name], place: int) -> bool:
    """Return whether a name stands beside another one ("RR and HR were 0.26 and 0.28"), so that
    nobody can tell whose figure comes.
    """
    pairs = [(names[at], names[at + 1]) for at in (place - 1, place) if 0 <= at < len(names) - 1]
    return any(
        one.measure != other.measure
        and re.fullmatch(r"\s?(?:and|or|/|,)\s?", clean[one.end : other.start])
        for one, other in pairs
    )


def _is_level(figures: Sequence[NumericExpression], place: int, clean: str) -> bool:
    """Return whether a figure is the level of an interval to come ("odds ratio [95% CI] = 0.34"),
    which may stand between.
    """
    figure = figures[place]
    return (
        figure.kind == "percent"
        and re.match(r"\s?(?:CI|confidence)", clean[figure.end : figure.end + 12]) is not None
    )


def _measure(name: re.Match[str]) -> str:
    return _MEASURES[int((name.lastgroup or "_0")[1:])][0]


def _listed(clean: str, last: _Reading, figure: NumericExpression) -> bool:
    """Return whether a figure without a name of its own goes on a list of effects: "RR 0.8 (…) for
    death and 0.7 (…) for stroke".
    """
    gap = clean[last.end : figure.start]
    return (
        last.low is not None
        and figure.kind == "number"
        and len(gap) <= 120
        and not re.search(r"\.\s|;\s[A-Za-z]{4}", gap)
    )


def _bounds(
    clean: str, figures: Sequence[NumericExpression], place: int, told: tuple[float, int] | None
) -> _Bounds | None:
    """The interval of the figure at ``place``; ``told`` is a level given once for all, and
    where.
    """
    end = figures[place].end
    for figure in figures[place + 1 : place + 4]:
        gap = clean[end : figure.start]
        if figure.kind == "p value" and len(gap) <= 12:
            end = figure.end
            continue
        if len(gap) > _FARTHEST_INTERVAL or figure.kind not in ("interval", "range"):
            break
        opened = re.fullmatch(r"\s?[,;]?\s?[\[(]?\s?", gap) and re.search(
            r"[\[(]", gap + clean[figure.start]
        )
        tagged = figure.kind == "interval" or _TAGGED.search(gap) is not None
        if not (
            opened or (tagged and _GAP.fullmatch(re.sub(r"\d+\s?%", "", gap)))
        ) or _NO_INTERVAL.search(gap):
            break
        low, high = sorted(float(value) for value in figure.values)
        level = float(figure.level) if figure.level is not None else _level(told, figure.end)
        return _Bounds(low, high, figure.unit, level, tagged, figure.end)
    written = _WRITTEN.match(clean, end)
    if written is None or not (
        written["tag"]
        or (written["opened"] and clean[written.end() : written.end() + 1] in ("]", ")"))
    ):
        return None
    low, high = sorted(
        float(re.sub(r"\s", "", written[name]).replace("−", "-")) for name in ("low", "high")
    )
    return _Bounds(
        low, high, written["unit"], _level(told, written.end()), bool(written["tag"]), written.end()
    )


def _made(
    measure: str, figure: NumericExpression, bounds: _Bounds | None, start: int, clean: str
) -> _Reading | None:
    """The reading, None where its numbers cannot be an effect on this scale."""
    estimate = float(figure.values[0])
    ends = (bounds.low, bounds.high) if bounds is not None else ()
    if not all(map(isfinite, (estimate, *ends))):  # hundreds of digits
        return None
    scale = SCALES[measure]
    if scale != "difference" and figure.unit is not None:
        return None
    if (scale == "ratio" and estimate <= 0) or (
        scale == "standardised difference" and abs(estimate) > 10
    ):
        return None
    if bounds is None:
        if (
            measure in _NEEDS_INTERVAL
            or figure.kind not in ("ratio", "difference")
            or (scale == "ratio" and not _is_precise(figure))
        ):
            return None
        return _Reading(
            measure,
            estimate,
            None,
            None,
            None,
            figure.unit,
            start,
            _closed(clean, start, figure.end),
        )
    if not bounds.low <= estimate <= bounds.high or (scale == "ratio" and bounds.low < 0):
        return None
    if measure in _NEEDS_INTERVAL and not bounds.said and bounds.level is None:
        return None
    unit = figure.unit or bounds.unit if scale == "difference" else None
    return _Reading(
        measure,
        estimate,
        bounds.low,
        bounds.high,
        bounds.level,
        unit,
        start,
        _closed(clean, start, bounds.end),
    )


def _closed(clean: str, start: int, end: int) -> int:
    """The end moved past brackets that the stretch opens and that close right behind it."""
    while clean[end : end + 1] in (")", "]") and clean.count(clean[end], start, end) < clean.count(
        _OPENS[clean[end]], start, end
    ):
        end += 1
    return end


def _is_precise(figure: NumericExpression) -> bool:
    """Return whether a lone figure is written as a ratio is: with decimals and not too large; "HR
    72" and "OR 1-year" are none.
    """
    return figure.values[0] < 40 and int(figure.values[0].as_tuple().exponent) < 0


def _told_level(clean: str) -> tuple[float, int] | None:
    """The level that a sentence gives once for all its intervals ("odds ratio [95 % CI]"), and
    where it ends.
    """
    match = _LEVEL.search(clean)
    level = float(match["level"] or match["late"]) if match else 0.0
    return (level, match.end()) if match and 50 <= level < 100 else None


def _level(told: tuple[float, int] | None, end: int) -> float | None:
    return told[0] if told is not None and told[1] <= end else None
