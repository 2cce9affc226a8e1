"""The base of all metrics: a class says what it measures, a scorer asks it for pairs of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar, Final

from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair
from benchmarks.pubmedrs200.metrics.weights import Located, locate
from clinfo.errors import UsageError
from clinfo.extras import install

TRUNCATION: Final = "texts of which one was cut to what the model takes"
BATCH: Final = 16
"""Texts that go through a model together."""
_NOT_IN_UTF_8: Final = re.compile("[\ud800-\udfff]")
_PACKAGES: Final = ("torch", "transformers", "bert-score", "unbabel-comet", "sentencepiece")


Found = tuple[Mapping[str, Sequence[float]], Mapping[str, Sequence[bool]]]
"""Values and cuts by metric, one a pair."""


class TextMetric:
    """A metric, or several that are computed together."""

    SPECS: ClassVar[tuple[MetricSpec, ...]]

    def signature(self, name: str) -> str:
        """Implementation, versions and settings in one line, as `rouge-score:0.1.2|stemmer:no`."""
        raise NotImplementedError

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        """The values of the one metric of a class that has one and cuts no text."""
        raise NotImplementedError

    def compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str]
    ) -> Found:
        """A value a pair by metric, and by metric whether it met with `MetricSpec.truncation`."""
        return {self.SPECS[0].name: self.values(predictions, references)}, {}


class NeuralMetric(TextMetric):
    """A metric with a model. Making one looks for packages and weights and raises UsageError where
    either is missing; nothing heavy is read before the first value.
    """

    FOLDER: ClassVar[str]

    def __init__(self, weights: Path | None = None) -> None:
        require_packages()
        self.located: Located = locate(self.FOLDER, weights)

    def settings(self, name: str) -> str:
        """The part of the signature that is the metric's own."""
        raise NotImplementedError

    def signature(self, name: str) -> str:
        """With the model and the hash of its weights; no device, no path."""
        of = (f"{each}:{version(each).partition('+')[0]}" for each in ("torch", "transformers"))
        return f"{self.settings(name)}|{'|'.join(of)}"

    @property
    def device(self) -> str:
        """The first of cuda, mps and cpu that is there."""
        import torch

        there = (torch.cuda.is_available(), torch.backends.mps.is_available(), True)
        return next(name for name, has in zip(("cuda", "mps", "cpu"), there, strict=True) if has)


def require_packages() -> None:
    """Raise UsageError naming the extra to install where neural metrics lack a package."""
    for package in _PACKAGES:
        try:
            version(package)
        except PackageNotFoundError:
            raise UsageError(
                f"{package} is not installed, and neural metrics need it; {install('neural')}"
            ) from None


class Scorer:
    """One metric class, made once: the values of some of its metrics for pairs of texts.

    ``truncated`` says of each pair last scored whether it met with `MetricSpec.truncation`.
    """

    def __init__(self, made: TextMetric, names: Sequence[str]) -> None:
        self.metric = made
        self.specs = [spec for spec in made.SPECS if spec.name in names]
        self.signatures = {spec.name: made.signature(spec.name) for spec in self.specs}
        self.truncated: dict[str, list[bool]] = {}

    def score(self, pairs: Sequence[Pair]) -> Mapping[str, list[float]]:
        """By metric, one value a pair in order; the floor where a text that is needed is empty.
        Raises UsageError where a metric needs the review's text and a pair has none.
        """
        for spec in self.specs:
            if spec.needs_source and any(pair.source is None for pair in pairs):
                raise UsageError(
                    f"{spec.name} needs the review's text: every row must have a source"
                )
        whole = {
            spec.name: [
                all((getattr(pair, text) or "").strip() for text in spec.needs) for pair in pairs
            ]
            for spec in self.specs
        }
        places = [at for at in range(len(pairs)) if any(one[at] for one in whole.values())]
        found, cuts = self._asked([pairs[at] for at in places]) if places else ({}, {})
        scores: dict[str, list[float]] = {}
        self.truncated = {}
        for spec in self.specs:
            values = dict(zip(places, found.get(spec.name, ()), strict=False))
            scores[spec.name] = [
                float(values[at] if has else spec.floor or 0.0)
                for at, has in enumerate(whole[spec.name])
            ]
            if spec.truncation and places:
                cut = dict(zip(places, cuts[spec.name], strict=True))
                self.truncated[spec.name] = [
                    has and bool(cut[at]) for at, has in enumerate(whole[spec.name])
                ]
        return scores

    def _asked(self, pairs: Sequence[Pair]) -> Found:
        texts: list[list[str]] = [
            [_storable(getattr(pair, text) or "") for pair in pairs]
            for text in ("prediction", "reference", "source")
        ]
        return self.metric.compute(*texts)


def _storable(text: str) -> str:
    """The text with U+FFFD for each surrogate, which is no character."""
    return _NOT_IN_UTF_8.sub("\ufffd", text)
