"""Coordination: which concepts of a question are alternatives to each other ("diarrhoea or
constipation").

A question on several outcomes or populations is answered in part by an article on one of them. What
is asked about, before the verb, is another matter: "calcium and vitamin D" are given together,
"calcium or vitamin D" are alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.text.question import affirmed
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import (
    FUNCTION_WORDS,
    GENERIC_WORDS,
    KIND_WORDS,
    Concept,
    Vocabulary,
    concepts,
    fold,
    share,
)
from clinfo.text.terms import weight as word_weight

KEY_SHARE = 0.5
"""Least share of a concept that must stand in a text for the text to name it."""
BEST = 0.8
"""The score of the best alternative of a group; the rest is earned by how many of the others stand
beside it.
"""
OPEN_WEIGHT = 0.3
"""The factor on the weight of a group that need not be named."""

_VERB_LIST = """
    accelerate affect aid alleviate alter avoid boost cause change cure decrease delay diminish ease eliminate enhance
    facilitate improve increase influence lead lower maintain modify predict preserve prevent prolong promote protect
    provide raise reduce relieve restore result shorten slow speed stop suppress treat worsen
"""  # noqa: E501
_VERBS = frozenset(_VERB_LIST.split())
"""Verbs between what is asked about and its outcomes, as they stand after "does"."""
_JOINT = anycase(r"\b(?:between|both|versus|vs|than)\b")
"""Words after which "and" joins what is compared or given together."""
_PREPOSITION = anycase(
    r"\b(?:after|against|among|around|at|before|by|during|following|for|from|in|into|on|over|"
    r"through|to|under|until|upon|"
    r"with|within|without)\b"
)
_BEFORE = r"(?P<before>(?:\s+\w+){0,3})"
_LINK = anycase(
    rf"{_BEFORE}\s*(?P<sign>(?:,\s*)?\b(?:and/or|and|or)\b|/|,)(?P<after>(?:\s+[\w'-]+){{0,4}})\s*"
)
_ASIDE = regex(
    (
        r"[\s,(]*\b(?:alone|by itself|on (?:its|their) own)\b.{0,20}\b(?:or|"
        r"and)\b.{0,30}\bwith\b.{0,20}"
    ),
    re.IGNORECASE | re.DOTALL,
)
"""Words between a treatment and one that may be added to it: ", alone or with "."""
_ANY_NOUN = (
    r"(?:outcomes?|symptoms?|measures|measurements|drugs|agents|treatments|therapies|interventions|"
    r"medications|medicines|methods|"
    r"conditions|parameters|markers|variables|complications|problems|aspects|effects|endpoints)"
)
_OPEN_AFTER = anycase(
    rf"{_BEFORE}\s*(?:,\s*)?\b(?:and/or|and|or)\s+(?P<after>(?:[\w-]+\s+){{0,2}}){_ANY_NOUN}\b"
)
_OPEN_BEFORE = anycase(
    rf"\b{_ANY_NOUN}\s*(?:,\s*(?:\b(?:and/or|and|or)\b\s*)?|\b(?:and/or|and|"
    r"or)\b\s*)(?P<after>(?:[\w-]+\s+){0,2})\Z"
)
_ANY_CONCEPT = anycase(
    rf"(?:{_ANY_NOUN}|signs?|function|functioning|health|prognosis|side effects?|adverse "
    r"(?:effects?|events?))\Z"
)
"""A concept that almost any article on a treatment has something on, by whatever name."""
_SMALL_WORDS = frozenset(("a", "an", "the", "their", "its", "any", "of", "also", "other"))


@dataclass(frozen=True)
class Group:
    """Concepts of which one is enough; ``needed`` is false where none is, as one of the
    alternatives is left open.
    """

    concepts: tuple[Concept, ...]
    needed: bool = True

    @property
    def weight(self) -> float:
        """Weight of the heaviest alternative."""
        return max(concept.weight for concept in self.concepts)

    def named(self, text: Vocabulary) -> tuple[Concept, ...]:
        """The alternatives that ``text`` names."""
        return tuple(concept for concept in self.concepts if share(concept, text) >= KEY_SHARE)

    def share(self, text: Vocabulary) -> float:
        """Return how much of the group stands in ``text``, 0 to 1: mostly that of the best
        alternative.
        """
        return combined([share(concept, text) for concept in self.concepts])


def combined(shares: Sequence[float]) -> float:
    """Return how much of a group stands in a text, given how much of each alternative does: mostly
    that of the best one.
    """
    return BEST * max(shares) + (1 - BEST) * sum(shares) / len(shares)


@lru_cache(maxsize=256)
def groups(question: str) -> tuple[Group, ...]:
    """The concepts of a question, asked the positive way round (`affirmed`), in their order,
    alternatives together.

    A group need not be named where one of its alternatives is open ("and other measures", "or
    clinical outcomes", "symptoms"), unless no group would be needed then.
    """
    question = affirmed(question).text
    found = concepts(question)
    runs: list[list[Concept]] = []
    listed = False
    for place, concept in enumerate(found):
        link = _link(question, found[place - 1], concept) if place else ""
        if link == ",":
            listed = listed or _ends_in_conjunction(question, found, place)
        if link in ("and", "or") or (link == "," and listed):
            runs[-1].append(concept)
        else:
            runs.append([concept])
            listed = False
    grouped = [Group(_with_head(run), not _is_open(question, run, found)) for run in runs]
    return tuple(
        grouped
        if any(group.needed for group in grouped)
        else (Group(group.concepts) for group in grouped)
    )


def _with_head(run: Sequence[Concept]) -> tuple[Concept, ...]:
    """The alternatives, with the noun that ends the last one and belongs to all of them: "knee and
    hip replacement".
    """
    before, _, head = run[-1].text.rpartition(" ")
    if not before or fold(head) not in _SHARED or len(before.split()) > 1:
        return tuple(run)
    return tuple(
        each
        if each.text.endswith(head) or " " in each.text
        else replace(
            each,
            text=f"{each.text} {head}",
            stems=(*each.stems, run[-1].stems[-1]),
            weight=each.weight + word_weight(head),
        )
        for each in run
    )


_SHARED = KIND_WORDS | {"arthroplasty", "supplementation", "surgery", "transplantation"}
"""Nouns that say little alone, so that what stands before "and" wants them too."""


def coverage(wanted: Sequence[Group], text: Vocabulary) -> float:
    """Share of the groups' weight that stands in ``text``, 0 to 1 (1 for no groups); open groups
    weigh less.
    """
    return covered(
        wanted, [[share(concept, text) for concept in group.concepts] for group in wanted]
    )


def covered(wanted: Sequence[Group], shares: Sequence[Sequence[float]]) -> float:
    """Return what `coverage` gives, from the shares of each group's alternatives that stand in the
    text.
    """
    total = sum(_weight(group) for group in wanted)
    got = sum(_weight(group) * combined(own) for group, own in zip(wanted, shares, strict=True))
    return got / total if total else 1.0


def _weight(group: Group) -> float:
    return group.weight if group.needed else OPEN_WEIGHT * group.weight


def _link(question: str, one: Concept, other: Concept) -> str:
    """Return what joins two neighbours as alternatives: "and", "or" or ","; the empty text where
    something else stands between.
    """
    match = _LINK.fullmatch(question, one.end, other.start)
    if match is None:
        return ""
    before, after = fold(match["before"]).split(), fold(match["after"]).split()
    if not all(word in GENERIC_WORDS and word not in _VERBS for word in before):
        return ""
    if after and after[0] in _VERBS:
        after = after[1:]
    if not all(
        (word in GENERIC_WORDS or word in _SMALL_WORDS) and word not in _VERBS for word in after
    ):
        return ""
    sign = match["sign"].strip(", ").lower()
    if sign == "and" and (
        _is_subject(question, one) or _JOINT.search(question[max(0, one.start - 30) : one.start])
    ):
        return ""
    return {"": ",", "/": "or", "and/or": "or"}.get(sign, sign)


def _ends_in_conjunction(question: str, found: Sequence[Concept], place: int) -> bool:
    """Return whether the list that a comma before the concept at ``place`` continues comes to an
    "and" or "or".
    """
    for one, other in zip(found[place:], found[place + 1 :], strict=False):
        link = _link(question, one, other)
        if link != ",":
            return bool(link) or _opens_after(question, one)
    return bool(found) and _opens_after(question, found[-1])


def _is_subject(question: str, concept: Concept) -> bool:
    """Return whether a concept stands before the verb and before any preposition: it is what is
    asked about.
    """
    before = question[: concept.start]
    return not (_PREPOSITION.search(before) or any(word in _VERBS for word in fold(before).split()))


def _is_open(question: str, run: Sequence[Concept], found: Sequence[Concept]) -> bool:
    if any(_ANY_CONCEPT.match(concept.text) for concept in run):
        return True
    if _opens_after(question, run[-1]):
        return True
    place = found.index(run[0])
    start = found[place - 1].end if place else 0
    if place and _ASIDE.fullmatch(question, start, run[0].start):
        return True
    match = _OPEN_BEFORE.search(question, start, run[0].start)
    return match is not None and _says_little(match["after"])


def _opens_after(question: str, concept: Concept) -> bool:
    match = _OPEN_AFTER.match(question, concept.end)
    return match is not None and _says_little(match["before"]) and _says_little(match["after"])


def _says_little(words: str) -> bool:
    return all(
        word in GENERIC_WORDS | FUNCTION_WORDS and word not in _VERBS
        for word in fold(words).split()
    )
