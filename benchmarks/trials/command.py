"""Measures of the trials pipeline on real papers.

    python -m benchmarks trials [--data FOLDER] [--json]
        [--model NAME [--method urca] [--record FILE.jsonl] [--limit N] [--only numbers|questions]]

With --model each question of a physician and each row of numbers is a run; each outcome is a line
of the record, and what is in it is not asked again.

The reranker was fitted on the papers of ../shared/data/trials: on those the cross-validated figures
count (`python -m benchmarks.trials.fit_results`), on others these.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from benchmarks import flags
from benchmarks.trials import data, measures, numbers
from clinfo.pipelines.trials.records import Method

FLAGS: flags.Flags = {
    "--model": {"help": "also ask this model"},
    "--method": {"default": "numbers", "choices": get_args(Method)},
    "--record": {
        "type": Path, "default": Path("trials.jsonl"), "help": "where outcomes are kept"
    },
    "--limit": {"type": int, "help": "ask the model the first N of either kind"},
    "--only": {"default": "", "choices": ("", "numbers", "questions")},
}  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    _, options = flags.read(
        "trials", "The trials pipeline on real papers.", "articles.*", arguments, FLAGS
    )
    folder = options.data
    if options.model:
        from benchmarks.trials.with_model import measured

        asked = (options.model, options.method, options.record, options.limit, options.only)
        flags.tell(measured(folder, *asked), options.json)
        return
    papers, questions = data.papers(folder), data.questions(folder)
    found: dict[str, float] = {
        "n": len(questions),
        "gold_empty": sum(not one.gold for one in questions),
        "spans_empty": sum(not one.spans for one in questions),
        **measures.span_hits(questions, papers),
        **numbers.measures(folder),
    }
    flags.tell(found, options.json)
