"""A yes/no judgement of one article by how many of the question's concepts it is about."""

from __future__ import annotations

from dataclasses import dataclass

from clinfo.records import Article
from clinfo.text.terms import PEOPLE_WORDS, Concept, acronyms, concepts, share, stem, vocabulary

_PEOPLE = frozenset(stem(word) for word in PEOPLE_WORDS | {"older", "elderly", "aged", "young", "healthy"})

ENOUGH = 0.62
"""Share of the concepts' weight, title counting more, from which an article is taken as relevant."""
KEY_SHARE = 0.5
"""Least share of a concept that must stand in the article for it to name the concept."""
MAIN = 0.18
"""A concept with at least this share of the question's weight is a main one."""
ALLOWED_OF = 3
"""One main concept in this many, after the first, may be missing: none of three, one of four."""
TITLE_SHARE = 0.25
"""How much of a concept's weight needs the title: the rest is earned by the abstract alone."""


@dataclass(frozen=True)
class Reading:
    """How an article covers a question: ``score`` 0 to 1, and the concepts that stand in it and that do not."""

    relevant: bool
    score: float
    present: tuple[Concept, ...]
    absent: tuple[Concept, ...]

    @property
    def reason(self) -> str:
        """One line saying which of the question's concepts the article has."""
        has = ", ".join(concept.text for concept in self.present)
        lacks = ", ".join(concept.text for concept in self.absent)
        if not has:
            return "Title and abstract name none of the question's concepts."
        return f"Title and abstract name {has}" + (f"; they do not name {lacks}." if lacks else ".")


def judge(question: str, article: Article) -> Reading:
    """Whether title and abstract are about what the question asks."""
    wanted = concepts(question)
    everything = f"{article.title}. {article.abstract} {' '.join(article.mesh)} {' '.join(article.keywords)}"
    expansions = {**acronyms(everything), **acronyms(question)}
    whole = vocabulary(everything, expansions)
    title = vocabulary(article.title, expansions)
    has_abstract = bool(article.sections)
    total = got = 0.0
    present: list[Concept] = []
    absent: list[Concept] = []
    shares: dict[Concept, float] = {}
    for concept in wanted:
        there, in_title = share(concept, whole), share(concept, title)
        shares[concept] = there
        bonus = TITLE_SHARE if has_abstract else 0.0
        total += concept.weight
        got += concept.weight * ((1 - bonus) * there + bonus * in_title)
        (present if there >= KEY_SHARE else absent).append(concept)
    if not total:
        return Reading(False, 0.0, (), ())
    score = got / total
    main = [concept for concept in wanted if concept.weight / total >= MAIN and not _only_people(concept)]
    missing = sum(1 for concept in main if concept in absent)
    relevant = score >= ENOUGH and missing <= (len(main) - 1) // ALLOWED_OF
    return Reading(relevant, score, tuple(present), tuple(absent))


def _only_people(concept: Concept) -> bool:
    return all(part in _PEOPLE for part in concept.stems)
