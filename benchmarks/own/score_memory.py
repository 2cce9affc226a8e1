"""Memory and time of bootstrap intervals in blocks of rounds, as `score` draws them, against all
rounds in one matrix.

    python -m benchmarks score-memory [--questions 20000] [--systems 2]

The scores are made up. Either way runs in a process of its own, and both must give the same
intervals to the last digit that is written, or the command ends with status 1. Prints the peak of
each process, the seconds it took after imports, and both ratios.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.pubmedrs200.scoring.intervals import ROUNDS, SEED, intervals, percentiles

BAR = 0.5
"""The most that the blocks may need of what the matrix needs, at 20,000 questions."""
WAYS = ("blocks", "matrix")
Bounds = list[tuple[float, float]]


def scores(questions: int, systems: int) -> list[dict[str, float]]:
    """Made-up scores by question of each system, from 0 to 1."""
    draw = random.Random(0)
    return [{f"{id:08}": draw.random() for id in range(questions)} for _ in range(systems)]


def by_blocks(cells: Sequence[Mapping[str, float]]) -> Bounds:
    """As `score` does it."""
    return [(found.low, found.high) for found in intervals(cells)]


def by_matrix(cells: Sequence[Mapping[str, float]]) -> Bounds:
    """All rounds × questions at once."""
    import numpy

    questions = len(cells[0])
    generator = numpy.random.default_rng(SEED)
    times: Any = generator.multinomial(
        questions, numpy.full(questions, 1 / questions), size=ROUNDS
    ).astype(numpy.float64)
    found = [
        percentiles(times @ numpy.array([values[id] for id in sorted(values)]) / questions)
        for values in cells
    ]
    return [(interval.low, interval.high) for interval in found]


def measured(way: str, questions: int, systems: int) -> dict[str, Any]:
    """Return what one way takes in this process: ``megabytes`` at its peak, ``seconds``, and the
    ``bounds`` it finds.
    """
    import numpy

    numpy.random.default_rng(0)  # imported before the clock runs
    cells = scores(questions, systems)
    began = time.perf_counter()
    bounds = by_blocks(cells) if way == "blocks" else by_matrix(cells)
    seconds = time.perf_counter() - began
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return {
        "bounds": bounds,
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks score-memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--systems", type=int, default=2)
    parser.add_argument("--way", choices=WAYS, help="measure one way in this process, as JSON")
    options = parser.parse_args(arguments)
    if options.questions < 1 or options.systems < 1:
        parser.error("--questions and --systems must be at least 1")
    if options.way:
        print(json.dumps(measured(options.way, options.questions, options.systems)))
        return
    blocks, matrix = (_elsewhere(way, options.questions, options.systems) for way in WAYS)
    for name, found in zip(WAYS, (blocks, matrix), strict=True):
        print(f"{name}: {found['megabytes']:,.0f} MB at the peak, {found['seconds']:.1f} s")
    memory, seconds = (blocks[key] / matrix[key] for key in ("megabytes", "seconds"))
    reached = (
        ""
        if options.questions < 20_000
        else f"; bar <= {BAR} {'reached' if memory <= BAR else 'MISSED'}"
    )
    print(
        f"{options.questions:,} questions, {options.systems} systems, {ROUNDS:,} rounds:", end=" "
    )
    print(f"memory {memory:.2f} x{reached}; time {seconds:.2f} x")
    if blocks["bounds"] != matrix["bounds"]:
        sys.exit("score-memory: the intervals of the two ways differ")


def _elsewhere(way: str, questions: int, systems: int) -> dict[str, Any]:
    words = [
        sys.executable,
        "-m",
        "benchmarks.own.score_memory",
        "--way",
        way,
        "--questions",
        str(questions),
        "--systems",
        str(systems),
    ]
    found: dict[str, Any] = json.loads(
        subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    )
    return found


if __name__ == "__main__":
    main()
