"""What a note says of the words of its items: that the patient has what they name, or not.

The same rules as for mentions (`clinfo.patients.assertion`), word by word, since what is asked
about may stand in no dictionary.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final

from clinfo.patients.assertion import asserted
from clinfo.patients.mentions import Assertion, Mention
from clinfo.patients.sections import Section
from clinfo.pipelines.chart.items import Item, naming_words

DENIED: Final = frozenset(("negated", "family"))
"""Assertions by which a note says that the patient does not have something."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_Words = tuple[tuple[int, int, frozenset[str], Assertion], ...]


class Said:
    """What a note says of its words."""

    def __init__(self, text: str) -> None:
        self._text = text

    def of(self, item: Item) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """The stems of an item's words that are denied, that are only thought of, and that are
        over.
        """
        start, end = item.whole
        denied, doubted, past = set[str](), set[str](), set[str]()
        words = _of_sentence(self._text[start:end], item.section)
        first = bisect_left(words, item.start - start, key=lambda word: word[0])
        for _, b, stems, told in words[first:]:
            if start + b > item.end:
                break
            if told in DENIED:
                denied |= stems
            else:
                doubted |= stems if told == "uncertain" else set()
                past |= stems if told == "history" else set()
        return frozenset(denied), frozenset(doubted), frozenset(past)


@lru_cache(maxsize=20_000)
def _of_sentence(text: str, section: str) -> _Words:
    """The words of a sentence that stands in a section of this kind, of which it says more than
    that they are so: where each stands, its stems, and what is said of it.
    """
    words = [Mention(*one.span(), one[0], "", ()) for one in _WORD.finditer(text)]
    told = asserted(text, [Section(0, 0, len(text), section)], words)
    return tuple(
        (one.start, one.end, naming_words(one.text), one.assertion)
        for one in told
        if one.assertion != "present"
    )
