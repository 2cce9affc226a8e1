"""Detects moved citations: sentences that are about something else than the article they cite.

Compared are words by their rarity, pairs of words, names of MeSH and of classes of drugs, and the
title. A logistic model weighs how much of them the article has; `benchmarks.own.fit_foreign` fits
it. Numbers are left to `clinfo.claims.numbers`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from clinfo.claims.alignment import LEAST_ALIKE, alike, read
from clinfo.claims.opening import opening
from clinfo.claims.tokens import Token, tokens
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article, Study
from clinfo.terms.lexicon import EVERYDAY, flags
from clinfo.terms.naming import Part, parts
from clinfo.text.terms import (
    FUNCTION_WORDS,
    Vocabulary,
    acronyms,
    vocabulary,
    weight,
    words,
    words_as_written,
)

WEIGHTS = Path(__file__).with_name("foreign_subjects.json")
"""Bias and weights of the model, and stems by rarity: log of the articles read over those that have
the word.
"""
SURE = 0.7
"""Probability from which a sentence is told to speak of something else: 2 in 100 true paraphrases
of even PMIDs reach it.
"""
RARE = 3.5
"""Rarity from which a word counts as rare: in fewer than 3 of 100 articles."""
LEAST_TELLING = 2
"""Words of medicine below which a sentence says too little for this."""
LEAST_ENGLISH = 10
"""Different English function words of title and abstract below which it is too short, or in another
language.
"""


@dataclass(frozen=True, eq=False)
class Subject:
    """The vocabulary of an article: keys of its words and numbers, by their beginnings too, pairs
    of words, and words of its title.
    """

    keys: frozenset[str]
    longer: dict[str, str]
    held: Vocabulary
    beginnings: dict[str, list[str]]
    pairs: frozenset[tuple[str, str]]
    title: frozenset[str]
    english: int

    def names(self, key: str) -> bool:
        """Return whether the article has a word in some form, or a synonym of it."""
        return (
            key in self.keys
            or self.held.has(key)
            or any(alike(key, other) for other in self.beginnings.get(_begin(key), ()))
        )


def foreign_subjects(text: str, article: Article) -> tuple[str, ...]:
    """Words that a sentence has and the article has not, the most telling first, where it is about
    something else; else none.
    """
    subject = _subject(article)
    named = _naming(_said(text, article))
    telling = sum(map(_of_medicine, named.values()))
    if (
        telling < LEAST_TELLING
        or subject.english < LEAST_ENGLISH
        or probability(features(text, article)) < SURE
    ):
        return ()
    there = _there(text, article, named)
    gone = [token for key, token in named.items() if key not in there]
    if not any(map(_of_medicine, gone)):
        return ()
    return tuple(
        dict.fromkeys(
            token.text
            for token in sorted(gone, key=lambda one: (not _of_medicine(one), -rarity(one.key)))
        )
    )


def probability(found: dict[str, float]) -> float:
    """Return how likely `features` are those of a sentence cited to another article, 0 to 1."""
    bias, weights, _ = _model()
    return 1 / (1 + math.exp(-bias - sum(weights[name] * value for name, value in found.items())))


def features(text: str, article: Article) -> dict[str, float]:
    """Return how much of what a sentence names the article has; counts and sums as log(1 + n)."""
    subject = _subject(article)
    said = _said(text, article)
    named = _naming(said)
    things = _things(text, article)
    there = _there(text, article, named)
    total, got = sum(map(rarity, named)), sum(map(rarity, there))
    rare = [key in there for key in named if rarity(key) >= RARE]
    special = [key in there for key, token in named.items() if _special(token)]
    running = set(pairwise(_words(said)))
    own = {
        key for key in subject.title if key in named or any(alike(key, other) for other in named)
    }
    title = sum(map(rarity, own))
    counted = {
        "rare words": rare,
        "special words": special,
        "pairs": [pair in subject.pairs for pair in running],
        "things": [thing.is_in(subject.held) for thing in things],
    }
    found = {
        f"{name} {which}": math.log1p(held.count(which == "there"))
        for name, held in counted.items()
        for which in ("there", "gone")
    }
    return found | {
        "share": got / max(total, 1.0),
        "words there": math.log1p(got),
        "words gone": math.log1p(total - got),
        "title": math.log1p(title),
        "share of title": title / max(1.0, sum(map(rarity, subject.title))),
    }


def rarity(key: str) -> float:
    """Return how rare a stem is among abstracts: 0 for one that every abstract has, at most that of
    one that is not listed.
    """
    _, _, rarities = _model()
    return rarities.get(key, rarities[""])


@cache
def _model() -> tuple[float, dict[str, float], dict[str, float]]:
    form = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    rarities = {
        word: float(level) for level, listed in form["rarity"].items() for word in listed.split(" ")
    }
    return form["bias"], form["weights"], rarities


def _there(text: str, article: Article, named: Iterable[str]) -> frozenset[str]:
    """The words named that the article has in some form or as part of a name for which it has
    another.
    """
    subject = _subject(article)
    stems = {
        stem
        for thing in _things(text, article)
        if thing.is_in(subject.held)
        for stem in thing.stems
    }
    return frozenset(key for key in named if key in stems or subject.names(key))


@lru_cache(maxsize=512)
def _things(text: str, article: Article) -> tuple[Part, ...]:
    """The names of MeSH and of classes of drugs in a sentence, each thing once, acronyms spelt
    out.
    """
    expansions = _subject(article).longer | acronyms(text)
    spelt = " ".join(expansions.get(word, word) for word in words_as_written(text))
    return tuple(
        {
            part.headings or part.stems: part
            for part in parts(spelt)
            if part.places or part.is_class
        }.values()
    )


def _said(text: str, article: Article) -> tuple[Token, ...]:
    """The tokens of a sentence behind its opening ("a trial of 412 patients found that")."""
    begin, _ = opening(text, Study(0, article, None))
    return tokens(text[begin:], read(article).longer)


def _naming(said: Iterable[Token]) -> dict[str, Token]:
    return {token.key: token for token in said if token.kind == "word" and weight(token.text) > 0}


def _words(said: Sequence[Token]) -> list[str]:
    return [token.key for token in said if token.kind == "word" and weight(token.text) > 0]


def _of_medicine(token: Token) -> bool:
    """Return whether a word tells and is not one of everyday English alone."""
    return weight(token.text) >= 1 and flags(token.text) != EVERYDAY


def _special(token: Token) -> bool:
    """Return whether a word tells and is none of everyday English."""
    return weight(token.text) >= 1 and not flags(token.text) & EVERYDAY


def _begin(key: str) -> str:
    return key[:LEAST_ALIKE]


@lru_cache(maxsize=512)
def _subject(article: Article) -> Subject:
    reading = read(article)
    beginnings: dict[str, list[str]] = {}
    for key in reading.keys:
        beginnings.setdefault(_begin(key), []).append(key)
    whole = f"{article.title}\n{article.abstract}"
    pairs = frozenset(
        pair for source in reading.sources for pair in pairwise(_words(source.tokens))
    )
    title = frozenset(_naming(tokens(article.title, reading.longer)))
    english = len(FUNCTION_WORDS.intersection(words(whole)))
    return Subject(
        reading.keys,
        reading.longer,
        vocabulary(whole, acronyms(whole)),
        beginnings,
        pairs,
        title,
        english,
    )
