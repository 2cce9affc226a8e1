"""Fits the router of `clinfo.pipelines.copilot.routing` on sentences written for it, and writes its
weights.

    python -m benchmarks.copilot.fit [--write]

Names are put into the places of the sentences in a fixed order. Without ``--write`` it prints what
ten-fold cross-validation by sentence gives, and what sentences of each writer get from a model
fitted on those of the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clinfo.pipelines.copilot import linear
from clinfo.pipelines.copilot.routing import features

HERE = Path(__file__).parent
OURS = "ours"
"""The writer of the sentences with places for names."""
FILLS = 3
RARE = 2
"""Sentences that must have a feature."""
PENALTY = 3e-4
RATE, STEPS = 4.0, 200
FOLDS = 10
LEAST = 0.03
"""The weight from which on a feature is kept in the file."""
Matrix = NDArray[np.float32]


class Row(NamedTuple):
    """A sentence: its number and writer, its class, its features, its weight."""

    number: int
    writer: str
    label: str
    features: Mapping[str, float]
    weight: float


class Model(NamedTuple):
    """A fitted model: classes, places of features, weights by feature and class, bias."""

    classes: list[str]
    places: Mapping[str, int]
    weights: Matrix
    bias: Matrix

    def guess(self, features: Mapping[str, float]) -> str:
        """The likeliest class."""
        scores = self.bias.copy()
        for name, value in features.items():
            if name in self.places:
                scores += value * self.weights[self.places[name]]
        return self.classes[int(scores.argmax())]


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args(arguments)
    rows = sentences(HERE / "router_sentences.tsv")
    rows += of_writers(HERE / "router_writers.tsv", len(rows))
    if options.write:
        _write(rows, Path(linear.__file__).with_name("router_weights.json.gz"))
        return
    ours = [row for row in rows if row.writer == OURS]
    folds = [[row for row in ours if row.number % FOLDS == fold] for fold in range(FOLDS)]
    print(f"{_validated(ours, folds):.3f} of our sentences, {FOLDS}-fold cross-validation")
    for writer in dict.fromkeys(row.writer for row in rows):
        own = [row for row in rows if row.writer == writer]
        share = _validated(rows, [own])
        print(f"{share:.3f} of {len(own)} sentences of {writer}, fitted on the others'")


def sentences(path: Path) -> list[Row]:
    """The sentences of a file with names filled in."""
    found: list[Row] = []
    pairs = _lines(path)
    put = {place: names.split("; ") for place, names in pairs if place.startswith("{")}
    turn: Counter[str] = Counter()
    for number, (label, text) in enumerate(pairs[len(put) :]):
        fills = FILLS if "{" in text else 1
        for _ in range(fills):
            filled = text
            for place, names in put.items():
                while place in filled:
                    filled = filled.replace(place, names[turn[place] % len(names)], 1)
                    turn[place] += 1
            found.append(Row(number, OURS, label, features(filled), 1 / fills))
    return found


def of_writers(path: Path, first: int) -> list[Row]:
    """The sentences of other writers, numbered from ``first``."""
    return [
        Row(number, writer, label, features(text), 1.0)
        for number, (writer, label, text) in enumerate(_lines(path), first)
    ]


def _lines(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def fitted(rows: list[Row]) -> Model:
    """A multinomial logistic regression, by descent along the gradient with momentum; classes
    count alike.
    """
    classes = sorted({row.label for row in rows})
    held: dict[str, set[int]] = {}
    for row in rows:
        for name in row.features:
            held.setdefault(name, set()).add(row.number)
    names = sorted(name for name, numbers in held.items() if len(numbers) >= RARE)
    places = {name: place for place, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)), np.float32)
    for at, row in enumerate(rows):
        own = [name for name in row.features if name in places]
        matrix[at, [places[name] for name in own]] = [row.features[name] for name in own]
    target = np.array([[row.label == one for one in classes] for row in rows], np.float32)
    weight = np.array([row.weight for row in rows], np.float32)
    weight = (weight / (target * weight[:, None]).sum(0)[target.argmax(1)])[:, None] / len(classes)
    weights = np.zeros((len(names), len(classes)), np.float32)
    bias = np.zeros(len(classes), np.float32)
    speed, drift = np.zeros_like(weights), np.zeros_like(bias)
    for _ in range(STEPS):
        scores = matrix @ weights + bias
        powers = np.exp(scores - scores.max(1, keepdims=True))
        error = (powers / powers.sum(1, keepdims=True) - target) * weight
        speed = 0.9 * speed - RATE * (matrix.T @ error + PENALTY * weights)
        drift = 0.9 * drift - RATE * error.sum(0)
        weights, bias = weights + speed, bias + drift
    return Model(classes, places, weights, bias)


def _validated(rows: list[Row], parts: list[list[Row]]) -> float:
    """The share of the sentences of some parts to which a model fitted on all others gives their
    class.
    """
    right, wrong = 0.0, Counter[tuple[str, str]]()
    for held in parts:
        numbers = {row.number for row in held}
        model = fitted([row for row in rows if row.number not in numbers])
        for row in held:
            guess = model.guess(row.features)
            right += row.weight * (guess == row.label)
            wrong[row.label, guess] += guess != row.label
    for (label, guess), count in sorted(wrong.items()):
        if count:
            print(f"  {label} taken for {guess}: {count}")
    return right / sum(row.weight for held in parts for row in held)


def _write(rows: list[Row], path: Path) -> None:
    model = fitted(rows)
    kept = {
        name: [round(float(one), 2) for one in model.weights[place]]
        for name, place in model.places.items()
        if np.abs(model.weights[place]).max() >= LEAST
    }
    bias = [round(float(one), 4) for one in model.bias]
    data = {"classes": model.classes, "bias": bias, "weights": kept}
    path.write_bytes(gzip.compress(json.dumps(data).encode(), mtime=0))
    print(f"{path.name}: {len(kept):,} features, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
