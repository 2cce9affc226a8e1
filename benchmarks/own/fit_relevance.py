"""Fits the weights of `clinfo.extractive.relevance` and writes
`clinfo/extractive/relevance_weights.json`.

    python -m benchmarks.own.fit_relevance --index FOLDER

Rows are the articles that the program's own search of a local index finds for a question:
``clinical_tuning.jsonl`` (questions that were once fresh), ``multi_study_questions.jsonl``, the
demo questions (over the demo corpus), and ``outside_questions.txt``, which the indexed citations do
not answer. An article that a writer named as an answer is one; of the others of the same question
some answer it too, so they weigh less. No weight may point the wrong way: what an article lacks
never speaks for it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clinfo.extractive.relevance_features import Texts, features, units
from clinfo.pipelines.literature.events import ArticlesFetched
from clinfo.pipelines.literature.stages import LITERATURE, MODEL_STAGES
from clinfo.records.articles import Article, RunRequest
from clinfo.settings import load_settings
from clinfo.sources import demo

HERE = Path(__file__).parent
OTHERS, OF_DEMO = 0.35, 0.7
"""Weight of an article that nobody named as an answer beside ones that were, and of the demo
questions' articles.
"""
PENALTY = 1.0
FREE = ("constant", "no ", "one ")
FOR_IT = ("covered", "in title", "in message")
Row = tuple[str, dict[str, float], bool, float]
"""Question, features, whether the article is an answer, weight."""


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--index", required=True, help="folder of a local index")
    options = parser.parse_args(arguments)
    os.environ |= {"CLINFO_INDEX_DIR": options.index, "CLINFO_CACHE": "off"}
    rows = [*_searched(), *_of_demo()]
    names = sorted({name for _, own, _, _ in rows for name in own})
    matrix = np.array([[own.get(name, 0.0) for name in names] for _, own, _, _ in rows])
    target, weight = np.array([float(row[2]) for row in rows]), np.array([row[3] for row in rows])
    fitted = fit(matrix, target, weight, names).tolist()
    weights = {
        name: round(value, 3)
        for name, value in zip(names, fitted, strict=True)
        if abs(value) >= 0.0005
    }
    file = Path(str(files("clinfo.extractive").joinpath("relevance_weights.json")))
    file.write_text(f"{json.dumps(weights, indent=1)}\n", encoding="utf-8")


def fit(
    matrix: NDArray[np.float64],
    target: NDArray[np.float64],
    weight: NDArray[np.float64],
    names: Sequence[str],
) -> NDArray[np.float64]:
    """Weights of a logistic regression, L2 penalised, without the features whose weight would point
    the wrong way.
    """
    kept = np.array([name != "everyday lacks" for name in names])
    while True:
        penalty = np.array(
            [1e-4 if name == "constant" else PENALTY for name in np.array(names)[kept]]
        )
        part, found = matrix[:, kept], np.zeros(int(kept.sum()))
        for _ in range(60):
            chance = _logistic(part @ found)
            slope = part.T @ (weight * (chance - target)) + penalty * found
            step = np.linalg.solve(
                (part * (weight * chance * (1 - chance))[:, None]).T @ part + np.diag(penalty),
                slope,
            )
            found = found - step
            if np.abs(step).max() < 1e-6:
                break
        whole = np.zeros(len(names))
        whole[kept] = found
        wrong = [
            not name.startswith(FREE)
            and (value < 0 if any(sign in name for sign in FOR_IT) else value > 0)
            for name, value in zip(names, whole, strict=True)
        ]
        if not any(wrong):
            return whole
        kept &= ~np.array(wrong)


def _logistic(score: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-score)))


def _searched() -> list[Row]:
    clinical, several = (
        [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]
        for name in ("clinical_tuning.jsonl", "multi_study_questions.jsonl")
    )
    asked = [(row["question"], set(row["pmids"])) for row in [*clinical, *several]]
    asked += [
        (line, set())
        for line in (HERE / "outside_questions.txt").read_text(encoding="utf-8").splitlines()
    ]
    return [
        (
            question,
            own,
            article.pmid in pmids,
            1.0 if article.pmid in pmids or not pmids else OTHERS,
        )
        for question, pmids in asked
        for article, own in _read(question, asyncio.run(_found(question)))
    ]


async def _found(question: str) -> tuple[Article, ...]:
    request = RunRequest(
        question=question, models=dict.fromkeys(MODEL_STAGES, "extractive"), source="local"
    )
    async for event in (running := LITERATURE.assemble(load_settings(), request).run(request)):
        if isinstance(event, ArticlesFetched):
            await running.aclose()
            return event.articles
    return ()


def _of_demo() -> list[Row]:
    rows, every = [], demo.load()
    for asked in demo.corpus():
        question, own = asked.question, asked.articles
        ids = {article.id for article in own}
        pool = [*own, *[article for article in every if article.id not in ids][::6]]
        rows += [
            (question, found, article.id in ids, OF_DEMO)
            for article, found in _read(question, pool)
        ]
    return rows


def _read(question: str, articles: Sequence[Article]) -> list[tuple[Article, dict[str, float]]]:
    found, read = units(question), []
    for article in articles if found else ():
        texts = Texts.of(article, question)
        read.append(
            (
                article,
                features(found, {unit: unit.part.is_in(texts.whole) for unit in found}, texts),
            )
        )
    return read


if __name__ == "__main__":
    main()
