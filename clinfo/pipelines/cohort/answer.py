"""A cohort: its members with the sentences behind each criterion, who is not documented, and how
many are left after each criterion.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.form import And, Form, to_json
from clinfo.pipelines.cohort.matching import Index, Matched, Rows
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.store import opened, unpacked
from clinfo.pipelines.cohort.wording import text_of
from clinfo.terms.naming import known
from clinfo.text.sentences import sentence_spans

SCHEMA = 1
_QUOTES = 3
"""Sentences given for a criterion of one member: the first, the last, and one between."""


class AskedBack(UsageError):
    """Words of the criteria are not understood. ``words`` are they, ``near`` the names that each
    may be a misspelling of: to be offered, never taken.
    """

    def __init__(
        self, words: tuple[str, ...], near: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.words, self.near = words, dict(near or {})
        said = [
            f"{word} (near: {', '.join(self.near[word])})" if self.near.get(word) else word
            for word in words
        ]
        super().__init__(
            "not understood: " + "; ".join(said) + ". Say it in other words, or give --form FILE"
        )


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of a note that states a criterion's fact; ``start`` and ``end`` are its code
    points.
    """

    note: str
    date: str
    start: int
    end: int
    quote: str


def find(
    folder: Path,
    criteria: str = "",
    form: Form | None = None,
    as_of: str = "",
    explain: bool = False,
) -> dict[str, Any]:
    """The cohort of criteria in words, or of a form, as JSON (docs/cohort.md).

    Raises AskedBack where words are not understood, RecordError where there is no index.
    """  # fmt: skip
    with opened(folder) as base:
        index = Index(base, known(), as_of)
        if form is None:
            read = parse(criteria, index.concepts)
            if isinstance(read, NotUnderstood):
                raise AskedBack(read.words, {one: index.concepts.near(one) for one in read.words})
            form = read
        if unknown := index.unknown(form):
            raise AskedBack(unknown)
        return _answer(index, criteria, form, explain)


def criteria_of(form: Form) -> tuple[Form, ...]:
    """The criteria one by one: what stands under the form's outermost ``and``."""
    return form.parts if isinstance(form, And) else (form,)


def _answer(index: Index, criteria: str, form: Form, explain: bool) -> dict[str, Any]:
    parts = criteria_of(form)
    matched = [index.match(part) for part in parts]
    members = sorted(set(matched[0].yes).intersection(*(one.yes for one in matched[1:])))
    refused = set().union(*(one.no for one in matched)) & set(index.patients)
    ids: dict[int, str] = dict(index.base.execute("SELECT number, id FROM patients"))
    unknown = sorted(set(index.patients) - set(members) - refused)
    texts = [text_of(part) for part in parts]
    quotes = _Quotes(index)

    def told(number: int) -> list[dict[str, Any]]:
        return [
            _criterion(text, one, number, quotes) for text, one in zip(texts, matched, strict=True)
        ]

    answer: dict[str, Any] = {
        "schema": SCHEMA,
        "question": criteria,
        "form": to_json(form),
        "text": text_of(form),
        "members": [{"id": ids[number], "criteria": told(number)} for number in members],
        "not_documented": [ids[number] for number in unknown],
        "attrition": _attrition(index, texts, matched),
        "counts": {
            "patients": len(index.patients), "members": len(members),
            "not_matching": len(refused), "not_documented": len(unknown),
        },
        "warnings": _warnings(index),
        "settings": {
            "as_of": index.as_of,
            **dict(index.base.execute("SELECT name, value FROM about WHERE name != 'form'")),
        },
    }  # fmt: skip
    if explain:
        others = sorted(set(index.patients) - set(members))
        answer["others"] = [{"id": ids[number], "criteria": told(number)} for number in others]
    return answer


def _warnings(index: Index) -> list[str]:
    about = dict(index.base.execute("SELECT name, value FROM about WHERE name = 'mesh'"))
    if about["mesh"] == known().name:
        return []
    return [f"the index was made with {about['mesh']}, now there is {known().name}: build it again"]


def _attrition(index: Index, texts: list[str], matched: list[Matched]) -> list[dict[str, Any]]:
    """How many match each criterion, and how many all up to it."""
    left = set(index.patients)
    rows: list[dict[str, Any]] = [
        {"criterion": "all patients", "alone": len(left), "left": len(left)}
    ]
    for text, one in zip(texts, matched, strict=True):
        left &= set(one.yes)
        rows.append({"criterion": text, "alone": len(one.yes), "left": len(left)})
    return rows


def _criterion(text: str, matched: Matched, number: int, quotes: _Quotes) -> dict[str, Any]:
    verdict = (
        "matches" if number in matched.yes
        else "does not match" if number in matched.no
        else "not documented"
    )  # fmt: skip
    rows = matched.yes.get(number) or matched.no.get(number) or ()
    spans = [
        {"note": one.note, "date": one.date, "start": one.start, "end": one.end, "quote": one.quote}
        for one in quotes.of(rows)
    ]
    told = {"text": text, "verdict": verdict, "spans": spans}
    if verdict == "matches" and not spans:
        told["basis"] = "nothing in the notes affirms it"
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
            patient, sources = self._base.execute(
                "SELECT patient, sources FROM held WHERE number = ?", (number,)
            ).fetchone()
            places = list(unpacked(sources))
            for note, start, end in dict.fromkeys([*places[: _QUOTES - 1], places[-1]]):
                span = self._span(patient, note, start, end)
                if not self._until or span.date[:10] <= self._until:
                    found.setdefault((span.note, span.start), span)
        return sorted(found.values(), key=lambda span: (span.date, span.note, span.start))

    def _span(self, patient: int, note: int, start: int, end: int) -> Span:
        name, time, text = self._note(patient, note)
        low = text.rfind("\n", 0, start) + 1
        high = text.find("\n", end)
        line = text[low : len(text) if high < 0 else high]
        first, last = next(
            (span for span in sentence_spans(line) if span[0] <= start - low < span[1]),
            (0, len(line)),
        )
        return Span(name, time, low + first, low + last, line[first:last])

    def _read(self, patient: int, note: int) -> tuple[str, str, str]:
        row: sqlite3.Row = self._base.execute(
            "SELECT id, time, text FROM notes WHERE patient = ? AND number = ?", (patient, note)
        ).fetchone()
        return row[0], row[1], zlib.decompress(row[2]).decode("utf-8", "surrogatepass")
