"""Anybody's questions: the forms in which they come, and a run of them with accuracy and F1."""

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.reporting.command import main as report
from benchmarks.pubmedrs200.running import decisions
from benchmarks.pubmedrs200.running.questions import read
from benchmarks.pubmedrs200.scoring import statistics
from benchmarks.pubmedrs200.scoring.command import main as score
from clinfo.errors import UsageError
from tests.benchmarks.pubmedrs200.running.conftest import Runner

PUBMEDQA = {
    "21645374": {
        "QUESTION": "Do mitochondria play a role in remodelling lace plant leaves?",
        "CONTEXTS": ["Cell death occurs."],
        "LABELS": ["BACKGROUND"],
        "MESHES": ["Apoptosis"],
        "YEAR": "2011",
        "final_decision": "yes",
        "LONG_ANSWER": "They seem to.",
    },
    "16418930": {
        "QUESTION": "Landolt C and snellen e acuity: differences in strabismus amblyopia?",
        "final_decision": "no",
        "LONG_ANSWER": "No difference.",
    },
}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_pubmedqa_as_published(tmp_path):
    found = read(written(tmp_path, "ori_pqal.json", json.dumps(PUBMEDQA)))
    first, second = found.dataset.reviews
    assert (first.pmid, first.reference, first.published) == (
        "21645374",
        "They seem to.",
        date(2011, 1, 1),
    )
    assert found.labels == {"21645374": "yes", "16418930": "no"}
    assert found.own == {"21645374": "21645374", "16418930": "16418930"}
    assert found.undated == {second.pmid}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "rows.csv",
            "id,question,answer,reference,pmids,date\r\n"
            'a/1,"Does zinc help, at all?",Maybe,It might.,"123; 456",2020-05\r\n',
        ),
        (
            "rows.jsonl",
            '{"ID": "a/1", "Question": "Does zinc help, at all?", "answer": "maybe", '
            '"reference": "It might.", "pmids": [123, "456"], "date": "2020/05/01"}\n\n',
        ),
        (
            "rows.json",
            '[{"qid": "a/1", "query": "Does zinc help, at all?", "label": "maybe.", '
            '"ideal_answer": "It might.", "documents": "123 456", "before": "2020-05-01"}]',
        ),
    ],
)
def test_rows_of_anybody(tmp_path, name, text):
    found = read(written(tmp_path, name, text))
    (review,) = found.dataset.reviews
    assert (review.pmid, review.question) == ("a%2F1", "Does zinc help, at all?")
    assert (review.reference, review.references) == ("It might.", ("123", "456"))
    assert (review.published, found.labels) == (date(2020, 5, 1), {"a%2F1": "maybe"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "id,answer\n1,yes\n",
        "id,question\n1,Zinc?\n1,Zinc?\n",
        "id,question,date\n1,Zinc?,last year\n",
        '{"question": "Zinc?"}\n{"question": \n',
        '["Zinc?"]',
        '{"questions": ["Zinc?"]}',
        "id,question\n..,Zinc?\n",
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, text):
    with pytest.raises(UsageError):
        read(written(tmp_path, "rows", text))


DECIDING = """
import json, sys
asked = json.loads(sys.stdin.readline())
said = {"q1": "yes", "q2": "yes", "q3": "no"}[asked["id"]]
print(json.dumps({"id": asked["id"], "synthesis": "See [1].", "tldr": "", "decision": said,
    "references": [{"pmid": "1002"}]}))
"""


def test_accuracy_is_told_with_its_interval() -> None:
    """Wilson's of 9 of 10 and of 10 of 10, as scipy's binomtest gives it."""
    told = next(decisions.lines("s", [("yes", "yes")] * 5 + [("no", "yes")] + [("no", "no")] * 4))
    assert told.startswith("s: n = 10, accuracy 0.900 (95 % interval 0.596 to 0.982), macro F1 ")
    assert statistics.wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


def test_a_run_of_anybodys_questions_tells_accuracy_and_f1(run: Runner) -> None:
    run.write("deciding.py", DECIDING)
    systems = run.write(
        "systems.toml",
        f"[[system]]\nname = 'deciding'\ncommand = {json.dumps([sys.executable, 'deciding.py'])}\n",
    )
    data = run.write(
        "mine.csv",
        "id,question,answer\nq1,Does vitamin D prevent falls?,yes\n"
        "q2,Does aspirin prevent falls?,no\nq3,Does aspirin harm?,no\n",
    )
    stdout, _ = run("out", "--data", data, "--systems", systems)
    few = "deciding:unrestricted: n = 3, 2 right: too few questions to say, 10 are needed"
    assert few in stdout
    (measured,) = json.loads((run.folder / "out" / "decisions.json").read_text())
    assert measured["decisions"] == {"q1": "yes", "q2": "yes", "q3": "no"}
    assert measured["macro_f1"] == pytest.approx(2 / 3)
    done, scores = str(run.folder / "out"), str(run.folder / "s.jsonl")
    score([done, "--data", str(data), "--out", scores])
    report([scores, "--run", done, "--data", str(data), "--no-plots", "--out", done + "-report"])
    shown = (run.folder / "out-report" / "report.md").read_text(encoding="utf-8")
    assert "deciding, unrestricted search 2 of 3 as given (too few questions to say)" in shown
    assert "### Yes, no or maybe" in shown
    assert "### Likeness" not in shown
    assert {cell[1] for cell in run.records("out")} == {"unrestricted"}


def test_without_a_language_model_nobody_says_yes_or_no(run: Runner) -> None:
    data = run.write("mine.csv", "question,answer\nDoes vitamin D prevent falls?,maybe\n")
    stdout, _ = run("out", "--data", data, "--model", "extractive")
    assert "extractive:unrestricted: n = 1, none decided" in stdout
    (measured,) = json.loads((run.folder / "out" / "decisions.json").read_text())
    assert (measured["accuracy"], measured["decisions"]) == (None, {"1": "none"})


def test_the_words_of_ones_own_answers_are_compared(run: Runner) -> None:
    data = run.write("mine.csv", "question,answer\nDoes vitamin D prevent falls?,Fewer fell.\n")
    run("out", "--data", data, "--model", "extractive")
    done, scores = str(run.folder / "out"), str(run.folder / "s.jsonl")
    score([done, "--data", str(data), "--metrics", "rouge_l", "--out", scores])
    report([scores, "--run", done, "--data", str(data), "--no-plots", "--out", done + "-report"])
    shown = (run.folder / "out-report" / "report.md").read_text(encoding="utf-8")
    heading = shown.split("### Likeness to the reference answers")[1].split("\n| ---")[0]
    assert "ROUGE-L" in heading
    assert "BERTScore" not in heading


def test_a_report_of_ones_own_questions_says_too_few(
    run: Runner, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs no review: no date, no link to PubMed under an id that is a number."""
    data = run.write("mine.csv", "id,question\n1,Does vitamin D prevent falls?\n")
    run("out", "--data", data, "--model", "extractive")
    done, scores = str(run.folder / "out"), str(run.folder / "s.jsonl")
    with pytest.raises(SystemExit, match="2"):
        score([done, "--data", str(data), "--metrics", "exact_match", "--out", scores])
    assert "question 1 has no reference answer" in capsys.readouterr().err
    score([done, "--data", str(data), "--out", scores])
    assert "likeness of texts is not measured" in capsys.readouterr().err
    report([scores, "--run", done, "--data", str(data), "--no-plots", "--out", done + "-report"])
    shown = (run.folder / "out-report" / "report.html").read_text(encoding="utf-8")
    assert "too few questions to say, fewer than 10 with a value" in shown
    assert "Question 1" in shown
    assert "9999" not in shown
    assert "Benchmark: mine.csv" in shown
    for of_the_paper in ("PubMedRS", "Printed in the paper", "Table 1", "2021-10-01", "published"):
        assert of_the_paper not in (run.folder / "out-report" / "report.md").read_text()
    assert "pubmed.ncbi.nlm.nih.gov/1/" not in shown
