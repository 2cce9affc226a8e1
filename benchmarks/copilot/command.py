"""Retrieval of the copilot: evidence, exact sets of drugs, answers for patients, the router.

python -m benchmarks copilot [--data FOLDER] [--json] [--wordings FILE] [--unanswerable FILE]
    [--router FILE] [--embedder wordllama]

Without a language model and without a network. Questions on CIViC are made of its fields from two
templates, those of CancerGov are its own; free wordings come from files.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.copilot import measures
from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot.gene_drugs import GeneDrugTool, evidence_first
from clinfo.retrieval.embedders import Embedder, embedder_named
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.loading import load_files
from clinfo.retrieval.silos.staged import FILE_NAME, About, Staged
from clinfo.retrieval.silos.store import StoredSilos

SILOS = ("civic", "cancergov")
STATE = About(date="2021-02")
"""Of CIViC's file, which carries no date."""


def measured(
    data: Path, place: Path, files: dict[str, Path | None], embedder: Embedder | None
) -> dict[str, Any]:
    """All measures of a folder of data; ``files`` are free wordings."""
    silos = StoredSilos(Staged(place / FILE_NAME), place, embedder)
    for silo in SILOS:
        about = STATE if silo == "civic" else About()
        load_files(silos, silo, [data / f"silo_{silo}.jsonl.gz"], about)
    civic, cancergov = (list(silos.documents(silo)) for silo in SILOS)
    mixed = _mixed([*civic, *cancergov], embedder)
    drugs = json.loads((data / "civic_drug_questions.json").read_text(encoding="utf-8"))
    pages = json.loads((data / "cancergov_questions.json").read_text(encoding="utf-8"))
    tool = GeneDrugTool(silos)
    aware = StoredSilos(silos.staged, place, embedder, rerank={"civic": evidence_first(tool)})

    def search(store: StoredSilos, silo: str) -> measures.Search:
        return lambda question: [hit.document.id for hit in store.search(silo, question)]

    both, evidence = [*civic, *cancergov], "gold_evidence_ids"
    alone = measures.of_silo
    bare = measures.bm25(civic, [one.text for one in civic])
    fields = measures.bm25(civic, [_with_fields(one) for one in civic])
    one_store = measures.bm25(both, [one.text for one in both])
    answers = measures.bm25(cancergov, [one.text for one in cancergov])
    in_mixed = search(mixed, "mixed")
    texts = _store([replace(one, title="", abstractions={}) for one in cancergov], embedder)
    found: dict[str, Any] = {
        "n": len(drugs) + len(pages),
        "gold_empty": sum(not one.get(evidence) for one in drugs)
        + sum(not one.get("gold_ids") for one in pages),
        "evidence_recall_at_10": measures.recall(drugs, evidence, search(aware, "civic")),
        "evidence_recall_search_only": measures.recall(drugs, evidence, search(silos, "civic")),
        "evidence_recall_mixed": measures.recall(drugs, evidence, alone(in_mixed)),
        "evidence_recall_bm25_bare": measures.recall(drugs, evidence, alone(bare)),
        "evidence_recall_bm25_fields": measures.recall(drugs, evidence, alone(fields)),
        "evidence_recall_bm25_mixed": measures.recall(drugs, evidence, alone(one_store)),
        "foreign_share": measures.foreign(
            drugs, "civic", _named("civic", search(aware, "civic"))
        ),
        "foreign_share_mixed": measures.foreign(drugs, "civic", in_mixed),
        "foreign_share_bm25_mixed": measures.foreign(drugs, "civic", one_store),
        **measures.drug_sets(tool, drugs),
        "answer_recall_at_10": measures.recall(pages, "gold_ids", search(silos, "cancergov")),
        "answer_recall_at_1": measures.recall(pages, "gold_ids", search(silos, "cancergov"), 1),
        "answer_recall_mixed": measures.recall(pages, "gold_ids", alone(in_mixed)),
        "answer_recall_texts_only": measures.recall(pages, "gold_ids", search(texts, "cancergov")),
        "answer_recall_bm25": measures.recall(pages, "gold_ids", alone(answers)),
    }  # fmt: skip
    asked = [(one["question"], "civic") for one in drugs]
    asked += [(one["question"], "cancergov") for one in pages]
    found["router_accuracy"], by_silo = measures.routed(asked)
    found |= {f"router_{silo}": share for silo, share in by_silo.items()}
    found |= _free(files, tool, search(aware, "civic"), search(silos, "civic"))
    for silo, documents in (("civic", civic), ("cancergov", cancergov)):
        found |= {f"{silo} {name}": n for name, n in measures.tokens(documents).items()}
    return found


