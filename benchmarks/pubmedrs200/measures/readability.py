"""Flesch-Kincaid grade level: the American school year whose pupils can read a text."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from benchmarks.pubmedrs200.measures.claims import without_marks
from clinfo.errors import UsageError
from clinfo.extras import install
from clinfo.text.sentences import sentences

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def reading_grade(text: str) -> float | None:
    """0.39 words a sentence + 11.8 syllables a word - 15.59 (Kincaid, Fishburne, Rogers and Chissom
    1975); None without words.

    Syllables are those between which Pyphen would hyphenate (American English), which finds
    slightly fewer than are spoken. Raises UsageError without Pyphen.
    """
    plain = without_marks(text)
    words = _WORD.findall(plain)
    if not words:
        return None
    syllables = sum(_syllables(word.lower()) for word in words)
    return 0.39 * len(words) / max(1, len(sentences(plain))) + 11.8 * syllables / len(words) - 15.59


@cache
def _syllables(word: str) -> int:
    return len(_hyphenation().positions(word)) + 1


@cache
def _hyphenation() -> Any:
    try:
        import pyphen
    except ImportError:
        raise UsageError(f"readability needs the package pyphen; {install('metrics')}") from None
    return pyphen.Pyphen(lang="en_US")
