"""A question about a record, taken apart: its words by weight and other names of what it names; and
the plain meanings in which it meets a record in other words: "the inflamed appendix" and
"appendicitis" meet in an appendix and an inflammation.

An item of a record has the meanings of its words (`clinfo.terms.composed`), of the other names of
what it names in MeSH, more faintly of the headings above them, of the classes of its drugs, and of
what people and hurried clinicians call it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon, mixed_abbreviations
from clinfo.patients.quantities import names_in
from clinfo.terms.composed import meanings
from clinfo.terms.drug_classes import classes, drug_class
from clinfo.terms.lexicon import EVERYDAY, MEDICAL, flags
from clinfo.terms.naming import known
from clinfo.text.lexicon import read_rows, words_of
from clinfo.text.terms import FUNCTION_WORDS, stem, weight, words, words_as_written

if TYPE_CHECKING:
    from clinfo.records.articles import MeshDescriptor

LAY: Final = Path(__file__).with_name("lay_terms.tsv")
TOLD: Final = Path(__file__).with_name("told_as.tsv")
FAINT: Final = 0.1
"""Share of its weight that a word keeps that may only be part of asking ("visit", "started")."""
MOST_NAMES: Final = 40
LONGEST_NAME: Final = 9
"""Words of the longest name in the tables."""
KINDS: Final = (
    "allergy", "condition", "immunization", "medication", "plan", "procedure", "symptom",
)  # fmt: skip
UNITS: Final = frozenset(
    ("cm", "dl", "dm", "g", "hr", "hrs", "kg", "mg", "min", "mm", "ml", "ms", "ng", "pg", "ppm",
     "pt", "pts", "sec", "wk", "yo")
)  # fmt: skip
"""Units and shorthand of notes in small letters, which in capitals stand for a thing."""
NAMED, ABOVE = 0.9, 0.5
"""The weight of a meaning of another name of a thing, and of what MeSH puts it under."""
LEVELS: Final = 2
"""Headings above one that are looked at."""
LONGEST: Final = 14
"""Words of an item of which the meanings are looked up; a longer one stands in its parts too."""
_TELLING: Final = 3
"""Letters from which on a word tells something without the number behind it."""
_DOSE = re.compile(r"\d")
Forms = tuple[str, ...]
"""The stems of the words of a text."""


@dataclass(frozen=True)
class Part:
    """A concept or a single word of the question; ``names`` are the stems of each of its names, the
    asked one first. ``faint`` is a word that may only be part of asking, ``everyday`` one of plain
    English and not of medicine; ``said`` is how the question has it, ``concepts`` those of the
    dictionary, of a class of drugs its members.
    """

    weight: float
    names: tuple[frozenset[str], ...]
    faint: bool = False
    everyday: bool = False
    said: str = ""
    concepts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ChartQuestion:
    """A question, taken apart. ``focus`` are its telling words as one text, ``concepts`` those of
    the dictionary that it names, ``types`` their semantic types, ``meanings`` in order.
    """

    text: str
    focus: str
    parts: tuple[Part, ...]
    concepts: frozenset[str]
    types: frozenset[str]
    meanings: tuple[str, ...]


def parsed(text: str, lexicon: Lexicon) -> ChartQuestion:
    """The question ``text``, taken apart; its words without those that only ask."""
    every = _words(text, loud=text.isupper() and len(text.split()) > 1)
    asking = _stems("record_questions", "asking")
    said = [
        word
        for word in every
        if word not in FUNCTION_WORDS and len(word) > 1 and not word[0].isdigit()
    ]
    telling = [word for word in said if stem(word) not in asking and not kinds_in(word)] or said
    held = frozenset(map(stem, telling))
    mentions = [one for one in find_mentions(text, lexicon) if naming_words(one.text) & held]
    parts, taken = list[Part](), set[str]()

    def add(said: str, own: frozenset[str], names: Iterable[str], concepts: Iterable[str]) -> None:
        other = [naming_words(name) for name in names]
        other += [naming_words(name) for one in concepts for name in _names_of(one)]
        worth = sum(_worth(word) for word in words(said) if word not in FUNCTION_WORDS)
        alone = max(map(len, own), default=0) < _TELLING and any(map(str.isdigit, said))
        first = frozenset((said,)) if alone else own  # "CA" is no name of CA 19-9
        names_of = tuple(dict.fromkeys((first, *filter(None, other))))
        members = map(lexicon.named, found.members if (found := drug_class(said)) else ())
        known = {*concepts, *(one.concept for one in members if one is not None)}
        parts.append(Part(worth, names_of, said=said, concepts=frozenset(known)))
        taken.update(own)

    past, forms = 0, tuple(map(stem, every))
    for start, end in _runs(forms, {**_classes(), **_lay()}):
        if start >= past:
            past, names = end, _lay().get(forms[start:end], ())
            named = [it.concept for name in names if (it := lexicon.named(name)) is not None]
            add(" ".join(every[start:end]), frozenset(forms[start:end]), names, named)
    for one in mentions:
        if not naming_words(one.text) <= taken:
            add(one.text, naming_words(one.text), (), (one.concept,))
    for quantity, name in names_in(text):
        if lexicon.named(name) is None and not naming_words(name) <= taken:
            add(name, naming_words(name), (), (lexicon.measured(quantity).concept,))
    for word in said:
        if (form := stem(word)) not in taken:
            taken.add(form)
            worth = _worth(word) * (1.0 if form in held else FAINT)
            parts.append(
                Part(worth, (frozenset((form,)),), form not in held, _everyday(word), word)
            )
    meant = " ".join(one for one in every if stem(one) not in asking and not one.isupper())
    return ChartQuestion(
        text,
        " ".join(telling),
        tuple(parts),
        frozenset(one.concept for one in mentions),
        frozenset(kind for one in mentions for kind in one.types),
        tuple(sorted(meanings(meant) if meant else ())),
    )


def stated_meanings(text: str, concepts: Iterable[str] = ()) -> Mapping[str, float]:
    """The meanings that an item states and how much each counts, 0 to 1: those of its words and of
    the ``concepts`` that it names.
    """
    said, called = words(text), _called()
    if not said or len(said) > LONGEST:
        return {}
    found: dict[str, float] = {}
    for concept in concepts:
        found = {**_of_concept(concept), **found}
    forms = tuple(map(stem, said))
    for start, end in _runs(forms, called):
        found.update(_meant(called[forms[start:end]], 1.0))
    return {**found, **dict.fromkeys(meanings(" ".join(said)), 1.0)}


@lru_cache(maxsize=4096)
def kinds_in(text: str) -> frozenset[str]:
    """The semantic kinds (condition, medication, procedure, …) that words of a text name."""
    held = {stem(word) for word in words(text)}
    return frozenset(name for name in KINDS if _stems("record_kinds", name) & held)


@lru_cache(maxsize=50_000)
def naming_words(text: str) -> frozenset[str]:
    """The stems of the words of a text that name something: no function words, no doses. One in
    capitals that says something else in small letters is held both ways.
    """
    own = _words(text)
    small = [word.lower() if _elsewise(word.lower()) else word for word in own]
    return frozenset(
        stem(word)
        for word in (*own, *small)
        if word not in FUNCTION_WORDS and not _DOSE.match(word)
    )


def _words(text: str, loud: bool = False) -> list[str]:
    """The folded words of a text, but in capitals those that mean something else so (EGFR, AIDS);
    in a ``loud`` text capitals tell nothing.
    """
    folded, written = words(text), words_as_written(text)
    if len(folded) != len(written):
        return folded
    apart = mixed_abbreviations()
    return [
        own if own.isupper() and (low in apart or (not loud and _elsewise(low))) else low
        for low, own in zip(folded, written, strict=True)
    ]


def _elsewise(word: str) -> bool:
    """Return whether a word in small letters says something else than in capitals: a unit, a word
    of plain English.
    """
    return word in UNITS or (len(word) > 1 and bool(flags(word) & EVERYDAY))


@cache
def _stems(kind: str, group: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(kind, group)))


def _worth(word: str) -> float:
    """The weight of a word; everyday words that are none of medicine weigh half."""
    return weight(word) * (0.5 if _everyday(word) else 1.0)


def _everyday(word: str) -> bool:
    return bool((known := flags(word)) & EVERYDAY and not known & MEDICAL)


def _runs(forms: Forms, listed: Mapping[Forms, object]) -> Iterator[tuple[int, int]]:
    """The runs of words that a table lists, from each word on the longest first."""
    for start in range(len(forms)):
        for end in range(min(len(forms), start + LONGEST_NAME), start, -1):
            if forms[start:end] in listed:
                yield start, end


@lru_cache(maxsize=20_000)
def _names_of(concept: str) -> tuple[str, ...]:
    """The names of a concept in MeSH, its heading first."""
    found = known().descriptor(concept)
    return (found.heading, *found.entry_terms[:MOST_NAMES]) if found else ()


@lru_cache(maxsize=20_000)
def _of_concept(concept: str) -> Mapping[str, float]:
    """The meanings of the names of a concept and, more faintly, of the headings above it."""
    found = known().descriptor(concept)
    above = _meant(_above(found), ABOVE) if found else {}
    return {**above, **_meant(_names_of(concept), NAMED)}


@lru_cache(maxsize=20_000)
def _meant(names: tuple[str, ...], strength: float) -> Mapping[str, float]:
    return {meaning: strength for name in names for meaning in meanings(name)}


def _above(descriptor: MeshDescriptor) -> tuple[str, ...]:
    """The headings that MeSH puts one under, up to `LEVELS` of them on each branch."""
    places, numbers = known().places, set()
    for number in descriptor.tree_numbers:
        for _ in range(LEVELS):
            number = number.rpartition(".")[0]
            if number in places and "." in number:
                numbers.add(places[number])
    return tuple(sorted(one.heading for one in known().numbered(sorted(numbers)).values()))


@cache
def _lay() -> Mapping[Forms, list[str]]:
    """By what people say, what notes call it."""
    return {_forms(phrase): names.split("|") for phrase, names in read_rows(LAY, 2)}


@cache
def _classes() -> Mapping[Forms, str]:
    """The names of classes of drugs in several words."""
    return {
        own: name
        for one in classes().values()
        for name in one.names
        if len(own := _forms(name)) > 1
    }


@cache
def _called() -> Mapping[Forms, tuple[str, ...]]:
    """By a name in notes, what else is said for it."""
    rows: list[tuple[str, tuple[str, ...]]] = []
    rows += [(name, (phrase,)) for phrase, names in read_rows(LAY, 2) for name in names.split("|")]
    for names, told in read_rows(TOLD, 2):
        rows += [(name, tuple(told.split("|"))) for name in names.split("|")]
    drugs = dict.fromkeys(classes().values())
    rows += [(member, one.names) for one in drugs for member in one.members]
    found: dict[Forms, list[str]] = {}
    for name, said in rows:
        found.setdefault(_forms(name), []).extend(said)
    return {name: tuple(own) for name, own in found.items() if name}


def _forms(text: str) -> Forms:
    return tuple(map(stem, words(text)))
