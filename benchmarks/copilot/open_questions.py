"""Open questions by system: faithfulness, answer relevancy, contextual precision and relevancy.

python -m benchmarks.copilot.open_questions --model NAME [--data FOLDER] [--questions FILE]
    [--systems plain,mixed] [--limit N] [--repeats 1] [--judge rules|learned] [--cases FILE]

No set of open oncology questions with answers by oncologists, and no set of cases, is at hand. What
is asked unless ``--questions`` says otherwise are CancerGov's questions for patients, with its own
answers as gold. Questions are rows of JSON with question and gold (an answer) or gold_ids (ids of
documents of a silo, the first is the answer).

The four measures have DeepEval's names, and the claims room as judge, which reads single sentences:

faithfulness          sentences of the answer that its context supports, in full or in part
answer relevancy      sentences of the answer that the gold answer supports, in full or in part
contextual precision  mean precision at the ranks of passages that support a gold sentence
contextual relevancy  passages that support a gold sentence

``--judge`` is named in the result. An answer without a sentence counts 0; faithfulness without a
context is left out. ``--cases`` writes what `benchmarks.copilot.deepeval_cases` has DeepEval judge.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.copilot.multiple_choice import interval, options, rivals_of
from benchmarks.copilot.rivals import Rivals, System, Told, tool_table
from clinfo import verify
from clinfo.lazy_dataclass import dataclass
from clinfo.text.sentences import sentence_spans

INSTRUCTION: Final = (
    "Answer in at most five sentences, from the passages where there are any. Say what they do "
    "not tell."
)
MEASURES: Final = (
    "faithfulness", "answer_relevancy", "contextual_precision", "contextual_relevancy",
)  # fmt: skip
BEARS: Final = ("supported", "partial")
"""Verdicts with which a text bears on a sentence."""
MOST_GOLD: Final = 8
"""Sentences of a gold answer that passages are held against."""


@dataclass(frozen=True)
class Judged:
    """An answer of a system with its measures, None for one that has no meaning there."""

    id: str
    system: System
    repeat: int
    question: str
    gold: str
    told: Told
    faithfulness: float | None
    answer_relevancy: float
    contextual_precision: float | None
    contextual_relevancy: float | None


def judged(
    rivals: Rivals, rows: Iterable[Mapping[str, Any]], systems: Sequence[System],
    repeats: int = 1, judge: str = "rules",
) -> list[Judged]:  # fmt: skip
    """Every question asked of every system, so many times, and judged."""
    found = []
    for row in rows:
        for system in systems:
            for repeat in range(repeats):
                brought = rivals.find(system, row["question"])
                told = rivals.tell(brought, row["question"], INSTRUCTION)
                measured = measures(told.text, [t for _, t in brought.passages], row["gold"], judge)
                found.append(
                    Judged(
                        row["id"], system, repeat, row["question"], row["gold"], told, **measured
                    )
                )
    return found


def measures(
    answer: str, context: Sequence[str], gold: str, judge: str = "rules"
) -> dict[str, Any]:
    """The four measures of one answer."""
    said, wanted = _sentences(answer), _sentences(gold)[:MOST_GOLD]
    faithful: float | None = None
    if context:
        faithful = _share([_bears(one, context, judge) for one in said])
    useful = [any(_bears(one, [passage], judge) for one in wanted) for passage in context]
    return {
        "faithfulness": faithful,
        "answer_relevancy": _share([_bears(one, [gold], judge) for one in said]),
        "contextual_precision": _precision(useful) if context else None,
        "contextual_relevancy": _share(useful) if context else None,
    }


def _sentences(text: str) -> list[str]:
    return [own for start, end in sentence_spans(text) if (own := text[start:end].strip())]


def _bears(sentence: str, texts: Sequence[str], judge: str) -> bool:
    """Whether texts support a sentence, in full or in part."""
    return verify(sentence, list(texts), judge=judge).verdict in BEARS


def _share(found: Sequence[bool]) -> float:
    return float(np.mean(found)) if found else 0.0


def _precision(useful: Sequence[bool]) -> float:
    """The mean, over ranks of useful passages, of the share of useful ones down to that rank."""
    at = [sum(useful[: n + 1]) / (n + 1) for n, one in enumerate(useful) if one]
    return float(np.mean(at)) if at else 0.0


def table(rows: Sequence[Judged]) -> dict[str, float]:
    """The measures of one system, each with its interval over questions."""
    found: dict[str, float] = {"answers": len(rows)}
    for name in MEASURES:
        own = [(row.id, value) for row in rows if (value := getattr(row, name)) is not None]
        if own:
            ids, values = zip(*own, strict=True)
            low, high = interval(ids, values)
            found |= {name: float(np.mean(values)), f"{name}_low": low, f"{name}_high": high}
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


def cases(rows: Iterable[Judged]) -> str:
    """What another judge needs, a line of JSON an answer."""
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
    parser = argparse.ArgumentParser(prog="python -m benchmarks.copilot.open_questions")
    parser.add_argument("--questions", type=Path, help="[cancergov_questions.json of the data]")
    parser.add_argument("--judge", choices=("rules", "learned"), default="rules")
    parser.add_argument("--cases", type=Path, help="write what DeepEval is to judge")
    given = options(parser, arguments)
    file = given.questions or given.data / "cancergov_questions.json"
    rows = json.loads(file.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        rivals = rivals_of(given, Path(place))
        texts = {
            one.id: one.text
            for name in rivals.silos.names()
            for one in rivals.silos.documents(name)
        }
        asked = list(questions(rows, texts))[: given.limit]
        every = judged(rivals, asked, given.systems, given.repeats, given.judge)
    if given.cases is not None:
        given.cases.write_text(cases(every), encoding="utf-8")
    found = {name: table([row for row in every if row.system == name]) for name in given.systems}
    about = {"model": given.model, "judge": given.judge, "repeats": given.repeats}
    if given.json:
        print(json.dumps({**about, "questions": len(asked), "systems": found}))
        return
    print(f"{len(asked)} questions;", "; ".join(f"{name} {one}" for name, one in about.items()))
    for name, measured in found.items():
        print(name, *(f"{key} {value:.3f}" for key, value in measured.items()), sep="\n    ")
    print("tools by step:", *tool_table([row.told for row in every]), sep="\n    ")


if __name__ == "__main__":
    main()
