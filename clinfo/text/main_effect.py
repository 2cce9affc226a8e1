"""Which of the effects that an abstract states answers for the article."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from clinfo.records import Article
from clinfo.text.abstracts import abstract_sentences
from clinfo.text.asked_parts import AskedParts, asked_parts
from clinfo.text.effect_naming import is_about, named_outcome
from clinfo.text.effect_sides import sides
from clinfo.text.effects import StatedEffect, stated_effects
from clinfo.text.question import affirmed
from clinfo.text.terms import GENERIC_WORDS, acronyms, concepts, coverage, is_content, stems, vocabulary, words

MOST_EFFECTS = 60
"""Effects of one article that are weighed; an abstract states a third of this at most, or is none."""


def main_effect(article: Article, n: int, question: str, outcomes: Sequence[str] = ()) -> StatedEffect | None:
    """The effect that answers for the article: that of the question's outcome, its primary outcome or its conclusion.

    ``outcomes`` are the study's own outcomes, the main one first. None where no effect is stated, or none with a tie to any
    of the three. Of equals the first is taken, and one with an interval before one without. Left out are effects whose clause
    names no outcome, those of another treatment than the question's or of what it is held against (`clinfo.text.effect_sides`),
    and those of another outcome where the question asks about one only.
    """
    found = stated_effects(article, n)[:MOST_EFFECTS]
    if not found:
        return None
    expansions = acronyms(f"{article.title}. {article.abstract}")
    wanted = concepts(affirmed(question).text) if question else ()
    conclusion = _telling(" ".join(each.text for each in abstract_sentences(article) if each.role == "conclusion"))
    own = [_telling(outcome) for outcome in outcomes]
    parts = asked_parts(question) if question else AskedParts()
    whose = sides(parts, expansions)
    best: tuple[float, StatedEffect] | None = None
    for place, each in enumerate(found):
        outcome = named_outcome(each, outcomes, parts.outcome)
        if outcome is None or not whose.answers(each.clause, each.lead, article.title):
            continue
        fits = bool(parts.outcome) and is_about(f"{outcome} {_long_forms(outcome, expansions)}", parts.outcome)
        if parts.exact and not fits:
            continue
        here = vocabulary(each.clause, expansions)
        asked = coverage(wanted, vocabulary(f"{each.lead} {each.clause}", expansions)) if wanted else 0.0
        stated = [len(outcome & here.stems) / len(outcome) for outcome in own if outcome]
        primary = (1.0 if stated and stated[0] >= 0.5 else 0.0) + (0.4 if max(stated[1:], default=0.0) >= 0.5 else 0.0)
        told = _telling(each.clause)
        concluded = len(told & conclusion) / len(told) if told else 0.0
        if not (asked >= 0.15 or primary or concluded >= 0.25 or _PRIMARY.search(each.sentence)):
            continue
        named = whose.named(each.clause)
        if wanted and (asked < _LEAST_OF_FACTOR or (parts.treatment and not named)) and _FACTORS.search(each.sentence):
            continue
        if parts.outcome and not (fits or primary or _PRIMARY.search(each.sentence)):
            continue
        score = 2.0 * asked + (1.5 if fits else 0.0) + (0.5 if named else 0.0) + primary + concluded - 0.04 * place
        score += 0.8 if _PRIMARY.search(each.clause) else 0.0
        score -= 0.9 if _SECONDARY.search(each.clause) else 0.0
        score += 1.0 if each.effect.low is not None else 0.0
        score += {"title": 0.6, "conclusion": 0.3, "results": 0.2}.get(each.role, 0.0)
        if best is None or score > best[0]:
            best = (score, each)
    return best[1] if best else None


_PRIMARY = re.compile(
    r"\b(?:primary|main) (?:\w+ )?(?:outcome|end ?-?point)|\boverall\b|\bpooled\b|\bin total\b|\bcombined\b", re.IGNORECASE
)
_SECONDARY = re.compile(
    r"\bsub-?(?:group|set|analys)|\bstratif|\bsensitivity analys|\bsecondary\b|\bexploratory\b|\binteraction\b|\bheterogene|"
    r"\bper-?protocol\b|"
    r"\bbaseline\b|\bpublication bias\b|\bunadjusted\b|\bcrude\b|\bamong (?:those|patients|women|men|participants) (?:with|who|"
    r"aged)\b",
    re.IGNORECASE,
)


_FACTORS = re.compile(
    r"\b(?:predict\w*|prognostic factors?|risk factors?|associated factors|determinants?)\b|"
    r"\b(?:multivaria\w+|logistic|cox)\b.{0,40}\b(?:regression|analys\w+|model)",
    re.IGNORECASE,
)
_LEAST_OF_FACTOR = 0.3
"""Share of the question that the words of one factor of many must name for its effect to be the answer."""


def _long_forms(text: str, expansions: Mapping[str, str]) -> str:
    """The long forms of the acronyms in a text."""
    return " ".join(expansions[word] for word in text.split() if word in expansions)


def _telling(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about."""
    return frozenset(
        stems(" ".join(word for word in words(text) if is_content(word) and word not in GENERIC_WORDS and not word.isdigit()))
    )
