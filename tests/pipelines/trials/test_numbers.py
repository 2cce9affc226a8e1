"""Numbers that people give: effects, directions, the pool; without a model nobody reads them."""

from typing import Any

import pytest

from clinfo.pipelines.trials.answer import folded
from clinfo.pipelines.trials.effects import favoured
from clinfo.pipelines.trials.events import StudyEdited, TrialsLog
from clinfo.pipelines.trials.records import GivenArm, GivenNumbers
from clinfo.settings import Settings
from tests.pipelines.carried import events
from tests.pipelines.trials.test_run import carrier_of, concluding, request

SAID = "Itching was significantly lower with zinc cream than with placebo (P = 0.01)."
NUMBERS = {"1.txt": (12, 60, 25, 61), "2.txt": (30, 100, 33, 98), "3.txt": (20, 45, 9, 44)}
FILES = {name: f"RESULTS:\nTrial {name}. {SAID}\n" for name in (*NUMBERS, "4.txt")}


def read(name: str) -> bytes:
    return FILES[name].encode()


def run(model: Any = None) -> dict[str, Any]:
    """The answer after a person gave the numbers of three studies of four."""
    asked = request(*FILES, better="lower")
    found = events(carrier_of(Settings(cache="off"), asked, read, model), asked)
    log = TrialsLog(found)
    for study, (x, a, y, b) in NUMBERS.items():
        given = GivenNumbers("binary", GivenArm(events=x, total=a), GivenArm(events=y, total=b))
        edit: dict[str, Any] = {
            "study": study,
            "why": "table 2",
            "who": "me",
            "made_at": "",
            "numbers": given,
        }
        log.add(StudyEdited(seq=log.last_seq + 1, **edit))
    return folded(log)


def test_numbers_that_a_person_gives_decide() -> None:
    for model in (None, concluding()):
        found = run(model)["studies"]
        said = (None, None, None) if model is None else ("decrease", "text", "intervention")
        assert [(one["direction"], one["basis"], one["favours"]) for one in found] == [
            ("decrease", "numbers", "intervention"),
            ("no_difference", "numbers", "neither"),
            ("increase", "numbers", "comparator"),
            said,
        ]
        assert {one["text_direction"] for one in found} == {said[0]}
        # (12/60) / (25/61), and its interval, by metafor's escalc(measure="RR")
        effect = [round(found[0]["effect"][name], 3) for name in ("estimate", "low", "high")]
        assert effect == [0.488, 0.271, 0.879]
        told = [any("disagree" in flag for flag in one["flags"]) for one in found]
        assert told == [False, model is not None, model is not None, False]


def test_the_pool_says_who_is_not_in_it() -> None:
    found = run()
    pooled = found["pooled"]
    assert (pooled["measure"], pooled["model"], pooled["studies"]) == ("RR", "REML", 3)
    assert list(pooled["left_out"]) == ["4.txt"]
    weights = [one["effect"]["weight"] for one in found["studies"] if one["effect"]]
    assert sum(weights) == pytest.approx(100)  # per cent among those pooled


def test_whom_a_direction_favours() -> None:
    assert favoured("decrease", "lower") == favoured("increase", "higher") == "intervention"
    assert favoured("increase", "lower") == favoured("decrease", "higher") == "comparator"
    assert favoured("no_difference", None) == "neither"
    assert favoured("increase", None) is None
    assert favoured("not_stated", "lower") is favoured(None, "lower") is None
