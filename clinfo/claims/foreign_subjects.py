"""Whether an article names what a sentence speaks of: its diseases, drugs and procedures, as MeSH knows them, not as worded.

A thing is named by its heading, an entry term, a narrower heading, or one that it falls under itself; by an acronym that the
article or MeSH spells out; by the headings under which the article is indexed.
"""

from __future__ import annotations

from functools import lru_cache

from clinfo.records.articles import Article
from clinfo.terms.concepts import descriptor_of
from clinfo.terms.naming import Part, parts
from clinfo.text.terms import Vocabulary, acronyms, fold, stem, vocabulary, weight, words_as_written
from clinfo.text.words import key

LEAST_NAMED = 2
"""Things that a sentence must name for it to be told that an article names none."""
LEAST_WORDS = 60
"""Words of title and abstract from which an article can be expected to name what it is about; a shorter text may leave it out."""
_BRANCHES = ("C", "D", "E01", "E02", "E03", "E04", "E06", "E07", "F03", "F04")
_BROAD = ("C23.550", "C23.888", "D05", "D12.776", "D27", "E01.789", "E02.319", "E02.760", "E05")
"""Signs and courses of a disease, families of proteins, uses of chemicals, measurements: said of almost anything."""
LEAST_DEPTH = 2
"""Steps below the root of a branch from which a heading tells one thing from another."""


def foreign_subjects(text: str, article: Article) -> tuple[str, ...]:
    """The things that a sentence names, as written, where it names at least `LEAST_NAMED` and the article none; else none."""
    if len(article.title.split()) + len(article.abstract.split()) < LEAST_WORDS:
        return ()
    expansions = acronyms(f"{article.title} {article.abstract}") | acronyms(text)
    named = {part.headings or part.stems: part for part in parts(_spelt(text, expansions)) if _tells(part)}
    if len(named) < LEAST_NAMED:
        return ()
    held = _vocabulary(article)
    if any(_stands(part, held, article) for part in named.values()):
        return ()
    return tuple(_written(part, text) for part in named.values())


def _tells(part: Part) -> bool:
    if part.is_class or not part.places or part.weight < 1:
        return part.is_class
    return all(
        place.startswith(_BRANCHES) and not place.startswith(_BROAD) and place.count(".") >= LEAST_DEPTH for place in part.places
    )


def _stands(part: Part, held: Vocabulary, article: Article) -> bool:
    """Whether the article names it, a word of it, or a thing that it is a kind of or close to."""
    if part.is_in(held) or any(held.has(one) for one in part.stems if len(one) > 3 and weight(one) >= 1):
        return True
    return any(
        mine.startswith(theirs) or theirs.startswith(mine) or _family(mine) == _family(theirs)
        for mine in part.places
        for theirs in _places(article)
    )


def _family(place: str) -> str:
    """The branch of a heading three steps below the root."""
    return ".".join(place.split(".")[:3])


@lru_cache(maxsize=256)
def _places_of(title: str, abstract: str, mesh: tuple[str, ...]) -> frozenset[str]:
    named = (part.places for part in parts(_spelt(f"{title}. {abstract}", acronyms(f"{title} {abstract}"))) if part.places)
    indexed = (found.tree_numbers for one in mesh if (found := descriptor_of(one.split("/")[0].strip("*"))) is not None)
    return frozenset(place for places in (*named, *indexed) for place in places if place.count(".") >= LEAST_DEPTH)


def _places(article: Article) -> frozenset[str]:
    return _places_of(article.title, article.abstract, tuple(article.mesh))


@lru_cache(maxsize=256)
def _vocabulary_of(title: str, abstract: str, others: tuple[str, ...]) -> Vocabulary:
    whole = f"{title}\n{abstract}\n{'; '.join(others)}"
    held = vocabulary(whole, acronyms(f"{title}\n{abstract}"))
    return Vocabulary(held.stems, held.running, frozenset(key(one.split("/")[0].strip("*")) for one in others))


def _vocabulary(article: Article) -> Vocabulary:
    return _vocabulary_of(article.title, article.abstract, (*article.mesh, *article.keywords))


def _spelt(text: str, expansions: dict[str, str]) -> str:
    """The text with each acronym in its long form."""
    return " ".join(expansions.get(word, word) for word in words_as_written(text))


def _written(part: Part, text: str) -> str:
    """The part as the text has it, as near as its stems tell."""
    wanted = set(part.stems)
    return " ".join(dict.fromkeys(word for word in words_as_written(text) if stem(fold(word)) in wanted)) or " ".join(part.stems)
