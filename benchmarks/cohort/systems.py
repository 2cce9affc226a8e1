"""What each of the three systems finds for the benchmark's queries."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.cohort.consistency import violations
from clinfo.patients.records import Record
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.reader import Reader
from clinfo.pipelines.cohort.retriever import SHARE, Retriever
from clinfo.pipelines.cohort.store import build, opened
from clinfo.pipelines.cohort.systems import embedder_of
from clinfo.settings import load_settings
from clinfo.terms.naming import known


@dataclass(frozen=True)
class Asked:
    """Which system is measured: symbolic, retriever or reader; the last two with their cut, the
    last with its model.
    """

    system: str = "symbolic"
    share: float = SHARE
    chunks: int | None = None
    model: str = ""
    max_cost: float | None = None
    pairs: bool = True
    """Whether pairs made from MeSH are tried too, of the symbolic system."""


@dataclass(frozen=True)
class Found:
    """By query the members, and all patients that a system gives an order to, best first; and what
    else was counted.
    """

    members: Mapping[str, set[str]]
    ranked: Mapping[str, Sequence[str]]
    counted: Mapping[str, float] = field(default_factory=dict)


def found_by(
    asked: Asked, records: Sequence[Record], queries: Sequence[Mapping[str, Any]]
) -> Found:
    """What the system finds over these records."""
    with tempfile.TemporaryDirectory() as place:
        build(records, Path(place))
        with opened(Path(place)) as base:
            if asked.system == "symbolic":
                return _symbolic(Index(base, known()), queries, asked.pairs)
            settings = load_settings()
            retriever = Retriever(base, embedder_of(settings))
        reader = None
        if asked.system == "reader":
            reader = Reader(settings, asked.model, asked.max_cost)
        members, ranked = {}, {}
        for query in queries:
            kept = retriever.found(query["query"], asked.share, asked.chunks)
            if reader is not None:
                said = reader.read(query["query"], kept)
                kept = tuple(one for one, verdict in zip(kept, said, strict=True) if verdict.match)
            members[query["id"]] = {one.patient for one in kept}
            everyone = kept if reader is not None else retriever.found(query["query"], 1.0)
            ranked[query["id"]] = [one.patient for one in everyone]
        calls = {"model_calls": reader.usage.calls} if reader is not None else {}
        return Found(members, ranked, {"chunks": len(retriever.chunks), **calls})


def _symbolic(index: Index, queries: Sequence[Mapping[str, Any]], pairs: bool) -> Found:
    """Sets by facts; the more facts speak for a member, the earlier it stands."""
    ids = dict(index.base.execute("SELECT number, id FROM patients"))
    members: dict[str, set[str]] = {}
    ranked: dict[str, list[str]] = {}
    asked_back = 0
    for query in queries:
        form = parse(query["query"], index.concepts)
        asked_back += isinstance(form, NotUnderstood)
        found = None if isinstance(form, NotUnderstood) else index.match(form)
        facts = {number: len(found.rows(number)) for number in found.members} if found else {}
        order = sorted(facts, key=lambda number: (-facts[number], ids[number]))
        ranked[query["id"]] = [ids[number] for number in order]
        members[query["id"]] = set(ranked[query["id"]])
    tried, wrong = violations(index, known()) if pairs else (0, [])
    return Found(
        members, ranked,
        {"asked_back": asked_back, "generated_pairs": tried, "generated_violations": len(wrong)},
    )  # fmt: skip
