"""Times `clinfo.pubmed.query.parse` on texts of 10,000 characters: the worst that could be thought
of, and real queries.

    python -m benchmarks.own.query_speed [--characters N] [--repeats N]

Prints milliseconds (the best of the repeats) for parsing and printing each kind, and last the
slowest parse. Real queries are used where the folder of shared data lies beside the checkout. With
twice the characters the times should double.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from clinfo.pubmed.query import parse, printed

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"

PATTERNS = {
    "open parentheses": "(",
    "closing parentheses": ")",
    "quotation marks": '"',
    "curly quotation marks": "“",
    "open brackets": "[",
    "empty brackets": "[]",
    "brackets that are text": "[a]",
    "stars": "*",
    "colons": ":",
    "ampersands": "&",
    "signs": "! ",
    "one long word": "a",
    "words": "asthma ",
    "tagged words": "a[tiab] ",
    "unknown tags": "a[foo] ",
    "truncated words": "asthma* ",
    "stars inside": "a* ",
    "colons between words": "a:",
    "colons between years": "2000:",
    "ranges": "2000:2001[dp] ",
    "operators": "AND ",
    "operators in quotation marks": '"a AND b" ',
    "lower-case operators": '"a" or ',
    "lines": "#1 ",
    "PMIDs": "12345678 ",
    "slashes": "a/",
    "subheadings": "a/therapy ",
    "entities": "&amp;",
    "percent": "%22",
    "another script": "혈",
    "scripts in turn": "혈a ",
    "nested groups": "(a OR (b AND ",
    "nested groups, one operator": "a AND (",
}


def texts(length: int) -> dict[str, str]:
    """A text of ``length`` characters for each kind."""
    source = random.Random(0)
    kinds = {
        name: (pattern * (length // len(pattern) + 1))[:length]
        for name, pattern in PATTERNS.items()
    }
    depth = length // 10
    kinds["nested on the left"] = "(" * depth + "a) OR b) AND " * ((length - depth) // 13)
    kinds["any characters"] = "".join(chr(source.randrange(0x110000)) for _ in range(length))
    kinds["any ASCII"] = "".join(chr(source.randrange(32, 127)) for _ in range(length))
    if (file := SHARED / "queries" / "human_pubmed_queries.jsonl.gz").is_file():
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in sorted(rows, key=lambda row: len(row["query"]))[-5:]:
            whole = f"({row['query']}) AND "
            kinds[f"real: {row['id']}"] = (whole * (length // len(whole) + 1))[:length]
    return kinds


def milliseconds(action: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        begun = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - begun)
    return best * 1000


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--characters", type=int, default=10_000)
    options.add_argument("--repeats", type=int, default=5)
    asked = options.parse_args(arguments)
    worst = (0.0, "")
    print(f"{'kind':30} {'parse ms':>9} {'print ms':>9} {'remarks':>8}")
    for name, text in texts(asked.characters).items():
        found = parse(text)
        parsing = milliseconds(lambda text=text: parse(text), asked.repeats)  # type: ignore[misc]
        printing = milliseconds(lambda tree=found.tree: printed(tree), asked.repeats)  # type: ignore[misc]
        worst = max(worst, (parsing, name))
        print(f"{name:30} {parsing:9.1f} {printing:9.1f} {len(found.remarks):8,}")
    print(f"slowest: {worst[1]}, {worst[0]:.1f} ms for {asked.characters:,} characters")


if __name__ == "__main__":
    main()
