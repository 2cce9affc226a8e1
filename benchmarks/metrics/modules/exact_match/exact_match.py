"""Exact match as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.exact_match`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.exact_match import scores

_DESCRIPTION = """\
Exact match: 1 where the prediction is its reference, character by character, else 0. Higher is better; it is symmetric.
"""
_CITATION = """\
@inproceedings{rajpurkar-2016-squad,
    title = "{SQ}u{AD}: 100,000+ Questions for Machine Comprehension of Text",
    author = "Rajpurkar, Pranav and Zhang, Jian and Lopyrev, Konstantin and Liang, Percy",
    booktitle = "Proceedings of the 2016 Conference on Empirical Methods in Natural Language Processing",
    year = "2016",
    pages = "2383--2392",
    url = "https://aclanthology.org/D16-1264",
}
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
Returns:
    exact_match: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class ExactMatch(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Exact match of each prediction against its reference."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=["https://aclanthology.org/D16-1264"],
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        values = scores(predictions, references)
        return {"exact_match": sum(values) / len(values), "scores": values}
