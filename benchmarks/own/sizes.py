"""Recall and precision of the sample sizes read from abstracts.

    python -m benchmarks sizes [--half even|odd] [--show] [--data FOLDER]

``sizes.jsonl`` holds by PMID how many people were randomised, or entered, and how many were
analysed where the abstract says that they were fewer, as one reader read it: 60 trials of each half
in the order of a hash, those left out that state no one size. Rules were
tuned on even PMIDs; the figures of odd ones count.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.own.verdict_rates import wilson
from clinfo.records.articles import Article
from clinfo.text.sample_size import analysed_size, sample_size

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LABELS = Path(__file__).with_name("sizes.jsonl")
RECORDS = "citations/pmc_trial_citations.xml.gz"
HALVES = {"even": 0, "odd": 1}


def main(arguments: list[str] | None = None) -> None:
    from clinfo.pubmed.xml import read_file

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks sizes", description="Sample sizes read from real abstracts."
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared real data")
    parser.add_argument(
        "--half", choices=tuple(HALVES), default="odd", help="PMIDs to use (default %(default)s)"
    )
    parser.add_argument("--show", action="store_true", help="print what is read otherwise")
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        sys.exit(f"no folder of shared real data at {options.data}")
    half = HALVES[options.half]
    labels = {
        row["pmid"]: row for row in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())
    }
    labels = {pmid: row for pmid, row in labels.items() if int(pmid) % 2 == half}
    read = {
        item.pmid: item
        for item in read_file(options.data / RECORDS)
        if isinstance(item, Article) and item.pmid in labels
    }
    given = {pmid: sample_size(article) for pmid, article in read.items()}
    right = sum(size == labels[pmid]["size"] for pmid, size in given.items() if pmid)
    stated = sum(size is not None for size in given.values())
    low, high = wilson(right, stated)
    print(
        f"sizes, {options.half} PMIDs: {len(given)} trials that state one; read of {stated}, right "
        f"of {right}"
    )
    print(
        f"right among those read: {100 * right / max(stated, 1):.0f} % ({100 * low:.0f} to "
        f"{100 * high:.0f})"
    )
    fewer = {pmid: analysed_size(article) for pmid, article in read.items()}
    told = sum(labels[pmid]["analysed"] is not None for pmid in fewer if pmid)
    hits = sum(
        size is not None and size == labels[pmid]["analysed"]
        for pmid, size in fewer.items()
        if pmid
    )
    print(
        f"analysed, where fewer: {told} state it; read of "
        f"{sum(size is not None for size in fewer.values())}, right of {hits}"
    )
    if options.show:
        for pmid, size in given.items():
            if pmid and (size != labels[pmid]["size"] or fewer[pmid] != labels[pmid]["analysed"]):
                print(
                    f"  {pmid}: {labels[pmid]['size']} / {labels[pmid]['analysed']}, read {size} / "
                    f"{fewer[pmid]}"
                )


if __name__ == "__main__":
    main()
