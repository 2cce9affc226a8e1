"""A linear model over features of a question: multinomial logistic regression, its weights in a
file.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from clinfo.lazy_dataclass import dataclass


@dataclass(frozen=True)
class LinearModel:
    """``weights`` of each feature, by class; ``bias`` of each class."""

    classes: tuple[str, ...]
    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def probabilities(self, features: Mapping[str, float]) -> dict[str, float]:
        """The probability of each class; they sum to 1. ``features`` have their values."""
        scores = list(self.bias)
        for name, value in features.items():
            if (own := self.weights.get(name)) is not None:
                scores = [one + value * weight for one, weight in zip(scores, own, strict=True)]
        top = max(scores)
        powers = [math.exp(score - top) for score in scores]
        return {name: one / sum(powers) for name, one in zip(self.classes, powers, strict=True)}


@cache
def model(file: str) -> LinearModel:
    """The model of a file beside this module, as `benchmarks.copilot.fit` writes it."""
    path = Path(__file__).with_name(file)
    data = json.loads(gzip.decompress(path.read_bytes()))
    weights = {name: tuple(own) for name, own in data["weights"].items()}
    return LinearModel(tuple(data["classes"]), tuple(data["bias"]), weights)
