"""Quality of what needs no model, on real questions and records: retrieval, integrity, the guard,
and what becomes of a judge's verdicts.

    python -m benchmarks quality [--only retrieval|integrity|guard|claims] [--data FOLDER] [--json]

Needs the folder of real data: --data, else $CLINFO_BENCH_DATA, else ``shared/data`` beside the
checkout; without one it ends with status 2.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from pathlib import Path

from benchmarks import flags
from benchmarks.own.scores import DATA

PARTS = ("retrieval", "integrity", "guard", "claims")
"""Modules of this package."""
WITH_JSON = ("integrity", "claims")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks quality", description="Quality on real data."
    )
    flags.add(
        parser,
        {
            "--only": {"choices": PARTS, "help": "one of them"},
            "--data": {
                "type": Path,
                "default": Path(os.environ.get("CLINFO_BENCH_DATA") or DATA),
                "help": "[$CLINFO_BENCH_DATA]",
            },
            "--json": {
                "action": "store_true",
                "help": f"one JSON object of measures; with --only {', '.join(WITH_JSON)}",
            },
        },
    )
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        parser.error(
            f"there is no folder {options.data}: give --data or CLINFO_BENCH_DATA a folder shaped "
            "like shared/data"
        )
    if options.json and options.only not in WITH_JSON:
        parser.error(f"--json goes with --only {', '.join(WITH_JSON)}")
    for name in [options.only] if options.only else PARTS:
        own = ["--json"] if options.json else []
        import_module(f"benchmarks.own.{name}").main(["--data", str(options.data), *own])
