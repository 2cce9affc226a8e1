"""How criteria in free words are read, to be judged by reading: no set of patients tells it.

python -m benchmarks.cohort.criteria [--data FOLDER] [--half seen|unseen] [--json]

``criteria.jsonl`` beside this module has criteria as clinicians type them, by a writer who saw no
rule, a line each: what they mean, and whether a form can say that; the half that is not "seen" was
kept from those who wrote rules until it had been read. Prints each with its form or the words that
are asked back, over an index of the shared records, and counts.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

from clinfo.patients.reading import read_records
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.store import build, opened
from clinfo.pipelines.cohort.wording import text_of
from clinfo.terms.naming import known

FILE = Path(__file__).with_name("criteria.jsonl")


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cohort.criteria",
        description="How criteria in free words are read, to be judged by reading.",
    )
    given = os.environ.get("CLINFO_BENCH_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(given) if given else None,
        help="a folder with cohort/patients_notes.jsonl.gz [$CLINFO_BENCH_DATA]",
    )
    parser.add_argument("--half", choices=("seen", "unseen"), help="only this half")
    parser.add_argument("--json", action="store_true", help="one JSON object of counts")
    options = parser.parse_args(arguments)
    if options.data is None or not (options.data / "cohort").is_dir():
        parser.error(
            "give --data or CLINFO_BENCH_DATA a folder with cohort/patients_notes.jsonl.gz"
        )
    rows = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
    rows = [row for row in rows if options.half in (None, row["half"])]
    counts = {"n": len(rows), "answerable": 0, "read": 0, "read_although_no_form_says_it": 0}
    with tempfile.TemporaryDirectory() as place:
        build(list(read_records([options.data / "cohort/patients_notes.jsonl.gz"]).records),
              Path(place))  # fmt: skip
        with opened(Path(place)) as base:
            index = Index(base, known())
            for row in rows:
                form = parse(row["text"], index.concepts)
                read = not isinstance(form, NotUnderstood)
                counts["answerable"] += row["answerable"]
                counts["read"] += read and row["answerable"]
                counts["read_although_no_form_says_it"] += read and not row["answerable"]
                if not options.json:
                    told = (
                        f"asked back: {', '.join(form.words)}"
                        if isinstance(form, NotUnderstood)
                        else text_of(form)
                    )
                    print(f"{row['id']} {row['text']}\n  → {told}\n  meant: {row['meaning']}")
    print(json.dumps(counts) if options.json else "")
    if not options.json:
        for name, value in counts.items():
            print(f"{name:32} {value}")


if __name__ == "__main__":
    main()
