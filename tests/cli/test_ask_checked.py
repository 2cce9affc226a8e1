"""``clinfo ask`` over a file of citations: notices, evidence, effects drawn, and questions that
identify a patient.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.clinical import ClinicalReply
from benchmarks.servers.model import ModelServer
from tests.cli.process import DEMO, clinfo
from tests.pubmed.index_files import citation, write

QUESTION = "Does zinc shorten the common cold?"
PATIENT = "Does zinc shorten the common cold of Mr John Smith, born 12/03/1956?"


class _TypedEffects(ClinicalReply):
    """A model that copies the effect of an abstract into the fields of its reading."""

    def _summary(self, title: str, abstract: str) -> dict[str, Any]:
        printed = re.search(r"(RR|OR) ([\d.]+), 95% CI ([\d.]+) to ([\d.]+)", abstract)
        fields = ("measure", "estimate", "low", "high")
        effect = (
            {**dict(zip(fields, printed.groups(), strict=True)), "level": "95"} if printed else None
        )
        return {**super()._summary(title, abstract), "outcome": "common cold", "effect": effect}


@pytest.fixture(scope="module")
def model() -> Iterator[dict[str, str]]:
    """The settings that reach a scripted model."""
    with ModelServer(_TypedEffects()) as server:
        yield {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "k"}


MODEL = ("--model", "openai/scripted")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three trials of one question, the second of them retracted, and a review that cites it."""
    trial, review = (
        ("Journal Article", "Randomized Controlled Trial"),
        ("Journal Article", "Systematic Review"),
    )
    texts = [
        (
            "We randomised 200 adults to zinc or placebo.",
            "Zinc shortened the common cold (RR 0.75, 95% CI 0.60 to 0.94).",
        ),
        (
            "We randomised 300 adults to zinc or placebo.",
            "Zinc shortened the common cold (RR 0.50, 95% CI 0.40 to 0.62).",
        ),
        (
            "We randomised 150 children to zinc or placebo.",
            "Zinc shortened the common cold (RR 0.81, 95% CI 0.66 to 0.99).",
        ),
    ]
    records = [
        citation(one, f"Zinc and the common cold {one}", text, types=trial)
        for one, text in enumerate(texts, 1)
    ]
    title, said = (
        "Zinc for the common cold: a systematic review",
        ("Zinc shortens the common cold.",),
    )
    records.append(citation(4, title, said, cites=(1, 2), types=review))
    retracted = (
        '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"><RefSource>J Tests. '
        "2021;1:1</RefSource>"
        '<PMID Version="1">99</PMID></CommentsCorrections></CommentsCorrectionsList>'
    )
    records[1] = records[1].replace("</MedlineCitation>", f"{retracted}</MedlineCitation>")
    return write(tmp_path_factory.mktemp("zinc") / "zinc.xml", records)


@pytest.mark.slow
def test_the_answer_shows_what_was_withheld_and_what_the_evidence_is(
    file: Path, model: dict[str, str], tmp_path: Path
):
    done = clinfo("ask", QUESTION, *MODEL, "--source", str(file), "--json", cwd=tmp_path, **model)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["counts"]["excluded"] == 1
    assert {(one["id"], one["kind"]) for one in answer["article_notices"]} == {
        ("pmid:2", "retracted"), ("pmid:4", "cites retracted articles"),
    }  # fmt: skip
    rows = answer["appraisal"]["rows"]
    assert rows[0]["id"] == "pmid:4"
    assert {row["effect"]["estimate"] for row in rows if row["effect"]} == {0.75, 0.81}
    assert answer["appraisal"]["overlaps"] == [{"review": "pmid:4", "studies": ["pmid:1"]}]
    support = answer["support"]
    assert support["rate"] == support["supported"] / support["claims"]
    assert answer["support"]["unsupported"] == answer["support"]["contradicted"] == 0
    text = clinfo(
        "ask", QUESTION, "--model", "extractive", "--source", str(file), cwd=tmp_path
    ).stdout
    assert "NOTICES ABOUT THESE ARTICLES" in text
    assert "PMID 99" in text


