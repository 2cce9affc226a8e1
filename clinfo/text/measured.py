"""What a figure measures: each figure of a text with the words and figures around it, and how alike two such places are.

A place is described by the beginnings of the content words of its sentence (as `clinfo.text.passages` has them), the other
figures of the sentence and the small words next to it, each with its distance to the figure on either side. Two places are
alike when they share rare words, close by, on the same side: "24 %" in "nausea in 24 % of those on A" and in "nausea was seen
in 24 % with A". Nothing is parsed, and the cost is that of looking up words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Literal

from clinfo.records import Article
from clinfo.text.figures import Figure, find_figures, worded_numbers
from clinfo.text.passages import Passage, beginning, passages
from clinfo.text.terms import FUNCTION_WORDS, GENERIC_WORDS

Around = dict[str, tuple[int, int]]
"""For each word or figure of a sentence how far it stands before and how far after the place (`FAR` where it does not)."""

FAR = 60
REACH = 5.0
"""Distance in content words, both sides together, at which a shared word counts half."""
OTHER_SIDE = 0.45
"""What a shared word counts that stands before the figure in one text and after it in the other."""
WINDOW = 50
"""Words on either side of a figure that are said to stand around it."""
NEIGHBOURS = 12
"""Figures on either side of one that can be its companions."""
FIGURE_WEIGHT = 1.5
MOST_NAMED = 2
"""Words by which a place is told from another."""
NEXT_WORD = 0.35
"""What shared figures and shared small words next to the place count, set against a shared content word."""

_TELLS_NOTHING = frozenset(("occurred", "respectively", "showed", "received", "versus", "baseline", "significance"))
_TOKEN = re.compile(r"[^\W\d_]+\d*")


@dataclass(frozen=True)
class Place:
    """A figure in a title or abstract: its passage (by number in `clinfo.text.passages.passages`) and what stands around it."""

    figure: Figure
    field: Literal["title", "abstract"]
    passage: int
    sentence: tuple[int, int]
    around: Around
    mates: tuple[Figure, ...]
    """The figures next to it in its sentence, itself among them, `NEIGHBOURS` on either side at most."""


@dataclass(frozen=True)
class Reading:
    """The figures of an article in their order with what stands around them, and how rare each word is in it."""

    places: tuple[Place, ...]
    rarity: Mapping[str, float]
    unknown: float

    def weight(self, word: str) -> float:
        """How much a shared word tells: more for one that stands in few sentences of the article."""
        return self.rarity.get(word, self.unknown)


def reading(article: Article) -> Reading:
    """The figures of title and abstract as places."""
    return _reading(article.title, article.abstract, passages(article))


@lru_cache(maxsize=256)
def _reading(title: str, abstract: str, parts: tuple[Passage, ...]) -> Reading:
    texts = {"title": title, "abstract": abstract}
    known = {name: find_figures(text) for name, text in texts.items()}
    spoken = {name: worded_numbers(text) for name, text in texts.items()}
    places: list[Place] = []
    counted: Counter[str] = Counter()
    for number, part in enumerate(parts):
        inside = _between(known[part.field], part.start, part.end)
        tokens = _tokens(texts[part.field], part.start, part.end, inside)
        counted.update({token for _, token, _ in tokens})
        for figure in _between(spoken[part.field], part.start, part.end):
            places.append(Place(figure, part.field, number, (part.start, part.end), _around(tokens, figure), (figure,)))
        for at, figure in enumerate(inside):
            mates = inside[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
            places.append(Place(figure, part.field, number, (part.start, part.end), _around(tokens, figure), mates))
    size = len(parts)
    rarity = {token: _weight(token, size, count) for token, count in counted.items()}
    return Reading(tuple(places), rarity, log(1 + size))


@lru_cache(maxsize=512)
def claimed(claim: str) -> tuple[tuple[Figure, Around], ...]:
    """The figures of a sentence with what stands around each."""
    figures = find_figures(claim)
    tokens = _tokens(claim, 0, len(claim), figures)
    return tuple((figure, _around(tokens, figure)) for figure in figures)


def beside(figure: Figure, claim: str) -> tuple[tuple[Figure, Around], ...]:
    """The other figures of a claim, `NEIGHBOURS` on either side of ``figure`` at most, with what stands around them."""
    every = claimed(claim)
    at = next((place for place, (other, _) in enumerate(every) if other == figure), 0)
    return tuple(each for each in every[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1] if each[0] != figure)


def around(figure: Figure, claim: str) -> Around:
    """What stands around ``figure``, which was read from ``claim``."""
    return next((found for other, found in claimed(claim) if other == figure), {})


def likeness(one: Around, other: Around, known: Reading, leave_out: tuple[str, ...] = ()) -> float:
    """How alike two places are, 0 where they share nothing; comparable only for one ``one`` against several ``other``.

    Words or figures of ``leave_out`` do not count.
    """
    total = 0.0
    for word, (before, after) in one.items():
        there = other.get(word)
        if there is None or word in leave_out:
            continue
        same = min(before + there[0], after + there[1])
        cross = min(before + there[1], after + there[0])
        total += known.weight(word) * max(REACH / (REACH + same), OTHER_SIDE * REACH / (REACH + cross))
    return total


def words_near(place: Place, beginnings: Set[str], article: Article) -> str:
    """Those content words of the place's sentence that begin so, the nearest of them in their order; "" where there are none."""
    text = article.title if place.field == "title" else article.abstract
    found: dict[str, int] = {}
    for match in _TOKEN.finditer(text, *place.sentence):
        word = match.group().lower()
        if len(word) > 3 and word not in GENERIC_WORDS and word not in _TELLS_NOTHING and beginning(word) in beginnings:
            found[word] = min(place.around.get(beginning(word), (FAR, FAR)))
    nearest = sorted(found, key=lambda word: found[word])[:MOST_NAMED]
    return ", ".join(word for word in found if word in nearest)


