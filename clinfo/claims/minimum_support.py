"""The floor under an answer: how little support is too little to show it as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clinfo.claims.joining import CARRIED, TOLD
from clinfo.records.articles import Sentence

LEAST_TOLD: Final = 3
"""Sentences that a judge could tell, from which the floor is asked."""
LEAST_SHARE: Final = 1 / 5
"""Share of these that must be supported or partial (both as issue 12 asks)."""


def too_little(sentences: Iterable[Sentence]) -> str:
    """Return why a text with these sentences, as the model wrote them, is no answer; "" where it is
    one.

    A text without any citation answers from no article. Else sentences without verdict or citation
    and counts of studies are no evidence either way.
    """
    sentences = tuple(sentences)
    if sentences and not any(one.cites for one in sentences):
        return "no sentence cites an article"
    told = [one for one in sentences if one.verdict in TOLD and not one.counts_only]
    carried = sum(one.verdict in CARRIED for one in told)
    if len(told) < LEAST_TOLD or carried >= LEAST_SHARE * len(told):
        return ""
    few = f"{carried or 'none'} {'is' if carried < 2 else 'are'}"
    return f"of {len(told)} sentences that could be checked, {few} supported by the articles cited"