@pytest.mark.slow
def test_each_scale_is_drawn_into_a_file_of_its_own(model: dict[str, str], tmp_path: Path):
    effects = [
        "RR 0.75, 95% CI 0.60 to 0.94",
        "RR 0.81, 95% CI 0.66 to 0.99",
        "RR 0.70, 95% CI 0.55 to 0.90",
    ]
    effects += ["OR 0.64, 95% CI 0.42 to 0.97", "OR 0.58, 95% CI 0.36 to 0.93"]
    records = [
        citation(
            one,
            f"Zinc and the common cold {one}",
            (
                f"We randomised {one}00 adults to zinc or placebo.",
                f"Zinc shortened the common cold ({effect}).",
            ),
            types=("Randomized Controlled Trial",),
        )
        for one, effect in enumerate(effects, 1)
    ]
    source = write(tmp_path / "scales.xml", records)
    done = clinfo(
        "ask",
        QUESTION,
        *MODEL,
        "--source",
        str(source),
        "--plot",
        "plot.svg",
        cwd=tmp_path,
        **model,
    )
    assert re.search(r"3 effects .* plot\.svg \(Risk ratio", done.stderr)
    assert re.search(r"2 effects .* plot-2\.svg \(Odds ratio", done.stderr)
    assert "Odds ratio" in (tmp_path / "plot-2.svg").read_text()
    assert "Odds ratio" not in (tmp_path / "plot.svg").read_text()
    assert not (tmp_path / "plot-3.svg").exists()


@pytest.mark.slow
def test_a_plot_that_cannot_be_is_said(tmp_path: Path):
    wrong = clinfo("ask", QUESTION, *DEMO, "--plot", "plot.jpg", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert re.search(r"--plot: .*\.svg or \.png", wrong.stderr)
    for name in ("none/plot.svg", "folder.svg"):
        (tmp_path / "folder.svg").mkdir(exist_ok=True)
        lost = clinfo("ask", QUESTION, *DEMO, "--plot", name, cwd=tmp_path)
        assert (lost.returncode, lost.stdout) == (2, "")
        assert f"--plot: {name} cannot be written" in lost.stderr
    nothing = clinfo(
        "ask", "Does yoga lower blood pressure?", *DEMO, "--plot", "plot.svg", cwd=tmp_path
    )
    assert nothing.returncode == 0
    assert "no plot was drawn" in nothing.stderr
    assert not (tmp_path / "plot.svg").exists()


@pytest.mark.slow
def test_what_identifies_a_patient_is_status_6_before_anything_is_sent_or_saved(tmp_path: Path):
    nowhere = {"CLINFO_EUTILS_URL": "http://127.0.0.1:9/"}
    done = clinfo(
        "ask", PATIENT, "--model", "extractive", "--save", "run.jsonl", cwd=tmp_path, **nowhere
    )
    assert (done.returncode, done.stdout) == (6, "")
    assert "a name (" in done.stderr
    assert "Smith" not in done.stderr
    assert not (tmp_path / "run.jsonl").exists()
    here = clinfo("ask", PATIENT, *DEMO, "--json", cwd=tmp_path)
    assert here.returncode in (0, 3)
    allowed = clinfo(
        "ask", PATIENT, "--model", "extractive", "--allow-identifiers", cwd=tmp_path, **nowhere
    )
    assert allowed.returncode == 4  # it went on, and nobody answered
    refused = clinfo(
        "ask",
        PATIENT,
        "--model",
        "extractive",
        "--allow-identifiers",
        cwd=tmp_path,
        CLINFO_IDENTIFIERS="refuse",
    )
    assert refused.returncode == 2
    assert "never sends patient identifiers" in refused.stderr


def test_the_extractive_model_judges_nobody(tmp_path: Path):
    done = clinfo("ask", QUESTION, *DEMO, "--judge", "both", cwd=tmp_path)
    assert done.returncode == 2
    assert "the extractive model cannot judge sentences" in done.stderr
