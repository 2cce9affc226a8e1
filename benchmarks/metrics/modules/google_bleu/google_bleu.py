"""GoogleBLEU as a module of `evaluate`; the arithmetic is in `benchmarks.metrics.google_bleu`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from benchmarks.metrics.google_bleu import scores

_DESCRIPTION = """\
GoogleBLEU (GLEU): n-grams of 1 to 4 words that prediction and reference share, over the number of those of the longer of the
two. 0 to 1, higher is better. Words are sacrebleu's 13a tokens, case kept. It is symmetric.
"""
_CITATION = """\
@misc{wu-2016-google,
    title = "{G}oogle's Neural Machine Translation System: Bridging the Gap between Human and Machine Translation",
    author = "Wu, Yonghui and Schuster, Mike and Chen, Zhifeng and Le, Quoc V. and Norouzi, Mohammad and others",
    year = "2016",
    eprint = "1609.08144",
    archivePrefix = "arXiv",
    url = "https://arxiv.org/abs/1609.08144",
}
"""
_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
Returns:
    google_bleu: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class GoogleBleu(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """GoogleBLEU of each prediction against its reference."""

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=["https://www.nltk.org/api/nltk.translate.gleu_score.html"],
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, Any]:
        values = scores(predictions, references)
        return {"google_bleu": sum(values) / len(values), "scores": values}
