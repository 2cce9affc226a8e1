"""CTC by embedding matching: how well each token of the prediction is covered by some token of
another text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import load_module
from benchmarks.pubmedrs200.metrics.neural import TRUNCATION, NeuralScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair
from benchmarks.pubmedrs200.metrics.weights import Weights

_PAPER: Final = (
    "Deng et al., Compression, Transduction, and Creation, EMNLP 2021 (embedding matching); own "
    "implementation"
)

SPECS: Final[Mapping[str, MetricSpec]] = {
    "ctc_sf": MetricSpec(
        name="ctc_sf",
        title="CTC (source-free)",
        low=-1.0,
        high=1.0,
        better="higher",
        floor=0.0,  # ctc_score gives a text without tokens 0
        source=_PAPER,
        neural=True,
        truncation=TRUNCATION,
    ),
    "ctc_consistency": MetricSpec(
        name="ctc_consistency",
        title="CTC consistency",
        low=-1.0,
        high=1.0,
        better="higher",
        floor=0.0,
        source=_PAPER,
        needs_source=True,
        neural=True,
        truncation=TRUNCATION,
    ),
}


class CTC(NeuralScorer):
    """One of the two: ``ctc_sf`` aligns the prediction to the reference, ``ctc_consistency`` to the
    review's text.

    They use different weights, so a scorer is made for one metric. Averages run over the
    prediction's tokens: in the published orientation, where the human answer is the prediction,
    ``ctc_sf`` is another quantity than in the correct one.
    """

    SPECS = SPECS
    NEEDS_REFERENCE = frozenset({"ctc_sf"})

    def __init__(self, names: Sequence[str], weights: Weights | None = None) -> None:
        if len(names) != 1:
            raise ValueError("a CTC scorer computes one metric: they have different weights")
        self.FOLDER = names[0]
        super().__init__(names, weights)

    def settings(self, name: str) -> str:
        context = "source" if self.SPECS[name].needs_source else "reference"
        return (
            f"ctc:own|{self.located.signature}|layer:{self.located.layer}|"
            f"align:prediction-to-{context}|stopwords:kept"
        )

    def load(self, device: str) -> Any:
        return load_module(
            "ctc",
            folder=self.located.folder,
            layer=self.located.layer,
            device=device,
            batch_size=self.batch_size,
        )

    def compute(self, pairs: Sequence[Pair]) -> Mapping[str, tuple[list[float], list[bool]]]:
        name = self.names[0]
        contexts = [
            (pair.source or "") if self.SPECS[name].needs_source else pair.reference
            for pair in pairs
        ]
        found = self.module.compute(
            predictions=[pair.prediction for pair in pairs], contexts=contexts
        )
        return {name: (found["scores"], found["truncated"])}
