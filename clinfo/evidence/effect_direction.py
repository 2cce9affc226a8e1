"""Stance: which way an abstract says an outcome went with an intervention against a comparator, and
the passage that says so.

No language model and no network: what the statements of the abstract say of the outcome
(`clinfo.text.comparison`) is weighed by a multinomial logistic regression
(`clinfo.text.comparison_weights`) whose features all have names a reader understands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Direction
from clinfo.text.comparison import Comparison, Statement, contribution, read
from clinfo.text.comparison_weights import BIAS, WEIGHTS

Weights = Mapping[str, Sequence[float]]
CLASSES: tuple[Direction, ...] = ("increased", "decreased", "no difference")
"""The classes that the weights tell apart, in their order."""
LEAST_KNOWN = 0.25
"""The least share of the outcome, 0 to 1, that a statement must name for its direction to count."""
LEAST_TOLD = 0.005
"""The least that the deciding statement must add to the chosen class."""
BOTH_WAYS = 0.45
"""Probability that increased and decreased must each have for "mixed"."""
_IN_WORDS = {
    "up": "more",
    "down": "less",
    "better": "better",
    "worse": "worse",
    "denied": "a difference denied",
    "alike": "alike",
    "excepted": "excepted from what was alike",
    "significant": "significant",
    "trend": "a trend only",
    "pair": "two values side by side",
    "estimate": "an estimate",
    "figures": "its p value or interval",
}


@dataclass(frozen=True)
class EffectDirection:
    """The direction of an outcome with the intervention against the comparator, and why.

    ``field`` with code points [start, end) is the passage that carries it; None and (0, 0) where
    the direction is unclear.
    """

    direction: Direction
    field: Literal["title", "abstract"] | None
    start: int
    end: int
    reason: str


def effect_direction(
    intervention: str, comparator: str, outcome: str, title: str, abstract: str
) -> EffectDirection:
    """The stance of an article. "unclear" where nothing names the outcome or what does says
    nothing; never raises.

    ``abstract`` is the canonical one: sections as ``LABEL: text``, a line each; plain text will do.
    """
    return decided(read(intervention, comparator, outcome, title, abstract))


def decided(
    found: Comparison, bias: Sequence[float] = BIAS, weights: Weights = WEIGHTS
) -> EffectDirection:
    """The stance that a comparison's statements lead to, under these weights."""
    chances = probabilities(found.features, bias, weights)
    if found.known < LEAST_KNOWN:
        return EffectDirection("unclear", None, 0, 0, "no result names the outcome")
    place = max(range(len(CLASSES)), key=lambda number: chances[number])
    carrier, added = _carrier(found, place, weights)
    if carrier is None or added < LEAST_TOLD:
        return EffectDirection(
            "unclear",
            None,
            0,
            0,
            "what names the outcome says neither a change nor that there was none",
        )
    direction: Direction = "mixed" if min(chances[:2]) >= BOTH_WAYS else CLASSES[place]
    return EffectDirection(
        direction,
        carrier.field,
        carrier.start,
        carrier.end,
        _why(carrier, place, chances[place], weights),
    )


def probabilities(
    features: Mapping[str, float], bias: Sequence[float] = BIAS, weights: Weights = WEIGHTS
) -> tuple[float, ...]:
    """The probabilities of `CLASSES` that features lead to."""
    scores = list(bias)
    for name, value in features.items():
        for number, weight in enumerate(weights.get(name, ())):
            scores[number] += weight * value
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    return tuple(part / sum(parts) for part in parts)


def _carrier(found: Comparison, place: int, weights: Weights) -> tuple[Statement | None, float]:
    """The statement that adds most to a class, and how much: its weight over the mean of the
    classes.
    """
    best, most = None, -math.inf
    for item in found.statements:
        added = sum(_pull(item, name, place, weights) for name in item.says)
        if added > most:
            best, most = item, added
    return best, most


def _pull(item: Statement, name: str, place: int, weights: Weights) -> float:
    own = weights.get(name)
    return contribution(item, name) * (own[place] - sum(own) / len(own)) if own else 0.0


def _why(item: Statement, place: int, chance: float, weights: Weights) -> str:
    """A line on the telling statement: how much of the outcome it names and what in it speaks for
    the direction.
    """
    pulls = sorted(((_pull(item, name, place, weights), name) for name in item.says), reverse=True)
    said: list[str] = []
    for pull, name in pulls:
        words = name.removeprefix("nearest ").split(" ")
        told = f"{_IN_WORDS.get(words[0], words[0])}{f' ({words[1]})' if words[0] in ('pair', 'estimate', 'figures') else ''}"  # noqa: E501
        if pull > 0 and told not in said:
            said.append(told)
    where = {"title": "the title", "results": "a result", "conclusion": "a conclusion"}[item.where]
    return (
        f"{where} that names {item.named:.0%} of the outcome says: {', '.join(said[:3])}; "
        f"probability {chance:.2f}"
    )
