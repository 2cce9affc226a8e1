"""A yes/no judgement of one article by how many of the question's concepts it is about."""

from __future__ import annotations

from dataclasses import dataclass

from clinfo.records import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.coordination import Group, coverage, groups
from clinfo.text.question import is_closed, starts_with_verb
from clinfo.text.terms import PEOPLE_WORDS, Concept, acronyms, stem, vocabulary

_PEOPLE = frozenset(stem(word) for word in PEOPLE_WORDS | {"older", "elderly", "aged", "young", "healthy"})

ENOUGH = 0.62
"""Share of the groups' weight, title counting more, from which an article is taken as relevant."""
MAIN = 0.18
"""A group with at least this share of the question's weight is a main one."""
ALLOWED_OF = 3
"""One main group in this many, after the first, may be missing: none of three, one of four."""
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
        if lacks:
            return f"Title and abstract name {has}; they do not name {lacks}."
        return f"Title and abstract name {has}" + ("." if self.relevant else ", but not prominently enough for the rule.")


def judge(question: str, article: Article) -> Reading:
    """Whether title and abstract are about what the question asks: of alternatives, one is enough."""
    wanted = groups(question)
    if not wanted:
        return Reading(False, 0.0, (), ())
    everything = f"{article.title}. {article.abstract} {' '.join(article.mesh)} {' '.join(article.keywords)}"
    expansions = {**acronyms(everything), **acronyms(question)}
    whole = vocabulary(everything, expansions)
    title = vocabulary(article.title, expansions)
    bonus = TITLE_SHARE if article.sections else 0.0
    score = (1 - bonus) * coverage(wanted, whole) + bonus * coverage(wanted, title)
    present = tuple(concept for group in wanted for concept in group.named(whole))
    absent = tuple(concept for group in wanted for concept in group.concepts if concept not in present)
    total = sum(group.weight for group in wanted)
    main = [group for group in wanted if group.needed and group.weight / total >= MAIN and not _only_people(group)]
    missing = sum(1 for group in main if not group.named(whole))
    enough = score >= ENOUGH and missing <= (len(main) - 1) // ALLOWED_OF
    if enough and wanted[0] in main[:1] and starts_with_verb(question):
        enough = bool(wanted[0].named(whole))
    if enough and article.sections and not (wanted[0].needed and is_closed(question)):
        enough = bool(_first_needed(wanted).named(vocabulary(_message(article), expansions)))
    return Reading(enough, score, present, absent)


def _first_needed(wanted: tuple[Group, ...]) -> Group:
    return next(group for group in wanted if group.needed)


def _message(article: Article) -> str:
    """Title and conclusion: where any treatment will do ("antiemetics and other measures", "what helps?"), they name the rest."""
    concluding = [sentence.text for sentence in abstract_sentences(article) if sentence.role == "conclusion"]
    return " ".join([article.title, *concluding])


def _only_people(group: Group) -> bool:
    return all(part in _PEOPLE for concept in group.concepts for part in concept.stems)
