"""A cohort: its members with the sentences behind each criterion, who is not documented, and how
many are left after each criterion.
"""

from __future__ import annotations

import sqlite3
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from clinfo.pipelines.cohort.form import And, Form
from clinfo.pipelines.cohort.matching import Index, Matched, Rows
from clinfo.pipelines.cohort.query_text import query_text
from clinfo.pipelines.cohort.store import unpacked
from clinfo.text.sentences import sentence_spans

_QUOTES = 3
"""Sentences given for a criterion of one member: the first, the last, and one between."""


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of a note that states a criterion's fact; ``start`` and ``end`` are its code
    points. ``unclear`` where the reader is not sure of what it says.
    """

    note: str
    date: str
    start: int
    end: int
    quote: str
    unclear: bool


def shown(count: int, least: int) -> int | str:
    """A count as it is shown to people who may not see patients: where ``least`` is more than 1,
    the range of so many numbers that it lies in.

    All ranges are alike wide and begin at the same numbers, also those of large counts: of two
    counts, the one within the other, more than one difference below ``least`` is left, or none.
    """
    if least <= 1:
        return count
    low = count // least * least
    return f"{low:,} to {low + least - 1:,}" if low else f"fewer than {least:,}"


def criteria_of(form: Form) -> tuple[Form, ...]:
    """The criteria one by one: what stands under the form's outermost ``and``."""
    return form.parts if isinstance(form, And) else (form,)


class Cohort:
    """The sets of a form, worked out criterion by criterion, and what stands behind each patient.

    ``members``, ``refused`` and ``unknown`` are the patients who match, who do not, and of whom it
    is not documented, by number.
    """

    def __init__(self, index: Index, form: Form) -> None:
        self.index = index
        self.parts = criteria_of(form)
        self.texts = tuple(map(query_text, self.parts))
        self.matched = tuple(map(index.match, self.parts))
        there = index.patients.there
        yes = np.logical_and.reduce([one.yes for one in self.matched]) & there
        no = np.logical_or.reduce([one.no for one in self.matched]) & there
        self.members, self.refused, self.unknown = (
            np.flatnonzero(bits).tolist() for bits in (yes, no, there & ~yes & ~no)
        )
        self._quotes = _Quotes(index)

    @cached_property
    def ids(self) -> dict[int, str]:
        """The patients' ids by number."""
        return dict(self.index.base.execute("SELECT number, id FROM patients"))

    def attrition(self) -> list[dict[str, Any]]:
        """How many match each criterion, and how many all up to it."""
        left = self.index.patients.there
        size = int(left.sum())
        rows: list[dict[str, Any]] = [{"criterion": "all patients", "alone": size, "left": size}]
        for text, one in zip(self.texts, self.matched, strict=True):
            left = left & one.yes
            rows.append({"criterion": text, "alone": int(one.yes.sum()), "left": int(left.sum())})
        return rows

    def counts(self) -> dict[str, int]:
        """How many patients there are, and how many of each of the three values."""
        return {
            "patients": int(self.index.patients.there.sum()), "members": len(self.members),
            "not_matching": len(self.refused), "not_documented": len(self.unknown),
        }  # fmt: skip

    def count(self, part: Form) -> int:
        """How many match a part of the form."""
        return int((self.index.match(part).yes & self.index.patients.there).sum())

    def told(self, number: int) -> dict[str, Any]:
        """A patient's id, with the verdict on each criterion and the sentences behind it."""
        criteria = [
            _criterion(text, one, number, self._quotes)
            for text, one in zip(self.texts, self.matched, strict=True)
        ]
        return {"id": self.ids[number], "criteria": criteria}


def _criterion(text: str, matched: Matched, number: int, quotes: _Quotes) -> dict[str, Any]:
    verdict = (
        "matches" if matched.yes[number]
        else "does not match" if matched.no[number]
        else "not documented"
    )  # fmt: skip
    found = quotes.of(matched.rows(number))
    spans = [
        {"note": one.note, "date": one.date, "start": one.start, "end": one.end, "quote": one.quote}
        for one in found
    ]
    told = {"text": text, "verdict": verdict, "spans": spans}
    unclear = all(one.unclear for one in found)
    basis = ["nothing in the notes affirms it"] if verdict == "matches" and unclear else []
    if found and unclear:
        basis.append("possible: what these sentences say of it is not clear enough to count")
    if basis:
        told["basis"] = "; ".join(basis)
    return told


class _Quotes:
    """The sentences behind rows of facts."""

    def __init__(self, index: Index) -> None:
        self._base, self._until = index.base, index.as_of
        self._note = lru_cache(maxsize=64)(self._read)

    def of(self, rows: Rows) -> list[Span]:
        """The sentences behind some rows, by time, each once."""
        found: dict[tuple[str, int], Span] = {}
        for number in dict.fromkeys(rows):
            patient, sources, unclear = self._base.execute(
                "SELECT patient, sources, certainty = 'unclear' FROM held WHERE number = ?",
                (number,),
            ).fetchone()
            places = list(unpacked(sources))
            for note, start, end in dict.fromkeys([*places[: _QUOTES - 1], places[-1]]):
                span = self._span(patient, note, start, end, bool(unclear))
                if not self._until or span.date[:10] <= self._until:
                    found.setdefault((span.note, span.start), span)
        return sorted(found.values(), key=lambda span: (span.date, span.note, span.start))

    def _span(self, patient: int, note: int, start: int, end: int, unclear: bool) -> Span:
        name, time, text = self._note(patient, note)
        low = text.rfind("\n", 0, start) + 1
        high = text.find("\n", end)
        line = text[low : len(text) if high < 0 else high]
        first, last = next(
            (span for span in sentence_spans(line) if span[0] <= start - low < span[1]),
            (0, len(line)),
        )
        return Span(name, time, low + first, low + last, line[first:last], unclear)

    def _read(self, patient: int, note: int) -> tuple[str, str, str]:
        row: sqlite3.Row = self._base.execute(
            "SELECT id, time, text FROM notes WHERE patient = ? AND number = ?", (patient, note)
        ).fetchone()
        return row[0], row[1], zlib.decompress(row[2]).decode("utf-8", "surrogatepass")
