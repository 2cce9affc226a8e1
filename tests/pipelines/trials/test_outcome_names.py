"""Papers' own names for an outcome that was asked in other words."""

import asyncio
from typing import Any

import pytest

from clinfo.pipelines.trials.records import TrialsRequest
from clinfo.pipelines.trials.request import reported_as
from clinfo.pipelines.trials.stages import MODEL_STAGES, TRIALS
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
    ("asked", "written", "name"),
    [
        ("itching", "Itching", "itching"),
        ("itching", "Pruritus", "pruritus"),
        ("fever", "Pyrexia", "pyrexia"),
        ("heart attack", "Myocardial infarction", "myocardial infarction"),
        ("high blood pressure", "Hypertension", "hypertension"),
        ("itching", "Redness", "itching"),
        ("weight", "Measures and scales", "weight"),
        ("", "Redness", ""),
    ],
)
def test_the_names_that_the_results_use(asked: str, written: str, name: str) -> None:
    assert reported_as([read(written)], asked) == name


def answered(asked: str, raw: bytes) -> dict[str, Any]:
    """The one study of a run."""
    request = TrialsRequest(
        f"Does zinc reduce {asked} compared with placebo?",
        ("a.xml",),
        models=dict.fromkeys(MODEL_STAGES, "extractive"),
    )
    carrier = TRIALS.assemble(Settings(cache="off"), request, read=lambda name: raw)

    async def last() -> object:
        return [event async for event in carrier.run(request)][-1]

    found = asyncio.run(last())
    assert isinstance(found, Answered), found
    return dict(found.answer["studies"][0])


def test_a_study_is_searched_by_its_own_word_which_is_said() -> None:
    study = answered("itching", paper("Pruritus"))
    assert "The papers call the outcome pruritus." in study["flags"]
    assert any("Pruritus was significantly" in one["text"] for one in study["candidates"])


def test_a_table_is_quoted_whole() -> None:
    study = answered("itching", paper("Itching"))
    (table,) = [one["text"] for one in study["candidates"] if " | " in one["text"]]
    assert table.startswith("Table 2 Outcomes at week 8")
    assert table.endswith("Itching, n (%) | 10 (25%) | 22 (55%)")
