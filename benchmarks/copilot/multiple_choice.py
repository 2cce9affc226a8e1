"""Multiple choice by system: the model alone, RAG over one store, silos without agent, agent.

python -m benchmarks.copilot.multiple_choice --model NAME [--data FOLDER] [--systems plain,mixed]
    [--limit N] [--orders 2] [--repeats 1] [--max-steps 8] [--answers FILE] [--json]

Every answer is one letter or "none": the reply is typed, and what it gives beside a letter of the
options is "none" and wrong. The published way, a search for the options' words in the reply,
counts a reply that names several. ``--orders`` asks each question again with its options in another
order: the share of questions with the same option in all orders is told. Questions are rows of JSON
with question, options by letter, answer.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np

from benchmarks import flags
from benchmarks.classes import by_class
from benchmarks.copilot.rivals import SYSTEMS, Rivals, System, Told, systems_named
from benchmarks.pubmedrs200.scoring.statistics import intervals
from clinfo.retrieval.embedders import Embedder
from clinfo.retrieval.silos.loading import load_files
from clinfo.retrieval.silos.staged import FILE_NAME, About, Staged
from clinfo.retrieval.silos.store import StoredSilos
from clinfo.runs.replies import Reply, read

NONE: Final = "none"
SILOS: Final = "silo_*.jsonl.gz"
INSTRUCTION: Final = (
    'Choose one option. Reply with one JSON object and nothing else: {"answer": "B"}. '
    'If you cannot tell, {"answer": "none"}.'
)


class Choice(Reply):
    """The reply of the model."""

    answer: str


@dataclass(frozen=True)
class Asked:
    """A question in one order of its options, and what a system said: the letter that the reply
    was reduced to, and the letter that it is in the question's own order ("none" for neither).
    """

    id: str
    system: System
    order: int
    repeat: int
    letter: str
    chosen: str
    gold: str
    told: Told


def letter_of(reply: str, options: Mapping[str, str]) -> str:
    """The letter that a reply gives, or "none"."""
    said = read(Choice, reply)
    letter = said.answer.strip().upper() if said is not None else ""
    return letter if letter in options else NONE


def rotated(options: Mapping[str, str], by: int) -> dict[str, str]:
    """The options moved on by so many places, letters staying where they are."""
    letters = list(options)
    return {letter: options[letters[(n + by) % len(letters)]] for n, letter in enumerate(letters)}


def asked(
    rivals: Rivals, rows: Iterable[Mapping[str, Any]], systems: Sequence[System],
    orders: int = 1, repeats: int = 1,
) -> list[Asked]:  # fmt: skip
    """Every question asked of every system, in every order, so many times. What a system looks up
    depends on the order too: the options are part of the question.
    """
    found = []
    for row in rows:
        letters = list(row["options"])
        for system in systems:
            for order in range(orders):
                options = rotated(row["options"], order)
                listed = "\n".join(f"{letter}. {text}" for letter, text in options.items())
                question = f"{row['question']}\n{listed}"
                for repeat in range(repeats):
                    brought = rivals.find(system, question)
                    told = rivals.tell(brought, question, INSTRUCTION, Choice)
                    letter = letter_of(told.text, options)
                    chosen = letter
                    if letter != NONE:
                        chosen = letters[(letters.index(letter) + order) % len(letters)]
                    found.append(
                        Asked(row["id"], system, order, repeat, letter, chosen, row["answer"], told)
                    )
    return found


def measures(rows: Sequence[Asked]) -> dict[str, float]:
    """The measures of one system. Precision, recall and F1 are means over the letters of the
    options as they stood in the question; "none" is no class, so it costs recall.
    """
    right = [row.chosen == row.gold for row in rows]
    by_question: dict[str, list[float]] = {}
    for row, one in zip(rows, right, strict=True):
        by_question.setdefault(row.id, []).append(float(one))
    (low, high), *_ = intervals([{id: fmean(own) for id, own in by_question.items()}])
    found = {
        "answers": len(rows),
        "accuracy": float(np.mean(right)),
        "low": low,
        "high": high,
        "none": float(np.mean([row.letter == NONE for row in rows])),
    }
    letters = sorted({row.gold for row in rows})
    means = map(fmean, by_class([(row.gold, row.chosen) for row in rows], letters))
    found |= dict(zip(("precision", "recall", "f1"), means, strict=True))
    found["reduced"] = float(np.mean([len(row.letter) == 1 or row.letter == NONE for row in rows]))
    if len({row.order for row in rows}) > 1:
        found["same_in_all_orders"] = _same(rows)
    steps = [max((step for step, _ in row.told.found.tools), default=0) for row in rows]
    return found | {"steps": float(np.mean(steps))} | spent([row.told for row in rows])


def spent(told: Sequence[Told]) -> dict[str, float]:
    """Means of what answers took, looking up included, and the share of those with a problem."""
    means = {
        name: float(np.mean([getattr(one, name) + getattr(one.found, name) for one in told]))
        for name in ("tokens", "cost", "seconds")
    }
    return means | {"problems": float(np.mean([bool(one.found.problem) for one in told]))}


def _same(rows: Sequence[Asked]) -> float:
    """The share of questions of which the same option, and not "none", was chosen in all orders."""
    by_question: dict[tuple[str, int], set[str]] = {}
    for row in rows:
        by_question.setdefault((row.id, row.repeat), set()).add(row.chosen)
    return float(np.mean([len(seen) == 1 and NONE not in seen for seen in by_question.values()]))


def opened(data: Path, place: Path, embedder: Embedder | None = None) -> StoredSilos:
    """The silos of a folder of data, loaded into ``place``; CIViC's file carries no date."""
    silos = StoredSilos(Staged(place / FILE_NAME), embedder)
    for path in sorted(data.glob("silo_*.jsonl.gz")):
        name = path.name.removeprefix("silo_").split(".")[0]
        load_files(silos, name, [path], About(date="2021-02" if name == "civic" else ""))
    return silos


