"""The base of all metrics: each is a metric of `evaluate`, and a scorer asks it for pairs of texts.

A metric's module imports this one, not its classes by name: `evaluate` takes the first class of its
kind that it finds in a module for the metric.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Final

import datasets
import evaluate

from benchmarks.pubmedrs200.metrics.spec import MetricSpec, Pair
from benchmarks.pubmedrs200.metrics.weights import Located, locate
from clinfo.errors import UsageError
from clinfo.extras import install
from clinfo.settings import load_settings

TRUNCATION: Final = "texts of which one was cut to what the model takes"
BATCH: Final = 16
"""Texts that go through a model together."""
_NOT_IN_UTF_8: Final = re.compile("[\ud800-\udfff]")
_PACKAGES: Final = ("torch", "transformers", "bert-score", "unbabel-comet", "sentencepiece")


class TextMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """``compute(predictions, references)`` → {NAME: mean, "scores": {NAME: [value]}, "truncated":
    {NAME: [bool]}}, a value a pair.
    """

    SPECS: ClassVar[tuple[MetricSpec, ...]]
    COLUMNS: ClassVar[tuple[str, ...]] = ("predictions", "references")

    def _info(self) -> Any:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=inspect.getdoc(type(self)) or "",
            citation=self.SPECS[0].source,
            inputs_description=f"{', '.join(self.COLUMNS)}: lists of texts of one length",
            features=datasets.Features(dict.fromkeys(self.COLUMNS, text)),
        )

    def signature(self, name: str) -> str:
        """Implementation, versions and settings in one line, as `rouge-score:0.1.2|stemmer:no`."""
        raise NotImplementedError

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        """The values of the one metric of a class that has one."""
        raise NotImplementedError

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], sources: Sequence[str] = ()
    ) -> dict[str, Any]:
        return results({self.SPECS[0].name: self.values(predictions, references)})


class NeuralMetric(TextMetric):
    """A metric with a model. Making one looks for packages and weights and raises UsageError where
    either is missing; nothing heavy is read before the first value.
    """

    FOLDER: ClassVar[str]
    COLUMNS = ("predictions", "references", "sources")

    def __init__(self, *arguments: Any, weights: Path | None = None, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
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


def results(
    values: Mapping[str, list[float]], truncated: Mapping[str, list[bool]] | None = None
) -> dict[str, Any]:
    """Return what ``compute`` gives for these values."""
    means = {name: sum(one) / len(one) for name, one in values.items()}
    return {**means, "scores": dict(values), "truncated": dict(truncated or {})}


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
        found = self._asked([pairs[at] for at in places]) if places else {"scores": {}}
        scores: dict[str, list[float]] = {}
        self.truncated = {}
        for spec in self.specs:
            values = dict(zip(places, found["scores"].get(spec.name, ()), strict=False))
            scores[spec.name] = [
                float(values[at] if has else spec.floor or 0.0)
                for at, has in enumerate(whole[spec.name])
            ]
            if spec.truncation and places:
                cut = dict(zip(places, found["truncated"][spec.name], strict=True))
                self.truncated[spec.name] = [
                    has and bool(cut[at]) for at, has in enumerate(whole[spec.name])
                ]
        return scores

    def _asked(self, pairs: Sequence[Pair]) -> Mapping[str, Any]:
        texts = {
            "predictions": [_storable(pair.prediction) for pair in pairs],
            "references": [_storable(pair.reference) for pair in pairs],
            "sources": [_storable(pair.source or "") for pair in pairs],
        }
        told: Mapping[str, Any] = self.metric.compute(
            **{column: texts[column] for column in self.metric.COLUMNS}
        )
        return told


def scorer(of: type[TextMetric], names: Sequence[str], weights: Path | None = None) -> Scorer:
    """The scorer of a class; `evaluate` keeps its rows in memory, and its files in clinfo's cache
    folder.
    """
    kept = {"keep_in_memory": True, "cache_dir": str(load_settings().cache_dir / "evaluate")}
    made = of(**kept, weights=weights) if issubclass(of, NeuralMetric) else of(**kept)
    return Scorer(made, names)


def _storable(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which Arrow cannot hold."""
    return _NOT_IN_UTF_8.sub("\ufffd", text)
