"""A small scoring with everything in it, as ``run`` and ``score`` leave it, made-up texts included;
figures by `statistics`.
"""

import csv
import json
import random
import statistics
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.own.scores import ScoreRow, write_rows
from benchmarks.pubmedrs200.running.records import Cell, Leak, Record
from tests.pubmedrs.sample import HEADER

HOSTILE = (
    'Pain & "relief" </script><script>alert(1)</script> {{ 7 * 7 }} {% raw %} $x_1^2$ '
    "\\input{/etc/passwd} <b>| 50%"
)
IDS = tuple(str(31000000 + number) for number in range(12))
REFERENCES = {id: tuple(str(int(id) - 1000 - step) for step in range(5)) for id in IDS[:-1]} | {
    IDS[-1]: ()
}
DAYS = {id: date(2021, 10, 1) + timedelta(days=30 * (number - 5)) for number, id in enumerate(IDS)}
METRICS: dict[str, dict[str, Any]] = {
    "rouge_l": {
        "title": "ROUGE-L",
        "low": 0,
        "high": 1,
        "better": "higher",
        "floor": 0,
        "signature": "made-up:1|a_b:50%",
    },
    "character": {
        "title": "CharacTER",
        "low": 0,
        "high": 1,
        "better": "lower",
        "floor": 1,
        "signature": "made-up:2",
    },
    "word_length": {
        "title": "word length",
        "low": 0,
        "high": None,
        "better": "neither",
        "floor": 0,
        "signature": "made-up:3",
    },
    "bertscore": {
        "title": "BERTScore",
        "low": 0,
        "high": 1,
        "better": "higher",
        "floor": 0,
        "signature": "x",
        "validated": False,
    },
    "sentences_supported_own": {
        "title": "own",
        "low": 0,
        "high": 1,
        "better": "higher",
        "floor": None,
        "signature": "rules",
    },
    "retrieval_recall": {
        "title": "recall",
        "low": 0,
        "high": 1,
        "better": "higher",
        "floor": 0,
        "signature": "table 3",
    },
    "tokens": {
        "title": "tokens",
        "low": 0,
        "high": None,
        "better": "lower",
        "floor": None,
        "signature": "usage",
    },
}
UNANSWERED, FAILED, LEAKED = IDS[2], IDS[3], IDS[4]


def rows() -> list[ScoreRow]:
    """Two systems of ours under two regimes, and two published ones."""
    draw = random.Random(7)
    made = []
    for system in (
        "gpt3.5",
        "gpt4",
        "clinfo_pubmed",
        "one:restricted:synthesis",
        "two:restricted:synthesis",
        "one:unrestricted:both",
    ):
        for id in IDS:
            if (system, id) == ("one:unrestricted:both", LEAKED):
                continue
            empty = system.startswith("one") and id in (UNANSWERED, FAILED)
            for metric in ("rouge_l", "character", "word_length"):
                value = (
                    float(METRICS[metric]["floor"])
                    if empty
                    else draw.random() * (100 if metric == "word_length" else 1)
                )
                made.append(ScoreRow(id, system, metric, value, empty))
        made += [
            ScoreRow(id, system, "bertscore", draw.random())
            for id in IDS
            if system.startswith("gpt")
        ]
    for system in ("one:restricted", "one:unrestricted"):
        for id in IDS:
            if id in (UNANSWERED, FAILED) or (system, id) == ("one:unrestricted", LEAKED):
                continue
            made.append(ScoreRow(id, system, "sentences_supported_own", draw.random()))
            made.append(ScoreRow(id, system, "retrieval_recall", draw.random()))
            if system == "one:restricted" and id != IDS[0]:
                made.append(ScoreRow(id, system, "tokens", float(draw.randrange(10_000))))
    return made


