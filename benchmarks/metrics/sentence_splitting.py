"""Sentences as the published scores had them, without a download.

UniEval asks of every sentence, and its authors split with NLTK's English Punkt model, which cannot be fetched here. On the
published texts an untrained Punkt with METEOR's few parameters gives the same sentences.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from benchmarks.metrics.word_tokens import ABBREVIATIONS, SENTENCE_STARTERS

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

SIGNATURE: Final = f"sentences:punkt({','.join(sorted(ABBREVIATIONS))};{','.join(sorted(SENTENCE_STARTERS))})"


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, without the space around them; none where there is nothing but space."""
    return _splitter().tokenize(text) if text.strip() else []


@cache
def _splitter() -> PunktSentenceTokenizer:
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(SENTENCE_STARTERS)
    return PunktSentenceTokenizer(parameters)
