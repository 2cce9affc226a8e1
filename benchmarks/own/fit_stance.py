"""Fits the weights of `clinfo.evidence.effect_direction` on trial prompts with even PMIDs and
writes `clinfo/text/comparison_weights.py`.

    python -m benchmarks.own.fit_stance            prints ten-fold cross-validation inside the even half
    python -m benchmarks.own.fit_stance --write    and writes the table

Multinomial logistic regression with an L2 penalty, by accelerated gradient descent (that of
`benchmarks.own.fit_conclusion`). A fold
holds whole trials, so that no abstract stands on both sides. Features found in fewer than four
prompts are left out. Records and labels of odd PMIDs are never read.
"""  # noqa: E501

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own.fit_conclusion import fit as _fit
from benchmarks.own.stance import compared, counted, labelled, macro_f1, scores
from clinfo.evidence.effect_direction import CLASSES, decided
from clinfo.records.articles import Direction
from clinfo.text import comparison_weights
from clinfo.text.comparison import Comparison

PENALTY = 1.0
LEAST_PROMPTS = 4
FOLDS = 10
ROUNDS = 3


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table of weights")
    options = parser.parse_args(arguments)
    prompts = labelled(0)
    read = [compared(prompt) for prompt in prompts]
    found = [own.features for own in read]
    target = np.array([CLASSES.index(prompt.label) for prompt in prompts])
    number = Counter(name for own in found for name, value in own.items() if value)
    names = sorted(name for name, count in number.items() if count >= LEAST_PROMPTS)
    matrix = np.array([[own.get(name, 0.0) for name in names] for own in found])
    penalty = np.full(len(names), PENALTY)
    _cross_validate(
        read, names, matrix, target, penalty, [prompt.article.pmid or "" for prompt in prompts]
    )
    if options.write:
        weights, bias = _fit(matrix, target, penalty)
        text = _table(names, weights, bias, len(prompts))
        Path(comparison_weights.__file__).write_text(text, encoding="utf-8")


def _cross_validate(
    read: Sequence[Comparison],
    names: Sequence[str],
    matrix: Any,
    target: Any,
    penalty: Any,
    trials: Sequence[str],
) -> None:
    """Prints what `clinfo.evidence.effect_direction.decided` reaches on the folds left out, answers
    counted as in `benchmarks.own.stance`.
    """
    labels = [CLASSES[number] for number in target]
    trial = np.array(trials)
    every: list[list[float]] = []
    for seed in range(ROUNDS):
        order = np.random.default_rng(seed).permutation(np.unique(trial))
        guess: list[Direction] = ["unclear"] * len(target)
        for fold in range(FOLDS):
            held = np.isin(trial, order[fold::FOLDS])
            weights, bias = _fit(matrix[~held], target[~held], penalty)
            table = dict(zip(names, weights.tolist(), strict=True))
            for place in np.flatnonzero(held):
                guess[place] = decided(read[place], bias.tolist(), table).direction
        told = counted(guess)
        every.append([macro_f1(labels, told), *scores(labels, told).values()])
    macro, *own = np.mean(every, axis=0)
    print(
        f"even PMIDs, n = {len(target)}, {matrix.shape[1]} features, {ROUNDS} x {FOLDS}-fold "
        "cross-validation by trial:"
    )
    print(
        f"macro F1 {macro:.3f}; "
        + ", ".join(f"{name} {value:.3f}" for name, value in zip(CLASSES, own, strict=True))
    )


def _table(names: list[str], weights: Any, bias: Any, count: int) -> str:
    lines = [
        (
            '"""Weights of the reading of comparisons: (increased, decreased, no difference) for '
            "each feature of"
        ),
        "`clinfo.text.comparison`.",
        "",
        (
            f"Fitted on the {count} trial prompts with an even PMID by `benchmarks.own.fit_stance`;"
            " not edited by hand."
        ),
        '"""',
        "",
        f"BIAS = ({', '.join(f'{value:.3f}' for value in bias)})",
        "WEIGHTS: dict[str, tuple[float, float, float]] = {",
        *(
            f'    "{name}": ({", ".join(f"{value:.3f}" for value in row)}),'
            for name, row in zip(names, weights, strict=True)
        ),
        "}",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
