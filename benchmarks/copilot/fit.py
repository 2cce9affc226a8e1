"""Fits the router of `clinfo.pipelines.copilot.routing` on sentences written for it, and writes its
weights.

    python -m benchmarks.copilot.fit [--write]

Names are put into the places of the sentences in a fixed order. Without ``--write`` it prints what
ten-fold cross-validation by sentence gives.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clinfo.pipelines.copilot import linear
from clinfo.pipelines.copilot.routing import features

HERE = Path(__file__).parent
FILLS = 3
PENALTY = 3e-4
RATE, STEPS = 5.0, 150
FOLDS = 10
Matrix = NDArray[np.float64]
Row = tuple[int, str, set[str], float]
"""Number of the sentence, class, features, weight."""


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args(arguments)
    rows = sentences(HERE / "router_sentences.tsv")
    if options.write:
        _write(rows, Path(linear.__file__).with_name("router_weights.json.gz"))
    else:
        print(f"{_validated(rows):.3f} of sentences, {FOLDS}-fold cross-validation")


def sentences(path: Path) -> list[Row]:
    """The sentences of a file with names filled in."""
    found: list[tuple[int, str, set[str], float]] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
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
            found.append((number, label, features(filled), 1 / fills))
    return found


def fitted(rows: list[Row]) -> tuple[list[str], list[str], Matrix, Matrix]:
    """Classes, features, weights and bias of a multinomial logistic regression, by descent along
    the gradient with momentum; classes count alike.
    """
    classes = sorted({label for _, label, _, _ in rows})
    names = sorted({name for _, _, own, _ in rows for name in own})
    places = {name: place for place, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)), np.float32)
    for row, (_, _, own, _) in enumerate(rows):
        matrix[row, [places[name] for name in own]] = 1.0
    target = np.array([[float(label == one) for one in classes] for _, label, _, _ in rows])
    weight = np.array([one for *_, one in rows])
    weight = (weight / (target * weight[:, None]).sum(0)[target.argmax(1)])[:, None] / len(classes)
    weights, bias = np.zeros((len(names), len(classes))), np.zeros(len(classes))
    speed, drift = np.zeros_like(weights), np.zeros_like(bias)
    for _ in range(STEPS):
        scores = matrix @ weights + bias
        powers = np.exp(scores - scores.max(1, keepdims=True))
        error = (powers / powers.sum(1, keepdims=True) - target) * weight
        speed = 0.9 * speed - RATE * (matrix.T @ error + PENALTY * weights)
        drift = 0.9 * drift - RATE * error.sum(0)
        weights, bias = weights + speed, bias + drift
    return classes, names, weights, bias


def _validated(rows: list[Row]) -> float:
    """The share of sentences that a model fitted on the others gives their class."""
    right, wrong = 0.0, []
    for fold in range(FOLDS):
        held = [row for row in rows if row[0] % FOLDS == fold]
        classes, names, weights, bias = fitted([row for row in rows if row[0] % FOLDS != fold])
        places = {name: place for place, name in enumerate(names)}
        for _, label, own, share in held:
            scores = bias + weights[[places[name] for name in own if name in places]].sum(0)
            guess = classes[int(scores.argmax())]
            right += share * (guess == label)
            wrong.append((label, guess))
    for (label, guess), count in sorted(Counter(wrong).items()):
        if label != guess:
            print(f"  {label} taken for {guess}: {count}")
    return right / sum(row[3] for row in rows)


def _write(rows: list[Row], path: Path) -> None:
    classes, names, weights, bias = fitted(rows)
    kept = {
        name: [round(float(one), 4) for one in own]
        for name, own in zip(names, weights, strict=True)
        if np.abs(own).max() >= 0.01
    }
    data = {"classes": classes, "bias": [round(float(one), 4) for one in bias], "weights": kept}
    path.write_bytes(gzip.compress(json.dumps(data).encode(), mtime=0))
    print(f"{path.name}: {len(kept):,} features")


if __name__ == "__main__":
    main()
