"""CTC by embedding matching: how well each token of the prediction is covered by some token of
another text.

The package ctc-score no longer installs. Averages run over the prediction's tokens: in the
published orientation, where the human answer is the prediction, ``ctc_sf`` is another quantity than
in the correct one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.encoding import Encoder
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

_PAPER: Final = (
    "Deng et al., Compression, Transduction, and Creation, EMNLP 2021 (embedding matching); own "
    "implementation"
)


def _spec(name: str, title: str, context: str) -> tuple[MetricSpec]:
    floor = 0.0  # ctc_score gives a text without tokens 0
    needs = ("prediction", context)
    return (
        MetricSpec(name, title, -1.0, 1.0, "higher", floor, _PAPER, needs, True, base.TRUNCATION),
    )


class CTCSourceFree(base.NeuralMetric):
    """Mean over the prediction's tokens of the highest cosine similarity with any token of the
    context: consistency by embedding matching.

    The prediction aligned to the reference. Separators are left out on both sides.
    """

    SPECS = _spec("ctc_sf", "CTC (source-free)", "reference")
    FOLDER = "ctc_sf"

    def settings(self, name: str) -> str:
        context = self.SPECS[0].needs[1]
        return (
            f"ctc:own|{self.located.signature}|layer:{self.located.layer}|"
            f"align:prediction-to-{context}|stopwords:kept"
        )

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(self.located.folder, self.located.layer, self.device)

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str] = ()
    ) -> dict[str, Any]:
        from torch.nn.functional import normalize

        contexts = sources if self.SPECS[0].needs_source else references
        scores = [0.0] * len(predictions)
        for place, prediction, context in self.encoder.pairs(predictions, contexts):
            similarity = normalize(prediction[1:-1], dim=-1) @ normalize(context[1:-1], dim=-1).T
            if similarity.numel():
                scores[place] = float(similarity.max(dim=1).values.mean())
        name = self.SPECS[0].name
        return base.results({name: scores}, {name: self.encoder.cuts(predictions, contexts)})


class CTCConsistency(CTCSourceFree):
    """The prediction aligned to the review's text, with other weights."""

    SPECS = _spec("ctc_consistency", "CTC consistency", "source")
    FOLDER = "ctc_consistency"
