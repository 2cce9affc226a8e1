"""The set that the chart pipeline is measured on: questions about patients, the notes that answer
them, and notes with more sentences put in (noise).

A question is ``{"id", "patient", "kind", "question", "gold_encounters"}``. A noise template is
``{"template": "Denies {TERM}.", "takes", "assertion"}``: a sentence about the term of a question,
put into a note that does not answer it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.patients.reading import read_records
from clinfo.patients.records import Note, Record
from clinfo.text.words import key

NOTES = "patients_notes.jsonl.gz"
NOISED = 3
"""Notes of a question that do not answer it and that get a sentence of noise each."""
TAKES = {"diagnosed": ("condition", "either"), "prescribed": ("drug", "medication", "either")}
"""The terms that a template may take, by the kind of question; of other kinds "either"."""


@dataclass(frozen=True)
class Question:
    """A question; ``gold`` are the notes that answer it, ``term`` what it is recorded as."""

    id: str
    patient: str
    kind: str
    text: str
    gold: frozenset[str]
    term: str


def digest(*parts: str) -> int:
    """A number made of texts, the same in every process."""
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:8])


def in_development(patient: str) -> bool:
    """Return whether a patient may be looked at and fitted on; the others are reported."""
    return int(hashlib.sha256(patient.encode()).hexdigest(), 16) % 2 == 0


def records(folder: Path) -> dict[str, Record]:
    """The records by patient, of the folder or of one beside it."""
    for path in (folder / NOTES, *sorted(folder.parent.glob(f"*/{NOTES}"))):
        if path.is_file():
            return {one.patient: one for one in read_records([path]).records}
    raise UsageError(f"{folder}: no {NOTES}, nor in a folder beside it")


def questions(
    folder: Path, known: Mapping[str, Record], worded: Path | None = None
) -> list[Question]:
    """The questions of the folder; with ``worded`` those of another file, which may give
    ``question`` anew by ``id``.
    """
    rows = _rows(folder / "record_questions.json")
    if worded is not None:
        by_id = {row["id"]: row for row in rows}
        rows = [
            {**by_id.get(str(row.get("of") or row.get("id")), {}), **row} for row in _rows(worded)
        ]
        rows = [row for row in rows if {"patient", "question", "gold_encounters"} <= set(row)]
    recorded = {row["id"]: row["question"] for row in _rows(folder / "record_questions.json")}
    found = []
    for row in rows:
        if row["patient"] not in known:
            continue
        notes = known[row["patient"]].notes
        gold = [note for note in notes if note.visit in set(row["gold_encounters"] or ())]
        asked = recorded.get(str(row.get("of") or row["id"]), row["question"])
        term = row.get("term") or term_of(asked, [note.text for note in gold])
        ids = frozenset(note.id for note in gold)
        found.append(
            Question(row["id"], row["patient"], row.get("kind", ""), row["question"], ids, term)
        )
    return found


def term_of(question: str, texts: Sequence[str]) -> str:
    """The longest run of words of a question that stands in all of the texts, "" where none."""
    said, held = question.replace("?", " ").split(), [f" {key(text)} " for text in texts]
    for length in range(len(said), 0, -1):
        for start in range(len(said) - length + 1):
            run = " ".join(said[start : start + length]).strip(" ,.:;")
            if len(run) > 3 and held and all(f" {key(run)} " in text for text in held):
                return run
    return ""


def noised(
    known: Mapping[str, Record], asked: Sequence[Question], templates: Sequence[Mapping[str, Any]]
) -> dict[str, Record]:
    """The records with sentences about the questions' terms in notes that do not answer them.

    Which templates and notes, goes by sha256: the same in every process.
    """
    added: dict[str, list[str]] = {}
    for one in asked:
        fitting = [row for row in templates if row["takes"] in TAKES.get(one.kind, ("either",))]
        if not one.term or not fitting:
            continue
        others = [note for note in known[one.patient].notes if note.id not in one.gold]
        others.sort(key=lambda note, one=one: digest(one.patient, one.term, note.id))  # type: ignore[misc]
        for note in others[:NOISED]:
            row = fitting[digest(one.patient, one.term, note.id, "template") % len(fitting)]
            sentence = row["template"].replace("{TERM}", one.term)
            own = added.setdefault(note.id, [])
            if sentence not in own:
                own.append(sentence)
    return {
        patient: replace(
            record, notes=tuple(_with(note, added.get(note.id, ())) for note in record.notes)
        )
        for patient, record in known.items()
    }


def _with(note: Note, sentences: Iterable[str]) -> Note:
    """A note with sentences at the end of its history, or at its end where it has none."""
    lines = list(sentences)
    if not lines:
        return note
    mark = note.text.find("\n# Social History")
    at = mark if mark >= 0 else len(note.text)
    return replace(note, text="\n".join([note.text[:at].rstrip("\n"), *lines, note.text[at:]]))


def templates(path: Path) -> list[dict[str, Any]]:
    """The noise templates of a file of JSON lines; those that state the term as the patient's own
    and present are left out, since a note with one would answer too.
    """
    rows = (row for row in _rows(path) if "{TERM}" in str(row.get("template", "")))
    return [row for row in rows if row.get("assertion") != "present"]


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        rows: list[dict[str, Any]] = json.loads(text)
        return rows
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
