"""METEOR: words matched as they are, by stem and by synonym, with a penalty for scattered
matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.metrics.word_tokens import word_tokens
from benchmarks.pubmedrs200.metrics.wordnet import VERSION, Synonyms

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5


class Meteor(base.TextMetric):
    """Words matched as they are, by Porter's stem and by WordNet synonym; a mean of precision and
    recall that favours recall, less a penalty for matches that do not stand together. 0 to 1.
    Not symmetric.

    nltk's, by the rules of nltk 3.8.1 for words and base forms. Raises UsageError where WordNet
    is not on this machine.
    """

    SPECS = (
        MetricSpec(
            name="meteor", title="METEOR", low=0.0, high=1.0, better="higher", floor=0.0,
            source="Banerjee and Lavie 2005, https://aclanthology.org/W05-0909; nltk's "
            "single_meteor_score",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        _tools()
        return (
            f"nltk:{version('nltk')}|meteor|rules:3.8.1|alpha:{ALPHA}|beta:{BETA}|gamma:{GAMMA}|"
            f"stemmer:porter|wordnet:{VERSION}|tok:word_tokenize|case:lower"
        )

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        from nltk.translate.meteor_score import single_meteor_score

        stemmer, synonyms = _tools()
        return [
            float(
                single_meteor_score(
                    reference=_tokens(reference),
                    hypothesis=_tokens(prediction),
                    stemmer=stemmer,
                    wordnet=synonyms,
                    alpha=ALPHA,
                    beta=BETA,
                    gamma=GAMMA,
                )
            )
            for prediction, reference in zip(predictions, references, strict=True)
        ]


_tokens = lru_cache(maxsize=512)(word_tokens)


@cache
def _tools() -> tuple[Any, Synonyms]:
    from nltk.stem.porter import PorterStemmer

    stemmer = PorterStemmer()
    stemmer.stem = lru_cache(maxsize=100_000)(stemmer.stem)
    return stemmer, Synonyms()
