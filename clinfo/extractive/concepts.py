"""The concepts of a question: the longest names that MeSH, the medicines or the classes of drugs
know, and the words between them that say something.

Nothing is read into a question: what no vocabulary knows stands for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from clinfo.records.articles import Article
from clinfo.terms.lexicon import EVERYDAY, MEDICAL, flags
from clinfo.terms.naming import Part, everyday_words, kind_of, named_parts
from clinfo.text.terms import (
    FUNCTION_WORDS,
    MODIFIER_WORDS,
    PEOPLE_WORDS,
    Vocabulary,
    acronyms,
    fold,
    stem,
    stems,
    vocabulary,
)
from clinfo.text.words import keys

_SAYS_LITTLE: Final = 0.4
"""Weight of a word up to which it is no concept ("effect", "better")."""
_VALUE: Final = {"treatment": 1.0, "condition": 1.0, "symptom": 0.7, "name": 0.6}
_UNKNOWN: Final = 0.8
"""The value of a word that no vocabulary and no dictionary has: mostly a new medicine."""
_MEDICAL: Final = 0.5
_BOTH: Final = 0.3
"""The value of a word of medicine, and of one that is everyday English too ("relief")."""


@dataclass(frozen=True)
class Concept:
    """Some words of a question. ``main`` ones are treatments and conditions, by their places in
    MeSH, those that ``treats`` treatments or unknown words, mostly new medicines; ``value`` is how
    much an article says that names it, 0 to 1: 0 for people and for words that narrow ("chronic").
    ``absent`` is what the people that are asked about are "without"; it is no ``main`` one.
    """

    text: str
    part: Part
    value: float
    main: bool
    treats: bool
    absent: bool = False

    def named_in(self, text: Vocabulary) -> bool:
        """Return whether a text names it, an ``absent`` one as what people are without."""
        without = stem(f"non{fold(self.text.split()[0])}")
        return self.part.is_in(text) and (not self.absent or without in text.stems)

    def stands_in(self, text: str) -> bool:
        """Return whether a text has these very words, in another form of them, and with a hyphen or
        a blank more or less.
        """
        own, there = stems(self.text), stems(text)
        held = {*there, *map("".join, pairwise(there))}
        joined = {one for pair in pairwise(own) if "".join(pair) in held for one in pair}
        return held.issuperset(one for one in own if one not in joined)


def concepts(question: str) -> tuple[Concept, ...]:
    """The concepts of a question in its order, each once."""
    return tuple(one for one in asked(question) if one.value)


@lru_cache(maxsize=256)
def asked(question: str) -> tuple[Concept, ...]:
    """The concepts of a question with the people and the words that narrow what is asked."""
    question = _without_opening(question)
    found: dict[tuple[str, ...], Concept] = {}
    letter = ""
    for text, part in named_parts(question):
        own = text.split()
        value = _value(part, own)
        if value or _narrows(part, own):
            if letter:  # "H. pylori"
                own = [f"{letter}.", *own]
            kind = kind_of(part)
            treats = kind == "treatment" or value == _UNKNOWN
            typed = "-".join(own) if "-".join(own) in question else " ".join(own)
            absent = f"without {text}" in question
            main = (treats or kind == "condition") and not absent
            one = Concept(typed, part, value, main, treats, absent)
            found.setdefault(part.stems, one)
        letter = own[-1] if not value and len(own[-1]) == 1 and own[-1].isupper() else ""
    return tuple(found.values())


def _without_opening(question: str) -> str:
    """A question without the small words that it begins with ("Do ACE inhibitors"), which are no
    part of a name.
    """
    words = question.split()
    while words and fold(words[0]) in FUNCTION_WORDS:
        words.pop(0)
    return " ".join(words)


def _value(part: Part, own: Sequence[str]) -> float:
    """The weight of an article that names these words; 0 for people, numbers, everyday words."""
    if part.stems[0][:1].isdigit() or part.weight <= _SAYS_LITTLE:
        return 0.0
    if _of_people(part):
        return 0.0
    if all(fold(word) in PEOPLE_WORDS for word in own):
        return 0.0
    kind = kind_of(part)
    if kind is not None:
        everyday = len(own) == 1 and fold(own[0]) in everyday_words()
        return _VALUE[kind] if not everyday else _BOTH
    held = flags(own[0])
    if held & EVERYDAY:
        return _BOTH if held & MEDICAL else 0.0
    return _MEDICAL if held & MEDICAL else _UNKNOWN


def _of_people(part: Part) -> bool:
    return part.places[:1] != () and part.places[0].startswith("M01")


def _narrows(part: Part, own: Sequence[str]) -> bool:
    return _of_people(part) or (len(own) == 1 and fold(own[0]) in MODIFIER_WORDS)


def read(article: Article, question: str) -> Vocabulary:
    """An article's title and abstract, to look concepts up in; its headings count too."""
    text = f"{article.title}. {article.abstract} {' '.join(article.keywords)}"
    found = vocabulary(text, {**acronyms(text), **acronyms(question)})
    return replace(found, headings=frozenset(keys(article.mesh)))
