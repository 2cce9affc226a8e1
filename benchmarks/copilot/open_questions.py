"""Open questions by system, written as cases for a judge: what each answered, from what.

python -m benchmarks.copilot.open_questions --model NAME --cases FILE [--data FOLDER]
    [--questions FILE] [--systems plain,mixed] [--limit N] [--repeats 1]

No set of open oncology questions with answers by oncologists, and no set of cases, is at hand. What
is asked unless ``--questions`` says otherwise are CancerGov's questions for patients, with its own
answers as gold. Questions are rows of JSON with question and gold (an answer) or gold_ids (ids of
documents of a silo, the first is the answer). No code judges an answer: faithfulness, relevancy and
precision of the context are DeepEval's to measure (`benchmarks.copilot.deepeval_cases`).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks import flags
from benchmarks.copilot.multiple_choice import FLAGS, SILOS, rivals_of
from benchmarks.copilot.rivals import Rivals, System, Told, tool_table

INSTRUCTION: Final = (
    "Answer in at most five sentences, from the passages where there are any. Say what they do "
    "not tell."
)


@dataclass(frozen=True)
class Asked:
    """An answer of a system to a question."""

    id: str
    system: System
    repeat: int
    question: str
    gold: str
    told: Told


def asked(
    rivals: Rivals, rows: Iterable[Mapping[str, Any]], systems: Sequence[System], repeats: int = 1
) -> Iterator[Asked]:
    """Every question asked of every system, so many times."""
    for row in rows:
        for system in systems:
            for repeat in range(repeats):
                brought = rivals.find(system, row["question"])
                told = rivals.tell(brought, row["question"], INSTRUCTION)
                yield Asked(row["id"], system, repeat, row["question"], row["gold"], told)


def table(rows: Sequence[Asked]) -> dict[str, float]:
    """Return what the answers of one system took."""
    found: dict[str, float] = {"answers": len(rows)}
    found["no_context"] = float(np.mean([not row.told.found.passages for row in rows]))
    for name in ("tokens", "cost", "seconds"):
        every = [getattr(row.told, name) + getattr(row.told.found, name) for row in rows]
        found[name] = float(np.mean(every))
    found["problems"] = float(np.mean([bool(row.told.found.problem) for row in rows]))
    return found


def questions(
    rows: Iterable[Mapping[str, Any]], texts: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Rows with their gold answers; those whose answer is not there are left out."""
    for n, row in enumerate(rows):
        gold = row.get("gold") or texts.get(next(iter(row.get("gold_ids", ())), ""))
        if gold:
            yield {"id": str(row.get("id", n)), "question": row["question"], "gold": gold}


def cases(rows: Iterable[Asked]) -> str:
    """Return what a judge needs, a line of JSON an answer."""
    lines = (
        {
            "id": row.id,
            "system": row.system,
            "repeat": row.repeat,
            "question": row.question,
            "answer": row.told.text,
            "gold": row.gold,
            "context": [text for _, text in row.told.found.passages],
        }
        for row in rows
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    more = {
        "--questions": {"type": Path, "help": "[cancergov_questions.json of the data]"},
        "--cases": {"type": Path, "required": True, "help": "write what is to be judged"},
    }
    name = "copilot.open_questions"
    _, given = flags.read(name, "Open questions by system.", SILOS, arguments, {**FLAGS, **more})
    file = given.questions or given.data / "cancergov_questions.json"
    rows = json.loads(file.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        rivals = rivals_of(given, Path(place))
        texts = {
            one.id: one.text
            for name in rivals.silos.names()
            for one in rivals.silos.documents(name)
        }
        wanted = list(questions(rows, texts))[: given.limit]
        every = list(asked(rivals, wanted, given.systems, given.repeats))
    given.cases.write_text(cases(every), encoding="utf-8")
    found = {name: table([row for row in every if row.system == name]) for name in given.systems}
    if given.json:
        print(json.dumps({"model": given.model, "questions": len(wanted), "systems": found}))
        return
    print(f"{len(wanted)} questions; model {given.model}; {given.repeats} times")
    for name, measured in found.items():
        print(name, *(f"{key} {value:.3f}" for key, value in measured.items()), sep="\n    ")
    print("tools by step:", *tool_table([row.told for row in every]), sep="\n    ")


if __name__ == "__main__":
    main()
