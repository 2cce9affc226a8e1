"""Whether a search by meaning adds to BM25: physicians' questions, paired bootstrap.

    python -m benchmarks.trials.hybrid [--data FOLDER] [--embedder NAME] [--papers N]

For each question the passages of its own paper are ranked, and those of all papers together. A hit
is half of a marked span among the first 5 or 10 passages, cut at 620 characters each. The weight of
the vectors is chosen on the other papers (five folds), so that it is not fitted to what is told.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.trials.data import Question, papers, questions
from benchmarks.trials.measures import CHARACTERS, holds, within
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.embedders import Embedder, embedder_named
from clinfo.retrieval.index import filed
from clinfo.retrieval.index.fusion import BM25, Fusion
from clinfo.retrieval.index.local import LocalIndex

WEIGHTS = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
FOLDS, DRAWS = 5, 10_000
DEPTHS = (5, 10)


class Remembering:
    """An embedder that makes each text's vector once."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.remote = embedder.name, embedder.remote
        self._embedder = embedder
        self._known: dict[str, np.ndarray] = {}

    async def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """A vector for each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            made = await self._embedder.vectors(new)
            self._known |= dict(zip(new, made, strict=True))
        return np.stack([self._known[text] for text in texts])


async def hits(
    index: Mapping[str, LocalIndex], asked: Sequence[Question], fusion: Fusion
) -> np.ndarray:
    """For each question and depth, 1 where its evidence is found."""
    rows = []
    for one in asked:
        found = await index[one.paper].search(one.asked.words, max(DEPTHS), fusion=fusion)
        passages = [hit.passage for hit in found]
        rows.append([_holds(passages[:depth], depth, one) for depth in DEPTHS])
    return np.array(rows, float)


def _holds(passages: Sequence[Passage], depth: int, question: Question) -> bool:
    """Passages of other papers take their room and hold nothing."""
    left, spans = CHARACTERS * depth, []
    for one in passages:
        if one.document == f"pmcid:PMC{question.paper}":
            spans += within([one], left)
        left -= one.end - one.start
    return holds(spans, question)


def chosen(by_weight: np.ndarray, asked: Sequence[Question]) -> np.ndarray:
    """The hits of each question at the weight that does best on the papers of other folds."""
    names = sorted({one.paper for one in asked})
    fold = np.array([names.index(one.paper) % FOLDS for one in asked])
    result = np.empty(by_weight.shape[1:])
    for number in range(FOLDS):
        best = by_weight[:, fold != number].sum(axis=(1, 2)).argmax()
        result[fold == number] = by_weight[best, fold == number]
    return result


def interval(difference: np.ndarray, asked: Sequence[Question]) -> tuple[float, float]:
    """The 95 % interval of a mean difference, papers drawn anew."""
    names = sorted({one.paper for one in asked})
    paper = np.array([names.index(one.paper) for one in asked])
    sums = np.bincount(paper, difference, len(names))
    sizes = np.bincount(paper, minlength=len(names))
    drawn = np.random.default_rng(0).integers(0, len(names), (DRAWS, len(names)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


async def measured(folder: Path, embedder: Embedder, most: int | None) -> None:
    """Print the figures of the first ``most`` papers."""
    read = dict(list(papers(folder).items())[:most])
    asked = [one for one in questions(folder) if one.spans and one.paper in read]
    for name, index in (
        ("own paper", await _apart(read, embedder)),
        ("all papers", await _together(read, embedder)),
    ):
        words = await hits(index, asked, BM25)
        meaning = await hits(index, asked, Fusion(0.0, 1.0))
        both = np.stack([await hits(index, asked, Fusion(1.0, one)) for one in WEIGHTS])
        hybrid = chosen(both, asked)
        print(f"{name}, {len(asked):,} questions{'':>8}" + "".join(f"{f'@{d}':>9}" for d in DEPTHS))
        rows = {"BM25": words, embedder.name: meaning, "hybrid, weight chosen": hybrid}
        rows |= {f"hybrid {weight:g}": one for weight, one in zip(WEIGHTS, both, strict=True)}
        for label, row in rows.items():
            print(f"  {label:32}" + "".join(f"{value:9.3f}" for value in row.mean(axis=0)))
        for place, depth in enumerate(DEPTHS):
            low, high = interval(hybrid[:, place] - words[:, place], asked)
            gain = (hybrid[:, place] - words[:, place]).mean()
            print(f"  hybrid less BM25 at {depth}: {gain:+.3f} [{low:+.3f}, {high:+.3f}]")


async def _apart(read: Mapping[str, Document], embedder: Embedder) -> dict[str, LocalIndex]:
    return {
        name: await LocalIndex.of(filed(paper, by_section(paper, CHARACTERS)), embedder)
        for name, paper in read.items()
    }


async def _together(read: Mapping[str, Document], embedder: Embedder) -> dict[str, LocalIndex]:
    every = [one for paper in read.values() for one in filed(paper, by_section(paper, CHARACTERS))]
    return dict.fromkeys(read, await LocalIndex.of(every, embedder))


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trials.hybrid")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    parser.add_argument("--embedder", default="wordllama")
    parser.add_argument("--papers", type=int, help="the first so many papers alone")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    data = Path(options.data)
    folder = data / "trials" if (data / "trials").is_dir() else data
    embedder = Remembering(embedder_named(options.embedder))
    asyncio.run(measured(folder, embedder, options.papers))


if __name__ == "__main__":
    main()
