"""Measures what is found and read of the numbers that trials report of each arm.

Gold are rows of intervention, comparator and outcome with the numbers of both arms; only complete
rows whose paper is in the folder count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from benchmarks.trials.data import rows
from clinfo.evidence.meta_analysis.values import Direction
from clinfo.pipelines.trials.effects import comparison, direction_of, effect
from clinfo.pipelines.trials.quoting import chosen, pieces
from clinfo.pipelines.trials.records import (
    ArmNumbers,
    Number,
    NumbersKind,
    StudyNumbers,
    TrialsRequest,
)
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Asked, Document
from clinfo.retrieval.readers.jats import read_jats
from clinfo.retrieval.rerankers.results import ResultReranker

_FIELDS: Mapping[NumbersKind, tuple[tuple[str, str], ...]] = {
    "binary": (("events", "events"), ("total", "group_size")),
    "continuous": (("mean", "mean"), ("sd", "standard_deviation"), ("total", "group_size")),
}
_NUMBER = re.compile(r"\d{1,3}(?:[\s\u2009\u202f]\d{3})+(?![\d.])|\d[\d,]*\.?\d*|\.\d+")
_ABSTRACT = re.compile(r"(?s)\s*(<abstract.*?</abstract>)(.*)")


@dataclass(frozen=True)
class Row:
    """A complete row: what is asked, and the gold numbers by arm and field, as written."""

    paper: str
    asked: Asked
    kind: NumbersKind
    gold: Mapping[tuple[str, str], str]

    @property
    def empty(self) -> bool:
        """Return whether a gold number is missing, or is none."""
        return any(_value(one) is None for one in self.gold.values())

    @property
    def direction(self) -> Direction | None:
        """The side on which the gold numbers' 95 % interval lies; None where there is none."""

        def arm(name: str) -> ArmNumbers:
            values = {field: _value(self.gold[name, field]) for field, _ in _FIELDS[self.kind]}
            made: dict[str, Any] = {
                field: Number(value or 0.0, "", "", 0, 0) for field, value in values.items()
            }
            return replace(ArmNumbers(), **made)

        numbers = StudyNumbers(self.kind, arm("intervention"), arm("comparator"))
        found = effect(comparison("", numbers, None))
        return direction_of(found) if found else None


def number_papers(folder: Path) -> dict[str, Document]:
    """The papers whose abstract and results are given, by PMC number."""
    raws = number_files(folder)
    return {paper: read_jats(raw, f"PMC{paper}") for paper, raw in raws.items()}


def number_files(folder: Path) -> dict[str, bytes]:
    """JATS of the papers whose abstract and results are given as fragments, by PMC number."""
    found = {}
    for row in rows(folder, "number_texts"):
        split = _ABSTRACT.match(row["xml"])
        abstract, body = (split[1], split[2]) if split else ("", row["xml"])
        found[str(row["pmcid"])] = (
            f"<article><front><article-meta><title-group><article-title>{escape(row['title'])}"
            f"</article-title></title-group>{abstract}</article-meta></front><body>{body}</body>"
            "</article>"
        ).encode()
    return found


def number_rows(folder: Path) -> list[Row]:
    """The complete rows with text, in the file's order."""
    return [
        Row(
            str(row["pmcid"]),
            Asked("", row["outcome"], row["intervention"], row["comparator"]),
            row["outcome_type"],
            {
                (arm, field): str(row[f"{arm}_{name}"])
                for arm in ("intervention", "comparator")
                for field, name in _FIELDS[row["outcome_type"]]
            },
        )
        for row in rows(folder, "numbers")
        if row["is_data_complete"] == "TRUE" and row["text_included"]
    ]


def measures(folder: Path) -> dict[str, float | int]:
    """By kind the rows, those whose numbers are all in what a model is given to read, and those
    whose numbers stand in the text at all. Rows whose gold is empty are counted
    (`numbers_gold_empty`) and not measured.

    Raises UsageError where the folder's files cannot be read.
    """
    papers = number_papers(folder)
    every = [row for row in number_rows(folder) if row.paper in papers]
    counts: Counter[str] = Counter()
    request, ranks = TrialsRequest("", ()), ResultReranker()
    cut = {name: by_section(paper) for name, paper in papers.items()}
    for row in every:
        if row.empty:
            continue
        paper = papers[row.paper]
        wanted = {_plain(value) for value in row.gold.values()}
        passages = [one for one, _ in chosen(request, row.asked, {paper.id: cut[row.paper]}, ranks)]
        read = pieces(passages, {paper.id: paper})
        within = set().union(*(set(_numbers(one.text)) for one in read))
        counts[f"rows_{row.kind}"] += 1
        counts[f"rows_found_{row.kind}"] += wanted <= within
        counts[f"rows_in_text_{row.kind}"] += wanted <= set(_numbers(paper.text))
    result: dict[str, float | int] = {
        "number_rows": len(every),
        "numbers_gold_empty": sum(row.empty for row in every),
    }
    for kind in _FIELDS:
        whole = counts[f"rows_{kind}"]
        result[f"rows_{kind}"] = whole
        for name in (f"rows_found_{kind}", f"rows_in_text_{kind}"):
            result[name] = counts[name] / max(1, whole)
    return result


def compared(row: Row, read: StudyNumbers | None) -> tuple[int, int]:
    """Count the numbers given, and how many of them are right; none of the wrong kind is."""
    if read is None:
        return 0, 0
    given = right = 0
    for arm in ("intervention", "comparator"):
        for field, _ in _FIELDS[read.kind]:
            number = getattr(getattr(read, arm), field)
            given += number is not None
            right += (
                number is not None
                and read.kind == row.kind
                and is_same(number, row.gold[arm, field])
            )
    return given, right


def is_same(number: Number, gold: str) -> bool:
    """Return whether a number is the gold one; one that was derived, to the gold one's decimals."""
    plain, value = _bare(gold), _value(gold)
    if value is None:
        return False
    if abs(number.value - value) < 1e-9:
        return True
    decimals = len(plain.split(".")[1]) if "." in plain else 0
    return bool(number.derived) and abs(round(number.value, decimals) - value) < 1e-9


def _bare(gold: str) -> str:
    return gold.replace(",", "").replace("−", "-").strip()


def _value(gold: str) -> float | None:
    try:
        return float(_bare(gold))
    except ValueError:
        return None


def _plain(gold: str) -> str:
    return f"{abs(float(_bare(gold))):g}"


def _numbers(text: str) -> Iterator[str]:
    """The numbers of a text without signs and marks of thousands, as both readings of "10 218"."""
    for found in _NUMBER.finditer(text.replace("·", ".")):
        for written in {found[0], *found[0].split()}:
            if digits := re.sub(r"[,\s]", "", written).strip("."):
                yield f"{float(digits):g}"
