"""Accuracy of the claim judge on sentences in free wording: true and false ones written by people
from real abstracts.

    python -m benchmarks quality --only free [--data FOLDER] [--json]
    python -m benchmarks free-wording [--half even|odd] [--file FILE] [--data FOLDER] [--json] [--show]

Rows of `free_wording.jsonl`: {"id", "pmid", "sentence", "truth": true or false, "kind"}, written by
someone who had seen neither the judge nor what it says of them. What is asked: false ones marked
supported at most 10 %, true ones condemned (unsupported or contradicted) at most 5 %; how many true
ones are supported is reported, the rest is not verified. Intervals are Wilson's, 95 %; sentences of
one article are not independent, so that true intervals are somewhat wider.
"""  # noqa: E501

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.claim_pairs import Pair
from benchmarks.own.claim_sources import DATA, HALVES, read_articles
from benchmarks.own.claims import judged
from benchmarks.own.verdict_rates import Bars, lines_of, measures
from clinfo.records.articles import Article

FREE = Path(__file__).with_name("free_wording.jsonl")
TRUE, FALSE = "free wording, true", "free wording, false"
BARS = {TRUE: Bars(most_condemned=0.05), FALSE: Bars(most_supported=0.10)}


@dataclass(frozen=True)
class Free:
    """A sentence in free wording with its article; ``kind`` says what makes it false, or how it was
    reworded.
    """

    id: str
    sentence: str
    article: Article
    truth: bool
    kind: str


def read_free(path: Path = FREE, half: str | None = None, data: Path = DATA) -> list[Free]:
    """The rows of a file whose PMIDs are of one parity, or all. KeyError where an article or a
    field is missing.
    """
    rows = [
        json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    rows = [row for row in rows if half is None or int(row["pmid"]) % 2 == HALVES[half]]
    articles = {article.pmid: article for article, _ in read_articles(half, data)}
    return [
        Free(
            row["id"],
            _bare(row["sentence"]),
            articles[str(row["pmid"])],
            row["truth"] in (True, "true"),
            row["kind"],
        )
        for row in rows
    ]


def _bare(sentence: str) -> str:
    """The sentence without its citation mark and last full stop, which `Pair` puts there anew."""
    return re.sub(r"\s*\[1\]\s*(?=\.?$)", "", sentence.strip()).removesuffix(".").rstrip()


def verdicts(rows: Sequence[Free]) -> list[tuple[Free, str, str]]:
    """Each row with the judge's verdict on it and why."""
    pairs = [
        Pair(row.id, row.kind, row.sentence, row.article, row.article.pmid or "") for row in rows
    ]
    results, _ = judged(pairs)
    return [(row, verdict, why) for row, (_, verdict, why) in zip(rows, results, strict=True)]


def counted(results: Iterable[tuple[Free, str, str]]) -> dict[str, Counter[str]]:
    """Return how often each verdict was said, of the true and the false ones and of each kind of
    them ("false: dose").
    """
    counts: dict[str, Counter[str]] = {}
    for row, verdict, _ in results:
        for name in (
            TRUE if row.truth else FALSE,
            f"{'true' if row.truth else 'false'}: {row.kind}",
        ):
            counts.setdefault(name, Counter())[verdict] += 1
    return counts


def report(results: Sequence[tuple[Free, str, str]]) -> str:
    counts = counted(results)
    named = [TRUE, FALSE, *sorted(name for name in counts if name not in BARS)]
    return "\n".join(
        line
        for name in named
        for line in lines_of(name, counts.get(name, Counter()), BARS.get(name, Bars()))
    )


def wrong(results: Iterable[tuple[Free, str, str]]) -> Iterator[str]:
    """The false ones that are supported and the true ones that are condemned."""
    for row, verdict, why in results:
        if verdict in (("unsupported", "contradicted") if row.truth else ("supported",)):
            yield (
                f"{row.id}: {verdict} ({why})\n  {'true' if row.truth else 'false'}, {row.kind}: "
                f"{row.sentence}"
            )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks free-wording", description="The judge of claims on free wording."
    )
    parser.add_argument(
        "--half",
        choices=tuple(HALVES),
        help="PMIDs of one parity only; even to tune, odd to report",
    )
    parser.add_argument(
        "--file", type=Path, default=FREE, help="rows of another set in the same form"
    )
    parser.add_argument(
        "--show", action="store_true", help="with --half even: print what is judged wrong"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("CLINFO_BENCH_DATA") or DATA),
        help="[$CLINFO_BENCH_DATA]",
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object of measures, shares from 0 to 1"
    )
    options = parser.parse_args(arguments)
    if options.show and options.half != "even":
        parser.error("--show is for --half even: odd PMIDs are for the report")
    if not options.file.is_file():
        parser.error(f"there is no file {options.file}")
    if not (options.data / "citations").is_dir():
        parser.error(
            f"no real data in {options.data}: give --data or CLINFO_BENCH_DATA a folder shaped "
            "like shared/data"
        )
    results = verdicts(read_free(options.file, options.half, options.data))
    if options.json:
        named = [measures(name, counts) for name, counts in counted(results).items()]
        json.dump(
            {"n": len(results)} | {key: value for one in named for key, value in one.items()},
            sys.stdout,
        )
        print()
        return
    print(f"free wording of {options.half or 'all'} PMIDs, n = {len(results)}")
    print(report(results))
    if options.show:
        print("\n".join(wrong(results)))


if __name__ == "__main__":
    main()
