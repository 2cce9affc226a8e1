"""DeepEval's four measures of the answers that `benchmarks.copilot.open_questions --cases` wrote.

python -m venv judge && judge/bin/pip install deepeval==4.3.1
judge/bin/python benchmarks/copilot/deepeval_cases.py CASES --model NAME [--repeats 3] [--json]

In an environment of its own, without this project: DeepEval holds back versions that the project
needs. It sends nothing home. The judge is a model behind an OpenAI-compatible server
(OPENAI_BASE_URL, OPENAI_API_KEY): questions, passages and answers go there. Model judges vary, so
the model is named and everything is judged ``--repeats`` times; mean and range are told.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from statistics import fmean
from typing import Any

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"  # read when it is imported


def judged(case: dict[str, Any], model: Any) -> dict[str, float]:
    """The four measures of a case; those of the context only where there is one."""
    from deepeval import metrics
    from deepeval.test_case import LLMTestCase

    row = LLMTestCase(
        input=case["question"],
        actual_output=case["answer"],
        expected_output=case["gold"],
        retrieval_context=case["context"],
    )
    kinds = {"answer_relevancy": metrics.AnswerRelevancyMetric}
    if case["context"]:
        kinds |= {
            "faithfulness": metrics.FaithfulnessMetric,
            "contextual_precision": metrics.ContextualPrecisionMetric,
            "contextual_relevancy": metrics.ContextualRelevancyMetric,
        }
    found = {}
    for name, kind in kinds.items():
        metric = kind(model=model, async_mode=False, include_reason=False)
        metric.measure(row, _show_indicator=False)
        found[name] = float(metric.score or 0.0)
    return found


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("cases", type=Path)
    parser.add_argument("--model", required=True, help="the judge")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    from deepeval.models import GPTModel

    model = GPTModel(
        model=given.model,
        base_url=os.environ.get("OPENAI_BASE_URL"),
        temperature=0,
        cost_per_input_token=0.0,
        cost_per_output_token=0.0,
    )
    lines = given.cases.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    by_repeat = [[judged(row, model) for row in rows] for _ in range(given.repeats)]
    found: dict[str, dict[str, dict[str, float]]] = {}
    for system in dict.fromkeys(row["system"] for row in rows):
        places = [n for n, row in enumerate(rows) if row["system"] == system]
        names = dict.fromkeys(name for n in places for name in by_repeat[0][n])
        for name in names:
            means = [
                fmean(scores[n][name] for n in places if name in scores[n]) for scores in by_repeat
            ]
            told = {"mean": fmean(means), "least": min(means), "most": max(means)}
            found.setdefault(system, {})[name] = told
    about = {"judge": given.model, "repeats": given.repeats, "answers": len(rows)}
    if given.json:
        print(json.dumps({**about, "systems": found}))
        return
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    for system, measured in found.items():
        for name, told in measured.items():
            print(f"{system:8} {name:22} " + "  ".join(f"{k} {v:.3f}" for k, v in told.items()))


if __name__ == "__main__":
    main()
