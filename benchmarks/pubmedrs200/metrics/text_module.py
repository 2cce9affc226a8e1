"""The common part of the `evaluate` modules of metrics without a model: predictions and references
in, one value a pair out.

A module imports this file, not the class by its name: `evaluate` takes the first class of its kind
that it finds in a module for the metric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import datasets
import evaluate

_INPUTS = """
Args:
    predictions: list of texts.
    references: list of texts, one for each prediction.
{settings}Returns:
    {name}: the mean over all predictions.
    scores: one value for each prediction, in their order.
"""


class TextModule(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """A metric named ``NAME`` whose values ``SCORES`` gives; ``SETTINGS`` are lines on what else
    ``compute`` takes and hands on.
    """

    NAME: ClassVar[str]
    DESCRIPTION: ClassVar[str]
    CITATION: ClassVar[str] = ""
    ADDRESSES: ClassVar[tuple[str, ...]] = ()
    SETTINGS: ClassVar[str] = ""
    SCORES: ClassVar[Callable[..., list[float]]]

    def _info(self) -> Any:
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=self.DESCRIPTION,
            citation=self.CITATION,
            inputs_description=_INPUTS.format(name=self.NAME, settings=self.SETTINGS),
            features=datasets.Features({"predictions": texts, "references": texts}),
            reference_urls=list(self.ADDRESSES),
        )

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], **settings: Any
    ) -> dict[str, Any]:
        return self.results(type(self).SCORES(predictions, references, **settings))

    def results(self, values: list[float]) -> dict[str, Any]:
        """Return what ``compute`` gives for these values."""
        return {self.NAME: sum(values) / len(values), "scores": values}
