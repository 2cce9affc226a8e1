"""Names of an index that are asked for in words that elsewhere carry a criterion."""

from __future__ import annotations

import pytest

from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import And, Before, Form, Has, Not
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.wording import text_of
from clinfo.terms.naming import known

NAMES = (
    "fracture of vertebral column without spinal cord injury", "childhood asthma", "gout",
    "chronic intractable migraine without aura", "history of tubal ligation", "unemployed",
    "closed fracture of hip", "laceration of foot", "sepsis caused by virus", "asthma",
)  # fmt: skip


def asked(text: str) -> Form:
    held = {name: frozenset({"condition"}) for name in NAMES}
    form = parse(text, Concepts(held, known()))
    assert not isinstance(form, NotUnderstood), form
    return form


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a broken spine with the cord spared", NAMES[0]), ("paediatric asthma", NAMES[1]),
        ("long-standing drug-resistant migraine, no aura", NAMES[3]),
        ("tubes tied in the past", NAMES[4]), ("no job", NAMES[5]),
        ("a broken hip with skin intact", NAMES[6]), ("a cut on the foot", NAMES[7]),
    ],
)  # fmt: skip
def test_such_a_name_is_one_thing(text: str, name: str) -> None:
    form = asked(f"patients with {text}")
    assert isinstance(form, Has), form
    assert text_of(form).strip('"') == name or form == asked(f'patients with "{name}"')


def test_words_between_two_things_stay_words() -> None:
    assert isinstance(asked("asthma with gout"), And)
    assert text_of(asked("children with asthma")) == "aged at most 17 and Asthma"
    assert asked("asthma but no gout") == And((asked("asthma"), Not(asked("gout"))))
    assert isinstance(asked("gout before asthma"), Before)
    assert isinstance(asked("patients with gout since 2015"), Has)
