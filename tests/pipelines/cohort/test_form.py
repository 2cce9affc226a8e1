"""The logical form: its JSON, its words, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Has,
    Not,
    Or,
    Sex,
    from_json,
    to_json,
)  # fmt: skip
from clinfo.pipelines.cohort.parsing import parse
from clinfo.pipelines.cohort.special import signs
from clinfo.pipelines.cohort.wording import text_of
from clinfo.terms.naming import known

TERMS = Concepts({"loss of taste": frozenset({"condition"})}, known())
NAMES = (
    "Hypertension", "Diabetes Mellitus, Type 2", "loss of taste", "Head and Neck Neoplasms",
    "Pneumonia",
)  # fmt: skip
LEAVES = st.one_of(
    st.builds(
        Has, st.sampled_from(NAMES), st.just("condition"),
        st.sampled_from(("confirmed", "suspected")), st.sampled_from(("ever", "current")),
        st.integers(1, 3),
    ),
    st.builds(Has, st.sampled_from(("Metformin", "Aspirin")), st.just("drug")),
    st.builds(Age, st.integers(0, 40), st.integers(41, 90), st.sampled_from(("", "2020"))),
    st.builds(Sex, st.sampled_from(("female", "male"))),
    st.builds(Dead, st.booleans()),
)  # fmt: skip


def lists(parts: st.SearchStrategy[Form], fewest: int = 2) -> st.SearchStrategy[tuple[Form, ...]]:
    return st.lists(parts, min_size=fewest, max_size=3, unique_by=str).map(tuple)


FORMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(And, lists(inner.filter(lambda part: not isinstance(part, And)))),
        st.builds(Or, lists(inner.filter(lambda part: not isinstance(part, Or)))),
        st.builds(Not, inner, st.booleans()),
        st.builds(Before, inner, inner, st.sampled_from((None, 30))),
        st.builds(AtLeast, st.just(2), lists(inner, 3)),
    ),
    max_leaves=5,
)


@given(FORMS)
def test_a_form_is_its_json(form: Form) -> None:
    assert from_json(to_json(form)) == form


@given(FORMS)
def test_a_form_in_words_is_read_as_itself(form: Form) -> None:
    assert parse(text_of(form), TERMS) == form


@pytest.mark.parametrize(
    "data", [{}, [], {"has": ""}, {"and": []}, {"has": "x", "when": "never"}, {"age": 3}]
)
def test_what_is_no_form_is_refused(data: object) -> None:
    with pytest.raises(UsageError):
        from_json(data)


@pytest.mark.parametrize("said", ["MI", "CHD, MI, AF", "T II", "M at least II", "NI to III"])
def test_t_n_and_m_have_no_roman_numbers(said: str) -> None:
    assert not {getattr(one, "name", "") for one in signs(said)[1].forms} & {"t", "n", "m"}
    assert {getattr(one, "name", "") for one in signs("M1")[1].forms} == {"m"}
