"""The independent judge that a user names."""

from __future__ import annotations

from pathlib import Path

from benchmarks.pubmedrs200.measures.judging import Judge
from benchmarks.pubmedrs200.measures.nli_judge import NLI, NliJudge


def judge_named(name: str, max_cost: float | None = None) -> Judge:
    """``nli:FOLDER`` or a language model's name. ``max_cost`` bounds what a language model may
    cost, in US dollars.

    Raises UsageError for what cannot judge.
    """
    if name.startswith(NLI):
        return NliJudge(Path(name.removeprefix(NLI)))
    from benchmarks.pubmedrs200.measures.model_judge import ModelJudge

    return ModelJudge(name, max_cost)
