"""Coded entries of FHIR resources against right values by three writers who did not see the reader
(`coded_cases.jsonl`; `coded_cases_second.jsonl` in words of its own, and in the same words those of
a third that the reader had wrong), and what chart, overview and cohort make of them.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clinfo.patients.coded import said_of
from clinfo.patients.coded_texts import coded_texts
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.overview import overview
from clinfo.patients.reading import read_records
from clinfo.patients.records import CodedEntry, Record
from clinfo.pipelines.chart.note_reading import read_coded
from clinfo.pipelines.cohort.coded import coded_facts

Json = dict[str, Any]
CASES, SECOND, THIRD = (
    [json.loads(line) for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()]
    for name in ("coded_cases.jsonl", "coded_cases_second.jsonl", "coded_cases_third.jsonl")
)
OF_PATIENT = ("21112-8", "46098-0")
LEFT = ("report", "consent")
UNASKED = ("encounter", "goal")


def read(resources: list[Json], folder: Path) -> Record:
    bundle = {"resourceType": "Bundle", "entry": [{"resource": one} for one in resources]}
    path = folder / "bundle.json"
    path.write_text(json.dumps(bundle), "utf-8")
    records = read_records([path]).records
    own = [one for one in records if one.patient == "p" or len(records) == 1]
    return own[0] if own else Record("p")


def unlike(case: Json, entries: list[CodedEntry]) -> Iterator[object]:
    """Yield what is wanted and not there, and what is there and not wanted."""
    for wanted in case["right"]:
        fits = [
            entry
            for entry in entries
            if all(name == "start" or getattr(entry, name) == wanted[name] for name in wanted)
            and entry.start[: len(wanted.get("start", ""))] == wanted.get("start", "")
        ]  # fmt: skip
        if fits:
            entries.remove(fits[0])
        else:
            yield case["id"], wanted
    yield from ((case["id"], entry) for entry in entries)


def test_entries_are_what_a_careful_reader_writes_down(tmp_path: Path) -> None:
    wrong: list[object] = []
    for case in CASES:
        kept = [one for one in read(case["resources"], tmp_path).entries if one.kind != "encounter"]
        wrong += unlike(case, kept)
    assert not wrong


def fits(entry: CodedEntry, wanted: Json, accept: Json) -> bool:
    """Return whether an entry says what the second writer wants, in that writer's words."""
    kind = "family" if entry.standing == "family" else entry.kind
    said = {"negative": "negated", "unclear": "uncertain"}.get(entry.polarity, entry.standing)
    said = "present" if said == "family" else said
    said = "uncertain" if said == "planned" != wanted.get("standing") else said
    words = said_of(entry, names)
    said = words if words in ("negated", wanted.get("standing")) else said
    own = {"kind": kind, "text": entry.text, "code": entry.code, "system": entry.system,
           "standing": said, "unit": entry.unit, "comparator": entry.comparator}  # fmt: skip
    if entry.polarity != "negative" or len(entry.value.split()) > 1:  # else "Negative" and the like
        written = f"{entry.comparator}{entry.value} {entry.unit}".strip()
        own["value"] = entry.value if wanted.get("value") != written else written
    known = {*wanted.get("codes", ()), *accept.get("code", ())}
    return entry.start.startswith(wanted.get("start", "")) and all(
        plain(value) in map(plain, (wanted[name], *accept.get(name, ())))
        or (name == "code" and value in known)
        or (name == "text" and wanted[name] is None and not entry.named)
        for name, value in own.items()
        if name in wanted
    )


def names(text: str) -> tuple[Mention, ...]:
    return find_mentions(text, standard())


def plain(value: object) -> object:
    """A value as it is compared: numbers by size, words without their case."""
    try:
        return float(str(value))
    except ValueError:
        return str(value).lower()


@pytest.mark.parametrize("table", [SECOND, THIRD], ids=["second", "third"])
def test_entries_are_what_another_careful_reader_writes_down(
    table: list[Json], tmp_path: Path
) -> None:
    """What a test without a value is, and what the parts of a test of genes are, is left open."""
    wrong: list[object] = []
    for case in table:
        entries = read(case["resources"], tmp_path).entries
        found: list[list[object]] = []
        for right in (case["right"], *case.get("also_right", ())):
            left = [one for one in entries if one.code not in OF_PATIENT]
            missing = list[object]()
            wanted = [one for one in right if one["kind"] not in LEFT and "about" not in one]
            wanted += [{"kind": "condition", "text": text} for one in right
                       for text in one.get("findings", ())]  # fmt: skip
            for one in wanted:
                good = [each for each in left if fits(each, one, case.get("accept", {}))]
                left.remove(good[0]) if good else missing.append(one)
            gene = any("gene" in one for one in wanted)
            left = [e for e in left if e.kind not in UNASKED and (e.value or e.polarity)]
            found.append([*missing, *(() if gene else left)])
        wrong += [] if [] in found else [(case["id"], *found[0])]
    assert not wrong


@pytest.mark.parametrize("seed", range(20))
def test_chart_overview_and_cohort_agree_on_a_record(seed: int, tmp_path: Path) -> None:
    """Ten bundles a seed, each of twelve cases: what one shows as so the others do not deny."""
    chance = random.Random(seed)
    for _ in range(10):
        cases = chance.sample([*CASES, *SECOND, *THIRD], 12)
        record = read([one for case in cases for one in case["resources"]], tmp_path)
        shown = overview(record, names)
        texts = coded_texts(record.entries)
        charted = {
            line.entry: {
                one.assertion
                for one in read_coded(lines, note.text, standard()).mentions
                if line.start <= one.start < line.end
            }
            for note in texts.notes
            for lines in [texts.lines[note.id]]
            for line in lines
        }
        stated = {(fact.source.note, fact.source.start): fact for fact in coded_facts(record)[1]}
        lines = {(line.note, line.start): line for own in texts.lines.values() for line in own}
        for entry, assertions in charted.items():
            assert assertions <= {said_of(entry, names)}
        for place, fact in stated.items():
            entry = lines[place].entry
            if fact.kind not in ("age", "sex", "observation"):
                said = said_of(entry, names)
                assert (fact.negated, fact.subject == "family") == (
                    said == "negated",
                    said == "family",
                )
        for kept in (*shown.medications, *shown.allergies):
            assert said_of(kept, names) not in ("negated", "family")
        for values in shown.values.values():
            assert all(charted.get(one) is not None for one in values)
