"""The concepts of a question: the longest names that MeSH, the medicines or the classes of drugs
know, and the words between them that say something; and what an article names of them, counted.

Nothing is read into a question: what no vocabulary knows stands for itself. Nobody judges whether
an article bears on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
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
    vocabulary,
    words_as_written,
)
from clinfo.text.wording import listed
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
    return _MEDICAL if held & MEDICAL or own[0].startswith("non-") else _UNKNOWN


def _of_people(part: Part) -> bool:
    return part.places[:1] != () and part.places[0].startswith("M01")


def _narrows(part: Part, own: Sequence[str]) -> bool:
    return _of_people(part) or (len(own) == 1 and fold(own[0]) in MODIFIER_WORDS)


def read(article: Article, question: str) -> Vocabulary:
    """An article's title and abstract, to look concepts up in; its headings count too."""
    text = f"{article.title}. {article.abstract} {' '.join(article.keywords)}"
    found = vocabulary(text, {**acronyms(text), **acronyms(question)})
    return replace(found, headings=frozenset(keys(article.mesh)))


ENOUGH: Final = 2 / 3
"""Share of what a question names, by value, from which an article is quoted."""
NAMES_NOTHING = "Title and abstract mention nothing of what is asked."
LACKS = "; no mention of "
"""Text in a reason before the concepts that an article lacks."""
UNNAMED = "No record found has words known here for "
"""Beginning of the line that says why no article is quoted (`why_none`)."""


@dataclass(frozen=True)
class Coverage:
    """The concepts of a question that an article names and does not; ``share``, 0 to 1, is their
    part by value.
    """

    named: tuple[Concept, ...]
    lacking: tuple[Concept, ...]

    @property
    def share(self) -> float:
        worth = sum(one.value for one in self.named)
        return worth and worth / (worth + sum(one.value for one in self.lacking))

    @property
    def enough(self) -> bool:
        """Whether the share is, and some treatment and some condition are named where one is asked
        about.
        """
        unnamed = {one.treats for one in self.lacking if one.main}
        unnamed -= {one.treats for one in self.named if one.main}
        return self.share >= ENOUGH and not unnamed

    @property
    def reason(self) -> str:
        """One line saying which of the question's concepts the article has."""
        if not self.named:
            return NAMES_NOTHING
        lacks = f"{LACKS}{_listed(self.lacking)}" if self.lacking else ""
        return f"Mentions {_listed(self.named)}{lacks}."


def coverage(question: str, article: Article) -> Coverage:
    """What title, abstract and headings of an article name of a question."""
    found, text = concepts(question), read(article, question)
    named = tuple(one for one in found if one.part.is_in(text))
    return Coverage(named, tuple(one for one in found if one not in named))


def named_somewhere(question: str, articles: Sequence[Article]) -> str:
    """The question as far as the records at hand can tell of it: without words that no vocabulary
    knows as a treatment or condition and none of the articles has, since they tell none of these
    from another.
    """
    gone = {
        word
        for one in _unnamed(question, articles)
        if not one.main
        for word in words_as_written(one.text)
    }
    kept = " ".join(
        word
        for word in question.split()
        if not (own := words_as_written(word)) or not gone.issuperset(own)
    )
    return kept if concepts(kept) else question


def why_none(question: str, articles: Sequence[Article]) -> str:
    """Return why none of the articles is quoted: what no record has, or that none has all."""
    gone = _unnamed(question, articles)
    if lacking := [one for one in gone if one.main]:
        return f"{UNNAMED}{_listed(lacking)}."
    named = [one.text for one in concepts(question) if one not in gone]
    every = "" if len(named) < 2 else "both " if len(named) == 2 else "all of "
    return f"{UNNAMED}{every}{listed(named) or 'what is asked'}."


def _unnamed(question: str, articles: Sequence[Article]) -> list[Concept]:
    texts = [read(article, question) for article in articles]
    return [one for one in concepts(question) if not any(one.part.is_in(text) for text in texts)]


def _listed(found: Iterable[Concept]) -> str:
    return ", ".join(one.text for one in found)
