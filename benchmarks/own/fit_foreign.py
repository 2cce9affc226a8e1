"""Fits the model of `clinfo.claims.foreign_subjects` and writes
`clinfo/claims/foreign_subjects.json`.

    python -m benchmarks.own.fit_foreign [--write] [--data FOLDER]

Sentences that speak of something else: claims of abstracts cited to the article that BM25 ranks
nearest (`benchmarks.own.claim_pairs`,
two seeds). Sentences that do not: the paraphrases written by hand, and conclusions of abstracts
held against the rest of their own abstract, which says the same in other words as a rule. Only even
PMIDs are read. Rarities are those of words in the same abstracts; no text is kept. Without
``--write`` it prints what ten-fold cross-validation by article gives.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.own.claim_pairs import MOVED, build
from benchmarks.own.claim_sources import DATA, read_articles
from benchmarks.own.claims import read_paraphrases
from clinfo.claims import foreign_subjects
from clinfo.claims.tokens import tokens
from clinfo.records.articles import Article
from clinfo.text.abstracts import abstract_sentences

CONCLUSIONS, LEAST_WORDS, LEAST_LEFT = 700, 10, 80
"""Conclusions taken, words of one, and words of an abstract without it."""
LEAST_ARTICLES = 12
"""Articles that a word must stand in for its rarity to be told from that of others as rare."""
IMPORTANCE = {"moved": 1.0, "paraphrase": 2.0, "conclusion": 0.6}
"""Paraphrases say what matters most, and conclusions may say things that the rest of the abstract
does not.
"""
PENALTY, STEPS, FOLDS = 1.0, 30, 10


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write rarities, weights and bias")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args(arguments)
    if options.write:
        _write(0.0, {}, _rarities(options.data))
    cases = list(_cases(options.data))
    found = [foreign_subjects.features(text, article) for _, text, article in cases]
    names = list(found[0])
    matrix = np.array([[1.0, *own.values()] for own in found])
    kinds = np.array([kind for kind, _, _ in cases])
    folds = np.array([int(article.pmid or 0) // 2 % FOLDS for _, _, article in cases])
    told = np.zeros(len(cases))
    for fold in range(FOLDS):
        weights = _fit(matrix[folds != fold], kinds[folds != fold])
        told[folds == fold] = 1 / (1 + np.exp(-matrix[folds == fold] @ weights))
    for sure in (0.5, 0.6, 0.65, 0.7, 0.8, 0.9):
        shares = ", ".join(
            f"{kind} {(told[kinds == kind] >= sure).mean():.3f}" for kind in IMPORTANCE
        )
        print(f"from {sure}: {shares}")
    if options.write:
        bias, *rest = _fit(matrix, kinds)
        _write(bias, dict(zip(names, rest, strict=True)), _rarities(options.data))


def _cases(data: Path) -> Iterator[tuple[str, str, Article]]:
    """(kind, sentence, article it is compared with)."""
    for seed in (0, 1):
        yield from (
            ("moved", pair.sentence, pair.article)
            for pair in build(seed=seed, half="even", data=data)
            if pair.kind == MOVED
        )
    yield from (
        ("paraphrase", pair.sentence, pair.article) for pair in read_paraphrases("even", data)
    )
    articles = [article for article, _ in read_articles("even", data)]
    random.Random(5).shuffle(articles)
    left = CONCLUSIONS
    for article in articles:
        concluding = [
            each
            for each in abstract_sentences(article)
            if each.labelled and each.role == "conclusion"
        ]
        rest = replace(
            article,
            sections=tuple(
                one for one in article.sections if "conclu" not in (one.label or "").lower()
            ),
        )
        if (
            not concluding
            or len(rest.sections) == len(article.sections)
            or len(rest.abstract.split()) < LEAST_LEFT
        ):
            continue
        text = article.abstract[concluding[0].start : concluding[0].end].rstrip(". ")
        if len(text.split()) >= LEAST_WORDS and left:
            yield "conclusion", text, rest
            left -= 1


def _fit(matrix: Any, kinds: Any) -> Any:
    """Bias and weights by Newton's method, the weights with an L2 penalty."""
    wanted = (kinds == "moved").astype(float)
    importance = np.array([IMPORTANCE[kind] for kind in kinds])
    penalty = np.diag([0.0] + [PENALTY] * (matrix.shape[1] - 1))
    weights = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        told = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (importance * (told - wanted)) + penalty @ weights
        bend = (matrix.T * (importance * told * (1 - told))) @ matrix + penalty
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def _rarities(data: Path) -> dict[str, str]:
    """Stems by rarity, which is rounded to halves; "" stands for all that are not listed."""
    seen: Counter[str] = Counter()
    articles = [article for article, _ in read_articles("even", data) if article.abstract]
    for article in articles:
        seen.update(
            {
                token.key
                for token in tokens(f"{article.title}. {article.abstract}", {})
                if token.kind == "word"
            }
        )
    levels: dict[str, list[str]] = {_rarity(len(articles), LEAST_ARTICLES): [""]}
    for word, count in sorted(seen.items()):
        if count > LEAST_ARTICLES and " " not in word:
            levels.setdefault(_rarity(len(articles), count), []).append(word)
    return {level: " ".join(levels[level]) for level in sorted(levels, key=float)}


def _rarity(articles: int, count: int) -> str:
    return f"{round(2 * math.log(articles / count)) / 2:g}"


def _write(bias: float, weights: dict[str, float], rarity: dict[str, str]) -> None:
    form = {
        "made": (
            "Fitted on even PMIDs by python -m benchmarks.own.fit_foreign --write; not edited by "
            "hand."
        ),
        "bias": round(float(bias), 3),
        "weights": {name: round(float(value), 3) for name, value in weights.items()},
        "rarity": rarity,
    }
    foreign_subjects.WEIGHTS.write_text(
        json.dumps(form, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    foreign_subjects._model.cache_clear()


if __name__ == "__main__":
    main()
