"""Uniform retrieval (URCA's share of each paper) against global, on constructed studies.

    python -m benchmarks.trials.constructed [--data FOLDER]

A study is an annotated article with its one to four nearest others (one more from article to
article), by BM25 of its title and beginning over their texts. Its evidence stands in the one
article, so the others only take room: that is the hard case of uniform retrieval. Found is half of
a marked span among the passages chosen. Intervals draw articles anew.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import cycle, groupby
from pathlib import Path

import numpy as np

from benchmarks.trials.data import Question, papers, questions
from benchmarks.trials.measures import holds
from clinfo.pipelines.trials.selecting import Scored, share, together, uniform
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Asked, Document, Passage
from clinfo.retrieval.rerankers import Reranker
from clinfo.retrieval.rerankers.results import ResultReranker
from clinfo.retrieval.sparse import SparseIndex, searched_words

DRAWS = 10_000
OTHERS = (1, 2, 3, 4)
"""Other articles of a study: one number after the other."""
BEGINNING = 1500
"""Characters of an article that its neighbours are looked up by: title and most of an abstract."""


class Bm25:
    """BM25 of the question's words, fitted to nothing."""

    name = "BM25"

    def scores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        """The score of each passage."""
        return _index(tuple(one.text for one in passages)).scores(searched_words(asked.words))


_words = cache(searched_words)


@lru_cache(maxsize=8)
def _index(texts: tuple[str, ...]) -> SparseIndex:
    return SparseIndex([_words(text) for text in texts])


def neighbours(read: Mapping[str, Document]) -> dict[str, list[str]]:
    """The other articles of each one's study, from the nearest."""
    names = list(read)
    index = SparseIndex([searched_words(paper.text) for paper in read.values()])
    near = {}
    for (name, paper), count in zip(read.items(), cycle(OTHERS)):
        words = searched_words(f"{paper.title} {paper.text[:BEGINNING]}")
        nearest = (names[place] for place in index.best(words, 1 + count))
        near[name] = [one for one in nearest if one != name][:count]
    return near


def outcomes(
    asked: Sequence[Question],
    cut: Mapping[str, Sequence[Passage]],
    near: Mapping[str, Sequence[str]],
    reranker: Reranker,
) -> Iterator[np.ndarray]:
    """For each question a row for each way of `WAYS` of `MEASURES`. ``cut`` are the articles'
    passages, ``near`` the others in the study of each.
    """
    request = TrialsRequest("", ())
    for name, own in groupby(asked, key=lambda one: one.paper):
        study = {one: cut[one] for one in (name, *near[name])}
        each = share(request.k, request.beta, len(study), request.most)
        for one in own:
            even = uniform(one.asked, study, reranker, each)
            best = together(one.asked, study, reranker, len(even))
            ways = (even, best, best[: request.k])
            yield np.array([_told(one, way, len(study)) for way in ways])


WAYS = ("uniform", "global, as many passages", "global, k passages")
MEASURES = ("found", "papers left out", "passages")


def _told(question: Question, chosen: Sequence[Scored], papers: int) -> list[float]:
    passages = [one for one, _ in chosen]
    own = [one for one in passages if one.document == f"pmcid:PMC{question.paper}"]
    return [
        holds([(one.start, one.end) for one in own], question),
        papers - len({one.document for one in passages}),
        len(passages),
    ]


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trials.constructed")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    data = Path(options.data)
    folder = data / "trials" if (data / "trials").is_dir() else data
    read = papers(folder)
    asked = sorted((one for one in questions(folder) if one.spans), key=lambda one: one.paper)
    print(f"{len({one.paper for one in asked})} articles, {len(asked)} questions")
    near = neighbours(read)
    cut = {name: by_section(paper) for name, paper in read.items()}
    for reranker in (ResultReranker(), Bm25()):
        table = np.stack(list(outcomes(asked, cut, near, reranker)))
        sizes = np.array([len(near[one.paper]) for one in asked])
        for others in (*OTHERS, 0):
            own = table[sizes == others] if others else table
            print(
                f"{reranker.name}, {others or '1 to 4'} others".ljust(28),
                *(f"{m:>16}" for m in MEASURES),
            )
            for place, way in enumerate(WAYS):
                values = "".join(f"{value:17.3f}" for value in own[:, place].mean(axis=0))
                print(f"  {way:26}{values}")
        for place, way in enumerate(WAYS[1:], 1):
            gain = table[:, 0, 0] - table[:, place, 0]
            low, high = interval(gain, asked)
            told = f"{gain.mean():+.3f} [{low:+.3f}, {high:+.3f}]"
            print(f"  uniform less {way}, found: {told}")


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


if __name__ == "__main__":
    main()
