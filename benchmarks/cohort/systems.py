"""What each of the three systems finds for the benchmark's queries."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.cohort.consistency import violations
from benchmarks.cohort.given import form_of
from clinfo.patients.records import Record
from clinfo.pipelines.cohort.declared import assemble, embedder_of
from clinfo.pipelines.cohort.likeness import Retriever, read
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.stages import PROMPTS, READ
from clinfo.pipelines.cohort.store import build, opened
from clinfo.records.cohort import SHARE, CohortRequest
from clinfo.runs.events import CostIncurred
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.settings import load_settings
from clinfo.terms.naming import known


@dataclass(frozen=True)
class Asked:
    """Which system is measured: symbolic (the given forms), retriever with its cut, or reader with
    its pieces of each patient and its model.
    """

    system: str = "symbolic"
    share: float = SHARE
    chunks: int | None = None
    pieces: int = 12
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
    """Return what the system finds over these records."""
    with tempfile.TemporaryDirectory() as place:
        build(records, Path(place))
        with opened(Path(place)) as base:
            if asked.system == "symbolic":
                return _symbolic(Index(base, known()), queries, asked.pairs)
            retriever = Retriever(base, embedder_of(load_settings()))
        reader = _reader(asked, place) if asked.system == "reader" else None
        members, ranked = {}, {}
        for query in queries:
            kept = retriever.found(query["query"], asked.share, asked.chunks)
            if reader is not None:
                kept = retriever.of_each(query["query"], asked.pieces)
                prompt = PROMPTS.checked({})[READ.name]
                said = asyncio.run(read(reader, prompt, query["query"], kept))
                kept = tuple(one for one, verdict in zip(kept, said, strict=True) if verdict.match)
            members[query["id"]] = {one.patient for one in kept}
            everyone = kept if reader is not None else retriever.found(query["query"], 1.0)
            ranked[query["id"]] = [one.patient for one in everyone]
        calls = {"model_calls": len(reader.run_log.all(CostIncurred))} if reader is not None else {}
        return Found(members, ranked, {"chunks": len(retriever.chunks), **calls})


def _reader(asked: Asked, index: str) -> Recorder[RunLog]:
    """Return what asks the model for all queries, within one budget."""
    request = CohortRequest(
        index, "every", system="reader", models={READ.name: asked.model}, max_cost=asked.max_cost
    )
    made = assemble(load_settings(), request)
    return Recorder(made.models, made.opened.budget, made.opened.clock, 0, RunLog(), lambda _: None)


def _symbolic(index: Index, queries: Sequence[Mapping[str, Any]], pairs: bool) -> Found:
    """Sets by facts; the more facts speak for a member, the earlier it stands."""
    ids = dict(index.base.execute("SELECT number, id FROM patients"))
    members: dict[str, set[str]] = {}
    ranked: dict[str, list[str]] = {}
    for query in queries:
        found = index.match(form_of(query["logical_form"]))
        facts = {number: len(found.rows(number)) for number in found.members}
        order = sorted(facts, key=lambda number: (-facts[number], ids[number]))
        ranked[query["id"]] = [ids[number] for number in order]
        members[query["id"]] = set(ranked[query["id"]])
    tried, wrong = violations(index, known()) if pairs else (0, [])
    counted = {"generated_pairs": tried, "generated_violations": len(wrong)}
    return Found(members, ranked, counted)
