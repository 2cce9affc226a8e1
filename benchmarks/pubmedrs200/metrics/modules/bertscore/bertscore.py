"""BERTScore as an `evaluate` module over bert-score, on weights that are already on this
machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import evaluate

_DESCRIPTION = (
    "Greedy matching of contextual token vectors, F1 of precision and recall (Zhang et al., "
    "BERTScore, ICLR 2020)."
)


class BERTScore(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """``compute(predictions, references)`` → {"scores": [F1], "truncated": [bool]}, one value a
    pair, neither idf nor rescaling.
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
            citation="https://openreview.net/forum?id=SkeHuCVFDr",
            inputs_description="predictions, references: lists of texts",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, list[Any]]:
        scores = [0.0] * len(predictions)
        for place, prediction, reference in self.encoder.pairs(
            predictions, references, self.batch_size
        ):
            scores[place] = self._f1(
                (references[place], reference), (predictions[place], prediction)
            )
        cut = {
            text: self.encoder.is_cut(text) for text in dict.fromkeys([*predictions, *references])
        }
        return {
            "scores": scores,
            "truncated": [cut[a] or cut[b] for a, b in zip(predictions, references, strict=True)],
        }

    def _f1(self, *texts: tuple[str, Any]) -> float:
        """Of reference and prediction. One pair at a time: in a padded batch ``greedy_cos_idf``
        lets tokens match the padding.
        """
        import torch
        from bert_score.utils import greedy_cos_idf

        sides: list[Any] = []
        for text, vectors in texts:
            weights = [0.0 if id in self._separators else 1.0 for id in self.encoder.tokens(text)]
            sides += [
                vectors.unsqueeze(0).clone(),
                torch.ones(1, len(weights)),
                torch.tensor([weights]),
            ]
        with torch.inference_mode():
            return float(greedy_cos_idf(*sides)[2])

    @property
    def _separators(self) -> tuple[int, ...]:
        """Tokens that count nothing, as bert-score has it without inverse document frequencies."""
        return (self.encoder.tokenizer.sep_token_id, self.encoder.tokenizer.cls_token_id)
