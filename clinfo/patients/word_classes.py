"""Classes of words alike in meaning, so that what is learned of one word serves its kind.

Made by `benchmarks.chart.word_classes`.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("word_classes.tsv.gz")
"""A class a line: the number of the wider class that it belongs to, a tab, its words. Made from
the vectors of wordllama 0.4 (MIT licence).
"""


@cache
def word_classes() -> dict[str, tuple[str, str]]:
    """The class and the wider class of each word in small letters."""
    lines = gzip.decompress(FILE.read_bytes()).decode().split("\n")
    found = {}
    for number, line in enumerate(lines):
        wide, _, words = line.partition("\t")
        found.update(dict.fromkeys(words.split(), (f"f{number}", f"w{wide}")))
    return found
