"""Whether an article states a figure of the thing that a claim says it measures.

That a number stands somewhere in an abstract proves little: abstracts hold dozens, and the slip that matters is the wrong one
of them. So the place of the figure in the claim (`clinfo.text.measured`) is held against every place in the article where the
figure stands, or from which it follows (`clinfo.text.computed`), and against the rivals: places of other figures of the same
kind that the claim does not state. Where a rival's place is clearly more like the claim's than any of the figure's own, the
claim has put one figure for another. A claim in other words than the article's is like no place much, and is let pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from clinfo.records import Article
from clinfo.text.computed import Step, asked_of, follows, part_of
from clinfo.text.figures import Figure, Kind, same, worded_numbers
from clinfo.text.measured import Around, Place, Reading, around, beside, claimed, likeness, named, reading, words_near
from clinfo.text.units import TIMES

LEVELS = ((0.35, 1.2), (0.2, 1.35))
"""How like a rival's place must be at least, as a share of the likeness of the claim's place with itself, and how many times
more like than the figure's own best place: the less the claim keeps to the article's words, the more clearly. Times must
pass the first: many of them stand in any abstract, and a claim in other words is like none of their places."""
DOUBT = (0.05, 1.5)
"""The same where the figure is let pass with a doubt."""
LEAST = 0.35
"""Least likeness of a place that is named as the one where another figure stands."""
LOOSE = "said in words, it may stand for figures that are stated"
LEAST_DERIVED = 0.85
"""The same for a figure that is computed from others, which in a reworded sentence stands where none of them does."""
EXCHANGED = 1.05
LEAST_EXCHANGED = 0.7
"""The same for two figures of a claim that have changed places, added up."""
TWICE = 0.7
"""What a place counts that another figure of the claim states and is more like."""

_QUANTITATIVE = frozenset({"ratio", "number", "fold", "difference", "quantity", "percent"})
_SPOKEN = frozenset({"fraction", "fold", "proportion"})
_BOUNDS = frozenset("<≤>≥")
_WHOLES = frozenset({"count", "sample size"})
_COUNTS = frozenset({"count", "sample size", "number", "proportion"})

_ONE = (Decimal(1),)
_OF_WHOLE = re.compile(r"\s?(?:\([^()]{0,20}\)\s?)?(?:/|of|out\sof)\s?(?:the\s)?\d")
_PART_OF = re.compile(r"\d\s?(?:\([^()]{0,20}\)\s?)?(?:/|of|out\sof)\s?(?:the\s)?\Z")
"""What stands between the two numbers of a proportion, whatever they are."""


@dataclass(frozen=True)
class FigureEvidence:
    """What an article says of a claim's figure, where, and why in a few words for a clinician.

    ``doubt`` says of a figure stated or computed what makes it uncertain that it is of the thing the claim says, and of an absent
    one why it may be a way of speaking ("half", "one in seven") of what is stated; "" for nothing.

    "stated": of the thing the claim says; "computed": follows from figures stated; "other": the number stands there but
    measures something else; "absent". ``start`` and ``end`` are code points of ``field``, all None where nothing is to be shown.
    """

    verdict: Literal["stated", "computed", "other", "absent"]
    start: int | None
    end: int | None
    field: Literal["title", "abstract"] | None
    why: str
    doubt: str = ""


@dataclass(frozen=True)
class _Home:
    """A place where a figure may belong, how like the claim's it is, and how the figure follows if it is not stated there."""

    score: float
    place: Place
    step: Step | None = None