def _weight(token: str, size: int, count: int) -> float:
    rarity = log(1 + size / count)
    return rarity * (FIGURE_WEIGHT if token[0] == "#" else NEXT_WORD if token[0] == "~" else 1.0)


def named(figure: Figure) -> str:
    """The values of a figure as one token: "#12", "#0.6/0.94"."""
    return "#" + "/".join(f"{value.normalize():f}" for value in figure.values)


def _tokens(text: str, start: int, end: int, figures: tuple[Figure, ...]) -> list[tuple[int, str, bool]]:
    """(start, token, whether it is a content word or figure) of each word and figure of text[start:end], in order."""
    found = [(figure.start, named(figure), True) for figure in figures]
    for match in _TOKEN.finditer(text, start, end):
        word = match.group().lower()
        content = len(word) > 1 and word not in FUNCTION_WORDS
        found.append((match.start(), beginning(word) if content else f"~{word}", content))
    return sorted(found)


def _between(figures: tuple[Figure, ...], start: int, end: int) -> tuple[Figure, ...]:
    """Those of ``figures``, which are in order, that begin in [start, end)."""
    low = bisect_left(figures, start, key=lambda figure: figure.start)
    return figures[low : bisect_left(figures, end, low, key=lambda figure: figure.start)]


def _around(tokens: list[tuple[int, str, bool]], figure: Figure) -> Around:
    """The tokens with their distance to the figure, counted in content words and figures; small words only right beside it."""
    found: Around = {}
    at = bisect_left(tokens, (figure.start, "", False))
    distance, small = 1, 0
    for _, token, content in reversed(tokens[max(0, at - WINDOW) : at]):
        small += not content
        if content or (small < 3 and distance == 1):
            found.setdefault(token, (distance, FAR))
        distance += content
    own = named(figure)
    distance, small = 1, 0
    for start, token, content in tokens[at : at + WINDOW]:
        if start == figure.start and (token == own or figure.worded):
            continue
        small += not content
        if content or (small < 3 and distance == 1):
            before, after = found.get(token, (FAR, FAR))
            if after == FAR:
                found[token] = (before, distance)
        distance += content
    if figure.measure:
        found[f"={figure.measure}"] = (0, 0)
    return found
