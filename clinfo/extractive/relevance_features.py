"""Features from 0 to 1 of how well an article covers a question, for the fitted relevance model.

The question is cut into units, names of MeSH, of classes of drugs and of the lexicon of plain
words, and the words between. A unit is a treatment, a condition, a symptom, another name, a number,
people, or a word, by how ordinary it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from clinfo.records.articles import Article
from clinfo.terms.lexicon import EVERYDAY, MEDICAL, flags
from clinfo.terms.naming import Part, drug_like, everyday_words, kind_of, named_parts
from clinfo.text.abstracts import conclusion
from clinfo.text.terms import (
    PEOPLE_WORDS,
    Vocabulary,
    acronyms,
    concepts,
    fold,
    vocabulary,
)
from clinfo.text.words import keys

_PEOPLE = PEOPLE_WORDS | {"older", "elderly", "aged", "young", "younger", "healthy"}
KINDS = (
    "treatment",
    "condition",
    "symptom",
    "name",
    "unknown",
    "medical",
    "plain",
    "everyday",
    "number",
    "people",
)
STRONG = frozenset(("treatment", "condition", "unknown"))
"""Kinds of units of which an article that lacks one is seldom about the question."""
_OR = re.compile(r"\s*(?:,|/|,?\s*\b(?:and/)?or\b)\s*(?:(?:an?|the)\s+)?", re.IGNORECASE)
COMPARED = frozenset(("treatment", "unknown"))
"""Kinds of units of which alternatives are compared."""
_VALUE = {
    "treatment": 1.0,
    "condition": 1.0,
    "unknown": 0.8,
    "medical": 0.6,
    "symptom": 0.6,
    "name": 0.6,
}
_LITTLE = 0.15


@dataclass(frozen=True)
class Unit:
    """Some words of a question, and what kind they are. Concepts with "or" between them are
    alternatives, and have one ``group``.
    """

    text: str
    kind: str
    part: Part
    group: int = 0
    concept: int = 0

    @property
    def value(self) -> float:
        return _VALUE.get(self.kind, _LITTLE)


@lru_cache(maxsize=256)
def units(question: str) -> tuple[Unit, ...]:
    """The units of a question in their order, each once."""
    found: dict[tuple[str, ...], Unit] = {}
    group, end = 0, 0
    for place, concept in enumerate(concepts(question)):
        if not _OR.fullmatch(question, end, concept.start):
            group = place
        end = concept.end
        for own, part in named_parts(concept.text):
            unit = Unit(own, kind_of_words(part, own.split()), part, group, place)
            found.setdefault(part.stems, unit)
    return tuple(found.values())


def kind_of_words(part: Part, written: Sequence[str]) -> str:
    """Return what kind of unit some words of a question are, which `clinfo.terms.naming.parts` cut
    it into; one of `KINDS`.
    """
    if part.stems[0][:1].isdigit():
        return "number"
    if all(fold(each) in _PEOPLE for each in written) or (
        part.places[:1] and part.places[0].startswith("M01")
    ):
        return "people"
    flagged = flags(written[0]) if len(written) == 1 else MEDICAL
    kind = kind_of(part)
    if kind is None and drug_like(written[0]):
        return "treatment"
    if kind in ("treatment", "condition", "symptom"):
        return kind
    if len(written) == 1 and (fold(written[0]) in everyday_words() or part.weight <= 0.4):
        return "everyday"
    if kind == "name" or len(written) > 1:
        return "plain" if flagged & EVERYDAY and not part.places else "name"
    if flagged & EVERYDAY:
        return "plain" if flagged & MEDICAL else "everyday"
    return "medical" if flagged & MEDICAL else "unknown"


def wanted(found: Sequence[Unit], held: Collection[Unit]) -> tuple[Unit, ...]:
    """The units that a text must answer for: without those that need not be named, as an
    alternative to them is.

    Of treatments each counts, as alternatives are what is compared.
    """
    named = {(unit.group, unit.concept) for unit in held}
    return tuple(
        unit
        for unit in found
        if unit in held
        or unit.kind in COMPARED
        or not any(group == unit.group and concept != unit.concept for group, concept in named)
    )


@dataclass(frozen=True)
class Texts:
    """An article's texts to look units up in."""

    whole: Vocabulary
    title: Vocabulary
    message: Vocabulary

    @classmethod
    def of(cls, article: Article, question: str) -> Texts:
        everything = (
            f"{article.title}. {article.abstract} {' '.join(article.mesh)} "
            f"{' '.join(article.keywords)}"
        )
        expansions = {**acronyms(everything), **acronyms(question)}
        concluding = [sentence.text for sentence in conclusion(article)]
        return cls(
            replace(vocabulary(everything, expansions), headings=frozenset(keys(article.mesh))),
            vocabulary(article.title, expansions),
            vocabulary(" ".join([article.title, *concluding]), expansions),
        )


def features(found: tuple[Unit, ...], held: Mapping[Unit, bool], texts: Texts) -> dict[str, float]:
    """Return what the model is asked: shares, by kind, of units that the article lacks and of those
    that its title names.
    """
    found = wanted(found, [unit for unit in found if held[unit]])
    titled = {unit for unit in found if unit.part.is_in(texts.title)}
    told = {unit for unit in found if unit.part.is_in(texts.message)}
    own: dict[str, float] = {"constant": 1.0}
    for kind in KINDS:
        of_kind = [unit for unit in found if unit.kind == kind]
        if not of_kind:
            continue
        lacks = [unit for unit in of_kind if not held[unit]]
        own[f"{kind} lacks"] = len(lacks) / len(of_kind)
        if kind in ("treatment", "condition"):
            own[f"{kind} lacks all"] = float(len(lacks) == len(of_kind))
            own[f"{kind} in title"] = sum(unit in titled for unit in of_kind) / len(of_kind)
            own[f"{kind} in message"] = sum(unit in told for unit in of_kind) / len(of_kind)
    total = sum(unit.value for unit in found)
    own["covered"] = sum(unit.value for unit in found if held[unit]) / total
    own["covered by title"] = sum(unit.value for unit in titled) / total
    own["covered by message"] = sum(unit.value for unit in told) / total
    strong = [unit for unit in found if unit.kind in STRONG]
    own["no strong"] = float(not strong)
    own["one strong"] = float(len(strong) == 1)
    own["no treatment"] = float(not any(unit.kind == "treatment" for unit in found))
    own["no condition"] = float(not any(unit.kind == "condition" for unit in found))
    own["strong lacks"] = min(sum(not held[unit] for unit in strong), 3) / 3
    return own
