"""What the things of a record are in plain meanings, so that a question in other words finds them:
"the inflamed appendix" and "appendicitis" meet in an appendix and an inflammation.

An item has the meanings of its words (`clinfo.terms.composed`), of the other names of what it
names in MeSH, more faintly of the headings above them, of the classes of its drugs, and of what
people and hurried clinicians call it (`clinfo.pipelines.chart.asked`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clinfo.patients.lexicon import read_rows
from clinfo.pipelines.chart.asked import LAY, MOST_NAMES, asking_stems
from clinfo.pipelines.chart.columns import once
from clinfo.terms.composed import meanings
from clinfo.text.terms import FUNCTION_WORDS, stem, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clinfo.pipelines.chart.asked import ChartQuestion
    from clinfo.pipelines.chart.index import ChartIndex

    Floats = NDArray[np.float64]

TOLD: Final = Path(__file__).with_name("told_as.tsv")
NAMED, ABOVE = 0.9, 0.5
"""How much a meaning counts of another name of a thing, and of what MeSH puts it under."""
LEVELS: Final = 2
"""Headings above one that are looked at."""
LONGEST: Final = 14
"""Words of an item of which the meanings are looked up; a longer one stands in its parts too."""
UNSURE: Final = 1.0
"""Weight of the doubt whether what of a question is known is all that it asks for."""
_CACHE: Final = "_gloss"


def told_alike(question: ChartQuestion, index: ChartIndex) -> Floats:
    """The share of the question's meanings that each occurrence of an item states, 0 to 1, rare
    ones weighing more; meanings that nothing in the record has belong to the asking, and what a
    note denies states none.
    """
    found: Floats = once(index, "told alike", question, lambda: _told_alike(question, index))
    return found


def _told_alike(question: ChartQuestion, index: ChartIndex) -> Floats:
    of, count, holding = _holding(index)
    found, total = np.zeros(count), UNSURE
    for meaning in sorted(_asked(question.text)):
        if (held := holding.get(meaning)) is None:
            continue
        places, strengths = held
        worth = max(0.0, math.log((count + 1) / (strengths.sum() + 0.5)))
        found[places] += worth * strengths
        total += worth
    shares: Floats = (found / total)[of]
    return shares


def _asked(text: str) -> Iterable[str]:
    said = [word for word in words(text) if stem(word) not in asking_stems()]
    return meanings(" ".join(said)) if said else ()


def _holding(index: ChartIndex) -> tuple[Any, int, Mapping[str, tuple[Any, Any]]]:
    """Which statement each occurrence makes, how many different ones there are, and by meaning the
    statements that have it and how much; made once for an index.
    """
    known: tuple[Any, int, Mapping[str, tuple[Any, Any]]] | None = index.__dict__.get(_CACHE)
    if known is None:
        numbers: dict[tuple[str, frozenset[str]], int] = {}
        of = [
            numbers.setdefault((index.texts[one.item], one.denied), len(numbers))
            for one in index.occurrences
        ]
        places: dict[str, list[int]] = {}
        strengths: dict[str, list[float]] = {}
        for (text, denied), place in numbers.items():
            for meaning, strength in stated_meanings(text, denied).items():
                places.setdefault(meaning, []).append(place)
                strengths.setdefault(meaning, []).append(strength)
        held = {
            meaning: (np.array(own, np.intp), np.array(strengths[meaning]))
            for meaning, own in places.items()
        }
        known = (np.array(of, np.intp), len(numbers), held)
        object.__setattr__(index, _CACHE, known)
    return known


def stated_meanings(text: str, denied: Collection[str] = ()) -> Mapping[str, float]:
    """The meanings that an item states and how much each counts, 0 to 1, without those of its
    words whose stems are ``denied``.
    """
    found: dict[str, float] = {}
    for own, strengths in _glossed(text):
        if own and own <= set(denied):
            continue
        for meaning, strength in strengths.items():
            found[meaning] = max(strength, found.get(meaning, 0.0))
    return found


@lru_cache(maxsize=50_000)
def _glossed(text: str) -> Sequence[tuple[frozenset[str], Mapping[str, float]]]:
    """Runs of an item's words (their stems), and the meanings of each with what they count."""
    said = words(text)
    if not said or len(said) > LONGEST:
        return ()
    forms = [stem(word) for word in said]
    found: list[tuple[frozenset[str], Mapping[str, float]]] = []
    for start, end, strength, names in _named(said, forms):
        own = {meaning: strength for name in names for meaning in meanings(name)}
        found.append((frozenset(forms[start:end]) - _function_stems(), own))
    return found


def _named(
    said: Sequence[str], forms: Sequence[str]
) -> Iterator[tuple[int, int, float, Sequence[str]]]:
    """What runs of words name: start, end, how much its meanings count, names."""
    from clinfo.terms.naming import known

    mesh, called, at = known(), _called(), 0
    for start, word in enumerate(said):
        yield start, start + 1, 1.0, (word,)
        for end in range(start + 1, min(start + _most(), len(said)) + 1):
            if end > start + 1:
                yield start, end, 1.0, (" ".join(said[start:end]),)
            if (phrases := called.get(tuple(forms[start:end]))) is not None:
                yield start, end, 1.0, phrases
    while at < len(said):
        if (named := mesh.longest(said, at)) is None:
            at += 1
            continue
        start, at = at, at + named[0]
        heading, others = named[1].heading, named[1].entry_terms[:MOST_NAMES]
        yield start, at, NAMED, (heading, *others)
        yield start, at, ABOVE, _above(heading)


@cache
def _function_stems() -> frozenset[str]:
    return frozenset(map(stem, FUNCTION_WORDS))


@cache
def _above(heading: str) -> tuple[str, ...]:
    """The headings that MeSH puts one under, up to `LEVELS` of them on each branch."""
    from clinfo.terms.naming import known

    mesh = known()
    found = mesh.descriptor(heading)
    places = mesh.places()
    numbers = set()
    for number in found.tree_numbers if found else ():
        for _ in range(LEVELS):
            number = number.rpartition(".")[0]
            if number in places and "." in number:
                numbers.add(places[number])
    return tuple(sorted(one.heading for one in mesh.numbered(sorted(numbers)).values()))


@cache
def _called() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """By the stems of a name in notes, what else is said for it."""
    from clinfo.terms.drug_classes import classes

    found: dict[tuple[str, ...], list[str]] = {}

    def add(name: str, phrase: str) -> None:
        found.setdefault(tuple(stem(word) for word in words(name)), []).append(phrase)

    for phrase, names in read_rows(LAY, 2):
        for name in names.split("|"):
            add(name, phrase)
    for names, phrases in read_rows(TOLD, 2):
        for name in names.split("|"):
            for phrase in phrases.split("|"):
                add(name, phrase)
    for one in dict.fromkeys(classes().values()):
        for member in one.members:
            for name in one.names:
                add(member, name)
    return {name: tuple(own) for name, own in found.items() if name}


@cache
def _most() -> int:
    return max(map(len, _called()), default=1)
