"""Fits `clinfo.retrieval.rerankers.results` to passages in which physicians marked evidence.

    python -m benchmarks.trials.fit_results [--write] [--data FOLDER]

A conditional (softmax) regression over a paper's passages: those that hold half of a marked span (a
short one: that lie half within it) are to get all the probability.
It prints the share of questions with such a one among the first 1, 3, 5 and 10 in five-fold
cross-validation over papers, and with ``--write`` fits on all.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.trials import data
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Passage
from clinfo.retrieval.rerankers import result_weights
from clinfo.retrieval.rerankers.results import features

FOLDS = 5
STEPS = 200
RATE = 0.1
PENALTY = 1.0
SIZE = 620


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/trials"))
    options = parser.parse_args(arguments)
    papers = data.papers(options.data)
    questions = [one for one in data.questions(options.data) if one.spans]
    cut = {name: by_section(paper, SIZE) for name, paper in papers.items()}
    weights = _table(cut, questions)
    if options.write:
        lines = [
            '"""Weights of `clinfo.retrieval.rerankers.results`.',
            "",
            f"Fitted on {len(questions)} questions by `benchmarks.trials.fit_results`; not edited"
            " by hand.",
            '"""',
            "",
            "WEIGHTS: dict[str, float] = {",
            *weights,
            "}",
            "",
        ]
        Path(result_weights.__file__).write_text("\n".join(lines), encoding="utf-8")


def _table(papers: dict[str, tuple[Passage, ...]], questions: list[data.Question]) -> list[str]:
    """Print the cross-validation of a unit and return the weights as lines of Python."""
    found = [features(one.asked, papers[one.paper]) for one in questions]
    names = sorted({name for question in found for own in question for name in own})
    cases = [
        np.array([[own.get(name, 0.0) for name in names] for own in question]) for question in found
    ]
    scale = np.concatenate(cases).std(axis=0) + 1e-6
    cases = [case / scale for case in cases]
    targets = [
        np.array([float(any(_meet(one, *span) for span in q.spans)) for one in papers[q.paper]])
        for q in questions
    ]
    fold = {paper: place % FOLDS for place, paper in enumerate(_shuffled(sorted(papers)))}
    hits = {1: 0, 3: 0, 5: 0, 10: 0}
    for held in range(FOLDS):
        kept = [n for n, one in enumerate(questions) if fold[one.paper] != held]
        weights = _fit([cases[n] for n in kept], [targets[n] for n in kept])
        for number, question in enumerate(questions):
            if fold[question.paper] == held:
                order = np.argsort(-(cases[number] @ weights), kind="stable")
                for k in hits:
                    hits[k] += bool(targets[number][order[:k]].any())
    shares = ", ".join(f"{count / len(questions):.3f} @{k}" for k, count in hits.items())
    print(f"{len(questions)} questions, {len(names)} features, {FOLDS}-fold: {shares}")
    weights = _fit(cases, targets) / scale
    return [f'    "{name}": {value:.3f},' for name, value in zip(names, weights, strict=True)]


def _meet(one: Passage, start: int, end: int) -> bool:
    """Return whether half of a span, or of a passage shorter than it, is in both."""
    shared = min(one.end, end) - max(one.start, start)
    return 2 * shared >= min(end - start, one.end - one.start)


def _fit(cases: list[np.ndarray], targets: list[np.ndarray]) -> np.ndarray:
    """Return the weights (Adam, an L2 penalty shared out over the cases)."""
    pairs = [(case, target) for case, target in zip(cases, targets, strict=True) if target.any()]
    weights = np.zeros(pairs[0][0].shape[1])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = PENALTY * weights / 100 * len(pairs)
        for case, target in pairs:
            score = case @ weights
            given = np.exp(score - score.max())
            given /= given.sum()
            wanted = given * target
            slope = slope + case.T @ (given - wanted / wanted.sum())
        slope /= len(pairs)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (
            np.sqrt(square / (1 - 0.99**step)) + 1e-8
        )
    return weights


def _shuffled(names: list[str]) -> list[str]:
    return [names[place] for place in np.random.default_rng(0).permutation(len(names))]


if __name__ == "__main__":
    main()
