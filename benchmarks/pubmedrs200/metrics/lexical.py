"""The metrics of words and characters that libraries compute, and two that need none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec


class RougeL(base.TextMetric):
    """The longest common subsequence comes from rapidfuzz: rouge-score's own takes 30 ms for two
    texts of 250 words, this one 0.1 ms, and both are the same whole number.
    """

    SPECS = (
        MetricSpec(
            name="rouge_l", title="ROUGE-L", low=0.0, high=1.0, better="higher", floor=0.0,
            source="Lin 2004, https://aclanthology.org/W04-1013; rouge-score's tokens and F",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return (
            f"rouge-score:{version('rouge-score')}|type:rougeL|value:f|stemmer:no|"
            f"lcs:rapidfuzz-{version('rapidfuzz')}"
        )

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        from rapidfuzz.distance import LCSseq
        from rouge_score import scoring

        values = []
        for prediction, reference in zip(predictions, references, strict=True):
            ours, theirs = _rouge_words(prediction), _rouge_words(reference)
            if not ours or not theirs:
                values.append(0.0)
                continue
            number = {word: at for at, word in enumerate(dict.fromkeys((*ours, *theirs)))}
            common = LCSseq.similarity(
                [number[word] for word in ours], [number[word] for word in theirs]
            )
            values.append(float(scoring.fmeasure(common / len(ours), common / len(theirs))))
        return values


@lru_cache(maxsize=512)
def _rouge_words(text: str) -> tuple[str, ...]:
    from rouge_score import tokenizers

    return tuple(tokenizers.DefaultTokenizer(use_stemmer=False).tokenize(text))


class ChrF(base.TextMetric):
    """sacrebleu's."""

    SPECS = (
        MetricSpec(
            name="chrf", title="chrF", low=0.0, high=100.0, better="higher", floor=0.0,
            source="Popović 2015, https://aclanthology.org/W15-3049; sacrebleu",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        import sacrebleu

        return (
            f"sacrebleu:{sacrebleu.__version__}|chrf|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|beta:2|"
            "space:no"
        )

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        from sacrebleu.metrics.chrf import CHRF

        metric = CHRF(char_order=6, word_order=0, beta=2)
        return [
            float(metric.sentence_score(prediction, [reference]).score)
            for prediction, reference in zip(predictions, references, strict=True)
        ]


class GoogleBleu(base.TextMetric):
    """nltk's, on sacrebleu's tokens."""

    SPECS = (
        MetricSpec(
            name="google_bleu", title="GoogleBLEU", low=0.0, high=1.0, better="higher", floor=0.0,
            source="Wu et al. 2016, https://arxiv.org/abs/1609.08144; nltk's sentence_gleu on "
            "sacrebleu's 13a tokens",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        nltk, sacrebleu = version("nltk"), version("sacrebleu")
        return f"nltk:{nltk}|gleu|n:1-4|case:mixed|tok:13a|sacrebleu:{sacrebleu}"

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        from nltk.translate.gleu_score import sentence_gleu

        return [
            float(
                sentence_gleu(
                    [_bleu_words(reference)], _bleu_words(prediction), min_len=1, max_len=4
                )
            )
            for prediction, reference in zip(predictions, references, strict=True)
        ]


@lru_cache(maxsize=512)
def _bleu_words(text: str) -> list[str]:
    return str(_tokenizer()(text)).split()


@cache
def _tokenizer() -> Any:
    from sacrebleu.tokenizers import tokenizer_13a

    return tokenizer_13a.Tokenizer13a()  # type: ignore[no-untyped-call]


class ExactMatch(base.TextMetric):
    """Of its own making."""

    SPECS = (
        MetricSpec(
            name="exact_match", title="Exact match", low=0.0, high=1.0, better="higher", floor=0.0,
            source="Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, without their "
            "normalisation; own implementation",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return "exact_match:own|case:mixed|punctuation:kept|space:kept"

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        return [float(one == other) for one, other in zip(predictions, references, strict=True)]


class WordLength(base.TextMetric):
    """Of its own making; the prediction must be the system's text in either orientation."""

    SPECS = (
        MetricSpec(
            name="word_length", title="Word length", low=0.0, high=None, better="neither",
            floor=0.0, source="words parted by whitespace; own implementation",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return "word_length:own|tok:whitespace"

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        return [float(len(text.split())) for text in predictions]
