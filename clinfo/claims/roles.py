"""Roles: detects claims that reverse the two sides of a verb or comparison in their source."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.claims.tokens import Token
from clinfo.text.terms import StemSet

_DIRECTED = StemSet(
    (
        "superior inferior noninferior better worse higher lower greater less more fewer prefer "
        "preferred preferable favoured "
        "outperform outperformed exceeded surpassed effective instead lead led cause caused "
        "predict "
        "predicted reduced "
        "increased improved prevented induced produced replaced preceded triggered resulted"
    ),
    keys=("during",),
)
"""Words with two sides that are not alike; "during" is also the key of "over"."""
_JOINING = StemSet(
    "add added adding addition switch switched switching change changed changing convert converted "
    "replace replacing"
)
"""Words followed by both of their sides."""


def swapped(claim: Sequence[Token], source: Sequence[Token]) -> Token | None:
    """The word whose two sides changed places, all three standing once in each text; None where
    there is none.

    A passive ("cough was reduced by zinc") keeps its sides: the caller leaves out texts of which
    only one has "by".
    """
    mine, theirs = _places(claim), _places(source)
    both = [key for key in mine if key in theirs]
    for key in both:
        if key not in _DIRECTED | _JOINING:
            continue
        turned = [
            (mine[each] < mine[key], theirs[each] < theirs[key]) for each in both if each != key
        ]
        if key in _DIRECTED and (True, False) in turned and (False, True) in turned:
            return claim[mine[key]]
        after = [each for each in both if mine[each] > mine[key] and theirs[each] > theirs[key]]
        if key in _JOINING and len(after) > 1:
            first, other = min(after, key=mine.__getitem__), min(after, key=theirs.__getitem__)
            if first != other and theirs[other] == theirs[key] + 1 and mine[first] == mine[key] + 1:
                return claim[mine[key]]
    return None


def _places(tokens: Sequence[Token]) -> dict[str, int]:
    """Return where each word stands that stands once."""
    keys = [token.key for token in tokens]
    return {
        key: place
        for place, key in enumerate(keys)
        if keys.count(key) == 1 and tokens[place].kind == "word"
    }
