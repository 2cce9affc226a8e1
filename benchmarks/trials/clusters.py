"""The default groups of passages against URCA's UMAP with Gaussian mixtures (the extra `trials`).

    python -m benchmarks.trials.clusters [--data FOLDER] [--questions 150]

First passages of several articles mixed: how well the groups tell the articles apart (adjusted Rand
index, mean of five draws). Then studies of an annotated article and its nearest other: the
direction that is concluded by rule from the sentences kept of each group, with as many groups of
either kind."""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.trials.constructed import neighbours
from benchmarks.trials.data import Question, papers, questions
from benchmarks.trials.hybrid import interval
from benchmarks.trials.measures import f1
from clinfo.pipelines.trials.by_rule import KEPT
from clinfo.pipelines.trials.clustering import clusters
from clinfo.pipelines.trials.concluding import concluded, leading
from clinfo.pipelines.trials.selecting import share, uniform
from clinfo.pipelines.trials.umap_clustering import umap_clusters
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.chunking import by_section, sentences_of
from clinfo.retrieval.documents import Passage
from clinfo.retrieval.rerankers.results import ResultReranker

MIXES = ((1, 10), (2, 6), (2, 7), (4, 5), (5, 12))
"""Articles, and passages of each."""
DRAWS = 5
Groups = Sequence[Sequence[int]]
WAYS: Mapping[str, Callable[[Sequence[str]], Groups]] = {
    "default": clusters,
    "UMAP and mixture": umap_clusters,
    "default, as many": lambda texts: clusters(texts, 2.0, len(umap_clusters(texts))),
}


def told_apart(cut: Mapping[str, Sequence[Passage]]) -> None:
    """Print the index, the number of groups and the time of each mix and way."""
    umap_clusters([f"warm {n}" for n in range(20)])
    long = sorted(name for name, own in cut.items() if len(own) >= max(each for _, each in MIXES))
    for articles, each in MIXES:
        chance = random.Random(0)
        draws = [
            [(name, one.text) for name in names for one in chance.sample(cut[name], each)]
            for names in (chance.sample(long, articles) for _ in range(DRAWS))
        ]
        for name, way in WAYS.items():
            began = time.process_time()
            found = [way([text for _, text in own]) for own in draws]
            seconds = (time.process_time() - began) / DRAWS
            index = np.mean(
                [
                    adjusted_rand_score([name for name, _ in own], _labels(groups))
                    for own, groups in zip(draws, found, strict=True)
                ]
            )
            count = np.mean([len(groups) for groups in found])
            print(
                f"{articles} × {each:2} {name:18} {index:.3f} ({count:.1f} groups) {seconds:.3f} s"
            )


def _labels(groups: Groups) -> list[int]:
    label = {place: number for number, group in enumerate(groups) for place in group}
    return [label[place] for place in range(len(label))]


def answers(
    asked: Sequence[Question],
    cut: Mapping[str, Sequence[Passage]],
    near: Mapping[str, Sequence[str]],
) -> None:
    """Print the conclusions' F1 by each way, and their paired difference."""
    request, reranker = TrialsRequest("", ()), ResultReranker()
    each = share(request.k, request.beta, 2, request.most)
    said: dict[str, list[str]] = {
        name: [] for name in ("default, as many", "UMAP and mixture", "no groups")
    }
    counts = []
    for one in asked:
        study = {name: cut[name] for name in (one.paper, *near[one.paper][:1])}
        chosen = [passage for passage, _ in uniform(one.asked, study, reranker, each)]
        texts = [passage.text for passage in chosen]
        groups = umap_clusters(texts)
        same = clusters(texts, 2.0, len(groups))
        counts.append((len(clusters(texts)), len(groups)))
        for name, own in zip(said, (same, groups, [range(len(texts))]), strict=True):
            kept = [s for group in own for s in _kept(one, [chosen[place] for place in group])]
            said[name].append(concluded(one.asked, kept).direction)
    gold = [one.gold for one in asked]
    default, published = np.mean(counts, axis=0)
    print(f"{len(asked)} studies; groups: {default:.1f} by the default's own cut, {published:.1f}"
          " as published and below")  # fmt: skip
    right = {
        name: np.array([a == b for a, b in zip(gold, own, strict=True)], float)
        for name, own in said.items()
    }
    for name, own in said.items():
        found = f1(list(zip(gold, own, strict=True)))
        print(f"{name:18} macro F1 {found['macro_f1']:.3f}, accuracy {found['accuracy']:.3f}")
    gain = right["default, as many"] - right["UMAP and mixture"]
    low, high = interval(gain, asked)
    print(f"default, as many, less UMAP, accuracy: {gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]")


def _kept(question: Question, group: Sequence[Passage]) -> list[Passage]:
    """The sentences that the extraction of a group keeps."""
    return leading(question.asked, [s for one in group for s in sentences_of(one)], KEPT)


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trials.clusters")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    parser.add_argument("--questions", type=int, default=150)
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    data = Path(options.data)
    folder = data / "trials" if (data / "trials").is_dir() else data
    read = papers(folder)
    cut = {name: by_section(paper) for name, paper in read.items()}
    told_apart(cut)
    asked = [one for one in questions(folder) if one.gold][: options.questions]
    answers(asked, cut, neighbours(read))


if __name__ == "__main__":
    main()
