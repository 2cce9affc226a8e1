"""The reading of notes against labels: what is said of each concept.

``--noise FILE`` holds templates of sentences, ``{"template" with {TERM}, "takes", "assertion"}``;
``--labels FILE`` concepts within texts of CSV files of ``--texts FOLDER``, ``{"file", "row",
"column", "start", "end", "assertion"}`` with offsets in code points; ``--sentences FILE``
``{"text", "start", "end", "assertion"}``. All are JSON lines. Labels of other names are read as
`SAME` says.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon, standard

KINDS = ("negated", "family", "history", "uncertain", "present")
TOGETHER = ("negated", "family")
"""Whose micro F1 the issue asks for."""
NOT_FOUND = "not found"
SAME = {
    "historical": "history",
    "possible": "uncertain",
    "hypothetical": "uncertain",
    "other": "family",
    "corrected": "negated",
}
TERMS = {"drug": ("metformin", "lisinopril", "warfarin")}
OTHER_TERMS = ("asthma", "migraine", "osteoarthritis")

Pairs = Counter[tuple[str, str]]
"""Counts of labels by what they were read as."""


def of_templates(path: Path, lexicon: Lexicon) -> Pairs:
    """Each template with three terms in its place."""
    pairs: Pairs = Counter()
    for row in _rows(path):
        at = row["template"].index("{TERM}")
        for term in TERMS.get(row["takes"], OTHER_TERMS):
            text = row["template"].replace("{TERM}", term)
            pairs[_label(row), _read(text, at, at + len(term), lexicon)] += 1
    return pairs


def of_labels(path: Path, folder: Path, lexicon: Lexicon) -> Pairs:
    """Each labelled concept; one that no dictionary names is read as `NOT_FOUND`."""

    @cache
    def table(name: str) -> list[dict[str, str]]:
        with (folder / name).open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    return Counter(
        (
            _label(row),
            _read(table(row["file"])[row["row"]][row["column"]], row["start"], row["end"], lexicon),
        )
        for row in _rows(path)
    )


def of_sentences(path: Path, lexicon: Lexicon) -> Pairs:
    """Each labelled concept of a sentence; one that no dictionary names is read as `NOT_FOUND`."""
    return Counter(
        (_label(row), _read(row["text"], row["start"], row["end"], lexicon)) for row in _rows(path)
    )


def f1(pairs: Pairs, kinds: tuple[str, ...]) -> float:
    """Micro F1 of ``kinds``; 0 where there is nothing to find."""
    right = sum(pairs[kind, kind] for kind in kinds)
    wrong = sum(n for (want, got), n in pairs.items() if want != got and got in kinds)
    missed = sum(n for (want, got), n in pairs.items() if want != got and want in kinds)
    return 2 * right / max(1, 2 * right + wrong + missed)


def _label(row: dict[str, Any]) -> str:
    said: str = row["assertion"]
    return SAME.get(said, said)


def _read(text: str, start: int, end: int, lexicon: Lexicon) -> str:
    over = (one for one in find_mentions(text, lexicon) if one.start < end and one.end > start)
    return next((one.assertion for one in over), NOT_FOUND)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def main() -> None:
    parser = argparse.ArgumentParser(description="Assertion of what notes name, against labels.")
    parser.add_argument("--noise", type=Path, help="templates")
    parser.add_argument("--labels", type=Path, help="concepts within texts")
    parser.add_argument("--texts", type=Path, help="the folder of their CSV files")
    parser.add_argument("--sentences", type=Path, help="concepts within sentences")
    given = parser.parse_args()
    if not given.noise and not given.sentences and not (given.labels and given.texts):
        parser.error("give --noise, --sentences, or --labels with --texts")
    lexicon = standard()
    sets = {"noise": of_templates(given.noise, lexicon)} if given.noise else {}
    if given.labels and given.texts:
        sets["labels"] = of_labels(given.labels, given.texts, lexicon)
    if given.sentences:
        sets["sentences"] = of_sentences(given.sentences, lexicon)
    for name, pairs in sets.items():
        found = {kind: round(f1(pairs, (kind,)), 3) for kind in KINDS}
        missed = sum(n for (_, got), n in pairs.items() if got == NOT_FOUND)
        both = round(f1(pairs, TOGETHER), 3)
        print(
            json.dumps({"set": name, "n": pairs.total(), "negated_family": both} | found),
            f"({missed} not found)",
        )


if __name__ == "__main__":
    main()
