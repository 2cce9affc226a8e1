"""Fits the weights of `clinfo.text.subjects` on labelled records with even PMIDs and writes
`clinfo/text/subject_weights.py`.

    python -m benchmarks.own.fit_subject [--write]

Labels are those of `benchmarks/own/designs.jsonl` (a record that MeSH tags as not on people is one
on animals where it names a species, else of the laboratory), records tagged Humans alone, and the
other articles that trials were looked for in: a protocol where the title says so, else on people.
Without ``--write`` it prints what ten-fold cross-validation gives. Records of odd PMIDs are never
read.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.own.designs import DATA, FILES, labelled, read, tagged_humans
from benchmarks.own.fit_conclusion import fit as _fit
from clinfo.records.articles import Article
from clinfo.text import subject_weights
from clinfo.text.subjects import SUBJECTS, features

PENALTY = 0.3
FOLDS = 10
TAGGED = 1200
"""Records tagged Humans that are fitted on."""
_PLAN = re.compile(
    r"\bprotocol\b|\brationale\b|study design\b|design of (?:a|the|an)\b", re.IGNORECASE
)
NEITHER = frozenset(
    {
        "26941050",
        "23565168",
        "29324708",
        "26044814",
        "29449576",
        "29561888",
        "23441156",
        "29043702",
        "25886100",
        "19909492",
        "24708800",
        "23967422",
        "20490906",
        "29430096",
        "12908658",
        "9690334",
        "19144148",
    }
)
"""Records on nobody, or of two kinds, by reading: not fitted on."""


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table of weights")
    options = parser.parse_args(arguments)
    cases = list(_cases())
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
    print(
        f"even PMIDs, n = {len(target)}, {len(names)} features, {FOLDS}-fold: "
        f"{right / len(target):.3f} right"
    )
    if options.write:
        weights, bias = _fit(matrix, target, penalty)
        lines = [
            (
                '"""Weights of what a record reports: (people, animals, laboratory, plan) for each '
                "feature of `clinfo.text.subjects`."
            ),
            "",
            (
                f"Fitted on {len(target)} records with an even PMID by "
                "`benchmarks.own.fit_subject`; not edited by hand."
            ),
            '"""',
            "",
            f"BIAS: tuple[float, ...] = ({', '.join(f'{value:.3f}' for value in bias)})",
            "WEIGHTS: dict[str, tuple[float, ...]] = {",
            *(
                f'    "{name}": ({", ".join(f"{v:.3f}" for v in row)}),'
                for name, row in zip(names, weights, strict=True)
            ),
            "}",
            "",
        ]
        Path(subject_weights.__file__).write_text("\n".join(lines), encoding="utf-8")


def _cases() -> Iterator[tuple[Article, str]]:
    """The records with their kinds, without check tags."""
    judged = labelled(DATA, 0)
    yield from ((replace(article, mesh=()), kind) for article, kind in judged)
    known = {article.pmid for article, _ in judged} | NEITHER
    tagged = [article for article in tagged_humans(DATA, 0, TAGGED) if article.pmid not in known]
    yield from ((replace(article, mesh=()), "people") for article in tagged)
    for article in read(DATA, FILES[0], 0):
        if article.pmid not in known:
            yield article, "protocol" if _PLAN.search(article.title) else "people"


def _kind(kind: str, own: dict[str, float]) -> str:
    if kind == "not people":
        return "animals" if own["species"] or own["species in title"] else "laboratory"
    return "plan" if kind == "protocol" else kind


if __name__ == "__main__":
    main()
