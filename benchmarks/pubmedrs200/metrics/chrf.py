"""chrF: F of character n-grams."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec


class ChrF(base.TextMetric):
    """F2 of character n-grams of 1 to 6 characters, white space left out, case kept, 0 to 100. Not
    symmetric.

    sacrebleu's.
    """

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
