"""The words of a label: what a row, a column, an arm or an outcome is called, as compared words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from clinfo.text.regex import anycase, regex
from clinfo.text.terms import FUNCTION_WORDS, GENERIC_WORDS, StemSet, fold, stem, synonym_stems

_MARK = regex(r"\^\S{1,4}|[*†‡§¶]")
_SIZE = anycase(r"[(\[]?\s?\bn\s?[=:]\s?[\d,\s]*\d\s?[)\]]?|\bno\.(?=\s)")
_TOKEN = regex(r"\d+(?:[.,:]\d+)*(?![^\W_])|[^\W_]+(?:['’][^\W\d_]+)?")
_LEVELS = regex(r"\b([A-Z])\d{1,2}\s?[-–]\s?(\d{1,2})\b")
"""Levels written short: "C5-6" for "C5-C6"."""
_TOLD = frozenset(("no", "without", "before", "after", "off", "on", "all", "both", "not"))
"""Function words that tell one label from another."""
_GROUP_NOUNS = StemSet(
    "group groups arm arms patients subjects participants cohort value values condition conditions"
)
COMMON = 0.3
"""What a word counts that stands in every article."""


@lru_cache(maxsize=16384)
def label_words(text: str) -> Mapping[str, float]:
    """The words of a label with what each counts: 1, or `COMMON` for common ones.

    A lone capital or figure counts as a word; sizes ("n = 35"), footnote marks and nouns such as
    "group" are left out.
    """
    found: dict[str, float] = {}
    clean = _SIZE.sub(" ", _MARK.sub(" ", text))
    for match in _TOKEN.finditer(clean):
        word, low = match[0], fold(match[0])
        if len(word) == 1 and word.isalpha():
            if word.isupper() and (word not in "AI" or _ends_label(clean, match.end())):
                found[low] = 1.0
            continue
        if low in FUNCTION_WORDS and low not in _TOLD:
            continue
        key = stem(low)
        if key in _GROUP_NOUNS:
            continue
        found[key] = COMMON if low in GENERIC_WORDS or low in FUNCTION_WORDS else 1.0
    for letter, last in _LEVELS.findall(clean):
        found[f"{letter.lower()}{last}"] = 1.0
    return found


_ALSO = (
    ("women", "woman", "female", "females", "girls"),
    ("men", "man", "male", "males", "boys"),
    ("duration", "time", "length"),
    ("level", "levels", "concentration", "concentrations"),
    ("score", "scores", "scale", "index"),
    ("adverse", "side"),
    ("rate", "incidence", "proportion"),
)
"""Words that labels and questions use for each other."""


@lru_cache(maxsize=4096)
def same_words(one: str) -> frozenset[str]:
    """The stems that are read as one with a stem."""
    also = (group for words in _ALSO if one in (group := frozenset(map(stem, words))))
    return synonym_stems().get(one, frozenset((one,))).union(*also)


def _ends_label(text: str, end: int) -> bool:
    """Return whether no word in small letters follows: "A" is a label then, no article."""
    return not text[end : end + 2].strip()[:1].islower()
