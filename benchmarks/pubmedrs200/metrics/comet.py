"""COMET, a translation metric: the review's text as source, the prediction as translation, the
human answer as reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import load_module
from benchmarks.pubmedrs200.metrics.neural import TRUNCATION, NeuralScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair

SPECS: Final[Mapping[str, MetricSpec]] = {
    "comet": MetricSpec(
        name="comet",
        title="COMET",
        low=None,  # a regression: values lie mostly between 0 and 1, but nothing keeps them there
        high=None,
        better="higher",
        floor=0.0,
        source="Rei et al., COMET-22, WMT 2022; unbabel-comet 2.2.7",
        needs_source=True,
        neural=True,
        truncation=TRUNCATION,
    )
}


class COMET(NeuralScorer):
    """wmt22-comet-da unless the folder of weights holds another model that takes source,
    translation and reference.
    """

    FOLDER = "comet"
    SPECS = SPECS
    NEEDS_REFERENCE = frozenset({"comet"})

    def settings(self, name: str) -> str:
        return (
            f"unbabel-comet:{version('unbabel-comet')}|{self.located.signature}|src:source|"
            "mt:prediction|ref:reference"
        )

    def load(self, device: str) -> Any:
        return load_module(
            "comet",
            folder=self.located.folder,
            encoder=self.located.encoder,
            device=device,
            batch_size=self.batch_size,
        )

    def compute(self, pairs: Sequence[Pair]) -> Mapping[str, tuple[list[float], list[bool]]]:
        found = self.module.compute(
            sources=[pair.source or "" for pair in pairs],
            predictions=[pair.prediction for pair in pairs],
            references=[pair.reference for pair in pairs],
        )
        return {"comet": (found["scores"], found["truncated"])}
