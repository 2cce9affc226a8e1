"""A PubMed query from the content words of a question, without a language model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, groupby

from clinfo.extractive.relevance_features import kind_of_words
from clinfo.pubmed.expand import MOST_MEMBERS, either, every, members
from clinfo.terms.drug_classes import longest_class
from clinfo.terms.naming import descriptor_of, parts, plain_names
from clinfo.text.coordination import Group, groups
from clinfo.text.regex import regex
from clinfo.text.terms import Concept, fold, is_content, weight, words_as_written

_BREADTHS = 3
_MOST_GROUPS = 4
_ENDING = regex(r"(?:ations?|ments?|ings?|ies|ics?|es|s|y)\Z")
_MOST_NAMES = 6
"""Names that stand beside a plain name."""
_SHORTEST_PREFIX = 4
"""Letters that PubMed wants before a truncation's star."""


def write_query(question: str, seed: int, previous: tuple[str, ...] = ()) -> str:
    """A query that differs from ``previous`` where the question has a word that can be written
    another way.

    ``seed`` modulo 3 chooses how wide it is: 0 joins the main concepts by AND, alternatives by OR;
    1 asks for the main one and any of the others, 2 for any of the content words. The empty text
    for a question without words.
    """
    every_group = groups(question)
    found = tuple(filter(_tells, every_group)) or every_group
    if not any(_term(concept) for group in found for concept in group.concepts):
        return ""
    candidates = _candidates(found)
    order = [
        query for query in (candidates[seed % _BREADTHS], *candidates, *_variants(found)) if query
    ]
    taken = {fold(query) for query in previous}
    return next((query for query in order if fold(query) not in taken), order[0])


def _candidates(found: tuple[Group, ...]) -> list[str]:
    """Queries in the order standard, wider, widest, then further ones for those who already have
    the first three.
    """
    heavy = sorted(found, key=lambda group: -group.weight)
    standard = _join("AND", [_either(group) for group in found if group in heavy[:_MOST_GROUPS]])
    words = [word for group in found for concept in group.concepts for word in _words(concept)]
    widest = _join("OR", [form for word in words for form in _forms(word)])
    pairs = [
        _join("AND", [_either(one), _either(other)])
        for one, other in combinations(heavy[:_MOST_GROUPS], 2)
    ]
    any_of = _join("OR", [_term(concept) for group in found for concept in group.concepts])
    alone = [_term(concept) for group in heavy for concept in group.concepts]
    return [standard, _wider(heavy), widest, any_of, *pairs, *alone]


def _wider(heavy: list[Group]) -> str:
    """The heaviest group that is needed and any of the others; with two, any word of one of them;
    with one, its heaviest word.
    """
    first = next(group for group in heavy if group.needed)
    others = [concept for group in heavy if group is not first for concept in group.concepts]
    if len(heavy) > 2 or len(others) > 1:
        return f"{_either(first)} AND ({_join('OR', [_term(concept) for concept in others])})"
    if others:
        one, other = (
            (first.concepts, others) if len(_words(others[0])) > 1 else (others, first.concepts)
        )
        words = [word for concept in other for word in _words(concept)]
        return f"{_any(one)} AND ({_join('OR', words)})" if len(words) > 1 else ""
    return max(_words(first.concepts[0]), key=_weight, default="")


def _variants(found: tuple[Group, ...]) -> list[str]:
    """The words written in other ways: cut for any ending, only where title or abstract has them,
    only in the title.
    """
    words = [word for group in found for concept in group.concepts for word in _words(concept)]
    phrases = [f'"{word[1:-1]}"' if word.startswith("(") else word for word in words]
    forms = [
        [_cut(word) for word in words],
        *([f"{phrase}[{tag}]" for phrase in phrases] for tag in ("tiab", "ti")),
    ]
    return [query for parts in forms for query in (_join("AND", parts), _join("OR", parts), *parts)]


def _cut(word: str) -> str:
    """A word for any ending, "supplement*"; a short or quoted one as it is."""
    kept = _ENDING.sub("", word)
    return (
        f"{kept if len(kept) >= _SHORTEST_PREFIX else word}*"
        if word.isalpha() and len(word) >= _SHORTEST_PREFIX
        else word
    )


def _forms(word: str) -> tuple[str, ...]:
    """A word, which PubMed maps to headings and the other number, and cut for other endings where
    it has one: "diabet*".
    """
    kept = _ENDING.sub("", word)
    return (
        (word, f"{kept}*")
        if word.isalpha() and kept != word and len(kept) > _SHORTEST_PREFIX
        else (word,)
    )


