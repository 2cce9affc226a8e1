"""A yes/no judgement of one article: the fitted probability that it bears on a question, from what
it names of it.

A logistic regression over `clinfo.extractive.relevance_features`; its weights are fitted by
`benchmarks.own.fit_relevance` on questions such as clinicians ask, the articles that answer them,
and others that a search finds for the same words.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from clinfo.extractive.relevance_features import Texts, Unit, features, units, wanted
from clinfo.records.articles import Article
from clinfo.text.terms import words_as_written
from clinfo.text.wording import listed

ENOUGH = 0.2
"""Probability from which an article is taken as relevant."""
NAMES_NOTHING = "Title and abstract mention nothing of what is asked."
LACKS = "; no mention of "
"""Text in a reason before the concepts that an article lacks."""
UNNAMED = ("No record found has words known here for ", "The records found name ")
"""Beginnings of the line that says why no article is relevant (`why_none`)."""
_SAYS = 0.6
"""The value from which a unit says something of what is asked."""
_MUST = ("treatment", "condition")
"""Kinds of units that an answer must name, whatever the records at hand have."""


@dataclass(frozen=True)
class Reading:
    """The coverage of a question by an article: ``score`` is the probability, 0 to 1; the
    question's units that stand in it and do not.
    """

    relevant: bool
    score: float
    present: tuple[Unit, ...]
    absent: tuple[Unit, ...]

    @property
    def reason(self) -> str:
        """One line saying which of the question's concepts the article has."""
        has, lacks = _listed(self.present), _listed(self.absent)
        if not has:
            return NAMES_NOTHING
        if lacks:
            return f"Mentions {has}{LACKS}{lacks}."
        return f"Mentions {has}" + ("." if self.relevant else ", but only in passing.")


def judge(question: str, article: Article) -> Reading:
    """Return whether title and abstract are about what the question asks. Ordinary words of it
    ("worth trying") need not stand there.
    """
    found = units(question)
    if not found:
        return Reading(False, 0.0, (), ())
    texts = Texts.of(article, question)
    held = {unit: unit.part.is_in(texts.whole) for unit in found}
    own, weights = features(found, held, texts), _weights()
    score = 1 / (1 + math.exp(-sum(weights.get(name, 0.0) * value for name, value in own.items())))
    present = tuple(unit for unit in found if held[unit])
    absent = tuple(unit for unit in wanted(found, present) if not held[unit])
    return Reading(score >= ENOUGH and bool(present), score, present, absent)


def named_somewhere(question: str, articles: Sequence[Article]) -> str:
    """The question as far as the records at hand can tell of it: without words that no vocabulary
    knows as a treatment or condition and none of the articles has, since they tell none of these
    from another.
    """
    unnamed = _unnamed(question, articles)
    return _without(question, [one for one in unnamed if one.kind not in _MUST])


def _without(question: str, gone: Sequence[Unit]) -> str:
    """The question without the words of some units; whole if nothing would be left of it."""
    words = {word for unit in gone for word in unit.text.split()}
    kept = [
        word
        for word in question.split()
        if not (own := words_as_written(word)) or not words.issuperset(own)
    ]
    return " ".join(kept) if units(" ".join(kept)) else question


def why_none(question: str, articles: Sequence[Article]) -> str:
    """Return why none of the articles is relevant: what no record has, or that none has all."""
    gone = _unnamed(question, articles)
    if lacking := tuple(unit for unit in gone if unit.kind in _MUST):
        return f"{UNNAMED[0]}{_listed(lacking)}."
    named = [one for one in units(question) if one not in gone and one.value >= _SAYS]
    if named and any(set(named).issubset(judge(question, one).present) for one in articles):
        return f"{UNNAMED[1]}{_listed(named)}, but only in passing."
    every = "" if len(named) < 2 else "both " if len(named) == 2 else "all of "
    return f"{UNNAMED[0]}{every}{listed([one.text for one in named]) or 'what is asked'}."


def _unnamed(question: str, articles: Sequence[Article]) -> tuple[Unit, ...]:
    texts = [Texts.of(article, question).whole for article in articles]
    return tuple(
        unit for unit in units(question) if not any(unit.part.is_in(text) for text in texts)
    )


def _listed(found: Sequence[Unit]) -> str:
    """Units in words, ordinary ones only where there are no others."""
    return ", ".join(unit.text for unit in found if unit.kind != "everyday") or ", ".join(
        unit.text for unit in found
    )


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    return dict(
        json.loads(
            files("clinfo.extractive")
            .joinpath("relevance_weights.json")
            .read_text(encoding="utf-8")
        )
    )
