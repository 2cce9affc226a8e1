"""Weights of what tells how a mention is meant, fitted by `benchmarks.chart.fit_assertion`."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import get_args

from clinfo.patients.mentions import Assertion

FILE = Path(__file__).with_name("assertion_weights.tsv.gz")
"""First the known words, in one line; then a line a feature: its name and, after tabs, its weight
for each of `CLASSES` in hundredths.
"""
CLASSES: tuple[Assertion, ...] = get_args(Assertion)
_HAD: tuple[Assertion, ...] = ("present", "history")


@dataclass(frozen=True, slots=True)
class Weights:
    """The known words, and the weights of features in hundredths, so that sums are exact."""

    words: frozenset[str]
    of: Mapping[str, tuple[int, ...]]

    def judged(self, features: Iterable[str]) -> tuple[Assertion, int]:
        """The class with the highest sum, the first of equals, and how likely it is, in whole
        percent (as `Mention.sure`).
        """
        rows = [self.of[each] for each in features if each in self.of]
        if not rows:
            return "present", 0
        sums = [sum(column) for column in zip(*rows, strict=True)]
        most = max(sums)
        said = CLASSES[sums.index(most)]
        odds = dict(zip(CLASSES, (exp((each - most) / 100) for each in sums), strict=True))
        same = _HAD if said in _HAD else (said,)
        return said, int(100 * sum(odds[each] for each in same) / sum(odds.values()))


@cache
def assertion_weights() -> Weights:
    """The fitted weights."""
    words, *lines = gzip.decompress(FILE.read_bytes()).decode().split("\n")
    rows = (line.split("\t") for line in lines if line)
    return Weights(
        frozenset(words.split(" ")), {name: tuple(map(int, values)) for name, *values in rows}
    )


def packed(weights: Weights) -> bytes:
    """The content of `FILE` for these weights: the same bytes for the same weights."""
    lines = (
        "\t".join([name, *map(str, values)]) + "\n" for name, values in sorted(weights.of.items())
    )
    content = " ".join(sorted(weights.words)) + "\n" + "".join(lines)
    return gzip.compress(content.encode(), 9, mtime=0)