def _weight(term: str) -> float:
    return sum(weight(word) for word in _clean(term).split())


def _either(group: Group) -> str:
    return _any(group.concepts)


def _any(concepts: Sequence[Concept]) -> str:
    """Any of some concepts, in parentheses where there are several."""
    terms = _join("OR", [_term(concept) for concept in concepts])
    return f"({terms})" if len(concepts) > 1 and terms else terms


def _term(concept: Concept) -> str:
    """A concept as PubMed reads it; a class of drugs with its members beside it."""
    text = _clean(concept.text)
    if (found := longest_class(text.split())) is None:
        return _opened(text)
    start, end, of_class = found
    own = text.split()
    opened = either(
        [_as_words(" ".join(own[start:end])), *members(of_class.members[:MOST_MEMBERS])]
    )
    sides = [side for side in (" ".join(own[:start]), " ".join(own[end:])) if _cut_up(side)]
    return every([opened, *map(_opened, sides)])


def _cut_up(text: str) -> list[tuple[str, str]]:
    """The names and words of a text, each with its kind (`relevance_features.KINDS`), without words
    of everyday English.
    """
    written, at, found = words_as_written(text), 0, []
    for part in parts(text):
        own = written[at : at + len(part.stems)]
        at += len(part.stems)
        if (kind := kind_of_words(part, own)) != "everyday":
            found.append((" ".join(own), kind))
    return found


def _opened(text: str) -> str:
    """Words as PubMed reads them, a plain name ("broken hip") with what articles call it, without
    words of everyday English.
    """
    kept = _cut_up(text)
    if not kept or (len(kept) == len(parts(text)) and not any(_meant(own) for own, _ in kept)):
        return _as_words(text)
    runs: list[str] = []
    for own, names in groupby(kept, key=lambda each: each[0] if _meant(each[0]) else ""):
        written = _as_words(own or " ".join(each for each, _ in names))
        meant = [
            f'"{name}"' if " " in name else name
            for name in _meant(own)[:_MOST_NAMES]
            if fold(name) != fold(own)
        ]
        runs.append(either([written, *meant]) if meant else written)
    return every(runs)


def _meant(own: str) -> tuple[str, ...]:
    """Return what a plain name may mean; nothing for one of several names of a thing that MeSH
    knows, which PubMed reads by itself.
    """
    names = plain_names(own)
    return (
        ()
        if any(fold(name) == fold(own) for name in names) and descriptor_of(own) is not None
        else names
    )


def _tells(group: Group) -> bool:
    """Return whether a group has more than words of everyday English and numbers ("worth trying",
    "10 year old").
    """
    return any(
        kind != "number" for concept in group.concepts for _, kind in _cut_up(_clean(concept.text))
    )


def _as_words(text: str) -> str:
    """Words beside each other, quoted where a lone letter or number is one of them."""
    parts = text.split()
    if len(parts) == 1:
        return text
    for place, part in enumerate(parts):
        if place and len(part) == 1:
            first = place - 1
            last = place + (2 if fold(parts[first]) == "type" and place + 1 < len(parts) else 1)
            phrase = " ".join(parts[first:last])
            others = [*parts[:first], f'"{phrase}"', *parts[last:]]
            return f"({' '.join(others)})" if len(others) > 1 else others[0]
    return f"({text})"


def _words(concept: Concept) -> list[str]:
    """The words of a concept worth searching alone; a lone letter or number stays with its
    neighbour, "of" joins both sides.
    """
    telling = {word for own, _ in _cut_up(_clean(concept.text)) for word in own.split()}
    own = _clean(concept.text).split()
    term = _as_words(
        " ".join(
            word for word in own if not telling or telling.intersection(words_as_written(word))
        )
    )
    if " of " in term:
        return [term]
    if '"' in term:
        phrase = term[term.index('"') : term.rindex('"') + 1]
        rest = term.replace(phrase, " ").strip("() ").split()
        return [phrase, *rest]
    return [word for word in term.strip("()").split() if is_content(word) and weight(word) >= 0.2]


def _clean(text: str) -> str:
    kept = "".join(
        char if char.isalnum() or char in "-' " else " " for char in text.replace("’", "'")
    )
    words = [word.strip("-'") for word in kept.split()]
    return " ".join(word for word in words if word and word not in ("AND", "OR", "NOT"))


def _join(operator: str, parts: list[str]) -> str:
    return f" {operator} ".join(part for part in dict.fromkeys(parts) if part)
