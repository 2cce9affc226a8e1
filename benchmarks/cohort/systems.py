"""The sets that each of the three systems finds for the benchmark's queries, and the forms that a
model puts their words into. Each of its runs is recorded in a folder of its own, so that what was
paid for is not asked again.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import clinfo
from benchmarks.cohort.consistency import violations
from benchmarks.cohort.given import form_of, same
from benchmarks.cohort.likeness import SHARE, Reader, Retriever, embedder_of
from clinfo.errors import ClinfoError, RecordError, UsageError
from clinfo.patients.records import Record
from clinfo.pipelines.cohort.form import from_json
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.store import build, opened
from clinfo.settings import load_settings
from clinfo.terms.naming import known

PIECES = 12
"""Chunks of each patient that the reader is shown."""


@dataclass(frozen=True)
class Found:
    """The members by query, and what else was counted."""

    members: Mapping[str, set[str]]
    counted: Mapping[str, float] = field(default_factory=dict)


def found_by_facts(
    records: Sequence[Record], queries: Sequence[Mapping[str, Any]], pairs: bool = False
) -> Found:
    """Return what the product's system, the symbolic one, finds of the given forms over these
    records; with ``pairs`` those made from MeSH are tried too.
    """
    with _indexed(records) as base:
        index = Index(base, known())
        members = {
            query["id"]: {index.patients[one].id for one in index.match(form).yes}
            for query in queries
            for form in (form_of(query["logical_form"]),)
        }
        tried, wrong = violations(index, known()) if pairs else (0, [])
    return Found(members, {"generated_pairs": tried, "generated_violations": len(wrong)})


def found_by_likeness(
    records: Sequence[Record],
    queries: Sequence[Mapping[str, Any]],
    share: float = SHARE,
    chunks: int | None = None,
) -> Found:
    """Return what the retriever finds by so many chunks, or such a share of all."""
    with _indexed(records) as base:
        retriever = Retriever(base, embedder_of(load_settings()))
    most = chunks or max(1, math.ceil(share * len(retriever.chunks)))
    members = {query["id"]: {*retriever.best(query["query"], most)} for query in queries}
    return Found(members, {"chunks": len(retriever.chunks)})


def found_by_reader(
    records: Sequence[Record],
    queries: Sequence[Mapping[str, Any]],
    model: str,
    pieces: int = PIECES,
    max_cost: float | None = None,
) -> Found:
    """Return what the reader finds, a model that is shown so many chunks of each patient;
    ``max_cost`` is US dollars for all queries.
    """
    settings = load_settings()
    reader = Reader(settings, model, max_cost)
    with _indexed(records) as base:
        retriever = Retriever(base, embedder_of(settings))
    members = {
        query["id"]: asyncio.run(
            reader.members(query["query"], retriever.every(query["query"], pieces))
        )
        for query in queries
    }
    return Found(members, {"chunks": len(retriever.chunks), "model_calls": reader.calls})


@contextmanager
def _indexed(records: Sequence[Record]) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory() as place:
        build(records, Path(place))
        with opened(Path(place)) as base:
            yield base


def with_model(
    records: Sequence[Record], queries: Sequence[Mapping[str, Any]], model: str, folder: Path,
    max_cost: float | None = None,
) -> dict[str, float]:  # fmt: skip
    """``form_exact``, the share of forms that ask for what the data's do, and ``paraphrase_f1``.
    What is asked back or fails is no form and finds nobody; ``max_cost`` is US dollars a query.
    """
    index = folder / "index"
    try:
        with opened(index):
            pass
    except (RecordError, UsageError):
        build(records, index)
    exact, paraphrases, failed = 0, list[float](), 0
    with opened(index) as base:
        concepts = Index(base, known()).concepts
        for query in queries:
            answer = _answer(index, query, model, folder / f"{query['id']}.jsonl", max_cost)
            failed += answer is None
            found = {one["id"] for one in answer["members"]} if answer is not None else set()
            if answer is not None:
                made = from_json(answer["form"])
                exact += same(made, form_of(query["logical_form"]), concepts)
            if query["kind"] == "paraphrase" and (gold := set(query["gold"])):
                paraphrases.append(2 * len(gold & found) / (len(gold) + len(found)))
    return {
        "form_exact": exact / len(queries),
        "paraphrase_f1": sum(paraphrases) / max(1, len(paraphrases)),
        "asked_back_or_failed": failed,
    }


def _answer(
    index: Path, query: Mapping[str, Any], model: str, file: Path, max_cost: float | None
) -> dict[str, Any] | None:
    """The JSON answer, recorded or new; None where there is none."""
    try:
        if file.exists():
            return dict(clinfo.replay(file))
    except ClinfoError:
        pass  # it did not come to its end: gone on with
    try:
        return clinfo.cohort(index, query["query"], model=model, save=file, max_cost=max_cost)
    except ClinfoError as error:
        print(f"{query['id']}: {error}", flush=True)
        return None
