"""ROUGE-L as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.rouge_l`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.rouge_l import scores

_DESCRIPTION = """\
ROUGE-L: F1 of the longest common subsequence of words of prediction and reference, 0 to 1, higher is better. Words are
rouge-score's: lower case, letters and digits only, no stemming. It is symmetric.
"""
_CITATION = """\
@inproceedings{lin-2004-rouge,
    title = "{ROUGE}: A Package for Automatic Evaluation of Summaries",
    author = "Lin, Chin-Yew",
    booktitle = "Text Summarization Branches Out",
    year = "2004",
    pages = "74--81",
    url = "https://aclanthology.org/W04-1013",
}
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
Returns:
    rouge_l: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class RougeL(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """ROUGE-L of each prediction against its reference."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=["https://github.com/google-research/google-research/tree/master/rouge"],
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        values = scores(predictions, references)
        return {"rouge_l": sum(values) / len(values), "scores": values}
