"""The default groups of passages against URCA's UMAP with Gaussian mixtures (the extra `trials`).

    python -m benchmarks.trials.clusters [--data FOLDER]

Passages of several articles are mixed: how well the groups tell the articles apart (adjusted Rand
index, mean of five draws).
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.trials.data import papers
from clinfo.pipelines.trials.clustering import clusters, grouped, similarities
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Passage

MIXES = ((1, 10), (2, 6), (2, 7), (4, 5), (5, 12))
"""Articles, and passages of each."""
DRAWS = 5
Groups = Sequence[Sequence[int]]
WAYS: Mapping[str, Callable[[Sequence[str]], Groups]] = {
    "default": grouped,
    "UMAP and mixture": lambda texts: grouped(texts, "umap"),
    "default, as many": lambda texts: clusters(
        similarities(texts), 2.0, len(grouped(texts, "umap"))
    ),
}


def told_apart(cut: Mapping[str, Sequence[Passage]]) -> None:
    """Print the index, the number of groups and the time of each mix and way."""
    grouped([f"warm {n}" for n in range(20)], "umap")
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


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trials.clusters")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    data = Path(options.data)
    folder = data / "trials" if (data / "trials").is_dir() else data
    told_apart({name: by_section(paper) for name, paper in papers(folder).items()})


if __name__ == "__main__":
    main()