def summary(made: Iterable[ScoreRow], sha256: str | None = None) -> dict[str, Any]:
    """Their summary, computed here anew."""
    systems: dict[str, dict[str, list[ScoreRow]]] = {}
    for row in made:
        systems.setdefault(row.system, {}).setdefault(row.metric, []).append(row)

    def cell(listed: list[ScoreRow]) -> dict[str, Any]:
        values = [row.value for row in listed]
        answered = [row.value for row in listed if not row.unanswered]
        return {
            "n": len(values),
            "answered": len(answered),
            "mean": statistics.fmean(values),
            "sd": statistics.pstdev(values),
            "low": min(values),
            "high": max(values),
            "answered_mean": statistics.fmean(answered),
            "answered_sd": statistics.pstdev(answered),
        }

    return {
        "schema": 1,
        "orientation": "correct",
        "subset": {"name": "all", "n": len(IDS), "sha256": "ab" * 32},
        "data": {"name": "data.csv", "sha256": sha256} if sha256 else None,
        "metrics": METRICS,
        "systems": {
            label: {metric: cell(listed) for metric, listed in metrics.items()}
            for label, metrics in systems.items()
        },
        "unanswered": {"one:restricted:synthesis": [UNANSWERED, FAILED]},
        "quarantined": {"one:unrestricted:both": [LEAKED]},
        "missing": {},
        "failed": {},
        "judge": None,
        "comparisons": [
            {
                "metric": "rouge_l",
                "system": "two:restricted:synthesis",
                "baseline": "gpt4",
                "n": 12,
                "difference": -0.1234,
                "low": -0.2,
                "high": -0.05,
                "p_bootstrap": 0.012,
                "p_randomisation": 0.0004,
                "p_holm": 0.0008,
            }
        ],
    }


def record(regime: str, id: str) -> Record:
    """One record of system ``one``: mostly answered, in hostile words."""
    cell = Cell("one", regime, 1, id)
    if id == FAILED:
        return Record(cell, "failed", problem="the model <i>broke</i>")
    if id == UNANSWERED:
        return Record(
            cell, "unanswered", answer={"references": []}, retrieved=(), relevant=(), irrelevant=()
        )
    draw = random.Random(f"{regime} {id}")
    pool = [
        *REFERENCES[id][:3],
        *(str(20000000 + draw.randrange(999)) for _ in range(draw.randrange(3, 30))),
    ]
    draw.shuffle(pool)
    pool = list(dict.fromkeys(pool))
    leaked = regime == "unrestricted" and id == LEAKED
    cited = {
        "n": 1,
        "id": pool[0],
        "pmid": pool[0],
        "title": "T",
        "citation": f"A. Author, {HOSTILE}",
        "cited": True,
        "flags": ["retracted"],
    }
    return Record(
        cell,
        "leaked" if leaked else "answered",
        synthesis=f"{id}: {HOSTILE} [1].",
        tldr="Perhaps.\x00\ud800",
        answer={"references": [cited]},
        queries=("pain[mh] AND <relief>",),
        retrieved=tuple(pool),
        relevant=tuple(pool[::2]),
        irrelevant=tuple(pool[1::2]),
        usage={"prompt_tokens": 1200, "completion_tokens": 34, "cost_usd": None},
        leaks=(Leak("30999999", "references", "newer than the review"),) if leaked else (),
    )


def write_run(folder: Path) -> Path:
    """A run's folder with system ``one`` under two regimes."""
    folder.mkdir(parents=True)
    systems = [{"name": "one", "kind": "chain", "cutoff": "2021-11-30"}]
    (folder / "run.json").write_text(
        json.dumps(
            {
                "schema": 1,
                "systems": systems,
                "regimes": ["restricted", "unrestricted"],
                "repeats": 1,
                "ids": IDS,
            }
        )
    )
    for regime in ("restricted", "unrestricted"):
        for id in IDS:
            made = record(regime, id)
            path = made.cell.path(folder)
            path.parent.mkdir(parents=True, exist_ok=True)
            form = (
                json.dumps(msgspec.to_builtins(made))
                if made.tldr
                else msgspec.json.encode(made).decode()
            )
            path.write_text(form, encoding="utf-8")
    return folder


def write_data(path: Path) -> Path:
    """The questions as a file in the published form."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, (*HEADER, ""))
        writer.writeheader()
        for id in IDS:
            day = DAYS[id]
            question = f"Does it help in {id}?"
            texts = dict.fromkeys(
                ("Abstract", "Introduction", "Methods", "Results", "Conclusion"), "It was studied."
            )
            writer.writerow(
                dict.fromkeys((*HEADER, ""), "")
                | texts
                | {
                    "specialty": "S",
                    "SubTopic": "T",
                    "PMID": id,
                    "Title": f"{question} A systematic review.",
                    "questions": question,
                    "HumanQuestions": question,
                    "PublishedDate": f"{day.month}/{day.day}/{day.year}",
                    "HumanAnswer": f"It did {HOSTILE}.\n\nIt helps.",
                    "Ref_PMIDs": str([int(pmid) for pmid in REFERENCES[id]]),
                    "Ref_DOIs": "[]",
                }
            )
    return path


def write_scores(folder: Path, sha256: str | None = None) -> Path:
    """scores.jsonl and its summary in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = rows()
    write_rows(folder / "scores.jsonl", made)
    (folder / "scores.summary.json").write_text(json.dumps(summary(made, sha256)), encoding="utf-8")
    return folder / "scores.jsonl"
