"""The things of a record in plain meanings, so that a question in other words finds them:
"the inflamed appendix" and "appendicitis" meet in an appendix and an inflammation.

An item has the meanings of its words (`clinfo.terms.composed`), of the other names of what it
names in MeSH, more faintly of the headings above them, of the classes of its drugs, and of what
people and hurried clinicians call it (`clinfo.pipelines.chart.parsed_question`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clinfo.patients.lexicon import read_rows
from clinfo.pipelines.chart.parsed_question import LAY, MOST_NAMES, asking_stems
from clinfo.terms.composed import meanings
from clinfo.text.terms import stem, words

if TYPE_CHECKING:
    from clinfo.records.articles import MeshDescriptor

TOLD: Final = Path(__file__).with_name("told_as.tsv")
NAMED, ABOVE = 0.9, 0.5
"""How much a meaning counts of another name of a thing, and of what MeSH puts it under."""
LEVELS: Final = 2
"""Headings above one that are looked at."""
LONGEST: Final = 14
"""Words of an item of which the meanings are looked up; a longer one stands in its parts too."""


def asked_meanings(text: str) -> list[str]:
    """The meanings of a question, in order, without those of words that only ask."""
    said = [word for word in words(text) if stem(word) not in asking_stems()]
    return sorted(meanings(" ".join(said))) if said else []


def stated_meanings(text: str, concepts: Iterable[str] = ()) -> Mapping[str, float]:
    """The meanings that an item states and how much each counts, 0 to 1: those of its words and of
    the ``concepts`` that it names.
    """
    said = words(text)
    if not said or len(said) > LONGEST:
        return {}
    found = dict.fromkeys(meanings(" ".join(said)), 1.0)
    called, most, forms = _called(), _most(), tuple(map(stem, said))
    for start in range(len(forms)):
        for end in range(start + 1, min(start + most, len(forms)) + 1):
            if (phrases := called.get(forms[start:end])) is not None:
                found.update(_meant(phrases, 1.0))
    for concept in concepts:
        for meaning, strength in _of_concept(concept).items():
            found.setdefault(meaning, strength)
    return found


@lru_cache(maxsize=20_000)
def _of_concept(concept: str) -> Mapping[str, float]:
    """The meanings of the names of a concept and, more faintly, of the headings above it."""
    from clinfo.terms.naming import known

    mesh = known()
    if (found := mesh.descriptor(concept)) is None:
        return {}
    names = (found.heading, *found.entry_terms[:MOST_NAMES])
    return {**_meant(_above(found), ABOVE), **_meant(names, NAMED)}


@lru_cache(maxsize=20_000)
def _meant(names: tuple[str, ...], strength: float) -> Mapping[str, float]:
    return {meaning: strength for name in names for meaning in meanings(name)}


def _above(descriptor: MeshDescriptor) -> tuple[str, ...]:
    """The headings that MeSH puts one under, up to `LEVELS` of them on each branch."""
    from clinfo.terms.naming import known

    mesh = known()
    places, numbers = _places(), set()
    for number in descriptor.tree_numbers:
        for _ in range(LEVELS):
            number = number.rpartition(".")[0]
            if number in places and "." in number:
                numbers.add(places[number])
    return tuple(sorted(one.heading for one in mesh.numbered(sorted(numbers)).values()))


@cache
def _places() -> Mapping[str, int]:
    from clinfo.terms.naming import known

    return known().places()


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
