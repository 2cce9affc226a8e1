"""What is right of the sets that the cohort pipeline finds: of the given logical forms, and with a
model of the queries in words.

python -m benchmarks cohort [--data FOLDER] [--json] [--noise [FILE]] [--model NAME [--runs DIR]]
                            [--system retriever|reader]
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import flags
from benchmarks.cohort import mesh_sets, translated
from benchmarks.cohort.noise import Sentence, outcome, with_noise
from benchmarks.cohort.systems import Found, found_by
from clinfo.patients.reading import read_records
from clinfo.pipelines.cohort.stages import READ
from clinfo.records.cohort import SHARE, CohortRequest

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
    sizes: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
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
                sizes[name] = [
                    sum(pair)
                    for pair in zip(sizes[name], (right, len(got), len(gold)), strict=True)
                ]
    f1["macro_f1"] = f1["macro_f1"] or [0.0]
    means = {name: sum(scores) / len(scores) for name, scores in f1.items()}
    micro = {
        f"{name}_micro_f1": 2 * right / (got + gold) for name, (right, got, gold) in sizes.items()
    }
    return {
        **means, **micro,
        "hallucination_ratio": sum(hallucinated) / len(hallucinated) if hallucinated else 0.0,
        "recall": sum(recalls) / len(recalls) if recalls else 0.0,
        "zero_result_false_positives": false,
        "inconsistent_pairs": inconsistent(queries, found),
    }  # fmt: skip


def inconsistent(queries: Sequence[Mapping[str, Any]], found: Mapping[str, set[str]]) -> int:
    """How many stated relations of two queries their found sets violate."""
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


@dataclass(frozen=True)
class Measured:
    """The queries with their gold, and what was found."""

    queries: list[dict[str, Any]]
    found: Found


def measured(
    folder: Path, asked: CohortRequest, noise: Path | None = None, pairs: bool = False
) -> Measured:
    """What a system finds for the queries of a folder, with ``noise`` put into the records."""
    read = json.loads((folder / "cohort_queries.json").read_text(encoding="utf-8"))
    queries = [{**query, "gold": query.get("gold") or []} for query in read]
    records = list(read_records([folder / "patients_notes.jsonl.gz"]).records)
    sentences: list[Sentence] = []
    if noise is not None:
        records, queries, sentences = with_noise(records, queries, noise)
    found = found_by(asked, records, queries, pairs)
    if sentences:
        single = {
            (form[0], form[1]): found.members[query["id"]]
            for query in queries
            if len(form := query["logical_form"]) == 2 and "same_as" not in query
        }
        found = replace(found, counted={**found.counted, **outcome(sentences, single)})
    return Measured(queries, found)


FLAGS: flags.Flags = {
    "--system": {
        "choices": ("symbolic", "retriever", "reader"), "default": "symbolic",
        "help": "which of the three published systems [symbolic, from the given forms]",
    },
    "--share": {"type": float, "default": SHARE, "help": "of all chunks, kept [0.0021]"},
    "--chunks": {"type": int, "help": "kept, instead of a share"},
    "--pieces": {"type": int, "default": 12, "help": "of each patient, of the reader"},
    "--model": {"default": "", "help": "puts the queries' words into forms, or reads"},
    "--runs": {
        "type": Path, "default": Path("cohort-runs"),
        "help": "a folder that keeps the model's runs, to be gone on with [cohort-runs]",
    },
    "--max-cost": {"type": float, "help": "US dollars: a query, or all of the reader"},
    "--noise": {
        "type": Path, "nargs": "?", "const": NOISE,
        "help": "templates of sentences to put into the records [those that come along]",
    },
}  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    about = "The cohort pipeline on synthetic patients."
    parser, options = flags.read("cohort", about, "cohort_queries.json", arguments, FLAGS)
    folder = options.data
    if options.system == "reader" and not options.model:
        parser.error("--system reader wants --model")
    symbolic = options.system == "symbolic"
    pairs = symbolic and options.noise is None
    asked = CohortRequest(
        "", "every", system=options.system, share=options.share, chunks=options.chunks,
        pieces=options.pieces, max_cost=options.max_cost,
        models={READ.name: options.model} if options.system == "reader" else {},
    )  # fmt: skip
    done = measured(folder, asked, options.noise, pairs)
    told: dict[str, float] = {
        "n": len(done.queries),
        **measures(done.queries, done.found.members),
        **done.found.counted,
        **(_mesh(folder.parent) if pairs else {}),
    }
    if options.model and symbolic:
        records = read_records([folder / "patients_notes.jsonl.gz"]).records
        options.runs.mkdir(parents=True, exist_ok=True, mode=0o700)
        told |= translated.measured(
            list(records), done.queries, options.model, options.runs, options.max_cost
        )
    flags.tell(told, options.json)


def _mesh(folder: Path) -> dict[str, float]:
    citations = folder / "citations" / mesh_sets.FILE
    descriptors = folder / "mesh" / "mesh_descriptors.jsonl.gz"
    if not citations.is_file() or not descriptors.is_file():
        return {}
    with tempfile.TemporaryDirectory() as place:
        mesh = mesh_sets.table(descriptors, Path(place))
        return mesh_sets.Sets(list(mesh_sets.abstracts(citations)), mesh).measures()


if __name__ == "__main__":
    main()
