"""The common part of the scorers of neural metrics: weights found at once, the model loaded at the
first score and kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import storable
from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair
from benchmarks.pubmedrs200.metrics.weights import Located, Weights, locate
from clinfo.errors import UsageError
from clinfo.extras import install

TRUNCATION: Final = "texts of which one was cut to what the model takes"
_PACKAGES: Final = (
    "torch",
    "transformers",
    "evaluate",
    "bert-score",
    "unbabel-comet",
    "sentencepiece",
)


def require_packages() -> None:
    """Raises `UsageError` naming the extra to install where a package that neural metrics need is
    missing.
    """
    for package in _PACKAGES:
        try:
            version(package)
        except PackageNotFoundError:
            raise UsageError(
                f"{package} is not installed, and neural metrics need it; {install('neural')}"
            ) from None


class NeuralScorer(ABC):
    """Metrics that share one model: a `Scorer` that says, besides, of which pairs a text was cut to
    what the model takes.

    Making one looks for the packages and the weights and raises where either is missing; nothing
    heavy is imported or read before the first `score`.
    """

    FOLDER = ""
    SPECS: Mapping[str, MetricSpec] = {}
    BATCH_SIZE = 16
    NEEDS_REFERENCE: frozenset[str] = frozenset()

    def __init__(self, names: Sequence[str], weights: Weights | None = None) -> None:
        unknown = [name for name in names if name not in self.SPECS]
        if unknown:
            raise UsageError(f"{type(self).__name__} has no metric {unknown[0]!r}")
        require_packages()
        self.names = tuple(names)
        self.weights = weights or Weights()
        self.located: Located = locate(self.FOLDER, self.weights.folder)
        self._module: Any = None
        self.truncated: Mapping[str, Sequence[bool]] = {}

    @property
    def batch_size(self) -> int:
        """Texts that go through the model together."""
        return self.weights.batch_size or self.BATCH_SIZE

    @property
    def signatures(self) -> Mapping[str, str]:
        """By metric: implementation, model, the hash of its weights, settings and versions; no
        device, no path.
        """
        versions = "|".join(
            f"{package}:{version(package).partition('+')[0]}"
            for package in ("torch", "transformers")
        )
        return {name: f"{self.settings(name)}|{versions}" for name in self.names}

    def score(self, pairs: Sequence[Pair]) -> Mapping[str, list[float]]:
        """By metric name, one value a pair in the order given; the floor where a text that the
        metric compares is empty.

        Raises `UsageError` where a metric needs the review's text and a pair has none.
        """
        scores: dict[str, list[float]] = {}
        truncated: dict[str, list[bool]] = {}
        for name in self.names:
            spec = self.SPECS[name]
            if spec.needs_source and any(pair.source is None for pair in pairs):
                raise UsageError(f"{name} needs the review's text: every row must have a source")
        whole = {
            name: [place for place, pair in enumerate(pairs) if not self._lacks_text(name, pair)]
            for name in self.names
        }
        places = sorted(set().union(*whole.values()))
        found = self.compute([_storable(pairs[place]) for place in places]) if places else {}
        for name in self.names:
            values, cut = found.get(name, ([], []))
            by_place = (
                dict(zip(places, zip(values, cut, strict=True), strict=True)) if whole[name] else {}
            )
            floor = self.SPECS[name].floor or 0.0
            counted = set(whole[name])
            scores[name] = [
                by_place[place][0] if place in counted else floor for place in range(len(pairs))
            ]
            truncated[name] = [
                place in counted and by_place[place][1] for place in range(len(pairs))
            ]
        self.truncated = truncated
        return scores

    def _lacks_text(self, name: str, pair: Pair) -> bool:
        texts = [pair.prediction]
        texts += [pair.reference] if name in self.NEEDS_REFERENCE else []
        texts += [pair.source or ""] if self.SPECS[name].needs_source else []
        return not all(text.strip() for text in texts)

    @property
    def module(self) -> Any:
        """The `evaluate` module with its model, loaded once."""
        if self._module is None:
            from benchmarks.pubmedrs200.metrics.device import choose

            self._module = self.load(choose(self.weights.device))
        return self._module

    @abstractmethod
    def settings(self, name: str) -> str:
        """The part of the signature that is the metric's own."""

    @abstractmethod
    def load(self, device: str) -> Any:
        """The `evaluate` module on the weights found."""

    @abstractmethod
    def compute(self, pairs: Sequence[Pair]) -> Mapping[str, tuple[list[float], list[bool]]]:
        """By metric, for each pair its value and whether a text of it was cut."""


def _storable(pair: Pair) -> Pair:
    return Pair(
        storable(pair.prediction),
        storable(pair.reference),
        None if pair.source is None else storable(pair.source),
    )
