"""A PubMed query from the concepts of a question, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from clinfo.extractive.concepts import Concept, concepts
from clinfo.terms.drug_classes import drug_class
from clinfo.terms.lexicon import EVERYDAY, MEDICAL, flags
from clinfo.terms.medicines import medicine
from clinfo.terms.naming import kind_of, plain_names
from clinfo.text.terms import FUNCTION_WORDS, fold, is_content, words_as_written
from clinfo.text.words import words

MOST_MEMBERS: Final = 60
"""Members of one class of drugs that are named in a query."""
_MOST: Final = 4
"""Concepts that one query joins by AND."""
_STRONGEST: Final = "(meta-analysis OR (systematic review) OR random*[tiab])"
"""Systematic reviews and randomised trials."""
_MOST_NAMES: Final = 6
"""Names that stand beside a plain one ("broken hip") or that of a medicine ("Zyrtec")."""


def write_query(question: str, seed: int, previous: tuple[str, ...] = ()) -> str:
    """A query that differs from ``previous`` where the question has enough concepts for another.

    ``seed`` modulo 3 chooses how wide it is: 0 joins by AND the concepts that a vocabulary knows, 1
    asks for the first and any other word, 2 for reviews and trials of the first two. The empty text
    for a question without concepts.
    """
    found = concepts(question)
    if not found:
        return ""
    heavy = sorted(found, key=lambda one: (-one.value, -len(one.part.stems)))[:_MOST]
    terms = [_term(one) for one in heavy]
    known = [_term(one) for one in heavy if one.part.places or one.part.is_class]
    named = {word for one in found for word in words_as_written(one.text)}
    spare = [word for word in words_as_written(question) if is_content(word) and word not in named]
    choices = [
        every(known or terms),
        every([terms[0], either([*terms[1:], *spare])]),
        every([*terms[:2], either(terms[2:] if terms[1:] else spare), _STRONGEST]),
        every(terms),
        *(every([one, other]) for one, other in pairwise(terms)),
        *terms,
    ]
    taken = {fold(query) for query in previous}
    order = [query for query in (choices[seed % 3], *choices) if query]
    return next((query for query in order if fold(query) not in taken), order[0])


def write_keywords(question: str, seed: int, previous: tuple[str, ...] = ()) -> str:
    """Plain words, for sources that read no operators: all concepts, then fewer of them."""
    found = sorted(concepts(question), key=lambda one: -one.value)
    choices = [
        " ".join(one.text for one in found[: len(found) - fewer]) for fewer in range(len(found))
    ]
    taken = {fold(query) for query in previous}
    order = [*choices[seed % 3 : seed % 3 + 1], *choices]
    return next((query for query in order if fold(query) not in taken), order[0] if order else "")


def understood(question: str) -> dict[str, list[str]]:
    """The question's parts by the places of its concepts in MeSH: treatments are the intervention,
    conditions the population, everything else the outcome.
    """
    found: dict[str, list[str]] = {
        part: [] for part in ("population", "intervention", "comparator", "outcome")
    }
    parts = {"treatment": "intervention", "condition": "population"}
    for one in concepts(question):
        found[parts.get(kind_of(one.part) or "", "outcome")].append(one.text)
    return found


def searched(text: str) -> str:
    """All that a text names, as PubMed reads it; "" where it names nothing."""
    return every([_term(one) for one in concepts(text)])


def every(terms: Sequence[str]) -> str:
    """All of some terms, those with alternatives in parentheses already."""
    return " AND ".join(dict.fromkeys(term for term in terms if term))


def either(terms: Sequence[str]) -> str:
    """Any of some terms; in parentheses where there are several."""
    distinct = list(dict.fromkeys(term for term in terms if term))
    if len(distinct) < 2:
        return "".join(distinct)
    return f"({' OR '.join(f'({term})' if ' AND ' in term else term for term in distinct)})"


def _members(named: Sequence[str]) -> list[str]:
    """The members of a class of drugs, each as a word or phrase of title or abstract."""
    found = (" ".join(words(member)) for member in named)
    return [f'"{one}"[tiab]' if " " in one else f"{one}[tiab]" for one in found]


def _term(concept: Concept) -> str:
    """A concept as PubMed reads it: a class of drugs with its members, a plain name with what
    articles call it.
    """
    own = f"({concept.text})" if " " in concept.text else concept.text
    if (found := drug_class(concept.text)) is not None:
        return either([own, *_members(found.members[:MOST_MEMBERS])])
    one = medicine(concept.text)
    others = [*plain_names(concept.text), *(one.names if one is not None else ())]
    names = [
        f'"{name}"' if " " in name else name
        for name in others[:_MOST_NAMES]
        if fold(name) != fold(concept.text) and not _everyday(name)
    ]
    return either([own, *names]) if names else own


def _everyday(name: str) -> bool:
    """Return whether a plain name has only words of everyday English ("the runs"): it finds
    anything.
    """
    return all(
        fold(word) in FUNCTION_WORDS or flags(word) & (EVERYDAY | MEDICAL) == EVERYDAY
        for word in words_as_written(name)
    )
