"""The measures of the sets that the cohort pipeline finds: of the given logical forms, and with a
model of the queries in words.

python -m benchmarks cohort [--data FOLDER] [--json] [--noise [FILE]] [--model NAME [--runs DIR]]
                            [--system retriever|reader]
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import flags
from benchmarks.cohort import mesh_sets
from benchmarks.cohort.likeness import SHARE
from benchmarks.cohort.noise import outcome, sentences
from benchmarks.cohort.systems import (
    PIECES,
    Found,
    found_by_facts,
    found_by_likeness,
    found_by_reader,
    with_model,
)
from clinfo.patients.reading import read_records
from clinfo.patients.records import Record

NOISE = Path(__file__).with_name("noise.jsonl")
"""Sixty templates by a writer who saw no rule."""
SIZES = {"broad": (16, None), "narrow": (4, 15), "sparse": (1, 3)}
"""Members of a query's gold set, by which it is called so; of 89 patients as the paper's 50 and 10
of 1,436."""
RELATIONS = ("same_as", "subset_of", "superset_of", "child_of")
KINDS = {
    "intersection": "and_f1", "union": "or_f1",
    "difference": "but_not_f1", "temporal": "before_f1", "medication": "drug_f1",
    "parent": "parent_f1", "demographic": "demographic_f1",
}  # fmt: skip


def measures(
    queries: Sequence[Mapping[str, Any]], found: Mapping[str, set[str]]
) -> dict[str, float]:
    """The measures of found sets, by query."""
    f1: dict[str, list[float]] = defaultdict(list)
    hallucinated, recalls, false = [], [], 0
    for query in queries:
        gold, got = set(query["gold"]), found[query["id"]]
        right = len(gold & got)
        if not gold:
            false += len(got)
            continue
        score = 2 * right / (len(gold) + len(got))
        f1["macro_f1"].append(score)
        f1[KINDS.get(query["kind"], "single_f1")].append(score)
        hallucinated.append(len(got - gold) / len(gold))
        recalls.append(right / len(gold))
        for name, (low, high) in SIZES.items():
            if len(gold) >= low and (high is None or len(gold) <= high):
                f1[f"{name}_macro_f1"].append(score)
    f1["macro_f1"] = f1["macro_f1"] or [0.0]
    means = {name: sum(scores) / len(scores) for name, scores in f1.items()}
    return {
        **means,
        "hallucination_ratio": sum(hallucinated) / len(hallucinated) if hallucinated else 0.0,
        "recall": sum(recalls) / len(recalls) if recalls else 0.0,
        "zero_result_false_positives": false,
        "inconsistent_pairs": inconsistent(queries, found),
    }  # fmt: skip


def inconsistent(queries: Sequence[Mapping[str, Any]], found: Mapping[str, set[str]]) -> int:
    """The number of stated relations of two queries that their found sets violate."""
    wrong = 0
    for query in queries:
        for relation in RELATIONS:
            others, own = query.get(relation) or [], found[query["id"]]
            for that in [others] if isinstance(others, str) else others:
                if that not in found:
                    continue
                same, above = relation == "same_as", relation == "superset_of"
                less, more = (found[that], own) if above else (own, found[that])
                wrong += bool(less - more) or (same and less != more)
    return wrong


def read_data(folder: Path) -> tuple[list[Record], list[dict[str, Any]]]:
    """The records and the queries of a folder, each with its gold set."""
    queries = json.loads((folder / "cohort_queries.json").read_text(encoding="utf-8"))
    records = read_records([folder / "patients_notes.jsonl.gz"]).records
    return list(records), [{**query, "gold": query.get("gold") or []} for query in queries]


FLAGS: flags.Flags = {
    "--system": {
        "choices": ("symbolic", "retriever", "reader"), "default": "symbolic",
        "help": "which of the three published systems [symbolic, from the given forms]",
    },
    "--share": {"type": float, "default": SHARE, "help": "of all chunks, kept [0.0021]"},
    "--chunks": {"type": int, "help": "kept, instead of a share"},
    "--pieces": {"type": int, "default": PIECES, "help": "of each patient, of the reader"},
    "--model": {"default": "", "help": "puts the queries' words into forms, or reads"},
    "--runs": {
        "type": Path, "default": Path("cohort-runs"),
        "help": "a folder that keeps the model's runs, to be gone on with [cohort-runs]",
    },
    "--max-cost": {"type": float, "help": "US dollars: a query, or all of the reader"},
    "--noise": {
        "type": Path, "nargs": "?", "const": NOISE,
        "help": "templates of sentences put into notes: how they are read [those that come along]",
    },
}  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    about = "The cohort pipeline on synthetic patients."
    parser, options = flags.read("cohort", about, "cohort_queries.json", arguments, FLAGS)
    if options.system == "reader" and not options.model:
        parser.error("--system reader wants --model")
    symbolic = options.system == "symbolic"
    find: Callable[..., Found] = {
        "symbolic": partial(found_by_facts, pairs=options.noise is None),
        "retriever": partial(found_by_likeness, share=options.share, chunks=options.chunks),
        "reader": partial(
            found_by_reader, model=options.model, pieces=options.pieces, max_cost=options.max_cost
        ),
    }[options.system]
    records, queries = read_data(options.data)
    if options.noise is not None:
        made = [*sentences(records, queries, options.noise)]
        found = find([one.record for one in made], queries)
        return flags.tell(outcome(made, found.members), options.json)
    found = find(records, queries)
    told: dict[str, float] = {
        "n": len(queries),
        **measures(queries, found.members),
        **found.counted,
        **(_mesh(options.data.parent) if symbolic else {}),
    }
    if options.model and symbolic:
        options.runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        told |= with_model(records, queries, options.model, options.runs, options.max_cost)
    return flags.tell(told, options.json)


def _mesh(folder: Path) -> dict[str, float]:
    citations = folder / "citations" / mesh_sets.FILE
    descriptors = folder / "mesh" / "mesh_descriptors.jsonl.gz"
    if not citations.is_file() or not descriptors.is_file():
        return {}
    with tempfile.TemporaryDirectory() as place:
        mesh = mesh_sets.table(descriptors, Path(place))
        return mesh_sets.measures(citations, mesh)
