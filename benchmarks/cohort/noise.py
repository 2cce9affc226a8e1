"""Sentences of known truth put into notes: denied, suspected, of relatives, corrected, present.

A file of templates has a JSON object a line: "template" with {TERM} and perhaps {DATE} and {YEAR},
"takes" (condition or drug) and "assertion" (present, history, negated, uncertain, family,
corrected, hypothetical; "historical" and "possible" are other words for two of them). Of the
patients who lack a concept that a query asks for alone, one in `ONE_IN` is copied with one note and
a sentence about it: the copy is a member just where the sentence affirms, which only sentences do
about concepts that MeSH and some patient have. Which patient, note and template follows from the
SHA-256 of their names. The sentences are synthetic, as the records are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clinfo.patients.records import Record
from clinfo.terms.naming import descriptor_of

ONE_IN = 8
AFFIRMING = ("present", "history")
_ALSO_CALLED = {"historical": "history", "possible": "uncertain"}
_TAKES = {"cond": "condition", "med": "drug"}
_NOT_A_TERM = ("history of", "suspected", "body mass")
_HEADING = "\n# History of Present Illness"


@dataclass(frozen=True)
class Sentence:
    """A sentence about the concept of a query, in the only note of a copied patient's record."""

    query: str
    assertion: str
    text: str
    record: Record


def sentences(
    records: Sequence[Record], queries: Sequence[Mapping[str, Any]], file: Path
) -> Iterator[Sentence]:
    """The copies for the queries of a single concept."""
    templates = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    for one in templates:
        one["assertion"] = _ALSO_CALLED.get(one["assertion"], one["assertion"])
    for query in queries:
        kind, term = (*query["logical_form"], "")[:2]
        if kind not in _TAKES or "same_as" in query or term.startswith(_NOT_A_TERM):
            continue
        known = bool(query["gold"]) and descriptor_of(term) is not None
        fitting = [
            one
            for one in templates
            if one["takes"] == _TAKES[kind] and (known or one["assertion"] not in AFFIRMING)
        ]
        for record in records if fitting else ():
            dated = [note for note in record.notes if note.time]
            hashed = _number(record.patient, kind, term)
            if record.patient in query["gold"] or hashed % ONE_IN or not dated:
                continue
            one = fitting[_number("template", record.patient, term) % len(fitting)]
            note = dated[_number("note", record.patient, term) % len(dated)]
            said = str(one["template"]).replace("{TERM}", term)
            said = said.replace("{DATE}", note.time[:10]).replace("{YEAR}", note.time[:4])
            name = f"{query['id']} {record.patient}"
            copy = replace(note, patient=name, text=_put(note.text, said))
            yield Sentence(query["id"], one["assertion"], said, Record(name, (copy,)))


def _put(text: str, said: str) -> str:
    """The text with a sentence on a line of its own: the odd ones under the present illness, the
    others at the end.
    """
    start = text.find(_HEADING)
    at = text.find("\n#", start + 1) if start >= 0 and _number(said) % 2 else len(text)
    at = at if at >= 0 else len(text)
    return f"{text[:at].rstrip()}\n\n{said}\n{text[at:]}"


def outcome(made: Sequence[Sentence], found: Mapping[str, set[str]]) -> dict[str, float]:
    """By assertion, how many sentences there are and the share read rightly; ``found`` are the
    members by query.
    """
    read: dict[str, list[bool]] = {}
    for one in made:
        right = (one.record.patient in found[one.query]) == (one.assertion in AFFIRMING)
        read.setdefault(one.assertion, []).append(right)
    told: dict[str, float] = {"noise_sentences": len(made)}
    for assertion, rights in sorted(read.items()):
        told[f"noise_{assertion}_asked"] = len(rights)
        told[f"noise_{assertion}_right"] = sum(rights) / len(rights)
    return told


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest()[:6], "big")
