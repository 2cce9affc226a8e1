"""Numbers first: effects from the arms' numbers, against the text, and pooled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import RecordError
from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.trials.assemble import assemble
from clinfo.pipelines.trials.declared import MODEL_STAGES, TRIALS
from clinfo.settings import Settings
from tests.cli.process import clinfo
from tests.pipelines.trials.test_run import QUESTION, answer, events, request

PAPER = """<article><front><article-meta><article-id pub-id-type="pmid">{n}</article-id>
<title-group><article-title>Zinc cream for itching: trial {n}</article-title></title-group>
<abstract><p>Patients were randomised to zinc cream (n = {a}) or placebo (n = {b}).</p></abstract>
</article-meta></front><body><sec><title>Results</title><p>{said}</p>
<table-wrap><label>Table 1</label><caption><p>Outcomes, n (%)</p></caption><table><thead>
<tr><th>Outcome</th><th>Zinc cream (n = {a})</th><th>Placebo (n = {b})</th></tr></thead><tbody>
<tr><td>Itching</td><td>{x} ({px:.1f}%)</td><td>{y} ({py:.1f}%)</td></tr>
<tr><td>Redness</td><td>3 (5%)</td><td>4 (6%)</td></tr>
</tbody></table></table-wrap></sec></body></article>"""
LESS = "Itching was significantly less frequent with zinc cream than with placebo (P = 0.01)."
ALIKE = "Itching did not differ significantly between zinc cream and placebo (P = 0.6)."


def paper(n: int, x: int, a: int, y: int, b: int, said: str) -> str:
    return PAPER.format(n=n, a=a, b=b, x=x, y=y, px=100 * x / a, py=100 * y / b, said=said)


FILES = {
    "1.xml": paper(1, 12, 60, 25, 61, LESS),
    "2.xml": paper(2, 30, 100, 33, 98, ALIKE),
    "3.xml": paper(3, 20, 45, 9, 44, LESS),
    "4.txt": f"RESULTS:\n{LESS}\n",
}


def read(name: str) -> bytes:
    if name not in FILES:
        raise RecordError(f"{name}: not there")
    return FILES[name].encode()


def run(**fields: Any) -> dict[str, Any]:
    asked = request(*FILES, better="lower", **fields)
    models = dict.fromkeys(MODEL_STAGES, ExtractiveModel(TRIALS.stages))
    return answer(events(assemble(Settings(cache="off"), asked, read=read, models=models), asked))


def test_numbers_decide_where_there_are_some_and_text_where_there_are_none() -> None:
    found = run()["studies"]
    assert [(one["direction"], one["basis"], one["favours"]) for one in found] == [
        ("decrease", "numbers", "intervention"),
        ("no_difference", "numbers", "neither"),
        ("increase", "numbers", "comparator"),
        ("decrease", "text", "intervention"),
    ]
    first = found[0]
    # (12/60) / (25/61), and its interval, by metafor's escalc(measure="RR")
    assert [round(first["effect"][name], 3) for name in ("estimate", "low", "high")] == [
        0.488,
        0.271,
        0.879,
    ]
    events = first["numbers"]["intervention"]["events"]
    assert events["value"] == 12
    assert events["text"].startswith("12")


def test_numbers_against_the_text_are_told() -> None:
    third = run()["studies"][2]
    assert third["text_direction"] == "decrease"
    assert any("disagree" in flag for flag in third["flags"])


def test_the_pool_says_who_is_not_in_it() -> None:
    found = run()["pooled"]
    assert (found["measure"], found["model"], found["studies"]) == ("RR", "REML", 3)
    assert list(found["left_out"]) == ["4.txt"]
    # 100 per cent among those pooled
    assert sum(one["effect"]["weight"] for one in run()["studies"] if one["effect"]) == (
        pytest.approx(100)
    )


def test_the_published_method_reads_no_numbers() -> None:
    found = run(method="urca")
    assert found["pooled"] is None
    assert [one["basis"] for one in found["studies"]] == ["text"] * 4


def test_plot_and_exports_on_the_command_line(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    papers = [part for name in FILES for part in ("--papers", name)]
    common = ("trials", QUESTION, *papers, "--better", "lower", "--model", "extractive", "--quiet")
    plotted = clinfo(*common, "--plot", "forest.svg", cwd=tmp_path)
    assert plotted.returncode == 0, plotted.stderr
    assert "The numbers and the text disagree" in plotted.stdout
    assert "favours zinc cream" in (tmp_path / "forest.svg").read_text(encoding="utf-8")
    table = clinfo(*common, "--export", "metafor", cwd=tmp_path).stdout.splitlines()
    assert table[0].startswith("study,pooled,ai,bi,n1i,ci")
    assert "Zinc cream for itching: trial 1,TRUE,12,48,60,25,36,61" in table[1]
    assert table[-1].startswith("4.txt,FALSE")
    refused = clinfo(*common, "--plot", "forest.gif", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
