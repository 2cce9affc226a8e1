"""CharacTER as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.character`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.character import scores_and_cuts

_DESCRIPTION = """\
CharacTER: edits of characters that turn the prediction into the reference once whole phrases have been shifted, with a cost for
the shifts, over the number of characters of the prediction; at most 1. 0 to 1, lower is better. It is not symmetric.
"""
_CITATION = """\
@inproceedings{wang-2016-character,
    title = "{C}harac{T}er: Translation Edit Rate on Character Level",
    author = "Wang, Weiyue and Peter, Jan-Thorsten and Rosendahl, Hendrik and Ney, Hermann",
    booktitle = "Proceedings of the First Conference on Machine Translation",
    year = "2016",
    pages = "505--510",
    url = "https://aclanthology.org/W16-2342",
}
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
Returns:
    character: the mean over all predictions.
    scores: one value for each prediction, in their order.
    truncated: whether its search for shifts was cut short, for each prediction.
"""


class Character(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """CharacTER of each prediction against its reference."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=["https://aclanthology.org/W16-2342"],
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        found = scores_and_cuts(predictions, references)
        values = [value for value, _ in found]
        return {"character": sum(values) / len(values), "scores": values, "truncated": [cut_short for _, cut_short in found]}
