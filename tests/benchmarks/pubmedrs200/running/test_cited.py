"""The articles that external systems cite: looked up in the run's source, kept beside the record,
judged as those that a chain cites.
"""

import csv
import json
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.measures.measuring import measure
from benchmarks.pubmedrs200.reporting.command import main as report
from benchmarks.pubmedrs200.running.records import Cell
from benchmarks.pubmedrs200.scoring.command import main as score
from clinfo.claims.cited import cited_sentence
from clinfo.records.articles import Study
from pubmedrs.reading import load
from tests.benchmarks.pubmedrs200.running.conftest import Runner, articles
from tests.benchmarks.pubmedrs200.running.test_commands import table

TRUE = (
    "Falls were counted by diary, and 2.4% fewer people fell with vitamin D than with placebo [1]."
)
FALSE = (
    "Falls were counted by diary, and 7.7% fewer people fell with vitamin D than with placebo [1]."
)
OTHER = (
    "Falls were counted by diary, and 4.4% fewer people fell with vitamin D than with placebo [2]."
)
CITING = f"""
import json, os, sys
asked = json.loads(sys.stdin.readline())
with open(f"calls-{{sys.argv[1]}}", "a") as calls:
    calls.write("x")
true, false, other = {TRUE!r}, {FALSE!r}, {OTHER!r}
synthesis, references, more = {{
    "place": (f"{{true}} {{false}} {{other}}", [{{"pmid": "1002"}}, {{"pmid": "1004"}}], {{}}),
    "unknown": (f"{{true}} {{other}}", [{{"pmid": "1002"}}, {{"pmid": "999999"}}, {{"pmid": None}}], {{}}),
    "odd": (f"{{true}} {{other}}", [
        {{"pmid": "1003", "n": 2.0}}, {{"pmid": "1005", "n": True}}, {{"pmid": "1002", "n": 1}}, {{"pmid": "1001", "n": 1}},
        {{"pmid": "1004", "n": 2}}, {{"pmid": "1006", "n": -1}}, {{"pmid": "1007", "n": 10 ** 30}}, {{"pmid": "1008", "n": "9"}},
    ], {{}}),
    "own": (f"{{true}} {{other}}", [{{"pmid": "1002"}}, {{"pmid": "1004"}}], {{"sentences": [
        {{"in": "synthesis", "text": true, "cites": [1]}}, {{"in": "synthesis", "text": other, "cites": [1]}}]}}),
    "lying": (f"{{false}} {{other}}", [{{"pmid": "1002"}}, {{"pmid": "1004"}}], {{"sentences": [
        {{"in": "synthesis", "text": false, "cites": [1], "counts_only": True}},
        {{"in": "synthesis", "text": other, "cites": [2], "counts_only": False}}]}}),
    "silent": ("Nobody knows.", [], {{}}),
    "empty": ("", [{{"pmid": "1002"}}], {{}}),
    "leaky": (true, [{{"pmid": "30000001"}}], {{}}),
    "late": (true, [{{"pmid": "1002"}}, {{"pmid": "1003"}}], {{}}),
}}[sys.argv[1]]
print(json.dumps({{"id": asked["id"], "synthesis": synthesis, "tldr": "", "references": references, **more}}))
"""  # noqa: E501


def systems(run: Runner, *kinds: str) -> tuple[str, ...]:
    run.write("citing.py", CITING)
    path = run.write("systems.toml", "\n".join(table(kind, "citing.py", kind) for kind in kinds))
    return ("--systems", path, "--limit", "1")


def calls(run: Runner, kind: str) -> int:
    return len((run.folder / f"calls-{kind}").read_text())


def supported(text: str, pmid: str) -> bool:
    """Return whether a sentence stands in one article, asked without the benchmark."""
    article = next(one for one in articles() if one.pmid == pmid)
    return (
        cited_sentence(text.split(" [")[0] + ".", (1,), [Study(1, article, None)]).verdict
        == "quoted"
    )


