"""A question about a record, taken apart: its words by weight, other names of what it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon, read_rows
from clinfo.terms.lexicon import EVERYDAY, MEDICAL, flags
from clinfo.text.lexicon import words_of
from clinfo.text.terms import FUNCTION_WORDS, stem, weight, words

FAINT = 0.1
"""Share of its weight that a word keeps that may only be part of asking ("visit", "started")."""
MOST_NAMES = 40
LAY = Path(__file__).with_name("lay_terms.tsv")
LONGEST = 5
"""Words of the longest phrase of `LAY`."""
KINDS = ("allergy", "condition", "immunization", "medication", "plan", "procedure", "symptom")
_DOSE = re.compile(r"\d")


@dataclass(frozen=True)
class Part:
    """A concept or a single word of the question; ``names`` are the stems of each of its names, the
    asked one first. ``faint`` is a word that may only be part of asking, ``everyday`` one of plain
    English and not of medicine; ``said`` is how the question has it, ``concepts`` those of the
    dictionary.
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
    the dictionary that it names, ``types`` their semantic types.
    """

    text: str
    focus: str
    parts: tuple[Part, ...]
    concepts: frozenset[str]
    types: frozenset[str]


@cache
def _cues() -> dict[str, frozenset[str]]:
    """By kind, the stems of the words that name it."""
    return {name: frozenset(map(stem, words_of("record_kinds", name))) for name in KINDS}


@lru_cache(maxsize=4096)
def kinds_in(text: str) -> frozenset[str]:
    """The semantic kinds (condition, medication, procedure, …) that words of a text name."""
    held = {stem(word) for word in words(text)}
    return frozenset(name for name, stems in _cues().items() if stems & held)


@lru_cache(maxsize=50_000)
def naming_words(text: str) -> frozenset[str]:
    """The stems of the words of a text that name something: no function words, no doses."""
    return frozenset(
        stem(word) for word in words(text) if word not in FUNCTION_WORDS and not _DOSE.match(word)
    )


@cache
def asking_stems() -> frozenset[str]:
    """The stems of words that only ask."""
    return frozenset(map(stem, words_of("record_questions", "asking")))


def parsed(text: str, lexicon: Lexicon) -> ChartQuestion:
    """The question ``text``, taken apart; its words without those that only ask."""
    said = [
        word
        for word in words(text)
        if word not in FUNCTION_WORDS and len(word) > 1 and not word[0].isdigit()
    ]
    telling = [word for word in said if stem(word) not in asking_stems() and not kinds_in(word)]
    if not telling:
        telling = said
    held = frozenset(map(stem, telling))
    mentions = [one for one in find_mentions(text, lexicon) if naming_words(one.text) & held]
    parts, taken = [], set[str]()
    for phrase, names in _in_lay_words(words(text)):
        own = frozenset(map(stem, phrase))
        named = [it.concept for name in names if (it := lexicon.named(name)) is not None]
        known = (name for concept in named for name in _other_names(concept))
        meant = [naming_words(name) for name in names]
        other = tuple(dict.fromkeys((own, *meant, *known)))
        worth = sum(_worth(word) for word in phrase if word not in FUNCTION_WORDS)
        parts.append(Part(worth, other, said=" ".join(phrase), concepts=frozenset(named)))
        taken |= own
    for one in mentions:
        own = naming_words(one.text)
        if own <= taken:
            continue
        every = (own, *_other_names(one.concept))
        worth = sum(_worth(word) for word in words(one.text))
        parts.append(Part(worth, every, said=one.text, concepts=frozenset((one.concept,))))
        taken |= own
    seen = set(taken)
    for word in said:
        if (form := stem(word)) not in seen:
            seen.add(form)
            faint = form not in held
            share = FAINT if faint else 1.0
            weighs = share * _worth(word)
            parts.append(Part(weighs, (frozenset((form,)),), faint, _everyday(word), word))
    return ChartQuestion(
        text,
        " ".join(telling),
        tuple(parts),
        frozenset(one.concept for one in mentions),
        frozenset(kind for one in mentions for kind in one.types),
    )


def _in_lay_words(said: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """The runs of words that `LAY` lists, the longest from each word on, with what notes say."""
    listed, forms, at = _lay(), [stem(word) for word in said], 0
    while at < len(said):
        for length in range(min(LONGEST, len(said) - at), 0, -1):
            names = listed.get(tuple(forms[at : at + length]))
            if names is not None:
                yield said[at : at + length], names
                at += length - 1
                break
        at += 1


@cache
def _lay() -> Mapping[tuple[str, ...], Sequence[str]]:
    return {
        tuple(stem(word) for word in words(phrase)): names.split("|")
        for phrase, names in read_rows(LAY, 2)
    }


@cache
def _other_names(concept: str) -> tuple[frozenset[str], ...]:
    from clinfo.terms.naming import known

    found = known().descriptor(concept)
    if found is None:
        return ()
    names = (naming_words(name) for name in (found.heading, *found.entry_terms[:MOST_NAMES]))
    return tuple(dict.fromkeys(name for name in names if name))


def _worth(word: str) -> float:
    """The weight of a word; everyday words that are none of medicine weigh half."""
    return weight(word) * (0.5 if _everyday(word) else 1.0)


def _everyday(word: str) -> bool:
    return bool((known := flags(word)) & EVERYDAY and not known & MEDICAL)
