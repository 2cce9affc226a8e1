"""The logical form: its JSON, its words, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Not,
    Or,
    Sex,
    Value,
)  # fmt: skip
from clinfo.pipelines.cohort.parsing import parse
from clinfo.pipelines.cohort.shapes import definitions, form_schema, from_json, to_json
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


MORE = (
    Value("bmi", 35, None, strict=True), Value("stage", 2, 2.49, "at diagnosis"),
    Gene(("EGFR",), "L858R", "pathogenic", "somatic", ("T790M",)),
    Has("Asthma", since="2 years", when="new", other_than=("x",), subject="family"),
    Dead(False, "2020-01-31"), Age(18),
)  # fmt: skip
ACCEPTED = Draft202012Validator(form_schema())
WRONG = [
    ({}, "the whole"), ([], "the whole"), ({"has": ""}, "has"), ({"and": []}, "and"),
    ({"has": "x", "when": "never"}, "when: 'never' is none of ever, current"),
    ({"has": "x", "untill": "2015"}, "untill"), ({"age": 3}, "the whole"),
    ({"and": [{"sex": "female"}, {"not": {"has": 3}}]}, r"and\[1\].not.has: 3 is no string"),
    ({"has": "x", "since": "2015-13"}, "since"), ({"has": "x", "until": "soon"}, "until"),
    ({"has": "x", "times": 0}, "times"), ({"has": "x", "times": 1.5}, "times"),
    ({"has": "x", "other_than": "y"}, "other_than"), ({"value": "luck", "from": 1}, "value"),
    ({"value": "bmi", "from": True}, "from"), ({"dead": "no"}, "dead"),
    ({"age": {"from": -1}}, "age.from"), ({"age": {"low": 1}}, "age.low"),
    ({"before": [{"sex": "male"}]}, "before"), ({"at_least": 2}, "of: is missing"),
    ({"gene": []}, "gene"), ({"sex": "female", "dead": True}, "dead"),
]  # fmt: skip


@given(FORMS | st.sampled_from(MORE))
def test_the_schema_takes_what_the_reader_takes(form: Form) -> None:
    assert from_json(to_json(form)) == form
    ACCEPTED.validate(to_json(form))


@pytest.mark.parametrize(("data", "where"), WRONG)
def test_what_is_no_form_is_refused_with_the_place(data: object, where: str) -> None:
    with pytest.raises(UsageError, match=f"not a logical form: {where}"):
        from_json(data)
    assert not ACCEPTED.is_valid(data)


def test_forms_within_forms_have_an_end() -> None:
    data: dict[str, object] = {"sex": "male"}
    for _ in range(60):
        data = {"not": data}
    with pytest.raises(UsageError, match="within each other"):
        from_json(data)


def test_null_is_as_by_default_and_may_be_wanted_everywhere() -> None:
    every = definitions(every=True)
    held = Draft202012Validator({"$ref": "#/$defs/form", "$defs": every})
    data = {"not": {"age": {"from": 18, "to": None, "at": None}}, "stated": None}
    held.validate(data)
    assert from_json(data) == Not(Age(18))
    assert not held.is_valid({"not": {"age": {"from": 18}}, "stated": None})


@pytest.mark.parametrize("said", ["MI", "CHD, MI, AF", "T II", "M at least II", "NI to III"])
def test_t_n_and_m_have_no_roman_numbers(said: str) -> None:
    assert not {getattr(one, "name", "") for one in signs(said)[1].forms} & {"t", "n", "m"}
    assert {getattr(one, "name", "") for one in signs("M1")[1].forms} == {"m"}


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"age": {"from": 50, "to": 40}}, "above"),
        ({"at_least": 2, "of": [{"has": "Gout"}, {"has": "Gout"}, {"has": "Asthma"}]}, "twice"),
        ({"at_least": 3, "of": [{"has": "Gout"}, {"has": "Asthma"}]}, "fewer"),
    ],
)
def test_a_form_that_cannot_be_meant_is_refused(form: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        from_json(form)
