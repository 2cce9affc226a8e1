"""Fits the weights of `clinfo.text.relation` on the even PMIDs of PubMedQA and writes `clinfo/text/relation_weights.py`.

    python -m benchmarks.fit_relation            prints ten-fold cross-validation inside the even half
    python -m benchmarks.fit_relation --write    and writes the table

Multinomial logistic regression with an L2 penalty, by accelerated gradient descent. Features that stand in fewer than
five articles are left out, so that no weight remembers a single abstract. Records and labels of odd PMIDs are never read.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pubmedqa import LABELS, labelled, macro_f1
from clinfo.text import relation, relation_weights

PENALTY = 6.0
LIGHT_PENALTY = 0.6
"""For leanings and echoes, whose signs are known beforehand."""
LEAST_ARTICLES = 5
MAYBE_FROM = 0.32
STEPS = 600


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write the table of weights")
    arguments = parser.parse_args()
    rows = labelled(0)
    found = [relation.features(row.question, row.article) for row in rows]
    target = np.array([LABELS.index(row.label) for row in rows])
    number = Counter(name for own in found for name in own)
    names = sorted(name for name, count in number.items() if count >= LEAST_ARTICLES)
    matrix = np.array([[own.get(name, 0.0) for name in names] for own in found])
    penalty = np.array([LIGHT_PENALTY if "leaning" in name or "echo" in name else PENALTY for name in names])
    _cross_validate(matrix, target, penalty)
    if arguments.write:
        weights, bias = _fit(matrix, target, penalty)
        Path(relation_weights.__file__).write_text(_table(names, weights, bias, len(rows)), encoding="utf-8")


def _cross_validate(matrix: Any, target: Any, penalty: Any, folds: int = 10, rounds: int = 5) -> None:
    scores = []
    for seed in range(rounds):
        order = np.random.default_rng(seed).permutation(len(target))
        guess = np.zeros(len(target), dtype=int)
        for fold in range(folds):
            held = order[fold::folds]
            rest = np.setdiff1d(order, held)
            guess[held] = _decide(_probabilities(matrix[held], *_fit(matrix[rest], target[rest], penalty)))
        scores.append((float((guess == target).mean()), macro_f1([LABELS[i] for i in target], [LABELS[i] for i in guess])))
    accuracy, score = np.mean(scores, axis=0)
    print(f"even PMIDs, n = {len(target)}, {matrix.shape[1]} features, {rounds} x {folds}-fold cross-validation:")
    print(f"accuracy {accuracy:.3f}, macro F1 {score:.3f}")


def _decide(probabilities: Any) -> Any:
    return np.where(probabilities[:, 2] >= MAYBE_FROM, 2, np.where(probabilities[:, 0] >= probabilities[:, 1], 0, 1))


def _probabilities(matrix: Any, weights: Any, bias: Any) -> Any:
    scores = matrix @ weights + bias
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


def _fit(matrix: Any, target: Any, penalty: Any) -> tuple[Any, Any]:
    """Weights (features × labels) and biases that minimise the penalised log loss (Nesterov's accelerated gradient)."""
    wanted = np.eye(len(LABELS))[target]
    steepness = 0.5 * (np.linalg.norm(matrix, 2) ** 2 + len(target)) + penalty.max()
    weights = ahead = np.zeros((matrix.shape[1], len(LABELS)))
    bias = bias_ahead = np.zeros(len(LABELS))
    pace = 1.0
    for _ in range(STEPS):
        error = _probabilities(matrix, ahead, bias_ahead) - wanted
        next_weights = ahead - (matrix.T @ error + penalty[:, None] * ahead) / steepness
        next_bias = bias_ahead - error.sum(axis=0) / steepness
        next_pace = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        momentum = (pace - 1) / next_pace
        ahead = next_weights + momentum * (next_weights - weights)
        bias_ahead = next_bias + momentum * (next_bias - bias)
        weights, bias, pace = next_weights, next_bias, next_pace
    return weights, bias


def _table(names: list[str], weights: Any, bias: Any, count: int) -> str:
    lines = [
        '"""Weights of the relation scorer: (yes, no, maybe) for each feature of `clinfo.text.relation`.',
        "",
        f"Fitted on the {count} PubMedQA questions with an even PMID by `python -m benchmarks.fit_relation --write`;",
        "not edited by hand.",
        '"""',
        "",
        f"BIAS = ({', '.join(f'{value:.3f}' for value in bias)})",
        f"MAYBE_FROM = {MAYBE_FROM}",
        '"""Probability of maybe from which the answer is maybe."""',
        "WEIGHTS: dict[str, tuple[float, float, float]] = {",
        *(f'    "{name}": ({", ".join(f"{value:.3f}" for value in row)}),' for name, row in zip(names, weights, strict=True)),
        "}",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
