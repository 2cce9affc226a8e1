"""Fits the learned parts of the chart pipeline (`clinfo.pipelines.chart.retrieval`).

    python -m benchmarks.chart.fit [--write] [--data FOLDER] [--questions FILE]

Only on the patients of development (half, by sha256): the questions as they are and reworded
(``reworded.jsonl`` beside this module, written for this project), over the notes as they are and
with sentences of noise made from those that the judge of assertion was fitted on. Recovery:
logistic regression over chunks, classes weighted. Rerank: softmax regression over each question's
chunks, the answering ones to get all of the probability. Prints what five folds over patients give.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.chart import data
from benchmarks.chart.fit_assertion import written
from clinfo.patients.lexicon import standard
from clinfo.pipelines.chart.index import prepared
from clinfo.pipelines.chart.parsed_question import parsed
from clinfo.pipelines.chart.retrieval import FILE, NAMES, Matched
from clinfo.retrieval.embedders import embedder_named

PENALTY = {"recovery": 1.0, "rerank": 1.0}
REWORDED = Path(__file__).with_name("reworded.jsonl")
POSITIVE = 0.5
"""Share of the weight that the answering chunks have together."""


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/chart"))
    parser.add_argument("--questions", type=Path, default=REWORDED, help="reworded questions")
    options = parser.parse_args(arguments)
    table = Examples(options.data, options.questions)
    made = table.fitted(np.ones(len(table.patients), bool))
    table.tell()
    if options.write:
        about = (
            f"fitted by benchmarks.chart.fit on {len(set(table.patients))} patients of development,"
            f" {len(table.patients)} questions; none of their words is in it"
        )
        FILE.write_text(json.dumps({"about": about, **made}, indent=1) + "\n")


class Examples:
    """The features of development's questions, with what is right."""

    def __init__(self, folder: Path, worded: Path) -> None:
        known, lexicon, embedder = data.records(folder), standard(), embedder_named()
        plain = data.questions(folder, known)
        both = [*plain, *data.questions(folder, known, worded)]
        asked = [one for one in both if data.in_development(one.patient)]
        noisy = data.noised(known, [one for one in plain if one in asked], own_noise())
        sets = [(known, asked), (noisy, asked)]
        self.rows: list[Any] = []
        self.gold: list[Any] = []
        self.patients: list[str] = []
        for records, own in sets:
            index = {
                patient: prepared(records[patient].notes, lexicon, embedder)
                for patient in sorted({one.patient for one in own})
            }
            for one in own:
                question = parsed(one.text, lexicon)
                found = Matched(question, index[one.patient]).rows
                self.rows.append(found)
                self.gold.append(
                    np.array(
                        [
                            any(p.note in one.gold for p in chunk.parts)
                            for chunk in index[one.patient].chunks
                        ]
                    )
                )
                self.patients.append(one.patient)

    def fitted(self, chosen: Any) -> dict[str, Any]:
        """The two models, of the questions chosen."""
        rows = [row for row, own in zip(self.rows, chosen, strict=True) if own]
        gold = [row for row, own in zip(self.gold, chosen, strict=True) if own]
        return {
            "recovery": _named(
                _logistic(np.vstack(rows), np.concatenate(gold).astype(float), PENALTY["recovery"]),
                NAMES,
            ),
            "rerank": _named(_softmax(rows, gold, PENALTY["rerank"]), NAMES),
        }

    def tell(self) -> None:
        """Print what models fitted on other patients give, five folds over patients."""
        names = sorted(set(self.patients))
        fold = np.array([names.index(one) % 5 for one in self.patients])
        hits: dict[str, list[float]] = {
            "recall_at_1": [],
            "recall_at_3": [],
            "recovered": [],
            "right of recovered": [],
        }
        for number in range(5):
            made = self.fitted(fold != number)
            for place in np.flatnonzero(fold == number):
                rows, gold = self.rows[place], self.gold[place]
                order = np.argsort(-_values(made["rerank"], rows, NAMES), kind="stable")
                for depth in (1, 3):
                    hits[f"recall_at_{depth}"].append(
                        gold[order[:depth]].sum() / min(depth, gold.sum())
                    )
                chance = 1 / (1 + np.exp(-_values(made["recovery"], rows, NAMES)))
                revived = chance >= 0.8
                hits["recovered"].append(gold[revived].sum() / gold.sum())
                if revived.any():
                    hits["right of recovered"].append(gold[revived].mean())
        for name, values in hits.items():
            print(f"{name:20} {np.mean(values):.3f}")


def own_noise() -> list[dict[str, Any]]:
    """Templates of noise made from the sentences of the judge of assertion that name one thing
    which the patient does not simply have.
    """
    found = []
    for one in written():
        if len(one.mentions) == 1 and one.mentions[0].assertion != "present":
            at = one.mentions[0]
            template = one.text[: at.start] + "{TERM}" + one.text[at.end :]
            found.append({"template": template, "takes": "either", "assertion": at.assertion})
    return found


def _named(model: Any, names: tuple[str, ...]) -> dict[str, Any]:
    values = {name: round(float(one), 4) for name, one in zip(names, model[:-1], strict=True)}
    return {"intercept": round(float(model[-1]), 4), "weights": values}


def _values(model: Any, rows: Any, names: tuple[str, ...]) -> Any:
    return rows @ np.array([model["weights"][name] for name in names]) + model["intercept"]


def _logistic(rows: Any, right: Any, penalty: float) -> Any:
    """Newton's method; both classes weigh the same together. The last value is the intercept."""
    given = np.hstack([rows, np.ones((len(rows), 1))])
    share = right.mean()
    each = np.where(right > 0, POSITIVE / share, (1 - POSITIVE) / (1 - share))
    found = np.zeros(given.shape[1])
    ridge = np.full(given.shape[1], penalty)
    ridge[-1] = 1e-6
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(given @ found, -30, 30)))
        slope = given.T @ (each * (right - chance)) - ridge * found
        bend = (given * (each * chance * (1 - chance))[:, None]).T @ given + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        found += step
        if np.abs(step).max() < 1e-8:
            break
    return found


def _softmax(rows: Any, gold: Any, penalty: float) -> Any:
    """Gradient steps (Adam) of the probability of the gold chunks of each question."""
    sizes = [len(row) for row in rows]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    given, wanted = np.vstack(rows), np.concatenate([g / max(1, g.sum()) for g in gold])
    found = np.zeros(given.shape[1])
    first, second = np.zeros_like(found), np.zeros_like(found)
    for step in range(1, 801):
        value = given @ found
        top = np.repeat(np.maximum.reduceat(value, starts), sizes)
        power = np.exp(value - top)
        chance = power / np.repeat(np.add.reduceat(power, starts), sizes)
        slope = given.T @ (chance - wanted) + penalty * found
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        found -= 0.05 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return np.append(found, -float(np.median(given @ found)))


if __name__ == "__main__":
    main()
