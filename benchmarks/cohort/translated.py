"""The benchmark's queries in words, put into forms by a model. Each run is recorded in a folder of
its own, so that what was paid for is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import clinfo
from benchmarks.cohort.given import form_of, same
from clinfo.errors import ClinfoError, RecordError
from clinfo.patients.records import Record
from clinfo.pipelines.cohort.form import from_json
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.store import build, opened
from clinfo.terms.naming import known


def measured(
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
    except RecordError:
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
