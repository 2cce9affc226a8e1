"""Contradictions between passages that their sources' own fields tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from clinfo.records.copilot import Conflict, Observed

SAME: Final = ("gene", "variant", "disease", "drugs")
"""Facts in which passages must agree to speak of the same."""
_RESPONDS: Final = {"sensitivity/response": 1, "sensitivity": 1, "resistance": -1}
_DIRECTION: Final = {"supports": 1, "does not support": -1}


def by_fields(every: Mapping[int, Observed]) -> Iterator[Conflict]:
    """Passages on the same alteration, disease and drugs of which some say that tumours respond
    and others that they do not, or resist.
    """
    speaking = [
        (tuple(one.facts.get(name, "").casefold() for name in SAME), n, side)
        for n, one in every.items()
        if one.facts.get("gene") and one.facts.get("drugs") and (side := _side(one))
    ]
    for _, group in groupby(sorted(speaking), key=lambda row: row[0]):
        rows = list(group)
        if len({side for _, _, side in rows}) > 1:
            facts = every[rows[0][1]].facts
            about = ", ".join(facts[name] for name in SAME if facts.get(name))
            yield Conflict(about, tuple(n for _, n, _ in rows))


def _side(one: Observed) -> int:
    """1 for a response, -1 for none; 0 where the fields say neither: that something does not
    support a resistance is no response.
    """
    responds = _RESPONDS.get(one.facts.get("significance", "").casefold(), 0)
    direction = _DIRECTION.get(one.facts.get("direction", "").casefold(), 0)
    return 0 if direction < 0 and responds < 0 else direction * responds
