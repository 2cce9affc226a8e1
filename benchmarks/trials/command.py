"""What the trials pipeline finds in real papers.

    python -m benchmarks trials [--data FOLDER] [--json]

The reranker was fitted on the papers of ../shared/data/trials: on those the cross-validated figures
count (`python -m benchmarks.trials.fit_results`), on others these.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from benchmarks.trials import data, measures, numbers


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks trials", description="The trials pipeline on real papers."
    )
    given = os.environ.get("CLINFO_BENCH_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(given) if given else None,
        help="a folder of articles, questions and numbers [$CLINFO_BENCH_DATA]",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object of measures")
    options = parser.parse_args(arguments)
    folder = options.data
    if folder is not None and (folder / "trials").is_dir():
        folder = folder / "trials"
    if folder is None or not folder.is_dir():
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    papers, questions = data.papers(folder), data.questions(folder)
    found: dict[str, float] = {
        "n": len(questions),
        "gold_empty": sum(not one.gold for one in questions),
        "spans_empty": sum(not one.spans for one in questions),
        **measures.span_hits(questions, papers),
        **numbers.measures(folder),
    }
    if options.json:
        print(json.dumps({name: round(value, 4) for name, value in found.items()}))
        return
    print(f"{len(papers):,} papers, {len(questions):,} questions")
    for name, value in found.items():
        if name != "n":
            print(f"{name:24} {value:9.3f}" if value < 10 else f"{name:24} {value:9,.0f}")


if __name__ == "__main__":
    main()
