"""UniEval's four dimensions of a summary and their mean: what a model trained on such questions
answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import load_module
from benchmarks.pubmedrs200.metrics.neural import TRUNCATION, NeuralScorer
from benchmarks.pubmedrs200.metrics.sentence_splitting import SIGNATURE
from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair

_MAX_TOKENS: Final = 1024
_PAPER: Final = (
    "Zhong et al., Towards a Unified Multi-Dimensional Evaluator for Text Generation, EMNLP 2022; "
    "own implementation"
)


def _spec(dimension: str, needs_source: bool) -> MetricSpec:
    return MetricSpec(
        name=f"unieval_{dimension}",
        title=f"UniEval {dimension}",
        low=0.0,
        high=1.0,
        better="higher",
        floor=0.0,
        source=_PAPER,
        needs_source=needs_source,
        neural=True,
        truncation=TRUNCATION,
    )


SPECS: Final[Mapping[str, MetricSpec]] = {
    spec.name: spec
    for spec in (
        _spec("coherence", needs_source=True),
        _spec("consistency", needs_source=True),
        _spec("fluency", needs_source=False),
        _spec("relevance", needs_source=False),
        _spec("overall", needs_source=True),
    )
}


class UniEval(NeuralScorer):
    """Any of the five; consistency and fluency are means over the prediction's sentences."""

    FOLDER = "unieval"
    SPECS = SPECS
    BATCH_SIZE = 8
    NEEDS_REFERENCE = frozenset({"unieval_relevance", "unieval_overall"})

    def settings(self, name: str) -> str:
        return (
            f"unieval:own|{self.located.signature}|task:summarization|{SIGNATURE}|"
            f"max-tokens:{_MAX_TOKENS}"
        )

    def load(self, device: str) -> Any:
        return load_module(
            "unieval",
            folder=self.located.folder,
            device=device,
            batch_size=self.batch_size,
            max_tokens=_MAX_TOKENS,
        )

    def compute(self, pairs: Sequence[Pair]) -> Mapping[str, tuple[list[float], list[bool]]]:
        dimensions = [name.removeprefix("unieval_") for name in self.names]
        found = self.module.compute(
            predictions=[pair.prediction for pair in pairs],
            references=[pair.reference for pair in pairs],
            sources=[pair.source or "" for pair in pairs],
            dimensions=dimensions,
        )
        return {f"unieval_{name}": (found[name], found["truncated"][name]) for name in dimensions}
