"""Sentences of known truth put into records: denied, suspected, of relatives, corrected, present.

A file of templates has a JSON object a line: "template" with {TERM} and perhaps {DATE} and {YEAR},
"takes" (condition or drug), "assertion" (present, history, negated, uncertain, family, corrected,
hypothetical; "historical" and "possible" are other words for two of them), and "also_mentions",
other things that the template names. Of the patients who lack a concept of the
queries, one in `ONE_IN` gets a sentence about it, in one of the patient's notes; which, and which
template, follows from the SHA-256 of their names.

A present or past one makes the patient a member of all sets of what MeSH has the concept below, and
the gold sets are made anew by their logical forms. So that they can be, these are only given for
concepts that MeSH has, that some patient has, and not where a query of order in time would have to
know the days. The sentences are synthetic, as the records are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clinfo.patients.records import Note, Record
from clinfo.terms.closure import ancestors
from clinfo.terms.naming import descriptor_of, known

ONE_IN = 8
AFFIRMING = ("present", "history")
_ALSO_CALLED = {"historical": "history", "possible": "uncertain"}
_TAKES = {"cond": "condition", "med": "drug"}
_NOT_A_TERM = ("history of", "suspected", "body mass")
_HEADING = "\n# History of Present Illness"
Atom = tuple[str, str]
Queries = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Sentence:
    """A sentence put into a note: what it says of the patient's ``atom``, and where."""

    patient: str
    note: str
    atom: Atom
    assertion: str
    text: str


def with_noise(
    records: Sequence[Record], queries: Queries, file: Path
) -> tuple[list[Record], list[dict[str, Any]], list[Sentence]]:
    """The records with sentences in their notes, the queries with the gold that is right then, and
    the sentences.
    """
    templates = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    for one in templates:
        one["assertion"] = _ALSO_CALLED.get(one["assertion"], one["assertion"])
    truth = _Truth(queries)
    made = [one for record in records for one in _sentences(record, templates, truth)]
    by_note: dict[tuple[str, str], list[str]] = {}
    for one in made:
        by_note.setdefault((one.patient, one.note), []).append(one.text)
    noisy = [
        replace(record, notes=tuple(_put(note, by_note) for note in record.notes))
        for record in records
    ]
    return noisy, [{**query, "gold": sorted(truth.gold(query))} for query in queries], made


class _Truth:
    """Who has which concept of the queries, as far as a query of it alone says."""

    def __init__(self, queries: Queries) -> None:
        self.sets: dict[Atom, set[str]] = {
            (form[0], form[1]): set(query["gold"])
            for query in queries
            if (form := query["logical_form"])[0] in _TAKES
        }
        self.named = sorted(
            {atom for query in queries for atom in _atoms(query["logical_form"])} | set(self.sets)
        )
        self.added: dict[Atom, set[str]] = {}
        self._orders = [
            tuple(_atoms(query["logical_form"]))
            for query in queries
            if query["logical_form"][0] == "before"
        ]
        self._above = {atom: _above(atom[1]) for atom in self.named}

    def implied(self, atom: Atom) -> list[Atom]:
        """The concepts of the queries that a patient has who has this one."""
        own = self._above[atom]
        return [
            other for other in self.named
            if other == atom or (own and (above := self._above[other]) and above[0] in own)
        ]  # fmt: skip

    def related(self, atom: Atom) -> list[Atom]:
        """The concepts that imply this one, or that it implies."""
        return [
            other for other in self.named
            if other in self.implied(atom) or atom in self.implied(other)
        ]  # fmt: skip

    def has(self, patient: str, atom: Atom) -> bool:
        """Return whether the patient has a concept, by the records or by a sentence so far."""
        return patient in self.sets.get(atom, ()) or patient in self.added.get(atom, ())

    def may_add(self, patient: str, atom: Atom) -> bool:
        """Return whether the gold sets are known where the patient gets this concept."""
        implied = self.implied(atom)
        return (
            bool(self._above[atom])
            and all(self.sets.get(one, True) for one in implied)
            and not any(
                self.has(patient, other)
                for one in implied
                for order in self._orders
                if one in order
                for other in order
            )
        )

    def gold(self, query: Mapping[str, Any]) -> set[str]:
        """The members of a query with the sentences."""
        form, gold = query["logical_form"], set(query["gold"])
        match form[0]:
            case "cond" | "med":
                return gold | self.added.get((form[0], form[1]), set())
            case "or":
                return gold.union(*(self.added.get((one[0], one[1]), ()) for one in form[1:]))
            case "and":
                return set.intersection(*(self._now(one) for one in form[1:]))
            case "diff":
                return self._now(form[1]) - self._now(form[2])
        return gold

    def _now(self, form: Sequence[str]) -> set[str]:
        atom = (form[0], form[1])
        return self.sets[atom] | self.added.get(atom, set())