FLAGS: flags.Flags = {
    "--model": {"required": True, "help": "the model that answers"},
    "--systems": {"type": systems_named, "default": SYSTEMS},
    "--limit": {"type": int, "help": "the first so many questions"},
    "--repeats": {"type": int, "default": 1, "help": "ask everything so many times"},
    "--max-steps": {"type": int, "default": 8},
}
"""Those of both benchmarks by system."""


def rivals_of(given: argparse.Namespace, place: Path) -> Rivals:
    """The systems that options name, over silos loaded into ``place``."""
    from clinfo.pipelines.opening import chat_model
    from clinfo.settings import load_settings

    settings = load_settings()
    model = chat_model(settings, given.model, None)
    return Rivals(settings, model, opened(given.data, place), given.max_steps)


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    more = {
        "--questions": {"type": Path, "help": "[mcq_oncology.json of the data]"},
        "--orders": {"type": int, "default": 1, "help": "orders of the options, 1 to 4"},
        "--answers": {"type": Path, "help": "write every reply, a line of JSON each"},
    }
    name = "copilot.multiple_choice"
    _, given = flags.read(name, "Multiple choice by system.", SILOS, arguments, {**FLAGS, **more})
    file = given.questions or given.data / "mcq_oncology.json"
    rows = json.loads(file.read_text(encoding="utf-8"))[: given.limit]
    with tempfile.TemporaryDirectory() as place:
        rivals = rivals_of(given, Path(place))
        every = asked(rivals, rows, given.systems, given.orders, given.repeats)
    if given.answers is not None:
        lines = (
            {"id": one.id, "system": one.system, "order": one.order, "repeat": one.repeat}
            | {"letter": one.letter, "chosen": one.chosen, "gold": one.gold}
            | {"reply": one.told.text, "problem": one.told.found.problem}
            for one in every
        )
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        given.answers.write_text(text, encoding="utf-8")
    by_system = {name: [row for row in every if row.system == name] for name in given.systems}
    found = {name: measures(own) for name, own in by_system.items()}
    commonest = max(list("ABCD"), key=lambda one: sum(row["answer"] == one for row in rows))
    base = sum(row["answer"] == commonest for row in rows) / len(rows)
    if given.json:
        print(json.dumps({"model": given.model, "commonest_letter": base, "systems": found}))
        return
    print(f"always {commonest}: {base:.3f}")
    show(found)


def show(found: Mapping[str, Mapping[str, float]]) -> None:
    """Print the measures of each system."""
    for name, measured in found.items():
        print(name, *(f"{key} {value:.3f}" for key, value in measured.items()), sep="\n    ")


if __name__ == "__main__":
    main()
