"""What papers call an outcome that was asked in other words."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clinfo.evidence.arm_numbers.choice import arm_numbers
from clinfo.pipelines.trials.assemble import assemble
from clinfo.pipelines.trials.declared import MODEL_STAGES
from clinfo.pipelines.trials.outcome_names import names_in
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Document
from clinfo.retrieval.readers import read_document
from clinfo.runs.events import Answered
from clinfo.settings import Settings


def paper(outcome: str) -> bytes:
    return f"""<article><front><article-meta><title-group><article-title>Zinc</article-title>
</title-group></article-meta></front><body><sec><title>Introduction</title><p>Itching, fever, heart
attack and stroke are frequent.</p></sec><sec sec-type="results"><title>Results</title>
<p>{outcome} was significantly less frequent with zinc than with placebo (P = 0.01).</p>
<table-wrap><label>Table 2</label><caption><p>Outcomes at week 8</p></caption>
<table><thead><tr><th>Outcome</th><th>Zinc (n = 40)</th><th>Placebo (n = 40)</th></tr></thead>
<tbody><tr><td>{outcome}, n (%)</td><td>10 (25%)</td><td>22 (55%)</td></tr></tbody></table>
</table-wrap></sec></body></article>""".encode()


def read(outcome: str) -> Document:
    return read_document(paper(outcome), "a.xml")


@pytest.mark.parametrize(
    ("asked", "written", "names"),
    [
        ("itching", "Itching", ("itching",)),
        ("itching", "Pruritus", ("pruritus",)),
        ("fever", "Pyrexia", ("pyrexia",)),
        ("heart attack", "Myocardial infarction", ("myocardial infarction",)),
        ("high blood pressure", "Hypertension", ("hypertension",)),
        ("itching", "Redness", ("itching",)),
        ("weight", "Measures and scales", ("weight",)),
        ("", "Redness", ("",)),
    ],
)
def test_the_names_that_the_results_use(asked: str, written: str, names: tuple[str, ...]) -> None:
    assert names_in([read(written)], asked) == names


@pytest.mark.parametrize(
    ("asked", "row"), [("weight", "Body weight (kg)"), ("body weight", "Weight (kg)")]
)
def test_a_row_that_names_more_or_less_is_read(asked: str, row: str) -> None:
    assert arm_numbers(read(row), Asked("", asked, "zinc", "placebo")) is not None


def answered(asked: str, raw: bytes) -> dict[str, Any]:
    """The one study of a run."""
    request = TrialsRequest(
        f"Does zinc reduce {asked} compared with placebo?",
        ("a.xml",),
        models=dict.fromkeys(MODEL_STAGES, "extractive"),
    )
    carrier = assemble(Settings(cache="off"), request, read=lambda name: raw)

    async def last() -> object:
        return [event async for event in carrier.run(request)][-1]

    found = asyncio.run(last())
    assert isinstance(found, Answered), found
    return dict(found.answer["studies"][0])


def test_a_study_is_read_by_its_own_word_which_is_said() -> None:
    study = answered("itching", paper("Pruritus"))
    assert study["direction"] == study["text_direction"] == "decrease"
    assert study["basis"] == "numbers"
    assert "The papers call the outcome pruritus." in study["flags"]
    assert study["candidates"] == []


def test_what_is_not_stated_has_candidates_marked_so() -> None:
    raw = (
        b"METHODS:\nZinc was compared with placebo.\n\n"
        b"RESULTS:\nSleep was recorded in a diary every night. Redness did not differ.\n"
    )
    study = answered("sleep", raw)
    assert study["direction"] == "not_stated"
    assert study["spans"] == []
    assert study["candidates"][0]["text"] == "Sleep was recorded in a diary every night."