def _sentences(
    record: Record, templates: Sequence[Mapping[str, Any]], truth: _Truth
) -> Iterator[Sentence]:
    patient = record.patient
    dated = [note for note in record.notes if note.time]
    for atom in truth.named:
        kind, term = atom
        if _number(patient, kind, term) % ONE_IN or not dated or term.startswith(_NOT_A_TERM):
            continue
        if any(truth.has(patient, one) for one in truth.related(atom)):
            continue
        may_add = truth.may_add(patient, atom)
        fitting = [
            one for one in templates
            if one["takes"] == _TAKES[kind]
            and (may_add or one["assertion"] not in AFFIRMING)
            and not (one["assertion"] == "uncertain" and "covid" in term)
            and not any(other in name for other in one.get("also_mentions", [])
                        for _, name in truth.named)
        ]  # fmt: skip
        if not fitting:
            continue
        template = fitting[_number("template", patient, term) % len(fitting)]
        note = dated[_number("note", patient, term) % len(dated)]
        day = note.time[:10]
        said = (
            str(template["template"])
            .replace("{TERM}", term).replace("{DATE}", day).replace("{YEAR}", day[:4])
        )  # fmt: skip
        if template["assertion"] in AFFIRMING:
            for one in truth.implied(atom):
                truth.added.setdefault(one, set()).add(patient)
        yield Sentence(patient, note.id, atom, template["assertion"], said)


def _put(note: Note, sentences: Mapping[tuple[str, str], list[str]]) -> Note:
    """The note with its sentences, each on a line of its own: the odd ones under the present
    illness, the others at the end.
    """
    text = note.text
    for said in sentences.get((note.patient, note.id), ()):
        start = text.find(_HEADING)
        at = text.find("\n#", start + 1) if start >= 0 and _number(said) % 2 else len(text)
        at = at if at >= 0 else len(text)
        text = f"{text[:at].rstrip()}\n\n{said}\n{text[at:]}"
    return replace(note, text=text)


def outcome(sentences: Sequence[Sentence], found: Mapping[Atom, set[str]]) -> dict[str, float]:
    """By assertion, how many sentences there are and the share read rightly: of those about a
    concept that a query of it alone asks for, whether the patient is a member just where it
    affirms.
    """
    read: dict[str, list[bool]] = {}
    for one in sentences:
        if one.atom in found:
            right = (one.patient in found[one.atom]) == (one.assertion in AFFIRMING)
            read.setdefault(one.assertion, []).append(right)
    told: dict[str, float] = {"noise_sentences": len(sentences)}
    for assertion, rights in sorted(read.items()):
        told[f"noise_{assertion}_asked"] = len(rights)
        told[f"noise_{assertion}_right"] = sum(rights) / len(rights)
    return told


def _atoms(form: Sequence[Any]) -> Iterator[Atom]:
    if form[0] in _TAKES:
        yield form[0], form[1]
    elif form[0] in ("or", "and", "diff", "before"):
        for part in form[1:]:
            yield from _atoms(part)


def _above(name: str) -> tuple[str, ...]:
    """The MeSH identifier of a name, then those of all broader headings; () where it has none."""
    found = descriptor_of(name)
    return () if found is None else (found.ui, *ancestors(found.ui, known()))


def _number(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest()[:6], "big")
