"""How near the answers by rule come to reference answers, on a set that has them.

    python -m benchmarks.chart.generation --data FOLDER [--json]

A question of the set is as `benchmarks.chart.data` says, with the reference as ``answer``. The
measures are the paper's: ROUGE-L, SARI (Xu et al. 2016, doi:10.1162/tacl_a_00107; of the notes that
answer, the answer and the reference; the paper does not say what its source was) and BERTScore
where its weights are (`benchmarks score` tells which). The set of this project has no reference
answers, so that there is no figure for it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.chart import data
from benchmarks.pubmedrs200.metrics import rouge_l
from clinfo.errors import ClinfoError
from clinfo.patients.lexicon import standard
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.telling import tell
from clinfo.text.terms import words

ORDERS = 4
"""Longest runs of words that SARI compares."""


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chart.generation")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLINFO_BENCH_DATA"))
    parser.add_argument("--json", action="store_true", help="one JSON object of measures")
    options = parser.parse_args(arguments)
    if options.data is None:
        parser.error("give --data or CLINFO_BENCH_DATA a folder of questions")
    folder = Path(options.data)
    found = measured(folder / "chart" if (folder / "chart").is_dir() else folder)
    if not found:
        parser.error(f"{folder}: no question has a reference answer")
    print(json.dumps(found) if options.json else "\n".join(f"{n}: {v}" for n, v in found.items()))


def measured(folder: Path) -> dict[str, Any]:
    """The measures over the questions that have a reference; empty where none has."""
    known, lexicon = data.records(folder), standard()
    rows = json.loads((folder / "record_questions.json").read_text(encoding="utf-8"))
    references = {row["id"]: row["answer"] for row in rows if row.get("answer")}
    asked = [one for one in data.questions(folder, known) if one.id in references]
    if not asked:
        return {}

    @cache
    def index_of(patient: str) -> ChartIndex:
        return prepared(known[patient].notes, lexicon)

    told, wanted, sources = list[str](), list[str](), list[str]()
    for one in asked:
        index = index_of(one.patient)
        told.append(tell(understood(one.text, lexicon), index, lexicon).text)
        wanted.append(references[one.id])
        sources.append("\n".join(index.notes[id].text for id in sorted(one.gold)))
    triples = zip(sources, told, wanted, strict=True)
    return {
        "n": len(asked),
        "rouge_l": _mean(rouge_l.scores(told, wanted)),
        "sari": _mean([sari(*three) for three in triples]),
        "bertscore": _bertscore(told, wanted),
    }


def sari(source: str, said: str, reference: str) -> float:
    """SARI of an answer, 0 to 100: how well it keeps, adds and leaves out runs of the source's
    words, by one reference. 0/0 counts as 1, so that the reference itself gets 100.
    """
    every = [_runs_of(n, source, said, reference) for n in range(1, ORDERS + 1)]
    return 100 * sum(map(sum, every)) / (3 * ORDERS)


def _runs_of(n: int, *texts: str) -> tuple[float, float, float]:
    source, said, wanted = (Counter(_runs(words(text), n)) for text in texts)
    kept, right = source & said, source & wanted
    good = kept & right
    keep = _f(
        _ratio(sum(good[run] / kept[run] for run in good), len(kept)),
        _ratio(sum(good.values()), sum(right.values())),
    )
    added, wished = set(said) - set(source), set(wanted) - set(source)
    hit = len(added & wished)
    add = _f(_ratio(hit, len(added)), _ratio(hit, len(wished)))
    left, leave = source - said, source - wanted
    gone = left & leave
    return keep, add, _ratio(sum(gone[run] / left[run] for run in gone), len(left))


def _runs(said: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    return (tuple(said[at : at + n]) for at in range(len(said) - n + 1))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _bertscore(told: Sequence[str], wanted: Sequence[str]) -> float | str:
    """BERTScore's F1, or why there is none."""
    from benchmarks.pubmedrs200.metrics.registry import load
    from benchmarks.pubmedrs200.metrics.spec import Pair

    try:
        (scorer,) = load(("bertscore",))
        pairs = [Pair(a, b) for a, b in zip(told, wanted, strict=True)]
        return _mean(scorer.score(pairs)["bertscore"])
    except (ClinfoError, ImportError) as error:
        return f"not measured: {error}"


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


if __name__ == "__main__":
    main()
