"""The logical form: its JSON, its schema, and back."""

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.form import (
    Age,
    Form,
    Has,
    Not,
    definitions,
    form_schema,
    from_json,
    to_json,
)
from tests.pipelines.cohort.forms import FORMS

ACCEPTED = Draft202012Validator(form_schema())
WRONG = [
    ({}, "the whole"), ([], "the whole"), ({"has": ""}, "has"), ({"and": []}, "and"),
    ({"has": "x", "when": "never"}, "when: 'never': should be 'ever', 'current'"),
    ({"has": "x", "untill": "2015"}, "untill"), ({"age": 3}, "age"),
    ({"and": [{"sex": "female"}, {"not": {"has": 3}}]},
     r"and\[1\].not.has: 3: should be a valid string"),
    ({"has": "x", "since": "2015-13"}, "since"), ({"has": "x", "until": "soon"}, "until"),
    ({"has": "x", "times": 0}, "times"), ({"has": "x", "times": 1.5}, "times"),
    ({"has": "x", "other_than": "y"}, "other_than"), ({"value": "luck", "from": 1}, "value"),
    ({"value": "bmi", "from": True}, "from"), ({"dead": "no"}, "dead"),
    ({"age": {"from": -1}}, "age.from"), ({"age": {"low": 1}}, "age.low"),
    ({"before": [{"sex": "male"}]}, "before"), ({"at_least": 2}, "of: .*missing"),
    ({"gene": []}, "gene"), ({"sex": "female", "dead": True}, "dead"),
    ({"has": "x", "kind": "age"}, "kind"),
]  # fmt: skip


@given(FORMS)
def test_a_form_is_its_json_and_the_schema_takes_it(form: Form) -> None:
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
    assert from_json({"has": "Gout", "value": None, "and": None}) == Has("Gout")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"age": {"from": 50, "to": 40}}, "above"), ({"age": {}}, "wants from"),
        ({"value": "bmi"}, "wants from"),
        ({"value": "extent", "said": "huge"}, "said: is none of metastatic"),
        ({"value": "bmi", "from": 3, "to": 3, "strict": True}, "strictly"),
        ({"at_least": 2, "of": [{"has": "Gout"}, {"has": "Gout"}, {"has": "Asthma"}]}, "twice"),
        ({"at_least": 3, "of": [{"has": "Gout"}, {"has": "Asthma"}]}, "fewer"),
    ],
)  # fmt: skip
def test_a_form_that_cannot_be_meant_is_refused(form: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        from_json(form)
