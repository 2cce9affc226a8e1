"""Plain conclusions made from patterns, with questions and the answers that follow: what a direction or a comparison means.

Real questions seldom ask the way round in which a conclusion is not told; these do so by turns. No text is from an article.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_TREATMENTS = ("walking", "zinc", "omeprazole", "massage", "metformin", "cycling")
_LESS_IS_BETTER = ("back pain", "bleeding", "mortality", "vomiting", "blood pressure")
_MORE_IS_BETTER = ("walking speed", "survival", "sleep quality", "muscle strength")
_ASKED = {"reduce": -1, "increase": 1, "improve": 0, "prevent": -1, "worsen": 2, "lower": -1, "raise": 1, "cause": 1}
"""Verbs with the way they point: less, more, better (0) or worse (2)."""
_TOLD = (
    ("{i} significantly reduced {o}.", -1),
    ("Treatment with {i} lowered {o} compared with placebo.", -1),
    ("{i} was associated with less {o}.", -1),
    ("{o} was significantly lower with {i} than with placebo.", -1),
    ("{i} increased {o}.", 1),
    ("{i} led to greater {o} than placebo.", 1),
    ("{o} was higher in the {i} group.", 1),
    ("{i} did not reduce {o}.", None),
    ("{i} had no effect on {o}.", None),
    ("{o} did not differ between {i} and placebo.", None),
    ("{i} did not increase {o}.", None),
    ("{i} did not improve fatigue and increased {o}.", 1),
)
_COMPARED = (
    ("{a} was more effective than {b}.", "first"),
    ("{a} was superior to {b} for {o}.", "first"),
    ("{a} improved {o} more than {b} did.", "first"),
    ("{b} was better than {a}.", "other"),
    ("{a} was less effective than {b}.", "other"),
    ("{b} was superior to {a} in patients with {o}.", "other"),
    ("{a} and {b} were equally effective.", "alike"),
    ("There was no significant difference between {a} and {b}.", "alike"),
    ("{a} was as effective as {b} for {o}.", "alike"),
    ("{a} was not superior to {b}.", "alike"),
    ("{a} and {b} were each effective for {o}.", "alike"),
)
_ASKED_OF_TWO = (
    ("Is {a} better than {b} for {o}?", "first"),
    ("Is {a} more effective than {b} for {o}?", "first"),
    ("Is {a} superior to {b} in patients with {o}?", "first"),
    ("Is {a} as effective as {b} for {o}?", "not other"),
    ("Is {a} as good as {b} for {o}?", "not other"),
)


def made() -> Iterator[tuple[str, str, str]]:
    """(question, conclusion, "yes" or "no")."""
    for place, (outcome, verb, (pattern, told)) in enumerate(product(_LESS_IS_BETTER + _MORE_IS_BETTER, _ASKED, _TOLD)):
        if place % 3:
            continue
        better = -1 if outcome in _LESS_IS_BETTER else 1
        wanted = {0: better, 2: -better}.get(_ASKED[verb], _ASKED[verb])
        treatment = _TREATMENTS[place % len(_TREATMENTS)]
        yield f"Does {treatment} {verb} {outcome}?", _said(pattern, i=treatment, o=outcome), "yes" if told == wanted else "no"
    for place, ((question, asks), (pattern, found)) in enumerate(product(_ASKED_OF_TWO, _COMPARED)):
        one, other = _TREATMENTS[place % 6], _TREATMENTS[(place + 1 + place // 6 % 4) % 6]
        outcome = _LESS_IS_BETTER[place % 2 * 3]
        yes = found != "other" if asks == "not other" else found == asks
        yield question.format(a=one, b=other, o=outcome), _said(pattern, a=one, b=other, o=outcome), "yes" if yes else "no"


def _said(pattern: str, **names: str) -> str:
    text = pattern.format(**names)
    return text[0].upper() + text[1:]