def figure_evidence(figure: Figure, claim: str, article: Article) -> FigureEvidence:
    """What ``article`` says of ``figure``, one of the figures that `clinfo.text.figures.find_figures` reads in ``claim``."""
    known = reading(article)
    here = around(figure, claim)
    written = claim[figure.start : figure.end]
    own = _own(figure, claim, known, here)
    rival = _rival(figure, claim, known, here, own)
    whole = likeness(here, here, known)
    if own:
        best = max(own, key=lambda home: home.score)
        score = best.score * TWICE if _taken(figure, claim, best, known) else best.score
        levels = LEVELS[:1] if figure.unit in TIMES else LEVELS
        if rival is not None and any(_clearly(rival.score, score, whole, level) for level in levels):
            return _other(written, best, rival, here, article)
        if exchanged := _exchanged(figure, claim, best, known, here):
            why = f"{written} and {exchanged} are exchanged: the abstract states each where the other stands here"
            return _shown("other", best.place, why)
        derived = best.step is not None and best.step.derived
        if derived and rival is not None and rival.score >= LEAST_DERIVED * whole:
            return _other(written, best, rival, here, article)
        doubt = ""
        if rival is not None and not derived and _clearly(rival.score, score, whole, DOUBT):
            doubt = f"{_written(rival.place, article)} stands nearer to these words"
        if best.step is None:
            return _shown("stated", best.place, f"{written} is stated", doubt)
        return _shown("computed", best.place, f"{written} follows from what is stated: {best.step.why}", doubt)
    elsewhere = next((place for place in known.places if set(figure.values) <= set(place.figure.values)), None)
    if elsewhere is not None:
        stated = _written(elsewhere, article)
        return _shown("other", elsewhere, f"{written} is not stated; the abstract has {stated}, which is something else")
    if rival is not None and rival.score >= LEAST * whole:
        instead = _written(rival.place, article)
        return FigureEvidence("absent", None, None, None, f"{written} is not stated; here the abstract has {instead}")
    doubt = LOOSE if figure.worded and figure.kind in _SPOKEN and known.places else ""
    return FigureEvidence("absent", None, None, None, f"{written} is not stated", doubt)


def _own(figure: Figure, claim: str, known: Reading, here: Around) -> list[_Home]:
    """Every place that states the figure or from which it follows."""
    found: list[_Home] = []
    asked = asked_of(figure, claim)
    for place in known.places:
        if same(figure, place.figure):
            found.append(_Home(likeness(here, place.around, known), place))
        elif step := follows(asked, place.figure, place.mates):
            found.append(_Home(likeness(here, place.around, known), place, step))
    if not found and figure.kind == "range":
        kind: Kind = "percent" if figure.unit == "%" else "quantity" if figure.unit else "number"
        ends = [_own(replace(figure, kind=kind, values=(value,)), claim, known, here) for value in figure.values]
        if all(ends):
            found = ends[0]
    if not found and figure.kind == "proportion":
        homes = [_counted(value, figure, known) for value in figure.values]
        if all(homes) and any(place.figure.kind in _WHOLES for each in homes for place in each):
            step = Step("both numbers are stated", derived=False)
            found = [_Home(likeness(here, place.around, known), place, step) for place in homes[0]]
        elif homes[1]:
            step = Step("that share of the number stated")
            shares = (place for place in known.places if place.figure.unit == "%" and len(place.figure.values) == 1)
            wanted = [place for place in shares if part_of(figure.values, place.figure.values[0])]
            found = [_Home(likeness(here, place.around, known), place, step) for place in wanted]
    return found


def _counted(value: Decimal, figure: Figure, known: Reading) -> list[Place]:
    """The places where a part or whole of a proportion is stated as a number by itself."""
    part = replace(figure, kind="count", values=(value,))
    return [
        place
        for place in known.places
        if (place.figure.kind in _WHOLES and same(part, place.figure))
        or (place.figure.kind == "number" and place.figure.values == (value,))
    ]


def _rival(figure: Figure, claim: str, known: Reading, here: Around, own: Sequence[_Home]) -> _Home | None:
    """The place most like the claim's that has another figure of the same kind, which the claim does not state elsewhere."""
    mine = {id(home.place) for home in own if home.step is None or not home.step.derived}
    mates = beside(figure, claim)
    said = {number.values for number in worded_numbers(claim)}
    parted = len(figure.values) == 1 and not _part_of_whole(figure, claim)
    best: _Home | None = None
    for place in known.places:
        if id(place) in mine or not _comparable(figure, place.figure) or (parted and len(place.figure.values) == 2):
            continue
        if place.figure.kind == "number" and (place.figure.values in said if place.figure.worded else place.figure.values == _ONE):
            continue
        score = likeness(here, place.around, known)
        if best is not None and score <= best.score:
            continue
        filling = [(other, its) for other, its in mates if _fills(other, place, claim)]
        if any(likeness(its, place.around, known) >= score or (own and _only_home(other, place, known)) for other, its in filling):
            continue
        best = _Home(score, place)
    return best


