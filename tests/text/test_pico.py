"""What the extractive model understands of a question."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.literature.declared import LITERATURE
from clinfo.runs.protocols import ModelRequest
from clinfo.text.pico import understand


@pytest.mark.parametrize(
    ("question", "population", "intervention", "comparator", "outcome"),
    [
        (
            "Does metformin reduce cancer in type 2 diabetes?",
            "type 2 diabetes",
            "metformin",
            "",
            "cancer",
        ),
        (
            "Is rifaximin better than lactulose for hepatic encephalopathy?",
            "hepatic encephalopathy",
            "rifaximin",
            "lactulose",
            "",
        ),
        ("Is acne associated with prostate cancer?", "", "acne", "", "prostate cancer"),
        (
            "Is there a relationship between psoriasis and hepatitis C?",
            "",
            "psoriasis",
            "",
            "hepatitis C",
        ),
        (
            "What is the risk of infection after surgery in HIV patients?",
            "HIV",
            "surgery",
            "",
            "infection",
        ),
        ("Are probiotics useful for diarrhoea in children?", "diarrhoea", "probiotics", "", ""),
        (
            "Does tai chi reduce falls or dizziness in women with osteoporosis?",
            "osteoporosis",
            "tai chi",
            "",
            "falls, dizziness",
        ),
        (
            "Drugs for attention deficit hyperactivity disorder",
            "attention deficit hyperactivity disorder",
            "",
            "",
            "",
        ),
        (
            "Non-steroidal anti-inflammatory drugs",
            "",
            "Non-steroidal anti-inflammatory drugs",
            "",
            "",
        ),
        ("Newer antihistamines", "", "Newer antihistamines", "", ""),
        (
            "What is the effect of yoga versus stretching on back pain?",
            "",
            "yoga",
            "stretching",
            "back pain",
        ),
        (
            "Do antiemetics and other measures prevent nausea after surgery?",
            "surgery",
            "",
            "",
            "nausea",
        ),
        ("Does metformin improve glycaemic control and other outcomes?", "", "metformin", "", ""),
        ("Does it work?", "", "", "", ""),
        ("", "", "", "", ""),
    ],
)
def test_the_parts_of_a_question(
    question: str, population: str, intervention: str, comparator: str, outcome: str
) -> None:
    found = {part: ", ".join(terms) for part, terms in understand(question).items()}
    assert found == {
        "population": population,
        "intervention": intervention,
        "comparator": comparator,
        "outcome": outcome,
    }


def test_a_request_for_the_form_pico_is_answered_with_json() -> None:
    request = ModelRequest(
        "question2query", (), {"question": "Does yoga reduce back pain?", "form": "pico"}, schema={}
    )
    replies = [
        asyncio.run(ExtractiveModel(LITERATURE.stages).complete(request)).text for _ in range(2)
    ]
    assert replies[0] == replies[1]
    assert json.loads(replies[0]) == {
        "population": [],
        "intervention": ["yoga"],
        "comparator": [],
        "outcome": ["back pain"],
    }


@given(st.text(max_size=200))
def test_any_question_can_be_read(question: str) -> None:
    found = understand(question)
    assert all(term for terms in found.values() for term in terms)
