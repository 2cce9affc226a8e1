"""Fits how `clinfo.evidence.settle` puts several studies together and writes
`clinfo/evidence/settle_weights.json`.

    python -m benchmarks.own.fit_settle            prints cross-validation
    python -m benchmarks.own.fit_settle --write    and writes the weights
    python -m benchmarks.own.fit_settle --odd      how the odd half, never fitted on, fares with the weights that are there

Fitted on the even half of `multi_study_questions.jsonl` (questions with the studies that answer
them and what a reader of their abstracts says: yes, no, disagree or not_settled) and, at a lower
weight, on the PubMedQA questions with an even PMID, each with its one study as it is read by
weights that did not see it.
"""  # noqa: E501

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own.fit_conclusion import held_out_readings
from benchmarks.own.pubmedqa import DATA
from clinfo.evidence import settle
from clinfo.extractive.summary import summarise
from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article, Study

QUESTIONS = Path(__file__).with_name("multi_study_questions.jsonl")
PENALTY = 2.0
WEIGHT_OF_ONE = 0.05
"""The weight of a question with one study beside one with several."""
FOLDS = 8
ROUNDS = 300


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--odd", action="store_true", help="report the odd half and fit nothing")
    arguments = parser.parse_args()
    if arguments.odd:
        odd = [(each, row["label"]) for row, each in heard("odd") if each]
        _report(
            "odd half, several studies",
            [label for _, label in odd],
            np.array([settle.combined(each) for each, _ in odd]),
        )
        return
    several = [(each, row["label"]) for row, each in heard("even") if each]
    single = held_out_readings()
    cases = [each for each, _ in several] + [each for each, _ in single]
    labels = [label for _, label in several] + [label for _, label in single]
    importance = np.array([1.0] * len(several) + [WEIGHT_OF_ONE] * len(single))
    fold = np.random.default_rng(0).permutation(len(cases)) % FOLDS
    chances = np.zeros((len(cases), 2))
    for number in range(FOLDS):
        kept = fold != number
        fitted = _both(_chosen(cases, kept), _chosen(labels, kept), importance[kept])
        for place in np.flatnonzero(fold == number):
            chances[place] = _chances(cases[place], fitted)
    _report(
        "even half, several studies, cross-validated",
        labels[: len(several)],
        chances[: len(several)],
    )
    _report("PubMedQA, even PMIDs, cross-fitted", labels[len(several) :], chances[len(several) :])
    if arguments.write:
        fitted = _both(cases, labels, importance)
        path = Path(settle.__file__).with_name("settle_weights.json")
        path.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def heard(half: str) -> list[tuple[dict[str, Any], list[settle.Voice]]]:
    """Each question of a half with the studies that tell on it."""
    rows = [
        row
        for line in QUESTIONS.read_text(encoding="utf-8").splitlines()
        if (row := json.loads(line))["half"] == half
    ]
    wanted = {pmid for row in rows for pmid in row["pmids"]}
    articles = {
        article.pmid: article
        for path in sorted((DATA / "citations").glob("*.xml.gz"))
        for article in read_file(path)
        if isinstance(article, Article) and article.pmid in wanted
    }
    found = []
    for row in rows:
        own = [articles[pmid] for pmid in row["pmids"] if pmid in articles]
        studies = [
            Study(n, article, summarise(row["question"], article))
            for n, article in enumerate(own, 1)
        ]
        voices = settle.voices(row["question"], studies)
        found.append((row, list(voices) if voices and voices[0].reading.clear else []))
    return found


def _chosen(values: Sequence[Any], kept: Any) -> list[Any]:
    return [value for value, keep in zip(values, kept, strict=True) if keep]


def _both(
    cases: Sequence[Sequence[settle.Voice]], labels: Sequence[str], importance: Any
) -> dict[str, dict[str, float]]:
    settled = np.array([label in ("yes", "no") for label in labels])
    yes = np.array([label == "yes" for label in labels])
    return {
        "settled": _fit(settle.settling, cases, settled, importance),
        "yes": _fit(settle.pointing, _chosen(cases, settled), yes[settled], importance[settled]),
    }


def _fit(
    features: Callable[[Sequence[settle.Voice]], dict[str, float]],
    cases: Sequence[Sequence[settle.Voice]],
    target: Any,
    importance: Any,
) -> dict[str, float]:
    """Logistic regression with an L2 penalty on all but the constant, by Newton's method."""
    rows = [features(each) for each in cases]
    names = list(rows[0])
    matrix = np.array([[row[name] for name in names] for row in rows])
    penalty = np.diag([0.0 if name == "constant" else PENALTY for name in names]) + 1e-6 * np.eye(
        len(names)
    )
    weights = np.zeros(len(names))
    for _ in range(25):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (importance * (chance - target)) + penalty @ weights
        curve = (matrix.T * (importance * chance * (1 - chance))) @ matrix + penalty
        weights = weights - np.linalg.solve(curve, slope)
    return {name: round(float(value), 3) for name, value in zip(names, weights, strict=True)}


def _chances(
    case: Sequence[settle.Voice], fitted: dict[str, dict[str, float]]
) -> tuple[float, float]:
    settled = settle._logistic(settle.settling(case), fitted["settled"])
    yes = settle._logistic(settle.pointing(case), fitted["yes"])
    return settled * yes, settled * (1 - yes)


def _report(title: str, labels: Sequence[str], chances: Any) -> None:
    flat: Counter[bool] = Counter()
    probable: Counter[bool] = Counter()
    for label, (yes, no) in zip(labels, chances, strict=True):
        word = "yes" if yes > no else "no"
        if max(yes, no) >= settle.FLAT:
            flat[word == label] += 1
        elif max(yes, no) >= settle.PROBABLY:
            probable[word == label] += 1
    print(
        f"{title}: n = {len(labels)}, flat {sum(flat.values())}, {flat[True]} right; "
        f"probably {sum(probable.values())}, {probable[True]} right"
    )


if __name__ == "__main__":
    main()
