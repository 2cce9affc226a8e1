"""Two physicians' ratings of the extractive model's answers to 100 clinical questions on real
citations.

    python -m benchmarks clinical [--json]
    python -m benchmarks clinical --ask INDEX --out FILE

``clinical_questions.jsonl`` holds the questions, written from the articles by someone who had seen
neither program nor answers (70 that the corpus answers, 30 that it does not), and the labels of two
readers, who saw the answers of one state of the program, the writer's expectation and the
abstracts, but neither code nor each other's labels. A label is "proper", "declined", "partial",
"misleading" or "wrong". `--ask` writes today's answers from a local index of the citations, to be
read anew: labels belong to the answers read.
Intervals are Wilson's (1927), 95 %; agreement is Cohen's kappa (1960).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.own.verdict_rates import wilson

QUESTIONS = Path(__file__).with_name("clinical_questions.jsonl")
READERS = ("reader_a", "reader_b")
MISLEADING = ("wrong", "misleading")


def rows(path: Path = QUESTIONS) -> list[dict[str, Any]]:
    """The questions with the readers' labels, in the order of the file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def kappa(first: list[str], second: list[str]) -> float:
    """Cohen's kappa of two lists of labels; 1.0 where chance alone agrees wholly."""
    n = len(first)
    agreed = sum(map(str.__eq__, first, second)) / n
    by_first, by_second = Counter(first), Counter(second)
    chance = sum(by_first[label] * by_second[label] for label in by_first) / n**2
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0


def measures(judged: list[dict[str, Any]]) -> dict[str, float]:
    """Shares from 0 to 1 by reader, and their agreement."""
    found: dict[str, float] = {
        "n": len(judged),
        "kappa": kappa(*([row[reader] for row in judged] for reader in READERS)),
    }
    inside, outside = (
        [row for row in judged if row["in_corpus"] is known] for known in (True, False)
    )
    for reader in READERS:
        found[f"{reader}_misleading"] = sum(row[reader] in MISLEADING for row in judged) / len(
            judged
        )
        found[f"{reader}_proper_in_corpus"] = sum(row[reader] == "proper" for row in inside) / len(
            inside
        )
        found[f"{reader}_declined_outside"] = sum(
            row[reader] == "declined" for row in outside
        ) / len(outside)
    return found


def ask(index: str, out: Path) -> None:
    """Write a line with the JSON answer to each question, from a local index."""
    command = [
        sys.executable,
        "-m",
        "clinfo",
        "ask",
        "--model",
        "extractive",
        "--source",
        "local",
        "--json",
        "--quiet",
    ]
    with out.open("w", encoding="utf-8") as file:
        for row in rows():
            done = subprocess.run(
                [*command, row["question"]],
                capture_output=True,
                text=True,
                env={**os.environ, "CLINFO_INDEX_DIR": index},
            )
            answer = json.loads(done.stdout) if done.returncode in (0, 3) else None
            file.write(
                json.dumps(
                    {"id": row["id"], "status": done.returncode, "answer": answer},
                    ensure_ascii=False,
                )
                + "\n"
            )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks clinical", description="Answers as two physicians judged them."
    )
    parser.add_argument(
        "--ask",
        metavar="INDEX",
        help="a local index of the citations: write today's answers instead",
    )
    parser.add_argument("--out", type=Path, default=Path("answers.jsonl"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if options.ask:
        ask(options.ask, options.out)
        return
    judged = rows()
    if options.json:
        print(json.dumps(measures(judged)))
        return
    for reader in READERS:
        for title, kept, wanted in (
            ("wrong or misleading, of all", judged, MISLEADING),
            (
                "properly answered, of those the corpus answers",
                [row for row in judged if row["in_corpus"]],
                ("proper",),
            ),
            (
                "declined, of those it does not",
                [row for row in judged if not row["in_corpus"]],
                ("declined",),
            ),
        ):
            hits = sum(row[reader] in wanted for row in kept)
            low, high = wilson(hits, len(kept))
            print(
                f"{reader}: {title:48} {hits}/{len(kept)}  {100 * hits / len(kept):.1f} % "
                f"({100 * low:.1f} to {100 * high:.1f})"
            )
    print(f"agreement of the readers (kappa): {measures(judged)['kappa']:.2f}")


if __name__ == "__main__":
    main()
