"""How fast the hybrid index searches, and how much its graph finds of what an exact search does.

    python -m benchmarks.trials.index_speed [--data FOLDER] [--passages 100000]

Vectors are those of real passages with noise, words those of two real passages mixed; questions are
real. The exact search of the same run, every vector compared, is what the figures are set against.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.trials.data import papers, questions
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.embedders import embedder_named, unit
from clinfo.retrieval.index import Filed, Only
from clinfo.retrieval.index.dense import DenseIndex
from clinfo.retrieval.index.fusion import HYBRID
from clinfo.retrieval.index.local import LocalIndex
from clinfo.retrieval.index.records import Records
from clinfo.retrieval.sparse import SparseIndex, searched_words

NOISE = 0.5
"""Length of the noise beside a vector's own length of 1."""
SUBJECTS = 1000
ASKED = 200
TOP = 10


async def measured(folder: Path, count: int) -> None:
    """Build the index of so many passages and print the figures."""
    embedder = embedder_named()
    real = [one for paper in papers(folder).values() for one in by_section(paper)]
    vectors = await embedder.vectors([one.text for one in real])
    words = [searched_words(one.text) for one in real]
    draws, chance = np.random.default_rng(0), random.Random(0)
    first = draws.integers(0, len(real), count)
    made = np.empty((count, vectors.shape[1]), np.float16)
    for start in range(0, count, 50_000):
        own = vectors[first[start : start + 50_000]]
        noise = draws.normal(size=own.shape).astype(np.float32)
        made[start : start + 50_000] = unit(own + NOISE * unit(noise))

    def mixed(place: int) -> list[str]:
        other = words[chance.randrange(len(words))]
        return words[place][::2] + other[1::2]

    began = time.perf_counter()
    items = [
        Filed(replace(real[place], id=f"made:{n}"), {"subject": str(n % SUBJECTS)})
        for n, place in enumerate(first)
    ]
    records = Records.of(items)
    del items
    sparse = SparseIndex([mixed(int(place)) for place in first])
    print(f"{count:,} passages: records and words in {time.perf_counter() - began:,.0f} s")
    began = time.perf_counter()
    dense = DenseIndex.built(made)
    print(f"vectors in {time.perf_counter() - began:,.0f} s")
    index = LocalIndex(records, sparse, dense, embedder)
    asked = [one.asked.words for one in questions(folder)][:ASKED]
    wanted = await embedder.vectors(asked)
    exact = DenseIndex(made.astype(np.float32))
    found = [set(dense.nearest(one, TOP)) for one in wanted]
    truth: list[set[int]] = []
    scan = timed(wanted, lambda one: truth.append(set(exact.nearest(one, TOP))))
    shared = sum(len(a & b) for a, b in zip(found, truth, strict=True)) / (TOP * len(wanted))
    print(f"graph's recall at {TOP}: {shared:.3f} of the exact search")
    compared = LocalIndex(records, sparse, exact, embedder)
    same = 0
    for text in asked:  # and what is read once is read
        fast, whole = [
            {hit.passage.id for hit in await one.search(text, TOP, fusion=HYBRID)}
            for one in (index, compared)
        ]
        same += len(fast & whole)
    print(f"hybrid's recall at {TOP}: {same / (TOP * len(asked)):.3f} of the exact hybrid's")
    for name, only in (("hybrid", Only()), ("hybrid, one subject", Only({"subject": ("7",)}))):
        seconds = []
        for text in asked:
            began = time.perf_counter()
            await index.search(text, TOP, only, HYBRID)
            seconds.append(time.perf_counter() - began)
        told(name, np.array(seconds), scan)
    told("exact vectors alone", scan, scan)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"memory at most {most / 1e9:.1f} GB; load {os.getloadavg()[0]:.1f} on {os.cpu_count()}")


def timed(values: np.ndarray, work: Callable[[np.ndarray], object]) -> np.ndarray:
    """Seconds of each call."""
    seconds = []
    for value in values:
        began = time.perf_counter()
        work(value)
        seconds.append(time.perf_counter() - began)
    return np.array(seconds)


def told(name: str, seconds: np.ndarray, against: np.ndarray) -> None:
    """Print the middle and the 95th percentile, and the latter as a share of the exact search's."""
    middle, late = np.quantile(seconds, (0.5, 0.95))
    ratio = late / np.quantile(against, 0.95)
    print(f"{name:22} {middle * 1000:8.1f} ms  p95 {late * 1000:8.1f} ms  {ratio:6.2f} × exact")


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trials.index_speed")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    parser.add_argument("--passages", type=int, default=100_000)
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    data = Path(options.data)
    folder = data / "trials" if (data / "trials").is_dir() else data
    asyncio.run(measured(folder, options.passages))


if __name__ == "__main__":
    main()
