"""METEOR: words matched as they are, by stem and by synonym, with a penalty for scattered
matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import FolderScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.metrics.word_tokens import Rules, word_tokens

SPECS: Final = (
    MetricSpec(
        name="meteor",
        title="METEOR",
        low=0.0,
        high=1.0,
        better="higher",
        floor=0.0,
        source="Banerjee and Lavie 2005, https://aclanthology.org/W05-0909; nltk's single_meteor_score",  # noqa: E501
    ),
)
ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5


def scorer(rules: Rules = "3.8.1") -> FolderScorer:
    """The metric, loaded. Raises UsageError where WordNet is not on this machine."""
    _tools(rules)
    return FolderScorer("meteor", signature(rules), rules=rules)


def signature(rules: Rules = "3.8.1") -> str:
    """Implementation, versions and settings in one line; ``rules`` is the nltk whose rules of
    tokens and endings hold.
    """
    from importlib.metadata import version

    from benchmarks.pubmedrs200.metrics.wordnet import VERSION

    settings = (
        f"alpha:{ALPHA}|beta:{BETA}|gamma:{GAMMA}|stemmer:porter|wordnet:{VERSION}|"
        "tok:word_tokenize|case:lower"
    )
    return f"nltk:{version('nltk')}|meteor|rules:{rules}|{settings}"


def scores(
    predictions: Sequence[str], references: Sequence[str], rules: Rules = "3.8.1"
) -> list[float]:
    """METEOR of each prediction, 0 to 1."""
    from nltk.translate.meteor_score import single_meteor_score

    stemmer, synonyms = _tools(rules)
    return [
        float(
            single_meteor_score(
                reference=_tokens(reference, rules),
                hypothesis=_tokens(prediction, rules),
                stemmer=stemmer,
                wordnet=synonyms,
                alpha=ALPHA,
                beta=BETA,
                gamma=GAMMA,
            )
        )
        for prediction, reference in zip(predictions, references, strict=True)
    ]


@lru_cache(maxsize=512)
def _tokens(text: str, rules: Rules) -> list[str]:
    return word_tokens(text, rules)


@cache
def _tools(rules: Rules) -> tuple[Any, Any]:
    from nltk.stem.porter import PorterStemmer

    from benchmarks.pubmedrs200.metrics.wordnet import Synonyms

    class Stems(PorterStemmer):  # type: ignore[misc]  # nltk has no types
        """Porter's stemmer with a memory: the same words come again and again."""

        def __init__(self) -> None:
            super().__init__()
            self.stem = lru_cache(maxsize=100_000)(super().stem)

    return Stems(), Synonyms(rules)
