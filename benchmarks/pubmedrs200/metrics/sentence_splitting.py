"""Sentences as the published scores had them, without a download.

UniEval asks of every sentence, and its authors split with NLTK's English Punkt model, which cannot
be fetched here. On the published texts METEOR's splitter gives the same sentences: Punkt, untrained
but for a few parameters, by the rules of nltk 3.8.1 whatever nltk is installed.
"""

from __future__ import annotations

from typing import Final

from benchmarks.pubmedrs200.metrics.word_tokens import (
    ABBREVIATIONS,
    SENTENCE_STARTERS,
    sentence_splitter,
)

SIGNATURE: Final = (
    f"sentences:punkt-3.8.1({','.join(sorted(ABBREVIATIONS))};"
    f"{','.join(sorted(SENTENCE_STARTERS))})"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, without the space around them; none where there is nothing
    but space.
    """
    return (
        [str(sentence) for sentence in sentence_splitter().tokenize(text)] if text.strip() else []
    )
