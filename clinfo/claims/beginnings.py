"""The sentences of an article as places to point at, and how much of a claim's wording stands in
one.

Words are compared by their beginnings: small letters, without a plural s, the first five letters.
That is crude and fast, and enough to find the sentence a claim was taken from; it says nothing of
whether the two mean the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clinfo.records.articles import Article
from clinfo.text.sentences import sentence_spans
from clinfo.text.terms import FUNCTION_WORDS

_WORD = re.compile(r"[^\W\d_]{2,}\d*")
_BEGINNING = 5


@dataclass(frozen=True)
class Passage:
    """One sentence: code points [start, end) of the article's title or abstract, and the beginnings
    of its words.
    """

    field: Literal["title", "abstract"]
    start: int
    end: int
    words: frozenset[str]


def beginnings(text: str) -> frozenset[str]:
    """The content words of ``text``, each by its beginning."""
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(beginning(word) for word in words if word not in FUNCTION_WORDS)


def passages(article: Article) -> tuple[Passage, ...]:
    """The title and the sentences of the abstract."""
    return _passages(article.title, article.abstract)


@lru_cache(maxsize=512)
def _passages(title: str, abstract: str) -> tuple[Passage, ...]:
    head = (Passage("title", 0, len(title), beginnings(title)),) if title else ()
    spans = sentence_spans(abstract)
    return head + tuple(
        Passage("abstract", start, end, beginnings(abstract[start:end])) for start, end in spans
    )


def beginning(word: str) -> str:
    """The beginning of a word in small letters, by which words are compared."""
    singular = (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    )
    return singular[:_BEGINNING]
