"""The measure of assertion counts what is right, wrong and not found."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from benchmarks.chart.assertion import NOT_FOUND, f1, of_labels, of_templates
from clinfo.patients.lexicon import standard


def test_f1_counts_what_is_taken_for_another_and_what_is_not_found() -> None:
    pairs = Counter(
        {("negated", "negated"): 3, ("negated", NOT_FOUND): 1, ("present", "negated"): 2}
    )
    assert f1(pairs, ("negated",)) == 6 / 9
    assert f1(pairs, ("present",)) == 0.0
    assert f1(Counter(), ("family",)) == 0.0


def test_templates_and_labels_are_read(tmp_path: Path) -> None:
    templates = tmp_path / "noise.jsonl"
    row = {"template": "She denies {TERM}.", "takes": "condition", "assertion": "negated"}
    templates.write_text(json.dumps(row) + "\n")
    assert of_templates(templates, standard()) == Counter({("negated", "negated"): 3})
    (tmp_path / "notes.csv").write_text('id,note\n1,"No asthma, zzyzx."\n')
    labels = tmp_path / "labels.jsonl"
    at = {"file": "notes.csv", "row": 0, "column": "note", "assertion": "negated"}
    spans = [at | {"start": 3, "end": 9}, at | {"start": 11, "end": 16}]
    labels.write_text("".join(json.dumps(one) + "\n" for one in spans))
    assert of_labels(labels, tmp_path, standard()) == Counter(
        {("negated", "negated"): 1, ("negated", NOT_FOUND): 1}
    )
