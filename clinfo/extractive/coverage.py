"""What an article names of a question, counted: without a language model nobody judges whether it
bears on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.extractive.concepts import Concept, concepts, read
from clinfo.records.articles import Article
from clinfo.text.terms import words_as_written
from clinfo.text.wording import listed

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
