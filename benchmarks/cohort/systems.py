"""What each of the three systems finds for the benchmark's queries."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.cohort.consistency import violations
from benchmarks.cohort.given import form_of
from clinfo.patients.records import Record
from clinfo.pipelines.cohort.likeness import Retriever, read
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.stages import COHORT, PROMPTS, READ
from clinfo.pipelines.cohort.store import build, opened
from clinfo.pipelines.cohort.work import embedder_of
from clinfo.records.cohort import CohortRequest
from clinfo.runs.events import CostIncurred
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.settings import load_settings
from clinfo.terms.naming import known


@dataclass(frozen=True)
class Found:
    """By query the members, and all patients that a system gives an order to, best first; and what
    else was counted.
    """

    members: Mapping[str, set[str]]
    ranked: Mapping[str, Sequence[str]]
    counted: Mapping[str, float] = field(default_factory=dict)


def found_by(
    asked: CohortRequest,
    records: Sequence[Record],
    queries: Sequence[Mapping[str, Any]],
    pairs: bool = False,
) -> Found:
    """Return what the system of a request, with its cut or its model, finds over these records;
    with ``pairs`` those made from MeSH are tried too, of the symbolic system.
    """
    with tempfile.TemporaryDirectory() as place:
        build(records, Path(place))
        with opened(Path(place)) as base:
            if asked.system == "symbolic":
                return _symbolic(Index(base, known()), queries, pairs)
            retriever = Retriever(base, embedder_of(load_settings()))
    made: Any = COHORT.assemble(load_settings(), asked)
    budget, clock = made.opened.budget, made.opened.clock  # one for all queries
    recorder = Recorder[RunLog](made.models, budget, clock, 0, RunLog(), lambda _: None)
    reads, prompt = asked.system == "reader", PROMPTS.checked({})[READ.name]
    members, ranked = {}, {}
    for query in queries:
        request = replace(asked, criteria=query["query"])
        kept = retriever.kept(request)
        if reads:
            kept = asyncio.run(read(recorder, prompt, request.criteria, kept))
        members[query["id"]] = {one.patient for one in kept if one.match}
        every = kept if reads else retriever.kept(replace(request, share=1.0, chunks=None))
        ranked[query["id"]] = [one.patient for one in every if one.match]
    calls = {"model_calls": len(recorder.run_log.all(CostIncurred))} if reads else {}
    return Found(members, ranked, {"chunks": len(retriever.chunks), **calls})


def _symbolic(index: Index, queries: Sequence[Mapping[str, Any]], pairs: bool) -> Found:
    """Sets by facts; the more facts speak for a member, the earlier it stands."""
    ids = dict(index.base.execute("SELECT number, id FROM patients"))
    members: dict[str, set[str]] = {}
    ranked: dict[str, list[str]] = {}
    for query in queries:
        found = index.match(form_of(query["logical_form"]))
        facts = {number: len({one.fact for one in found.behind(number)}) for number in found.yes}
        order = sorted(facts, key=lambda number: (-facts[number], ids[number]))
        ranked[query["id"]] = [ids[number] for number in order]
        members[query["id"]] = set(ranked[query["id"]])
    tried, wrong = violations(index, known()) if pairs else (0, [])
    counted = {"generated_pairs": tried, "generated_violations": len(wrong)}
    return Found(members, ranked, counted)
