"""Word length as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.word_length`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.word_length import scores

_DESCRIPTION = """\
Word length: the number of words of the prediction, words being what white space parts. 0 or more; neither more nor less is better.
The reference is not looked at.
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
Returns:
    word_length: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class WordLength(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Number of words of each prediction."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="",
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        values = scores(predictions, references)
        return {"word_length": sum(values) / len(values), "scores": values}