def _exchanged(figure: Figure, claim: str, home: _Home, known: Reading, here: Around) -> str:
    """The figure of the claim, as written, with which this one has changed places; "" where there is none.

    Both are stated in one sentence of the article, and each stands in the claim clearly more like the other's place there. That
    is only said of a claim that keeps to the article's wording: who turns a sentence round moves words from one side of a
    figure to the other.
    """
    values = Counter(other.values for other, _ in claimed(claim))
    if values[figure.values] > 1:
        return ""
    near = {id(mate) for mate in home.place.mates}
    places = [place for place in known.places if id(place.figure) in near]
    for other, its in beside(figure, claim):
        if not _comparable(figure, other) or values[other.values] > 1:
            continue
        for place in places:
            if not same(other, place.figure):
                continue
            pair = (named(figure), named(other), named(place.figure), named(home.place.figure))
            straight = likeness(here, home.place.around, known, pair) + likeness(its, place.around, known, pair)
            crossed = likeness(here, place.around, known, pair) + likeness(its, home.place.around, known, pair)
            whole = likeness(here, here, known, pair) + likeness(its, its, known, pair)
            if crossed > EXCHANGED * straight and crossed >= LEAST_EXCHANGED * whole:
                return claim[other.start : other.end]
    return ""


def _fills(figure: Figure, place: Place, claim: str) -> bool:
    """Whether a figure says what stands at a place, if in another writing, and not a part of it only (12 of "12/50")."""
    if len(figure.values) != len(place.figure.values):
        return False
    if same(figure, place.figure):
        return True
    step = follows(asked_of(figure, claim), place.figure, place.mates)
    return step is not None and not step.derived


def _only_home(figure: Figure, place: Place, known: Reading) -> bool:
    """Whether a figure is stated nowhere but at ``place``."""
    return not any(other is not place and same(figure, other.figure) for other in known.places)


def _taken(figure: Figure, claim: str, home: _Home, known: Reading) -> bool:
    """Whether another figure of the claim states the place and is more like it."""
    there = home.place
    mates = beside(figure, claim)
    return any(same(other, there.figure) and likeness(its, there.around, known) > home.score for other, its in mates)


def _part_of_whole(figure: Figure, claim: str) -> bool:
    """Whether a number is written as part or whole of another: "219 of 66"."""
    before = claim[max(0, figure.start - 40) : figure.start]
    return _OF_WHOLE.match(claim, figure.end) is not None or _PART_OF.search(before) is not None


def _comparable(claim: Figure, source: Figure) -> bool:
    """Whether one may be written where the other should stand: figures of one kind and unit."""
    if claim.kind == "p value" or source.kind == "p value":
        return claim.kind == source.kind
    if source.comparator in _BOUNDS and claim.comparator not in _BOUNDS:
        return False
    if claim.kind == source.kind:
        return claim.kind != "quantity" or claim.unit == source.unit
    if claim.unit in ("participants", "studies") and source.kind == "number":
        return False
    if {claim.kind, source.kind} <= {"interval", "range"}:
        return True
    if len(claim.values) != len(source.values) and not {claim.kind, source.kind} <= _COUNTS:
        return False
    if {claim.kind, source.kind} <= _COUNTS:
        return claim.kind != "proportion" and (claim.unit is None or source.unit is None or claim.unit == source.unit)
    if {claim.kind, source.kind} <= _QUANTITATIVE:
        return claim.unit == source.unit or ("%" not in (claim.unit, source.unit) and not {claim.unit, source.unit} & TIMES)
    return False


def _clearly(rival: float, own: float, whole: float, level: tuple[float, float]) -> bool:
    """Whether a rival's place is like enough, and enough more like than the figure's own."""
    least, margin = level
    return rival > margin * own and rival >= least * whole


def _shown(verdict: Literal["stated", "computed", "other", "absent"], place: Place, why: str, doubt: str = "") -> FigureEvidence:
    return FigureEvidence(verdict, place.figure.start, place.figure.end, place.field, why, doubt)


def _other(written: str, home: _Home, rival: _Home, here: Around, article: Article) -> FigureEvidence:
    """The verdict that a figure belongs elsewhere, with the words by which the two places are told apart, if there are any."""
    instead = _written(rival.place, article)
    there = words_near(home.place, home.place.around.keys() - rival.place.around.keys() - here.keys(), article)
    meant = words_near(rival.place, (rival.place.around.keys() & here.keys()) - home.place.around.keys(), article)
    if home.step is not None:
        why = f"the abstract states {instead} here; {written} would follow only from other figures"
    elif there and meant:
        why = f"{written} is stated of “{there}”; of “{meant}” the abstract states {instead}"
    else:
        why = f"{written} stands in the abstract, but it states {instead} here"
    return _shown("other", home.place, why)


def _written(place: Place, article: Article) -> str:
    text = article.title if place.field == "title" else article.abstract
    return text[place.figure.start : place.figure.end]
