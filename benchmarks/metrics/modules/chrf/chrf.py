"""ChrF as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.chrf`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.chrf import scores

_DESCRIPTION = """\
chrF: F2 of character n-grams of 1 to 6 characters, white space left out, case kept, 0 to 100, higher is better. It is not
symmetric.
"""
_CITATION = """\
@inproceedings{popovic-2015-chrf,
    title = "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    year = "2015",
    pages = "392--395",
    url = "https://aclanthology.org/W15-3049",
}
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
Returns:
    chrf: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class ChrF(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """ChrF of each prediction against its reference."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=["https://github.com/mjpost/sacrebleu"],
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        values = scores(predictions, references)
        return {"chrf": sum(values) / len(values), "scores": values}
