"""What the trials pipeline finds in real papers.

    python -m benchmarks trials [--data FOLDER] [--json]
        [--model NAME [--method urca] [--record FILE.jsonl] [--limit N] [--only numbers|questions]]

With --model each question of a physician and each row of numbers is a run; each outcome is a line
of the record, and what is in it is not asked again.

The reranker was fitted on the papers of ../shared/data/trials: on those the cross-validated figures
count (`python -m benchmarks.trials.fit_results`), on others these.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from benchmarks.trials import data, measures, numbers
from clinfo.records.trials import Method


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
    parser.add_argument("--model", help="also ask this model")
    parser.add_argument("--method", default="numbers", choices=get_args(Method))
    parser.add_argument(
        "--record", type=Path, default=Path("trials.jsonl"), help="where outcomes are kept"
    )
    parser.add_argument("--limit", type=int, help="ask the model the first N of either kind")
    parser.add_argument("--only", default="", choices=("", "numbers", "questions"))
    options = parser.parse_args(arguments)
    folder = options.data
    if folder is not None and (folder / "trials").is_dir():
        folder = folder / "trials"
    if folder is None or not folder.is_dir():
        parser.error("give --data or CLINFO_BENCH_DATA a folder of articles and questions")
    if options.model:
        from benchmarks.trials.with_model import measured

        asked = (options.model, options.method, options.record, options.limit, options.only)
        _print(measured(folder, *asked), options.json)
        return
    papers, questions = data.papers(folder), data.questions(folder)
    found: dict[str, float] = {
        "n": len(questions),
        "gold_empty": sum(not one.gold for one in questions),
        "spans_empty": sum(not one.spans for one in questions),
        **measures.span_hits(questions, papers),
        **numbers.measures(folder),
    }
    _print(found, options.json)


def _print(found: Mapping[str, float], as_json: bool) -> None:
    if as_json:
        print(json.dumps({name: round(value, 4) for name, value in found.items()}))
        return
    for name, value in found.items():
        print(f"{name:28} {value:9.3f}" if value < 10 else f"{name:28} {value:9,.0f}")


if __name__ == "__main__":
    main()
