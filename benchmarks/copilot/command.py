"""Retrieval of the copilot: evidence by fields and by words, exact sets of drugs, answers for
patients; with a model the same from the questions' words alone, and multiple choice.

python -m benchmarks copilot [--data FOLDER] [--json] [--embedder wordllama]
    [--model NAME [--record FILE.jsonl] [--limit N] [--max-steps 8]]

Without a model nothing but fields and words is read: the fields are those of the gold items. With
--model every question is put to the agent as it stands, nothing else; each outcome is a line of
--record, and what stands there already is not asked again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import flags
from benchmarks.copilot import measures
from benchmarks.copilot.multiple_choice import INSTRUCTION, Choice, letter_of, opened
from benchmarks.copilot.rivals import Rivals, mixed
from clinfo.pipelines.copilot.evidence_items import Fields, selected
from clinfo.retrieval.embedders import Embedder, embedder_named
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.store import StoredSilos

Row = Mapping[str, Any]


def fields_of(row: Row, items: Mapping[str, SiloDocument]) -> Fields:
    """The fields of a question, read off the first of its gold items: levels of studies; none of a
    question without gold.
    """
    if not row.get("gold_evidence_ids"):
        return Fields()
    of = items[str(row["gold_evidence_ids"][0])].fields
    direction = "resistance" if of["significance"] == "Resistance" else "response"
    return Fields(of["gene"], of["variant"], of["disease"], "", direction, "AB")


def measured(data: Path, place: Path, embedder: Embedder | None) -> dict[str, Any]:
    """All measures of a folder of data that need no model."""
    silos = opened(data, place, embedder)
    civic, cancergov = (list(silos.documents(silo)) for silo in ("civic", "cancergov"))
    drugs, pages = (_rows(data, name) for name in ("civic_drug_questions", "cancergov_questions"))
    items = {one.id: one for one in civic}
    asked = {row["question"]: fields_of(row, items) for row in drugs}
    found = {name: selected(civic if fields else (), fields) for name, fields in asked.items()}
    by_fields = {asked: [one.id for one in own.items] for asked, own in found.items()}
    in_mixed = _search(mixed({"civic": civic, "cancergov": cancergov}), "mixed")
    bare = measures.bm25(civic, [one.text for one in civic])
    evidence, words = "gold_evidence_ids", _search(silos, "civic")

    def of_silo(question: str) -> list[str]:
        return [f"civic/{id}" for id in by_fields[question]]

    return {
        "n": len(drugs) + len(pages),
        "gold_empty": sum(not row.get(evidence) for row in drugs)
        + sum(not row.get("gold_ids") for row in pages),
        "evidence_recall_at_10": measures.recall(drugs, evidence, by_fields.__getitem__),
        "evidence_recall_words": measures.recall(drugs, evidence, words),
        "evidence_recall_mixed": measures.recall(drugs, evidence, measures.of_silo(in_mixed)),
        "evidence_recall_bm25_bare": measures.recall(drugs, evidence, measures.of_silo(bare)),
        "foreign_share": measures.foreign(drugs, "civic", of_silo),
        "foreign_share_mixed": measures.foreign(drugs, "civic", in_mixed),
        "drug_set_f1": _mean(
            measures.f1(row.get("gold_drugs") or (), found[row["question"]].drugs) for row in drugs
        ),
        "answer_recall_at_10": measures.recall(pages, "gold_ids", _search(silos, "cancergov")),
        "answer_recall_at_1": measures.recall(pages, "gold_ids", _search(silos, "cancergov"), 1),
        **{f"civic {name}": n for name, n in measures.tokens(civic).items()},
        **{f"cancergov {name}": n for name, n in measures.tokens(cancergov).items()},
    }


def with_model(
    rivals: Rivals, data: Path, record: Path | None = None, limit: int | None = None
) -> dict[str, Any]:
    """The measures of the agent from the questions' words; what ``record`` holds of this model is
    not asked again.
    """
    name = rivals.model.name
    done = {one["id"]: one for one in _lines(record) if one["model"] == name}
    for kind, row in _asked(data, limit):
        id = f"{kind} {row['id']}"
        if id not in done:
            done[id] = {"id": id, "model": name, **_outcome(rivals, kind, row)}
            if record is not None:
                with record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done[id], ensure_ascii=False) + "\n")
    of = {
        kind: [done[f"{kind} {row['id']}"] for own, row in _asked(data, limit) if own == kind]
        for kind in ("drugs", "pages", "mcq")
    }
    foreign = [one for row in of["drugs"] for one in row["foreign"]]
    return {
        "model": name,
        "n": sum(map(len, of.values())),
        "evidence_recall_at_10": _mean(row["recall"] for row in of["drugs"]),
        "foreign_share": _mean(foreign),
        "drug_set_f1": _mean(row["f1"] for row in of["drugs"]),
        "answer_recall_at_10": _mean(row["recall"] for row in of["pages"]),
        "mcq_accuracy": _mean(row["right"] for row in of["mcq"]),
        "mcq_none": _mean(row["letter"] == "none" for row in of["mcq"]),
        "failed": sum(bool(row["problem"]) for own in of.values() for row in own),
    }


def _asked(data: Path, limit: int | None) -> Iterator[tuple[str, Row]]:
    """The questions with their kinds; the first ``limit`` of each."""
    for kind, name in (
        ("drugs", "civic_drug_questions"),
        ("pages", "cancergov_questions"),
        ("mcq", "mcq_oncology"),
    ):
        if (data / f"{name}.json").is_file():
            for row in _rows(data, name)[:limit]:
                yield kind, row


def _outcome(rivals: Rivals, kind: str, row: Row) -> dict[str, Any]:
    """Return what the agent brought on a question, measured."""
    question = row["question"]
    if kind == "mcq":
        listed = "\n".join(f"{letter}. {text}" for letter, text in row["options"].items())
        question = f"{question}\n{listed}"
    found = rivals.find("agent", question)
    outcome: dict[str, Any] = {"problem": found.problem, "claims": list(found.claims)}
    if kind == "mcq":
        told = rivals.tell(found, question, INSTRUCTION, Choice)
        letter = letter_of(told.text, row["options"])
        return outcome | {"letter": letter, "right": letter == row["answer"], "reply": told.text}
    silo, gold = ("civic", "gold_evidence_ids") if kind == "drugs" else ("cancergov", "gold_ids")
    ids = [id for id, _ in found.passages]
    own = [id.partition("/")[2] for id in ids if id.startswith(f"{silo}/")]
    outcome["recall"] = measures.recall([row], gold, lambda question: own)
    if kind == "drugs":
        outcome["foreign"] = [not id.startswith("civic/") for id in ids[: measures.K]]
        outcome["f1"] = measures.f1(row.get("gold_drugs") or (), found.drugs)
    return outcome


def _mean(values: Iterable[float]) -> float | None:
    every = list(values)
    return fmean(every) if every else None


def _rows(data: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((data / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _lines(path: Path | None) -> list[dict[str, Any]]:
    if path is None or not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _search(store: StoredSilos, silo: str) -> measures.Search:
    return lambda question: [hit.document.id for hit in store.search(silo, question)]


FLAGS: flags.Flags = {
    "--embedder": {"help": "search by meaning too, e.g. wordllama [by words alone]"},
    "--model": {"help": "also ask this model, from the questions' words alone"},
    "--record": {"type": Path, "help": "a file to which each outcome is written"},
    "--limit": {"type": int, "help": "ask the model the first N questions of a kind"},
    "--max-steps": {"type": int, "default": 8, "help": "most rounds of calls [8]"},
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point."""
    about = "The copilot's silos, and its agent."
    _, options = flags.read("copilot", about, "civic_drug_questions.json", arguments, FLAGS)
    data = options.data
    embedder = embedder_named(options.embedder) if options.embedder else None
    with tempfile.TemporaryDirectory() as place:
        if options.model:
            from clinfo.pipelines.opening import chat_model
            from clinfo.settings import load_settings

            settings = load_settings()
            model = chat_model(settings, options.model, None)
            silos = opened(data, Path(place), embedder)
            rivals = Rivals(settings, model, silos, options.max_steps, "model")
            told = with_model(rivals, data, options.record, options.limit)
        else:
            told = measured(data, Path(place), embedder)
    flags.tell(told, options.json)
