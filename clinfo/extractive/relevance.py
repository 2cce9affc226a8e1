"""A yes/no judgement of one article: the fitted probability that it bears on a question, from what
it names of it.

A logistic regression over `clinfo.extractive.relevance_features`; its weights are fitted by
`benchmarks.own.fit_relevance` on questions such as clinicians ask, the articles that answer them,
and others that a search finds for the same words.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from importlib.resources import files

from clinfo.extractive.relevance_features import Texts, Unit, features, units, wanted
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article

ENOUGH = 0.2
"""Probability from which an article is taken as relevant."""
NAMES_NOTHING = "Title and abstract mention none of the question's concepts."
LACKS = "; they do not name "
"""Text in a reason before the concepts that an article lacks."""


@dataclass(frozen=True)
class Reading:
    """The coverage of a question by an article: ``score`` is the probability, 0 to 1; the
    question's units that stand in it and do not.
    """

    relevant: bool
    score: float
    present: tuple[Unit, ...]
    absent: tuple[Unit, ...]

    @property
    def reason(self) -> str:
        """One line saying which of the question's concepts the article has."""
        has, lacks = _listed(self.present), _listed(self.absent)
        if not has:
            return NAMES_NOTHING
        if lacks:
            return f"Title and abstract name {has}{LACKS}{lacks}."
        return f"Title and abstract name {has}" + (
            "." if self.relevant else ", but not prominently enough for the rule."
        )


def judge(question: str, article: Article) -> Reading:
    """Return whether title and abstract are about what the question asks. Ordinary words of it
    ("worth trying") need not stand there.
    """
    found = units(question)
    if not found:
        return Reading(False, 0.0, (), ())
    texts = Texts.of(article, question)
    held = {unit: unit.part.is_in(texts.whole) for unit in found}
    own, weights = features(found, held, texts), _weights()
    score = 1 / (1 + math.exp(-sum(weights.get(name, 0.0) * value for name, value in own.items())))
    present = tuple(unit for unit in found if held[unit])
    absent = tuple(unit for unit in wanted(found, present) if not held[unit])
    return Reading(score >= ENOUGH and bool(present), score, present, absent)


def _listed(found: tuple[Unit, ...]) -> str:
    """Units in words, ordinary ones only where there are no others."""
    return ", ".join(unit.text for unit in found if unit.kind != "everyday") or ", ".join(
        unit.text for unit in found
    )


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    return dict(
        json.loads(
            files("clinfo.extractive")
            .joinpath("relevance_weights.json")
            .read_text(encoding="utf-8")
        )
    )
