"""Speed of the local MeSH table: python -m benchmarks.own.mesh_speed FILE (NLM's descriptors, or
JSON lines).

Loads the file into a table of its own and prints one line a figure: median and 95th percentile in
milliseconds.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import DescriptorFile, load
from clinfo.text.words import words

FIRST_LOOKUP = (
    "import sys, time; start = time.perf_counter(); from clinfo.terms.mesh import Mesh; "
    "ready = time.perf_counter(); "
    "Mesh(sys.argv[1]).match('migraine'); done = time.perf_counter(); print(ready - start, "
    "done - ready)"
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.sqlite"
        start = time.perf_counter()
        edition = load(asked.file, path)
        seconds = time.perf_counter() - start
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            (
                f"load: {seconds:.2f} s for {edition.descriptors:,} headings and "
                f"{edition.entry_terms:,} entry terms,"
            ),
            end=" ",
        )
        print(f"{path.stat().st_size / 1e6:.1f} MB on disk, {megabytes:.0f} MB of memory at most")
        fresh = [_first_lookup(path) for _ in range(9)]
        _line("import of the module in a new process", [one for one, _ in fresh])
        _line("opening and the first lookup in a new process", [one for _, one in fresh])
        table = Mesh(path)
        descriptors = chance.sample(list(DescriptorFile(asked.file).read()), 400)
        names = [chance.choice((one.heading, *one.entry_terms)) for one in descriptors]
        _line("match of a name", _timed(table.match, names))
        texts = [words(f"{one} {two}") for one, two in zip(names, reversed(names), strict=True)]
        _line("longest name from a word on", _timed(table.longest, texts))
        _line("explode", _timed(table.explode, [one.ui for one in descriptors]))
        table.near("warmed up")
        _line(
            "nearest headings of a name with a letter wrong",
            _timed(table.near, [_misspelt(name, chance) for name in names]),
        )
        mixed = [f"{one.split()[0]} {two}" for one, two in zip(names, reversed(names), strict=True)]
        _line("nearest headings of two names mixed", _timed(table.near, mixed))


def _first_lookup(path: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_LOOKUP, str(path)], capture_output=True, text=True, check=True
    )
    importing, looking_up = map(float, done.stdout.split())
    return importing, looking_up


def _timed(work: Callable[[Any], object], inputs: Iterable[Any]) -> list[float]:
    seconds = []
    for one in inputs:
        start = time.perf_counter()
        work(one)
        seconds.append(time.perf_counter() - start)
    return seconds


def _misspelt(name: str, chance: random.Random) -> str:
    place = chance.randrange(len(name))
    return name[:place] + chance.choice("aeiou") + name[place + 1 :]


def _line(what: str, seconds: list[float]) -> None:
    print(
        f"{what}: median {1000 * median(seconds):.2f} ms, p95 "
        f"{1000 * quantiles(seconds, n=20)[-1]:.2f} ms ({len(seconds)})"
    )


if __name__ == "__main__":
    main()
