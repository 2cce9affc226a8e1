"""Fits the weights of `clinfo.evidence.conclusion` and writes
`clinfo/evidence/conclusion_weights.json`.

    python -m benchmarks.own.fit_conclusion            prints cross-validation
    python -m benchmarks.own.fit_conclusion --write    and writes the weights

Fitted on the PubMedQA questions with an even PMID and, at a lower weight, on
`yes_no_questions.jsonl`: questions of our own to other articles with an even PMID, and titles of
such articles that are questions (rows without one), with the answer that the abstract gives. Labels
of odd PMIDs are never read. Before, the words of conclusions are fitted to the significance of the
results (ridge regression) on every abstract with an even PMID that has both and is not of PubMedQA:
`conclusion_phrases.json`.

Multinomial logistic regression with an L2 penalty, by accelerated gradient descent; features that
stand in fewer than four articles are left out. Sharpness and the probability from which "maybe" is
said come from predictions for articles not fitted on.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own.pubmedqa import DATA, LABELS, labelled, macro_f1
from clinfo.evidence import conclusion, conclusion_wording
from clinfo.evidence.settle import FLAT, Voice, weight
from clinfo.extractive.summary import summarise
from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article, Section, Study
from clinfo.text.question import affirmed

_PATH = Path(conclusion.__file__).with_name("conclusion_weights.json")
PHRASES = _PATH.with_name("conclusion_phrases.json")
OWN = Path(__file__).with_name("yes_no_questions.jsonl")
PENALTY = 14.0
WORDING_PENALTY = 10.0
PHRASE_PENALTY = 2.0
LEAST_ABSTRACTS = 10
"""A stem or pair of stems that fewer abstracts hold is left out."""
LIGHT_PENALTY = 5.0
"""For leanings and echoes, whose signs are known beforehand."""
DIRECT_PENALTY = 5.0
"""For what is said of the asked outcome or of the two sides compared: few articles have it, and it
says most.
"""
LEAST_ARTICLES = 4
STEPS = 600
ALONE = 0.2
"""The weight of a row whose article is cut down to the sentence of its conclusion that names most:
single sentences are read too.
"""
SETS = (
    "PubMedQA, even PMIDs",
    "own questions, even PMIDs",
    "titles of other articles, even PMIDs",
    "one sentence of each",
)
IMPORTANCE = np.array([1.0, 0.4, 0.7, ALONE])
"""The weight of a row of each set."""
FOLDS = 10
ROUNDS = 5
SHARPNESS = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5)
MAYBE_FROM = (0.2, 0.22, 0.24, 0.26, 0.28, 0.3, 0.32, 0.34, 0.36, 0.38, 0.4)


@dataclass(frozen=True)
class Rows:
    """Named features, place of the label in `LABELS`, PMID and which of `SETS` it is from, row by
    row.
    """

    features: list[dict[str, float]]
    target: Any
    pmids: list[str]
    sets: Any


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write the weights")
    arguments = parser.parse_args()
    if arguments.write:
        _write(PHRASES, _fit_phrases())
        conclusion_wording._phrases.cache_clear()
    rows = _rows()
    names, matrix, penalty = _matrix(rows)
    scores = held_out(matrix, rows.target, penalty, rows.pmids, IMPORTANCE[rows.sets])
    expert = rows.sets == 0
    sharpness = min(
        SHARPNESS, key=lambda each: _loss(softmax(each * scores[expert]), rows.target[expert])
    )
    chances = softmax(sharpness * scores)
    maybe_from = max(
        MAYBE_FROM, key=lambda each: sum(_quality(chances[expert], rows.target[expert], each))
    )
    print(
        f"{len(names)} features, {FOLDS}-fold cross-validation by article; sharpness {sharpness}, "
        f"maybe from {maybe_from}"
    )
    for place, title in enumerate(SETS):
        own, wanted = chances[rows.sets == place], rows.target[rows.sets == place]
        accuracy, score = _quality(own, wanted, maybe_from)
        flat = own[:, :2].max(axis=1) >= FLAT
        right = (own[flat].argmax(axis=1) == wanted[flat]).mean() if flat.any() else 0.0
        print(
            (
                f"{title}: n = {len(own)}, accuracy {accuracy:.3f}, macro F1 {score:.3f}, log loss "
                f"{_loss(own, wanted):.3f}, "
            ),
            end="",
        )
        print(
            f"probability of yes or no at least {FLAT}: {flat.mean():.3f} of them, {right:.3f} "
            "right"
        )
    if arguments.write:
        weights, bias = fit(matrix, rows.target, penalty, IMPORTANCE[rows.sets])
        fitted = {
            "about": (
                "written by python -m benchmarks.own.fit_conclusion --write; (yes, no, maybe) a "
                "feature"
            ),
            "fitted_on": {
                title: int((rows.sets == place).sum()) for place, title in enumerate(SETS)
            },
            "sharpness": sharpness,
            "maybe_from": maybe_from,
            "bias": [round(float(value), 3) for value in bias],
            "weights": {
                name: [round(float(value), 3) for value in row]
                for name, row in zip(names, weights, strict=True)
            },
        }
        _write(_PATH, fitted)


def _write(path: Path, fitted: dict[str, Any]) -> None:
    path.write_text(json.dumps(fitted, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def _fit_phrases() -> dict[str, Any]:
    """Return what each stem or pair of stems of a conclusion adds to the significance of the
    results that one expects, 4 decimals.
    """
    held: list[set[str]] = []
    told: list[float] = []
    for article in _articles(lambda pmid: int(pmid) % 2 == 0, but="pubmedqa").values():
        sentences = conclusion.own_sentences(article)
        results = [each for each in sentences if each.role == "results"]
        ends = [each for each in sentences if each.role == "conclusion"]
        if ends and results and (own := conclusion_wording.phrases(ends)):
            held.append(own)
            told.append(
                conclusion_wording.balance(results, conclusion.named(article.title, article))
            )
    count = Counter(phrase for own in held for phrase in own)
    names = sorted(phrase for phrase, number in count.items() if number >= LEAST_ABSTRACTS)
    place = {phrase: column for column, phrase in enumerate(names)}
    matrix = np.zeros((len(held), len(names)), dtype=np.float32)
    for row, own in enumerate(held):
        matrix[row, [place[phrase] for phrase in own if phrase in place]] = 1 / np.sqrt(len(own))
    centred = matrix - matrix.mean(axis=0)
    curve = centred.T @ centred + PHRASE_PENALTY * np.eye(len(names))
    weights = np.linalg.solve(curve, centred.T @ (np.array(told) - np.mean(told)))
    expected = matrix @ weights
    return {
        "about": (
            "written by python -m benchmarks.own.fit_conclusion --write; what a phrase adds to the "
            "results' significance"
        ),
        "fitted_on": {"abstracts, even PMIDs": len(held)},
        "mean": round(float(expected.mean()), 4),
        "deviation": round(float(expected.std()), 4),
        "weights": {
            name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)
        },
    }


def _articles(wanted: Callable[[str], bool], but: str = "?") -> dict[str, Article]:
    """The articles of the citation files whose PMID is wanted, by PMID; ``but`` those of files so
    named.
    """
    return {
        article.pmid: article
        for path in sorted((DATA / "citations").glob("*.xml.gz"))
        if but not in path.name
        for article in read_file(path)
        if isinstance(article, Article) and article.pmid and wanted(article.pmid)
    }


def _matrix(rows: Rows) -> tuple[list[str], Any, Any]:
    number = Counter(name for own in rows.features for name in own)
    names = sorted(name for name, count in number.items() if count >= LEAST_ARTICLES)
    matrix = np.array([[own.get(name, 0.0) for name in names] for own in rows.features])
    return names, matrix, np.array([_penalty(name) for name in names])


def held_out_readings() -> list[tuple[list[Voice], str]]:
    """Each PubMedQA question with an even PMID: its study as read by weights that did not see it,
    and its label.
    """
    rows = _rows()
    _, matrix, penalty = _matrix(rows)
    sharpness = json.loads(_PATH.read_text(encoding="utf-8"))["sharpness"]
    chances = softmax(
        sharpness * held_out(matrix, rows.target, penalty, rows.pmids, IMPORTANCE[rows.sets])
    )
    found = []
    for place, row in enumerate(labelled(0)):
        yes, no, maybe = (float(each) for each in chances[place])
        turned = affirmed(row.question).turned
        study = Study(1, row.article, summarise(row.question, row.article))
        weighs = weight(study)
        if weighs > 0:
            found.append(
                (
                    [
                        Voice(
                            study,
                            conclusion.ConclusionReading(
                                no if turned else yes, yes if turned else no, maybe
                            ),
                            weighs,
                        )
                    ],
                    row.label,
                )
            )
    return found


def _rows() -> Rows:
    pairs = [(row.question, row.article, row.label, 0) for row in labelled(0)]
    own = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    wanted = {row["pmid"] for row in own if int(row["pmid"]) % 2 == 0}
    articles = _articles(wanted.__contains__)
    for row in own:
        if (article := articles.get(row["pmid"])) is not None:
            pairs.append(
                (
                    row.get("question", article.title),
                    article,
                    row["label"],
                    1 if "question" in row else 2,
                )
            )
    pairs += [
        (question, _alone(question, article), label, 3) for question, article, label, _ in pairs
    ]
    plain = [affirmed(question) for question, _, _, _ in pairs]
    turned = {"yes": "no", "no": "yes"}
    labels = [
        turned.get(label, label) if each.turned else label
        for (_, _, label, _), each in zip(pairs, plain, strict=True)
    ]
    return Rows(
        [
            conclusion.features(each.text, article)
            for each, (_, article, _, _) in zip(plain, pairs, strict=True)
        ],
        np.array([LABELS.index(label) for label in labels]),
        [article.pmid or article.id for _, article, _, _ in pairs],
        np.array([place for _, _, _, place in pairs]),
    )


_OF_WORDING = (
    "says",
    "focus says",
    "results",
    "no results",
    "nearest result",
    "begins",
    "an outlook",
    "sentences",
    "length",
    "named",
    "a question",
    "asks of several",
    "asks the worth",
)


def _alone(question: str, article: Article) -> Article:
    shares = conclusion.named(affirmed(question).text, article)
    ends = [each.text for each in conclusion.own_sentences(article) if each.role == "conclusion"]
    return (
        replace(
            article, sections=(Section(max(ends, key=lambda text: shares[text]), "CONCLUSIONS"),)
        )
        if ends
        else article
    )


def _penalty(name: str) -> float:
    if name.startswith(("concludes", "finds")):
        return DIRECT_PENALTY
    if name.startswith(_OF_WORDING):
        return WORDING_PENALTY
    return LIGHT_PENALTY if "leaning" in name or "echo" in name else PENALTY


def held_out(
    matrix: Any, target: Any, penalty: Any, groups: list[str], importance: Any = None
) -> Any:
    """Scores (rows × labels) of each row by weights fitted without its group's rows, the mean over
    `ROUNDS` foldings.
    """
    names = sorted(set(groups))
    scores = np.zeros((len(target), len(LABELS)))
    for seed in range(ROUNDS):
        places = np.random.default_rng(seed).permutation(len(names))
        order = {name: place % FOLDS for name, place in zip(names, places, strict=True)}
        fold = np.array([order[name] for name in groups])
        for number in range(FOLDS):
            kept = fold != number
            weights, bias = fit(
                matrix[kept],
                target[kept],
                penalty,
                None if importance is None else importance[kept],
            )
            scores[fold == number] += (matrix[fold == number] @ weights + bias) / ROUNDS
    return scores


def _loss(chances: Any, target: Any) -> float:
    return float(-np.log(chances[np.arange(len(target)), target]).mean())


def _quality(chances: Any, target: Any, maybe_from: float) -> tuple[float, float]:
    guess = np.where(chances[:, 2] >= maybe_from, 2, np.where(chances[:, 0] >= chances[:, 1], 0, 1))
    return float((guess == target).mean()), macro_f1(
        [LABELS[i] for i in target], [LABELS[i] for i in guess]
    )


def softmax(scores: Any) -> Any:
    """Probabilities, row by row."""
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    return parts / parts.sum(axis=1, keepdims=True)


def fit(matrix: Any, target: Any, penalty: Any, importance: Any = None) -> tuple[Any, Any]:
    """Weights (features × labels) and biases that minimise the penalised log loss (Nesterov's
    accelerated gradient).
    """
    classes = int(target.max()) + 1
    wanted = np.eye(classes)[target]
    importance = np.ones(len(target)) if importance is None else importance
    steepness = 0.5 * (np.linalg.norm(matrix, 2) ** 2 + len(target)) + penalty.max()
    weights = ahead = np.zeros((matrix.shape[1], classes))
    bias = bias_ahead = np.zeros(classes)
    pace = 1.0
    for _ in range(STEPS):
        error = importance[:, None] * (softmax(matrix @ ahead + bias_ahead) - wanted)
        next_weights = ahead - (matrix.T @ error + penalty[:, None] * ahead) / steepness
        next_bias = bias_ahead - error.sum(axis=0) / steepness
        next_pace = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        momentum = (pace - 1) / next_pace
        ahead = next_weights + momentum * (next_weights - weights)
        bias_ahead = next_bias + momentum * (next_bias - bias)
        weights, bias, pace = next_weights, next_bias, next_pace
    return weights, bias


if __name__ == "__main__":
    main()
