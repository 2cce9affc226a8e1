"""The PICO parts of a question, from its words alone, without a language model.

A concept's part shows in what leads to it: "in people with COPD" is a population, "versus placebo"
a comparator, what stands before the verb is the intervention and what stands after it the outcome.
Where two concepts claim one part the heavier has it.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Literal

from clinfo.text.coordination import Group, groups
from clinfo.text.lexicon import either
from clinfo.text.question import affirmed
from clinfo.text.regex import anycase
from clinfo.text.terms import PEOPLE_WORDS, Concept, fold

Part = Literal["population", "intervention", "comparator", "outcome"]

_MOST_WORDS = 5
"""Words of a term; a longer run is a whole clause, of which the last words are kept."""

_VERBS = anycase(
    r"\b(?:accelerat|affect|aid|alleviat|alter|avoid|boost|caus|chang|contribut|cur|decreas|delay|"
    r"diminish|eas|eliminat|enhanc|"
    r"facilitat|help|improv|increas|influenc|lead|lower|maintain|predict|preserv|prevent|prolong|"
    r"promot|protect|provid|rais|"
    r"reduc|reliev|restor|result|shorten|slow|speed|suppress|treat|worsen|associat|relat|link|"
    r"correlat|effective|useful|safe)"
    r"(?:es|ed|e|s|ing|ion|ions|ly)?\b"
)
"""Verbs between the intervention and its outcome."""


def _cue(pattern: str) -> re.Pattern[str]:
    return anycase(rf"\b(?:{pattern})\W*(?:(?:the|a|an|any|other|acute|their|using|use of)\W+)*\Z")


_KIND = anycase(r"\s+(drugs?|agents?)\b")
_PEOPLE = rf"(?:{either('people', 'pico')})"
_TOGETHER = anycase(
    r"\b(?:relation\w*|associat\w+|correlat\w+|links?|connection|interaction) between\b"
)
_WHO_HAVE = anycase(r"\W+(?:with|who|having|undergoing|suffering|at risk|after|following|on)\b")
_CUES: tuple[tuple[Part, re.Pattern[str]], ...] = (
    (
        "comparator",
        _cue(
            r"versus|vs\.?|compar\w+ (?:with|to)|comparison (?:with|to)|rather than|than|instead "
            r"of|as opposed to|"
            r"(?:superior|inferior|equivalent|similar|equal|identical) to|as (?:good|effective|"
            r"safe|useful) as"
        ),
    ),
    (
        "outcome",
        _cue(
            r"(?:associated|related|linked|correlated|relationship|association) (?:with|to)|"
            r"effects? on"
        ),
    ),
    (
        "outcome",
        _cue(
            r"(?:risk|incidence|prevalence|frequency|rates?|occurrence|likelihood|predict\w+|odds) "
            r"(?:of|for)"
        ),
    ),
    (
        "outcome",
        _cue(
            r"on|(?:to|in) (?:reduc\w+|prevent\w*|improv\w+|increas\w+|lower\w*|predict\w*|"
            r"enhanc\w+|decreas\w+)"
        ),
    ),
    (
        "outcome",
        _cue(
            r"(?:prevention|reduction|improvement) of|(?:preventing|reducing|improving|lowering|"
            r"increasing)"
        ),
    ),
    (
        "population",
        _cue(
            rf"{_PEOPLE}(?: \w+)?\W+(?:with|who have|who had|having|undergoing|after|following|at "
            r"risk of|suffering from|on)"
        ),
    ),
    (
        "population",
        _cue(
            r"(?:treat\w*|manag\w+|therap\w+|care|diagnos\w+|screening|causes?|pathogenesis) (?:of|"
            r"for|in)"
        ),
    ),
    ("population", _cue(r"(?:to|in|for|when) (?:treat\w*|manag\w+|diagnos\w+|cur\w+)")),
    (
        "population",
        _cue(
            r"in|among|amongst|for|after|following|during|undergoing|within|(?:in|for|among) "
            rf"{_PEOPLE}"
        ),
    ),
    (
        "intervention",
        _cue(
            r"(?:effects?|role|impact|influence|efficacy|effectiveness|safety|benefits?|use|value) "
            r"(?:of|for)"
        ),
    ),
    ("intervention", _cue(r"with|by|using|via|through")),
)
"""Words that lead to a concept, and the part it then has; the first that fits."""


def understand(question: str) -> dict[Part, list[str]]:
    """The terms of each part, in the question's words; parts that it does not name are empty."""
    text, chosen = affirmed(question).text, parts_of(question)
    parts: tuple[Part, ...] = ("population", "intervention", "comparator", "outcome")
    return {
        part: [_term(text, concept) for concept in chosen[part].concepts] if part in chosen else []
        for part in parts
    }


def parts_of(question: str) -> dict[Part, Group]:
    """The concepts of each part that a question names."""
    text = affirmed(question).text
    found = groups(question)
    chosen: dict[Part, Group] = {}
    before = 0
    for group, following in zip_longest(found, found[1:]):
        end = group.concepts[-1].end
        if (
            following
            and _is_people(group)
            and _WHO_HAVE.match(text, end, following.concepts[0].start)
        ):
            continue  # "adults with asthma": they are told by what they have
        part = _part(text, before, group, chosen)
        before = end
        if not group.needed:
            continue  # "and other measures", "or clinical outcomes": any will do
        rival = chosen.get(part)
        if rival is None:
            chosen[part] = group
            continue
        kept, other = (group, rival) if _weight(group) > _weight(rival) else (rival, group)
        chosen[part] = kept
        free: tuple[Part, ...] = (
            ("intervention", "outcome") if part == "population" else ("outcome", "population")
        )
        if not _is_people(other) and (
            spare := next((one for one in free if one not in chosen), None)
        ):
            chosen[spare] = other
    return chosen


def _part(text: str, before: int, group: Group, chosen: dict[Part, Group]) -> Part:
    start = group.concepts[0].start
    lead = text[before:start]
    cued = next((part for part, pattern in _CUES if pattern.search(lead)), None)
    if cued == "intervention" and "intervention" in chosen:
        cued = None
    if cued is not None:
        return cued
    if (
        re.fullmatch(r"\W*and\W*", lead)
        and re.search(r"\bbetween\b", text[:start])
        and "comparator" not in chosen
    ):
        if "intervention" not in chosen:
            return "intervention"
        return "outcome" if _TOGETHER.search(text[:start]) else "comparator"
    if "intervention" not in chosen and not (before and _VERBS.search(lead)):
        return "intervention"
    return "outcome"


def _weight(group: Group) -> float:
    """The group's weight, less where it names only who was studied."""
    return group.weight / 2 if _is_people(group) else group.weight


def _is_people(group: Group) -> bool:
    last_words = [concept.text.split()[-1] for concept in group.concepts]
    return all(
        fold(word) in PEOPLE_WORDS or re.fullmatch(_PEOPLE, word, re.IGNORECASE)
        for word in last_words
    )


def _term(text: str, concept: Concept) -> str:
    """The concept's words, with the "drugs" or "agents" that ends the name of a class."""
    kind = _KIND.match(text, concept.end)
    return " ".join([*concept.text.split()[-_MOST_WORDS:], *([kind[1]] if kind else [])])
