"""BERTScore: F1 of greedily matched token vectors of prediction and reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.encoding import Encoder
from benchmarks.pubmedrs200.metrics.spec import MetricSpec


class BERTScore(base.NeuralMetric):
    """Greedy matching of contextual token vectors, F1 of precision and recall.

    bert-score's F1, not rescaled, without idf. Symmetric, so orientation does not matter.
    """

    SPECS = (
        MetricSpec(
            name="bertscore", title="BERTScore", low=-1.0, high=1.0, better="higher",
            floor=0.0,  # what bert-score gives an empty text; unrelated texts lie far above it
            source="Zhang et al., BERTScore, ICLR 2020; bert-score 0.3.13",
            needs=("prediction", "reference"), neural=True, truncation=base.TRUNCATION,
        ),
    )  # fmt: skip
    FOLDER = "bertscore"

    def settings(self, name: str) -> str:
        return (
            f"bert-score:{version('bert-score')}|{self.located.signature}|"
            f"layer:{self.located.layer}|value:f1|idf:no|rescaled:no"
        )

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(self.located.folder, self.located.layer, self.device)

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str] = ()
    ) -> dict[str, Any]:
        scores = [0.0] * len(predictions)
        for place, *vectors in self.encoder.pairs(predictions, references):
            texts = (references[place], predictions[place])
            scores[place] = self._f1(*zip(texts, reversed(vectors), strict=True))
        cuts = self.encoder.cuts(predictions, references)
        return base.results({"bertscore": scores}, {"bertscore": cuts})

    def _f1(self, *texts: tuple[str, Any]) -> float:
        """Of reference and prediction. One pair at a time: in a padded batch ``greedy_cos_idf``
        lets tokens match the padding. Separators count nothing, as bert-score has it without
        inverse document frequencies.
        """
        import torch
        from bert_score.utils import greedy_cos_idf

        tokenizer = self.encoder.tokenizer
        sides: list[Any] = []
        for text, vectors in texts:
            separators = (tokenizer.sep_token_id, tokenizer.cls_token_id)
            weights = [0.0 if id in separators else 1.0 for id in self.encoder.tokens(text)]
            ones = torch.ones(1, len(weights))
            sides += [vectors.unsqueeze(0).clone(), ones, torch.tensor([weights])]
        with torch.inference_mode():
            return float(greedy_cos_idf(*sides)[2])
