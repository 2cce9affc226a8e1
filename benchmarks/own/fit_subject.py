"""Fits the weights of `clinfo.text.subjects` on labelled records with even PMIDs and writes `clinfo/text/subject_weights.py`.

    python -m benchmarks.own.fit_subject [--write]

Labels are those of `benchmarks/own/designs.jsonl` (a protocol is a study on people; a record that MeSH tags as not on people is one on
animals where it names a species, else of the laboratory), and as many records tagged Humans alone. Without ``--write`` it
prints what
ten-fold cross-validation gives. Records of odd PMIDs are never read.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.own.designs import DATA, labelled, tagged_humans
from benchmarks.own.fit_conclusion import fit as _fit
from clinfo.text import subject_weights
from clinfo.text.subjects import SUBJECTS, features

PENALTY = 0.5
FOLDS = 10


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table of weights")
    options = parser.parse_args(arguments)
    cases = [(article, kind) for article, kind in labelled(DATA, 0)] + [
        (article, "people") for article in tagged_humans(DATA, 0, 400)
    ]
    found = [features(article) for article, _ in cases]
    kinds = [_kind(kind, own) for (_, kind), own in zip(cases, found, strict=True)]
    target = np.array([SUBJECTS.index(kind) for kind in kinds])
    names = sorted({name for own in found for name in own})
    matrix = np.array([[own.get(name, 0.0) for name in names] for own in found])
    penalty = np.full(len(names), PENALTY)
    order = np.random.default_rng(0).permutation(len(target))
    right = 0
    for fold in range(FOLDS):
        held = order[fold::FOLDS]
        kept = np.setdiff1d(order, held)
        weights, bias = _fit(matrix[kept], target[kept], penalty)
        right += int(((matrix[held] @ weights + bias).argmax(axis=1) == target[held]).sum())
    print(f"even PMIDs, n = {len(target)}, {len(names)} features, {FOLDS}-fold: {right / len(target):.3f} right")
    if options.write:
        weights, bias = _fit(matrix, target, penalty)
        lines = [
            '"""Weights of what a study is on: (people, animals, laboratory) for each feature of `clinfo.text.subjects`.',
            "",
            f"Fitted on {len(target)} records with an even PMID by `python -m benchmarks.own.fit_subject --write`; not edited by hand.",
            '"""',
            "",
            f"BIAS: tuple[float, ...] = ({', '.join(f'{value:.3f}' for value in bias)})",
            "WEIGHTS: dict[str, tuple[float, float, float]] = {",
            *(f'    "{name}": ({", ".join(f"{v:.3f}" for v in row)}),' for name, row in zip(names, weights, strict=True)),
            "}",
            "",
        ]
        Path(subject_weights.__file__).write_text("\n".join(lines), encoding="utf-8")


def _kind(kind: str, own: dict[str, float]) -> str:
    if kind == "not people":
        return "animals" if own["species"] or own["species in title"] else "laboratory"
    return "people" if kind == "protocol" else kind


if __name__ == "__main__":
    main()
