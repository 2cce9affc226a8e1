"""A PubMed query from the content words of a question, without a language model."""

from __future__ import annotations

from itertools import combinations

from clinfo.text.terms import Concept, concepts, fold, is_content, weight

_BREADTHS = 3


def write_query(question: str, seed: int, previous: tuple[str, ...] = ()) -> str:
    """A query that differs from ``previous`` where the question has enough words for that.

    ``seed`` modulo 3 chooses how wide it is: 0 joins the main concepts by AND, 1 asks for the two heaviest and any of the
    others, 2 for any of the content words. The empty text for a question without words.
    """
    found = concepts(question)
    if not found:
        return ""
    candidates = _candidates(found)
    start = seed % _BREADTHS
    order = [query for query in (candidates[start], *candidates) if query]
    taken = {fold(query) for query in previous}
    return next((query for query in order if fold(query) not in taken), order[0])


def _candidates(found: tuple[Concept, ...]) -> list[str]:
    """Queries in the order standard, wider, widest, then further ones for those who already have the first three."""
    heavy = sorted(found, key=lambda concept: -concept.weight)
    standard = _join("AND", [_term(concept) for concept in found if concept in heavy[:4]])
    wider = _wider(heavy)
    single = [word for concept in found for word in _words(concept)]
    widest = _join("OR", list(dict.fromkeys(single)))
    pairs = [_join("AND", [_term(one), _term(other)]) for one, other in combinations(heavy[:4], 2)]
    alone = [_term(concept) for concept in heavy]
    queries = [standard, wider, widest, _join("OR", [_term(concept) for concept in found]), *pairs, *alone]
    return queries


def _wider(heavy: list[Concept]) -> str:
    """The heaviest concept and any of the others; with two, any word of one of them; with one, its two heaviest words."""
    first, others = heavy[0], heavy[1:]
    if len(others) > 1:
        return f"{_term(first)} AND ({_join('OR', [_term(concept) for concept in others])})"
    if others:
        one, other = (first, others[0]) if len(_words(others[0])) > 1 else (others[0], first)
        return f"{_term(one)} AND ({_any_word(other)})" if len(_words(other)) > 1 else ""
    words = sorted(_words(first), key=lambda word: -weight(word))
    return _join("AND", words[:2]) if len(words) > 2 else ""


def _term(concept: Concept) -> str:
    """A concept as PubMed reads it: its words beside each other, quoted where a lone letter or number is one of them."""
    text = _clean(concept.text)
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
    """The words of a concept worth searching alone; a lone letter or number stays with its neighbour."""
    term = _term(concept)
    if '"' in term:
        phrase = term[term.index('"') : term.rindex('"') + 1]
        rest = term.replace(phrase, " ").strip("() ").split()
        return [phrase, *rest]
    return [word for word in term.strip("()").split() if is_content(word) and weight(word) >= 0.2]


def _any_word(concept: Concept) -> str:
    return _join("OR", _words(concept))


def _clean(text: str) -> str:
    kept = "".join(char if char.isalnum() or char in "-' " else " " for char in text.replace("’", "'"))
    words = [word.strip("-'") for word in kept.split()]
    return " ".join(word for word in words if word and word not in ("AND", "OR", "NOT"))


def _join(operator: str, parts: list[str]) -> str:
    return f" {operator} ".join(part for part in dict.fromkeys(parts) if part)
