"""What a question asks about: its concepts, what it compares, and whether an article speaks of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from clinfo.records import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.coordination import Group, coverage, groups
from clinfo.text.question import affirmed, asked_part, starts_with_verb
from clinfo.text.sense import MOST, asked
from clinfo.text.terms import Concept, acronyms, concepts, fold, share, vocabulary

_BETTER = (
    r"(?:better|superior|inferior|preferable|safer|cheaper|faster|(?:more|less|as)\s(?:\w+\s)?\w+)\s"
    r"(?:[^?.;]{0,60}?\s)?(?:than|to|as)"
)
_AGAINST = rf"(?:{_BETTER}|versus|vs\.?|v\.?|compared (?:with|to)|rather than|instead of|or|than)"
_SIDES = re.compile(
    rf"\b(?:is|are|was|were|does|do|did|can|should|between)\s(?P<one>[^?;]{{2,120}}?)\s{_AGAINST}\s(?P<other>[^?;]{{2,120}})",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween\s(?P<one>[^?;]{2,80}?)\sand\s(?P<other>[^?;]{2,80})", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:than|versus|vs|compared (?:with|to)|rather than|instead of|better|superior|inferior|as (?:\w+ ){1,2}as|"
    r"differ\w* between)\b",
    re.IGNORECASE,
)
_NO_TREATMENT = re.compile(
    r"\W*(?:an? |the )?(?:placebo|sham|no |nothing|usual|standard|control|before|without|expected)", re.IGNORECASE
)
"""A comparator that an abstract need not name as such."""
_LEAST_TOPIC = 0.6
"""Share of the question's concepts, by weight, that title and abstract must name for an article to speak of it."""


@dataclass(frozen=True)
class Subject:
    """What is asked: the groups of concepts, and the concepts of the two sides where the question compares two things."""

    question: str
    wanted: tuple[Group, ...]
    sides: tuple[tuple[Concept, ...], tuple[Concept, ...]] | None

    def addressed(self, article: Article) -> bool:
        """Whether an article speaks of it: names most of it, both sides of a comparison, and the outcome where it reports."""
        sentences = [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]
        if not sentences or not self.wanted:
            return False
        expansions = acronyms(f"{article.title} {article.abstract}")
        whole = f"{article.title} {' '.join(sentence.text for sentence in sentences)}"
        held = vocabulary(whole, expansions)
        if coverage(self.wanted, held) < _LEAST_TOPIC:
            return False
        needed = [group for group in self.wanted if group.needed]
        if needed and starts_with_verb(asked_part(self.question)) and not needed[0].named(held):
            return False
        if self.sides is not None and not all(_named(side, whole, expansions) for side in self.sides):
            return False
        aim = asked(self.question)
        if aim is None or aim.outcome is None:
            return True
        told = " ".join([article.title, *(each.text for each in sentences if each.role in ("results", "conclusion"))])
        return bool(aim.outcome.named(vocabulary(told, expansions)))

    def told(self, text: str, article: Article) -> float:
        """How much of what is asked a sentence names, 0 to 1."""
        return coverage(self.wanted, vocabulary(text, acronyms(f"{article.title} {article.abstract}")))


@lru_cache(maxsize=256)
def subject(question: str) -> Subject:
    """What a question asks about, asked the positive way round."""
    plain = affirmed(question).text
    return Subject(plain, groups(question), _sides(plain))


def _sides(question: str) -> tuple[tuple[Concept, ...], tuple[Concept, ...]] | None:
    part = asked_part(question)
    found = _BETWEEN.search(part) or _SIDES.search(part)
    if found is None or not (_COMPARES.search(part) or " or " in found.group()):
        return None
    if _NO_TREATMENT.match(found["other"]):
        return None
    one, other = concepts(found["one"])[:1], concepts(found["other"])[:1]
    return (one, other) if one and other else None


def _named(side: tuple[Concept, ...], text: str, expansions: dict[str, str]) -> bool:
    held = vocabulary(text, expansions)
    return any(share(concept, held) >= MOST or fold(concept.text) in fold(text) for concept in side)
