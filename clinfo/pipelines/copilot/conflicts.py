"""Contradictions between passages that their sources' own fields tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from clinfo.records.copilot import Conflict, Observed

SAME: Final = ("gene", "variant", "disease", "drugs")
"""Facts in which passages must agree to speak of the same."""
SIDES: Final = ("evidence_direction", "clinical_significance")
"""Facts in which they then contradict each other."""
FOR: Final = frozenset((("supports", "sensitivity/response"), ("supports", "sensitivity")))


def by_fields(every: Mapping[int, Observed]) -> Iterator[Conflict]:
    """Passages on the same alteration, disease and drugs of which some say that it responds and
    others that it does not, or resists.
    """
    speaking = [
        (tuple(one.facts.get(name, "").casefold() for name in SAME), n, one)
        for n, one in every.items()
        if one.facts.get("gene") and one.facts.get("drugs") and one.facts.get(SIDES[0])
    ]
    for _, group in groupby(sorted(speaking, key=lambda row: row[:2]), key=lambda row: row[0]):
        rows = list(group)
        said = {
            tuple(one.facts.get(name, "").casefold() for name in SIDES) in FOR for _, _, one in rows
        }
        if len(said) > 1:
            facts = rows[0][2].facts
            about = " ".join(facts.get(name, "") for name in SAME)
            yield Conflict(about, tuple(n for _, n, _ in rows))
