"""The reader of conclusions: how likely experts would take what an article concludes for a yes, a no, or neither."""

from __future__ import annotations

import math
from dataclasses import dataclass

from clinfo.records import Article
from clinfo.text.question import affirmed
from clinfo.text.relation import features, stance


@dataclass(frozen=True)
class Reading:
    """The probabilities of yes, no and neither, which add up to 1."""

    yes: float
    no: float
    maybe: float

    @property
    def lean(self) -> float:
        """Log odds of yes against no."""
        return math.log(max(self.yes, 1e-6) / max(self.no, 1e-6))


def read(question: str, article: Article) -> Reading:
    """How an article's conclusion reads as an answer to a closed question; one asked the negative way round is turned."""
    plain = affirmed(question)
    own = stance(features(plain.text, article))
    return Reading(own.no, own.yes, own.maybe) if plain.turned else Reading(own.yes, own.no, own.maybe)
