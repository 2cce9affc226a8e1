"""Sentences as the published scores had them, without a download.

UniEval asks of every sentence, and its authors split with NLTK's English Punkt model, which cannot be fetched here. On the
published texts an untrained Punkt with the few parameters below gives the same sentences.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

ABBREVIATIONS: Final = ("vs", "u.s", "t", "st", "ct")
STARTERS: Final = ("the",)
SIGNATURE: Final = "sentences:punkt-" + ",".join(ABBREVIATIONS) + "-" + ",".join(STARTERS)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, without the space around them; none where there is nothing but space."""
    return _splitter().tokenize(text) if text.strip() else []


@cache
def _splitter() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(STARTERS)
    return PunktSentenceTokenizer(parameters)
