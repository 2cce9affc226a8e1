"""Schema 1 in the words of schema 2: each renamed type, key and value, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from clinfo.pipelines.literature.events import EVENTS, SeedStudiesChecked
from clinfo.pipelines.literature.schema_1 import KEYS, TYPES, upgraded
from clinfo.records.articles import SeedHit, SeedStudy

ANSWER_1: dict[str, Any] = {
    "schema": 1,
    "sentences": [{"in": "tldr", "verdict": "partial", "why": "a hedge is missing"}],
    "articles": [
        {"id": "pmid:1", "flags": ["withheld", "retracted"], "summary": None},
        {
            "id": "pmid:2",
            "flags": [],
            "summary": {"relation": "does not answer", "direction": "increased"},
        },
    ],
    "appraisal": {
        "rows": [{"relation": "supports", "direction": "decreased", "level_why": "one trial"}],
        "balance": {
            "ways": "relation",
            "shares": [{"way": "does not answer", "studies": 1}, {"way": "mixed", "studies": 2}],
        },
    },
    "notices": [{"kind": "retracted", "told_by": "PubMed's record"}],
    "search_proof": {"known": [{"pmid": "1", "in_source": True}]},
    "counts": {"found": 3, "withheld": 1, "screened_out": 1, "judged": 1},
    "settings": {"known": ["1"], "why": "the user's own key"},
}
ANSWER_2: dict[str, Any] = {
    "schema": 2,
    "sentences": [{"in": "tldr", "verdict": "partial", "reason": "a hedge is missing"}],
    "articles": [
        {"id": "pmid:1", "flags": ["excluded", "retracted"], "summary": None},
        {
            "id": "pmid:2",
            "flags": [],
            "summary": {"stance": "other outcomes", "effect_direction": "increased"},
        },
    ],
    "appraisal": {
        "rows": [
            {"stance": "supports", "effect_direction": "decreased", "level_reason": "one trial"}
        ],
        "balance": {
            "sides": "stance",
            "shares": [{"side": "other outcomes", "studies": 1}, {"side": "mixed", "studies": 2}],
        },
    },
    "notices": [{"kind": "retracted", "reported_by": "PubMed's record"}],
    "search_report": {"seed_studies": [{"pmid": "1", "in_source": True}]},
    "counts": {"found": 3, "excluded": 1, "not_assessed": 1, "judged": 1},
    "settings": {"known": ["1"], "why": "the user's own key"},
}


def _keys(form: Any) -> set[str]:
    if isinstance(form, dict):
        return set(form).union(*map(_keys, form.values()))
    return set().union(*map(_keys, form)) if isinstance(form, list) else set()


def test_an_answer_of_schema_1_is_one_of_schema_2() -> None:
    assert upgraded(ANSWER_1) == ANSWER_2
    assert KEYS.keys() <= _keys(ANSWER_1)  # the fixture has every renamed key


def test_what_counts_by_the_direction_of_the_effect() -> None:
    assert upgraded({"ways": "direction", "shares": [{"way": "increased"}]}) == {
        "sides": "effect_direction",
        "shares": [{"side": "increased"}],
    }


@pytest.mark.parametrize("old", TYPES)
def test_events_have_their_new_type_and_their_old_key(old: str) -> None:
    form = upgraded({"schema": 1, "type": old, "key": "withheld pmid:1", "seq": 4})
    assert form == {"schema": 2, "type": TYPES[old], "key": "withheld pmid:1", "seq": 4}
    assert TYPES[old] in EVENTS.kinds


def test_a_request_keeps_the_users_words() -> None:
    request = {"question": "why?", "known": ["7"], "way": "does not answer"}
    assert upgraded({"type": "run_started", "request": request})["request"] == request


def test_an_event_of_schema_1_is_read() -> None:
    event = EVENTS.from_json(
        {
            "schema": 1,
            "seq": 3,
            "key": "known",
            "type": "known_checked",
            "stage": "proof",
            "t": 0.5,
            "known": [
                {"pmid": "1", "in_source": True, "hits": [{"query": 1, "rank": 2, "within": True}]}
            ],
        }
    )
    assert isinstance(event, SeedStudiesChecked)
    assert event.seed_studies == (SeedStudy("1", True, (SeedHit(1, 2, True),)),)


def test_schema_2_is_left_alone() -> None:
    assert upgraded(ANSWER_2) == ANSWER_2
