"""The JSON form of events: nothing lost on the way to a line and back."""

import json

import pytest

from clinfo.errors import RecordError
from clinfo.pipelines.literature.answer import CHECKS, judged_by_older_checks
from clinfo.pipelines.literature.events import EVENTS, SentenceChecked, loads
from clinfo.runs.events import Warned, to_json


def test_unknown_types_and_fields_are_passed_over() -> None:
    assert EVENTS.from_json({"schema": 1, "type": "from_the_future", "seq": 0}) is None
    form = to_json(Warned(about="a", text="b")) | {"colour": "red"}
    assert EVENTS.from_json(form) == Warned(about="a", text="b")


NOT_EVENTS = [
    [],
    {},
    {"type": 1},
    {"type": "warning", "schema": 3},
    {"type": "warning", "schema": 1, "text": 3},
]


@pytest.mark.parametrize("form", NOT_EVENTS)
def test_what_is_no_event_is_refused(form: object) -> None:
    with pytest.raises(RecordError):
        EVENTS.from_json(form)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    ["[" * 100_000, '{"a":' * 100_000, "1" * 5_000, '{"type": "answer", "t": ' + "9" * 4_000 + "}"],
)
def test_json_too_deep_or_too_long_is_refused(line: str) -> None:
    with pytest.raises(RecordError):
        list(loads([line, line]))


def test_numbers_that_no_field_holds_are_refused() -> None:
    with pytest.raises(RecordError):
        EVENTS.from_json({"schema": 1, "type": "tldr_text", "text": "x", "t": 10**400})


def test_a_run_saved_before_the_verdict_not_verified_is_still_read() -> None:
    sentence = {
        "part": "synthesis",
        "text": "It works [1].",
        "cites": [1],
        "verdict": "supported",
        "reason": "found in [1]",
    }
    old = {
        "schema": 1,
        "seq": 3,
        "key": "checked synthesis 0",
        "type": "sentence_checked",
        "stage": "verify",
        "t": 1.0,
    }
    (event,) = loads([json.dumps(old | {"index": 0, "sentence": sentence})])
    assert isinstance(event, SentenceChecked)
    assert (event.sentence.verdict, event.sentence.judges) == ("supported", ("rules",))


@pytest.mark.parametrize(
    ("settings", "older"),
    [({}, True), ({"checks": 1}, True), ({"checks": CHECKS}, False), ({"checks": "?"}, True)],
)
def test_settings_tell_the_edition_of_the_checks(settings: dict[str, object], older: bool) -> None:
    assert judged_by_older_checks(settings) is older