def _free(
    files: dict[str, Path | None],
    tool: GeneDrugTool,
    aware: measures.Search,
    plain: measures.Search,
) -> dict[str, float]:
    """The measures of questions in free words."""
    found: dict[str, float] = {}
    if rows := _rows(files["wordings"]):
        found["free_n"] = len(rows)
        found["free_evidence_recall_at_10"] = measures.recall(rows, "gold_evidence_ids", aware)
        found["free_evidence_recall_search_only"] = measures.recall(
            rows, "gold_evidence_ids", plain
        )
        found |= {f"free_{name}": one for name, one in measures.drug_sets(tool, rows).items()}
    if rows := _rows(files["unanswerable"]):
        found["unanswerable_n"] = len(rows)
        found["unanswerable_said"] = measures.said_absent(tool, rows)
    if rows := _rows(files["router"]):
        share, by_silo = measures.routed((one["question"], one["silo"]) for one in rows)
        found |= {"free_router_n": len(rows), "free_router_accuracy": share}
        found |= {f"free_router_{silo}": own for silo, own in by_silo.items()}
    return found


def _rows(path: Path | None) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path is not None else []
    return [json.loads(line) for line in lines if line.strip()]


def _with_fields(one: SiloDocument) -> str:
    return " ".join((one.text, *one.abstractions.values()))


def _named(silo: str, search: measures.Search) -> measures.Search:
    return lambda question: [f"{silo}/{one}" for one in search(question)]


def _mixed(documents: Sequence[SiloDocument], embedder: Embedder | None) -> StoredSilos:
    """All documents in one silo, each under its silo and id."""
    own = [replace(one, silo="mixed", id=f"{one.silo}/{one.id}") for one in documents]
    return _store(own, embedder)


def _store(documents: Sequence[SiloDocument], embedder: Embedder | None) -> StoredSilos:
    """Documents in a silo in memory."""
    made = StoredSilos(Staged(None), None, embedder)
    made.staged.stage(documents[0].silo, About(), "all", "", documents)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks copilot", description="The copilot's silos and its router."
    )
    given = os.environ.get("CLINFO_BENCH_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(given) if given else None,
        help="a folder of silos and questions [$CLINFO_BENCH_DATA]",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object of measures")
    for name, held in (
        ("wordings", "question, gold_drugs, gold_evidence_ids"),
        ("unanswerable", "question"),
        ("router", "question, silo (or none)"),
    ):
        parser.add_argument(
            f"--{name}", type=Path, nargs="?", const=Path(__file__).with_name(f"free_{name}.jsonl"),
            help=f"a file of rows of JSON: {held} [rows by a writer who saw no parser]",
        )  # fmt: skip
    parser.add_argument("--embedder", help="search by meaning too, e.g. wordllama [by words alone]")
    options = parser.parse_args(arguments)
    data = options.data
    if data is not None and (data / "copilot").is_dir():
        data = data / "copilot"
    if data is None or not (data / "civic_drug_questions.json").is_file():
        parser.error("give --data or CLINFO_BENCH_DATA a folder of silos and questions")
    files = {name: getattr(options, name) for name in ("wordings", "unanswerable", "router")}
    embedder = embedder_named(options.embedder) if options.embedder else None
    with tempfile.TemporaryDirectory() as place:
        told = measured(data, Path(place), files, embedder)
    if options.json:
        print(json.dumps({name: round(value, 4) for name, value in told.items()}))
        return
    for name, value in told.items():
        print(f"{name:34} {value:9.3f}" if isinstance(value, float) else f"{name:34} {value:9,}")


if __name__ == "__main__":
    main()
