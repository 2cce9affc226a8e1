"""METEOR as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.meteor`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.meteor import scores
from benchmarks.metrics.word_tokens import Rules

_DESCRIPTION = """\
METEOR: words of the prediction matched to words of the reference as they are, by Porter's stem and by WordNet synonym; a mean of
precision and recall that favours recall, less a penalty for matches that do not stand together. 0 to 1, higher is better. It is
not symmetric. Needs WordNet 3.0 on this machine.
"""
_CITATION = """\
@inproceedings{banerjee-lavie-2005-meteor,
    title = "{METEOR}: An Automatic Metric for {MT} Evaluation with Improved Correlation with Human Judgments",
    author = "Banerjee, Satanjeev and Lavie, Alon",
    booktitle = "Proceedings of the {ACL} Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine Translation
        and/or Summarization",
    year = "2005",
    pages = "65--72",
    url = "https://aclanthology.org/W05-0909",
}
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
    rules: "3.8.1" (default) for the words and base forms of nltk 3.8.1, "installed" for those of the nltk that is installed.
Returns:
    meteor: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class Meteor(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """METEOR of each prediction against its reference."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=["https://www.nltk.org/api/nltk.translate.meteor_score.html"],
        )

    def _compute(self, predictions: list[str], references: list[str], rules: Rules = "3.8.1") -> dict[str, Any]:
        values = scores(predictions, references, rules)
        return {"meteor": sum(values) / len(values), "scores": values}
