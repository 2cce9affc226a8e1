"""A yes/no judgement of one article by how many of the question's concepts it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from clinfo.records.articles import Article
from clinfo.terms.naming import is_subject, says_little, share
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.coordination import Group, covered, groups
from clinfo.text.pico import parts_of
from clinfo.text.question import is_closed, starts_with_verb
from clinfo.text.terms import PEOPLE_WORDS, Concept, Vocabulary, acronyms, stem, vocabulary
from clinfo.text.words import keys

_PEOPLE = frozenset(stem(word) for word in PEOPLE_WORDS | {"older", "elderly", "aged", "young", "healthy"})

ENOUGH = 0.55
"""Share of the groups' weight, title counting more, from which an article is taken as relevant."""
NAMED = 0.55
"""Least share of a concept, by the weight of its parts, that a text must name to name the concept."""
MAIN = 0.18
"""A group with at least this share of the question's weight is a main one."""
ALLOWED_OF = 3
"""One main group in this many, after the first, may be missing: none of three, one of four."""
TITLE_SHARE = 0.25
"""How much of a concept's weight needs the title: the rest is earned by the abstract alone."""


NAMES_NOTHING = "Title and abstract name none of the question's concepts."
LACKS = "; they do not name "
"""What stands in a reason before the concepts that an article lacks."""


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
            return NAMES_NOTHING
        if lacks:
            return f"Title and abstract name {has}{LACKS}{lacks}."
        return f"Title and abstract name {has}" + ("." if self.relevant else ", but not prominently enough for the rule.")


def judge(question: str, article: Article) -> Reading:
    """Whether title and abstract are about what the question asks: of alternatives, one is enough."""
    asked, subject = groups(question), subjects(question)
    wanted = tuple(group for group in asked if group in subject or not _says_little(group)) or asked
    if not wanted:
        return Reading(False, 0.0, (), ())
    everything = f"{article.title}. {article.abstract} {' '.join(article.mesh)} {' '.join(article.keywords)}"
    expansions = {**acronyms(everything), **acronyms(question)}
    whole = replace(vocabulary(everything, expansions), headings=frozenset(keys(article.mesh)))
    title = vocabulary(article.title, expansions)
    bonus = TITLE_SHARE if article.sections else 0.0
    score = (1 - bonus) * _coverage(wanted, whole) + bonus * _coverage(wanted, title)
    named = {group: tuple(concept for concept in group.concepts if share(concept.text, whole) >= NAMED) for group in wanted}
    present = tuple(concept for group in wanted for concept in named[group])
    absent = tuple(concept for group in wanted for concept in group.concepts if concept not in present)
    total = sum(group.weight for group in wanted)
    main = [group for group in wanted if group.needed and group.weight / total >= MAIN and not _only_people(group)]
    missing = [group for group in main if not named[group]]
    enough = score >= ENOUGH and len(missing) <= max((len(main) - 1) // ALLOWED_OF, 0)
    enough = enough and all(named[group] for group in subject)
    if enough and wanted[0] in main[:1] and starts_with_verb(question):
        enough = bool(named[wanted[0]])
    if enough and article.sections and not (wanted[0].needed and is_closed(question)):
        message = vocabulary(_message(article), expansions)
        enough = any(share(concept.text, message) >= NAMED for concept in _first_needed(wanted).concepts)
    return Reading(enough, score, present, absent)


@lru_cache(maxsize=256)
def subjects(question: str) -> tuple[Group, ...]:
    """The groups of a question without which an article is not about it: its treatments and conditions.

    What it names as outcome is one only where it is a condition.
    """
    part = parts_of(question)
    found = []
    for group in groups(question):
        if not group.needed or _only_people(group):
            continue
        is_outcome = group == part.get("outcome")
        asked_about = group == part.get("intervention") and _says_little(group)  # "mirror therapy"
        if asked_about or all(is_subject(concept.text, is_outcome) for concept in group.concepts):
            found.append(group)
    return tuple(found)


def _says_little(group: Group) -> bool:
    return all(says_little(concept.text) for concept in group.concepts)


def _coverage(wanted: Sequence[Group], text: Vocabulary) -> float:
    """Share of the groups' weight that a text names, 0 to 1, as `clinfo.text.coordination.coverage` counts it."""
    return covered(wanted, [[share(concept.text, text) for concept in group.concepts] for group in wanted])


def _first_needed(wanted: tuple[Group, ...]) -> Group:
    return next(group for group in wanted if group.needed)


def _message(article: Article) -> str:
    """Title and conclusion: where any treatment will do ("antiemetics and other measures", "what helps?"), they name the rest."""
    concluding = [sentence.text for sentence in abstract_sentences(article) if sentence.role == "conclusion"]
    return " ".join([article.title, *concluding])


def _only_people(group: Group) -> bool:
    return all(part in _PEOPLE for concept in group.concepts for part in concept.stems)
