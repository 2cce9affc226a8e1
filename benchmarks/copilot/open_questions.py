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
from itertools import product
from pathlib import Path
from typing import Any, Final

from benchmarks import flags
from benchmarks.copilot.multiple_choice import FLAGS, SILOS, rivals_of, show, spent
from benchmarks.copilot.rivals import Rivals, System, Told

INSTRUCTION: Final = (
    "Answer in at most five sentences, from the passages where there are any. Say what they do "
    "not tell."
)


def asked(
    rivals: Rivals, rows: Iterable[Mapping[str, Any]], systems: Sequence[System], repeats: int = 1
) -> Iterator[tuple[dict[str, Any], Told]]:
    """Every question asked of every system, so many times: what a judge needs, and the reply."""
    for row, system, repeat in product(rows, systems, range(repeats)):
        told = rivals.tell(rivals.find(system, row["question"]), row["question"], INSTRUCTION)
        context = [text for _, text in told.found.passages]
        yield {**row, "system": system, "repeat": repeat, "answer": told.text,
               "context": context}, told  # fmt: skip


def questions(
    rows: Iterable[Mapping[str, Any]], texts: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Rows with their gold answers; those whose answer is not there are left out."""
    for n, row in enumerate(rows):
        gold = row.get("gold") or texts.get(next(iter(row.get("gold_ids", ())), ""))
        if gold:
            yield {"id": str(row.get("id", n)), "question": row["question"], "gold": gold}


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
    lines = (json.dumps(case, ensure_ascii=False) + "\n" for case, _ in every)
    given.cases.write_text("".join(lines), encoding="utf-8")
    found = {}
    for name in given.systems:
        told = [one for case, one in every if case["system"] == name]
        bare = sum(not one.found.passages for one in told) / max(1, len(told))
        found[name] = {"answers": len(told), "no_context": bare, **spent(told)}
    if given.json:
        print(json.dumps({"model": given.model, "questions": len(wanted), "systems": found}))
        return
    show(found)


if __name__ == "__main__":
    main()
