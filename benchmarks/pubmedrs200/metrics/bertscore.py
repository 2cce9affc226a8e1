"""BERTScore: F1 of greedily matched token vectors of prediction and reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import load_module
from benchmarks.pubmedrs200.metrics.neural import TRUNCATION, NeuralScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair

SPECS: Final[Mapping[str, MetricSpec]] = {
    "bertscore": MetricSpec(
        name="bertscore",
        title="BERTScore",
        low=-1.0,
        high=1.0,
        better="higher",
        floor=0.0,  # what bert-score gives an empty text; unrelated texts lie far above it
        source="Zhang et al., BERTScore, ICLR 2020; bert-score 0.3.13",
        neural=True,
        truncation=TRUNCATION,
    )
}


class BERTScore(NeuralScorer):
    """F1, not rescaled, without idf. Symmetric, so orientation does not matter."""

    FOLDER = "bertscore"
    SPECS = SPECS
    NEEDS_REFERENCE = frozenset({"bertscore"})

    def settings(self, name: str) -> str:
        return (
            f"bert-score:{version('bert-score')}|{self.located.signature}|"
            f"layer:{self.located.layer}|value:f1|idf:no|rescaled:no"
        )

    def load(self, device: str) -> Any:
        return load_module(
            "bertscore",
            folder=self.located.folder,
            layer=self.located.layer,
            device=device,
            batch_size=self.batch_size,
        )

    def compute(self, pairs: Sequence[Pair]) -> Mapping[str, tuple[list[float], list[bool]]]:
        found = self.module.compute(
            predictions=[pair.prediction for pair in pairs],
            references=[pair.reference for pair in pairs],
        )
        return {"bertscore": (found["scores"], found["truncated"])}
