"""Reading summaries, structured or not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pipelines.literature.replies import Summarised
from clinfo.pipelines.literature.summarize import summary_of
from clinfo.records.articles import Summary
from clinfo.runs.replies import read

FULL = """```json
{"finding": "Fewer falls (12 % v 20 %).", "design": "randomised controlled trial", "sample_size": "n = 1,412",
 "population": "women over 70", "bias": "not stated", "relation": "Supports", "direction": "no_difference"}
```"""  # noqa: E501


def parse_summary(text: str) -> Summary | None:
    said = read(Summarised, text)
    return None if said is None else summary_of(said)


def test_all_fields() -> None:
    assert parse_summary(FULL) == Summary(
        finding="Fewer falls (12 % v 20 %).",
        design="randomised controlled trial",
        sample_size=1412,
        population="women over 70",
        bias=None,
        stance="supports",
        effect_direction="no difference",
    )


def test_prose_is_kept_as_the_finding() -> None:
    assert parse_summary("The trial found\nno effect.") == Summary(
        finding="The trial found no effect."
    )


NOTHING = [
    "", "  ", "```", "{}",
    '{"finding": ""}', '{"finding": null, "design": "RCT"}', '{"finding": "x',
]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_said_is_none(text: str) -> None:
    assert parse_summary(text) is None


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("412", 412),
        ("412.0", 412),
        ('"412"', 412),
        ('"1\u202f412 women"', 1412),
        ('"1,412"', 1412),
        ('"40 and 42"', None),
        ('"50, 60"', None),
        ('"120 118"', None),
        ('"12 5"', None),
        ("null", None),
        ("true", None),
        ("41.5", None),
        ('"many"', None),
        ("1e400", None),
        ("[12]", 12),
    ],
)
def test_sample_sizes(value: str, size: int | None) -> None:
    summary = parse_summary('{"finding": "Found.", "sample_size": ' + value + "}")
    assert summary is not None
    assert summary.sample_size == size


def test_unknown_relations_and_directions_are_none() -> None:
    summary = parse_summary('{"finding": "F.", "relation": "agrees", "direction": ["up"]}')
    assert summary == Summary(finding="F.")


FORMS = st.dictionaries(
    st.sampled_from(["finding", "design", "sample_size"]), st.text() | st.floats() | st.none()
)


@given(st.text() | FORMS.map(json.dumps))
def test_any_text_is_read(text: str) -> None:
    summary = parse_summary(text)
    assert summary is None or summary.finding
