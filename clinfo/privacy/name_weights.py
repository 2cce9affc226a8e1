"""Weights of what tells a name of a person: log odds by feature, fitted by
`benchmarks.own.fit_names`.
"""

import gzip
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("name_weights.tsv.gz")
"""A line a feature: the weight, a tab, the feature."""


@cache
def name_weights() -> dict[str, float]:
    """The weights by feature; the same dictionary at each call."""
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return {feature: float(weight) for weight, feature in (line.split("\t", 1) for line in lines)}
