"""The rules of `pubmedrs.build.answering` and of `pubmedrs.build.screening` held against what the
annotators did.

    python -m benchmarks pubmedrs-rules PubMedRS-200.csv

A sentence of results or conclusion counts as kept by the annotators where it stands nearly word for
word in their answer, whole or as its greater part; letters and digits alone are compared, so that
neither markup nor mis-decoded characters decide. Records 1, 3, 5 … of the published file are those
that the rules were made on; 2, 4, 6 … were not looked at.
"""

from __future__ import annotations

import argparse
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import UsageError
from clinfo.text.sentences import sentences
from pubmedrs.build.answering import RULES, Judged, judged, states_finding
from pubmedrs.build.screening import question_in
from pubmedrs.csv_file import decode, read_bytes, read_table

ALIKE = 90.0
"""Similarity (rapidfuzz' partial ratio, 0 to 100) from which a text stands in another nearly word
for word.
"""
GREATER_PART = 0.5
"""Share of a sentence's letters that the annotators must have kept for it to count as kept."""
_COLUMNS = ("Title", "questions", "Results", "Conclusion", "HumanAnswer", "PMID")
_MARKUP = re.compile(r"</?(?:i|b|u|sub|sup|em|strong)\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True)
class Decision:
    """One sentence: the part it stands in, the rule that drops it ("": kept), whether the
    annotators kept it, and whether it states a finding (`states_finding`).
    """

    part: str
    rule: str
    kept: bool
    finding: bool


@dataclass(frozen=True)
class Agreement:
    """Decisions counted. ``dropped_right`` were dropped by rules and annotators, ``kept_right``
    kept by both.

    ``findings_missed`` state a finding, and were kept by the rules and dropped by the annotators.
    """

    records: int
    n: int
    dropped: int
    dropped_right: int
    kept: int
    kept_right: int
    findings_missed: int

    @property
    def missed(self) -> int:
        """Sentences that the annotators dropped and the rules kept."""
        return self.kept - self.kept_right

    @property
    def by_annotators(self) -> int:
        """Sentences that the annotators dropped."""
        return self.dropped_right + self.missed


@dataclass(frozen=True)
class Measured:
    """The results of `measure`: agreement on both halves of the file, by part and by rule, and the
    questions cut from titles.

    ``questions`` are those that the file has, ``exact`` those of them that `question_in` gives
    exactly (white space apart).
    """

    halves: Mapping[str, Agreement]
    parts: Mapping[str, Agreement]
    rules: Mapping[str, Agreement]
    questions: int
    exact: int


def read(path: Path) -> list[dict[str, str]]:
    """The rows of the published CSV as they are. Raises UsageError where the file cannot be read or
    lacks a column.
    """
    table = read_table(decode(read_bytes(path), path.name), path.name)
    if lacking := [name for name in _COLUMNS if name not in table.header]:
        raise UsageError(
            f"{path.name} is not the published PubMedRS-200.csv: it lacks {', '.join(lacking)}"
        )
    return [dict(zip(table.header, row, strict=True)) for row in table.rows]


def measure(rows: Sequence[Mapping[str, str]]) -> Measured:
    """Decisions of the rules and cut questions over all rows that have an answer, or a question."""
    decided = [decisions(row) if row["HumanAnswer"].strip() else [] for row in rows]
    halves = {
        "records 1, 3, 5 … (rules made on them)": decided[0::2],
        "records 2, 4, 6 … (held out)": decided[1::2],
    }
    held_out = decided[1::2]
    asked = [row for row in rows if row["questions"].strip()]
    exact = sum(question_in(row["Title"]) == " ".join(row["questions"].split()) for row in asked)
    return Measured(
        {name: _counted(half) for name, half in halves.items()},
        {
            part: _counted([[one for one in row if one.part == part] for row in held_out])
            for part in ("results", "conclusion")
        },
        {
            name: _counted([[one for one in row if one.rule == name] for row in held_out])
            for name in dict.fromkeys(rule.name for rule in RULES)
        },
        len(asked),
        exact,
    )


def decisions(row: Mapping[str, str]) -> list[Decision]:
    """The rules' decision on each sentence of one row, beside the annotators'."""
    answer = _plain(row["HumanAnswer"])
    whole, parts = _letters(answer), [_letters(part) for part in sentences(answer)]
    found = judged(_plain(row["Results"]), _plain(row["Conclusion"]))
    return [
        Decision(one.part, one.rule, _stands_in(one, whole, parts), states_finding(one.text))
        for one in found
    ]


def _stands_in(sentence: Judged, answer: str, parts: Sequence[str]) -> bool:
    from rapidfuzz import fuzz

    text = _letters(sentence.text)
    if len(text) <= len(answer) and fuzz.partial_ratio(text, answer) >= ALIKE:
        return True
    return any(
        GREATER_PART * len(text) <= len(part) <= len(text)
        and fuzz.partial_ratio(part, text) >= ALIKE
        for part in parts
    )


def _plain(text: str) -> str:
    return html.unescape(_MARKUP.sub("", text))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def _counted(rows: Sequence[Sequence[Decision]]) -> Agreement:
    every = [one for row in rows for one in row]
    dropped = [one for one in every if one.rule]
    kept = [one for one in every if not one.rule]
    right, kept_right = sum(not one.kept for one in dropped), sum(one.kept for one in kept)
    findings = sum(one.finding and not one.kept for one in kept)
    return Agreement(
        sum(bool(row) for row in rows),
        len(every),
        len(dropped),
        right,
        len(kept),
        kept_right,
        findings,
    )


def page(measured: Measured) -> str:
    """Tables in Markdown: precision and recall of dropping and of keeping, each with its
    numbers.
    """
    rows = [*measured.halves.items()]
    rows += [(f"held out, {part} only", found) for part, found in measured.parts.items()]
    lines = [
        "# Rules against the annotators",
        "",
        (
            "A sentence counts as kept by the annotators where it stands nearly word for word in "
            "their answer."
        ),
        "",
        (
            "| sentences | records | n | annotators dropped | dropped: precision | dropped: recall "
            "| kept: precision | kept: recall |"
        ),
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
        *(_row(name, found) for name, found in rows),
        "",
        (
            "To be brief, the annotators also dropped findings; most rules keep findings. Of what "
            "they dropped and the rules "
            "kept, so many sentences hold a figure of an effect, or a word of change or comparison:"
        ),
        "",
        *(
            f"- {name}: {_share(found.findings_missed, found.missed)}"
            for name, found in measured.halves.items()
        ),
        "",
        "Held out, by rule:",
        "",
        "| rule | dropped | of these also by the annotators |",
        "| --- | --: | --: |",
        *(
            f"| {name} | {found.dropped} | {_share(found.dropped_right, found.dropped)} |"
            for name, found in measured.rules.items()
        ),
        "",
        (
            f"Questions cut from titles: {_share(measured.exact, measured.questions)} of the "
            "file's questions exactly."
        ),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, found: Agreement) -> str:
    kept_by_annotators = found.n - found.by_annotators
    cells = (
        _share(found.dropped_right, found.dropped),
        _share(found.dropped_right, found.by_annotators),
        _share(found.kept_right, found.kept),
        _share(found.kept_right, kept_by_annotators),
    )
    return f"| {name} | {found.records} | {found.n} | {found.by_annotators} | {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else "none"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="the published PubMedRS-200.csv")
    print(page(measure(read(parser.parse_args(arguments).file))), end="")


if __name__ == "__main__":
    main()