def values(folder: Path, data: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row in measure(folder, load(data)):
        found.setdefault(row.system, {})[row.metric] = row.value
    return found


def cited(run: Runner, out: str, kind: str, regime: str = "unrestricted") -> dict[str, object]:
    """The one line that is kept of an answer's references."""
    path = run.folder / out / "cited" / kind / regime / "1" / "30000001.jsonl"
    (line,) = path.read_text(encoding="utf-8").splitlines()
    form: dict[str, object] = json.loads(line)
    return form


def test_the_articles_behind_references_are_kept_and_judged(run: Runner) -> None:
    kinds = ("place", "unknown", "odd", "own", "lying", "silent", "empty")
    stdout, stderr = run("out", *systems(run, *kinds), "--regimes", "unrestricted")
    assert [supported(TRUE, "1002"), supported(FALSE, "1002"), supported(OTHER, "1004")] == [
        True,
        False,
        True,
    ]
    assert [supported(OTHER, "1002"), supported(OTHER, "1003")] == [False, False]
    held = cited(run, "out", "unknown")
    assert held["type"] == "articles_fetched"
    assert [(one["pmid"], one["title"]) for one in held["articles"]] == [  # type: ignore[attr-defined]
        ("1002", "Vitamin D and falls in older people: a randomised trial (2)")
    ]
    assert held["missing"] == ["pmid:999999"]
    found = values(run.folder / "out", run.data)
    shares = {kind: found[f"{kind}:unrestricted"].get("sentences_supported_own") for kind in kinds}
    assert shares == {
        "place": pytest.approx(2 / 3),
        "unknown": pytest.approx(1 / 2),  # the source holds nothing for the second
        "odd": pytest.approx(1.0),  # 1 is 1002, the first that says so, and 2 is 1004, not 1003
        # by its marks; its own list of sentences says that both cite 1002, and is not asked
        "own": 1.0,
        "lying": pytest.approx(1 / 2),  # whatever it declares of its sentences
        "silent": 0.0,  # cites nothing
        "empty": None,
    }
    assert found["place:unrestricted"]["citation_precision_own"] == pytest.approx(2 / 3)
    assert found["place:unrestricted"]["figures_supported"] == pytest.approx(2 / 3)
    assert found["lying:unrestricted"]["sentences_set_apart"] == 0
    assert not (run.folder / "out" / "cited" / "empty").exists()
    assert (
        "unknown, unrestricted: the source does not hold 1 of 3 references; a sentence that "
        "cites one counts as"
    ) in stdout
    assert stdout.count("the source does not hold") == 1
    assert "could not be reached" not in stderr


def test_score_and_report_show_what_the_source_does_not_hold(run: Runner) -> None:
    kinds = ("place", "unknown", "own")
    run("out", *systems(run, *kinds), "--regimes", "unrestricted,restricted")
    out, data, scores = run.folder / "out", str(run.data), run.folder / "scores.jsonl"
    cell = Cell("own", "restricted", 1, "30000001")
    cell.path(out, "cited", ".jsonl").unlink()  # as after an outage
    score([str(out), "--data", data, "--metrics", "none", "--out", str(scores)])
    report(
        [
            str(scores),
            "--run",
            str(out),
            "--data",
            data,
            "--out",
            str(run.folder / "report"),
            "--no-plots",
        ]
    )
    with (run.folder / "report" / "tables" / "support.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        shares = {row["label"]: row["sentences_supported_own"] for row in csv.DictReader(file)}
    with (run.folder / "report" / "tables" / "references.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = {row["label"]: row for row in csv.DictReader(file)}
    assert float(shares["place:unrestricted"]) == pytest.approx(2 / 3)
    assert float(shares["unknown:unrestricted"]) == pytest.approx(1 / 2)
    assert shares["own:restricted"] == "no value"
    columns = ("answers", "not_looked_up", "references", "not_held", "without_pmid")
    assert {
        label: tuple(int(row[column]) for column in columns) for label, row in rows.items()
    } == {
        "place:restricted": (1, 0, 2, 0, 0),
        "unknown:restricted": (1, 0, 3, 1, 1),
        "own:restricted": (1, 1, 0, 0, 0),
        "place:unrestricted": (1, 0, 2, 0, 0),
        "unknown:unrestricted": (1, 0, 3, 1, 1),
        "own:unrestricted": (1, 0, 2, 0, 0),
    }
    page = (run.folder / "report" / "report.html").read_text(encoding="utf-8")
    assert page.count("not held by the run&#39;s source") == 2, (
        "once a regime, at the reference itself"
    )
    assert "External systems, bare models and the published systems have no figures" not in page
