"""Whether a name and other words for it find the same patients, by a writer who saw no rule.

python -m benchmarks.cohort.paraphrases [--file FILE] [--half seen|unseen] [--json] [--show]

``paraphrases.jsonl`` beside this module has a name of a condition, drug or procedure as synthetic
records (Synthea) write it and other words for it a line; the half that is not "seen" was kept from
those who wrote rules and names until it had been measured. For each name a patient is made, with a
note in the records' shape. F1 of the set that the other words find against the set of the name, of
all these patients; what is asked back counts as 0. The notes are synthetic.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clinfo.patients.records import Note, Record
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.store import build, opened
from clinfo.pipelines.cohort.wording import text_of
from clinfo.terms.naming import known

FILE = Path(__file__).with_name("paraphrases.jsonl")
LED = {
    "condition": "patients with ", "drug": "patients prescribed ", "procedure": "patients who had ",
}  # fmt: skip
_STATED = {
    "condition": "Patient is presenting with {} (disorder).\n\n\n## Plan\n",
    "drug": "\n\n## Plan\n\nThe patient was prescribed the following medications:\n- {}\n",
    "procedure": "\n\n## Plan\n\nThe following procedures were conducted:\n- {} (procedure)\n",
}
_NOTE = (
    "# History of Present Illness\nAda12\n is a 40 year-old non-hispanic white female.\n\n"
    "# Medications\nNo Active Medications.\n\n# Assessment and Plan\n{}"
)
Row = dict[str, Any]


def records(rows: Sequence[Row]) -> list[Record]:
    """A patient for each row, of whom one note states its name."""
    return [
        Record(
            row["id"],
            (Note(row["id"], row["id"], _NOTE.format(_STATED[row["kind"]].format(row["name"])),
                  "2010-05-23"),),
        )
        for row in rows
    ]  # fmt: skip


def measured(rows: Sequence[Row]) -> list[tuple[Row, float, str]]:
    """Each row with its F1 and how its words were read, "?" before those that are asked back."""
    with tempfile.TemporaryDirectory() as place:
        build(records(rows), Path(place))
        with opened(Path(place)) as base:
            index = Index(base, known())
            numbers = dict(base.execute("SELECT id, number FROM patients"))

            def found(row: Row, words: str) -> tuple[set[int], str]:
                form = parse(LED[row["kind"]] + words, index.concepts)
                if isinstance(form, NotUnderstood):
                    return set(), f"? {', '.join(form.words)}"
                return set(index.match(form).members), text_of(form)

            told = []
            for row in rows:
                gold = found(row, f'"{row["name"]}"')[0] | {numbers[row["id"]]}
                got, read = found(row, row["text"])
                told.append((row, 2 * len(gold & got) / (len(gold) + len(got)), read))
            return told


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cohort.paraphrases",
        description="Whether a name and other words for it find the same patients.",
    )
    parser.add_argument("--file", type=Path, default=FILE, help="other rows of that shape")
    parser.add_argument("--half", choices=("seen", "unseen"), help="only this half")
    parser.add_argument("--json", action="store_true", help="one JSON object of measures")
    parser.add_argument("--show", action="store_true", help="what is not found the same, too")
    options = parser.parse_args(arguments)
    rows = [json.loads(line) for line in options.file.read_text("utf-8").splitlines() if line]
    rows = [row for row in rows if not options.half or row["half"] == options.half]
    if not rows:
        parser.error(f"{options.file} has no rows of that half")
    told = measured(rows)
    counts = {
        "n": len(told),
        "f1": round(sum(f1 for _, f1, _ in told) / len(told), 4),
        "asked_back": sum(read.startswith("?") for _, _, read in told),
        "read_and_nobody_found": sum(f1 == 0 and not read.startswith("?") for _, f1, read in told),
    }
    if options.show:
        for row, f1, read in told:
            if f1 < 1:
                print(f"{f1:.2f} {row['name']} | {row['text']} → {read}")
    if options.json:
        print(json.dumps(counts))
        return
    for name, value in counts.items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
