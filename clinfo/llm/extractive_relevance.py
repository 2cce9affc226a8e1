"""A yes/no judgement of one article by how many of the question's concepts it is about."""

from __future__ import annotations

from dataclasses import dataclass

from clinfo.records import Article
from clinfo.text.terms import Concept, acronyms, concepts, share, vocabulary

ENOUGH = 0.62
"""Share of the concepts' weight, title counting more, from which an article is taken as relevant."""
KEY_SHARE = 0.5
"""Least share of the heaviest concept that must stand in the article."""
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
    heaviest = max(wanted, key=lambda concept: concept.weight)
    relevant = score >= ENOUGH and shares[heaviest] >= KEY_SHARE
    return Reading(relevant, score, tuple(present), tuple(absent))
