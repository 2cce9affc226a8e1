"""CTC's information alignment by embeddings ("E") as an `evaluate` module of our own; the package
ctc-score no longer installs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import evaluate

_DESCRIPTION = (
    "Mean over the prediction's tokens of the highest cosine similarity with any token of the "
    "context "
    "(Deng et al., Compression, Transduction, and Creation, EMNLP 2021: consistency by embedding "
    "matching)."
)


class CTC(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """``compute(predictions, contexts)`` → {"scores": [alignment], "truncated": [bool]}, one value
    a pair.

    Separators are left out on both sides; a text without tokens scores 0.
    """

    def __init__(
        self,
        *arguments: Any,
        folder: Path,
        layer: int,
        device: str,
        batch_size: int,
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        from benchmarks.pubmedrs200.metrics.encoding import Encoder

        self.encoder = Encoder(folder, layer, device)
        self.batch_size = batch_size

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation="https://aclanthology.org/2021.emnlp-main.599",
            inputs_description="predictions, contexts: lists of texts",
            features=datasets.Features({"predictions": text, "contexts": text}),
        )

    def _compute(self, predictions: list[str], contexts: list[str]) -> dict[str, list[Any]]:
        from torch.nn.functional import normalize

        scores = [0.0] * len(predictions)
        for place, prediction, context in self.encoder.pairs(
            predictions, contexts, self.batch_size
        ):
            similarity = normalize(prediction[1:-1], dim=-1) @ normalize(context[1:-1], dim=-1).T
            if similarity.numel():
                scores[place] = float(similarity.max(dim=1).values.mean())
        cut = {text: self.encoder.is_cut(text) for text in dict.fromkeys([*predictions, *contexts])}
        return {
            "scores": scores,
            "truncated": [cut[a] or cut[b] for a, b in zip(predictions, contexts, strict=True)],
        }
