"""From what a visitor asks to a run in the queue."""

from __future__ import annotations

import json
import logging
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, update

from clinfo.errors import FieldError, IdentifiersFound
from clinfo.pipelines.literature.declared import MODEL_STAGES, PROMPTS
from tests.webapp.small_app import QUESTION, SCRIPTED, count, parts, small_app
from webapp.asking import ask, give_key
from webapp.pipelines.literature.asking import FIELDS, fields_of
from webapp.records import Busy, NotFound, Refused, Visitor
from webapp.storage.tables import spending
from webapp.work.key_encryption import KeyPair

NOBODY = Visitor(None, None, "192.0.2.1")
KEY = "sk-0123456789abcdefKEYOFAVISITOR"
EDITED = {name: text + "\nAnswer briefly.\n" for name, text in PROMPTS.defaults().items()}


def asked(app: Flask, again: str | None = None, **fields: Any) -> Any:
    with app.test_request_context("/"):
        return ask({"question": QUESTION, **fields}, NOBODY, idempotency_key=again)


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"cookie": 1}, "cookie", "unknown field"),
        ({"max_cost": 1.0}, "max_cost", "unknown field"),
        ({"repair": False}, "repair", "unknown field"),
        ({"model": "openai/dearest"}, "model", "choose one of: extractive, openai/scripted"),
        ({"models": {"tldr": "openai/dearest"}}, "models", "not available"),
        ({"models": {"verify": "openai/dearest"}, "judge": "model"}, "models", "not available"),
        ({"models": ["extractive"]}, "models", "must map"),
        ({"source": "local"}, "source", "choose one of: demo, pubmed, semantic-scholar"),
        ({"source": "/etc/passwd.xml"}, "source", "unknown"),
        ({"max_articles": 201}, "max_articles", "at most 200 here"),
        ({"per_query": 201}, "per_query", "at most 200 here"),
        ({"queries": 21}, "queries", "from 1 to 20"),
        ({"max_seconds": 601}, "max_seconds", "at most 600 here"),
        ({"max_seconds": float("nan")}, "max_seconds", "must be a number"),
        ({"max_seconds": 0}, "max_seconds", "must be a number above 0 and at most 600 here, not 0"),
        ({"max_seconds": 2e9}, "max_seconds", "at most 600 here"),
        ({"max_seconds": "soon"}, "max_seconds", "at most 600 here, not soon"),
        ({"max_articles": 0}, "max_articles", "must be a whole number from 1 to 200 here, not 0"),
        ({"per_query": 10**9}, "per_query", "from 1 to 200 here"),
        ({"query": ["cough"] * 21}, "query", "at most 20"),
        ({"drop": ["1"] * 1_001, "regime": "source-dropped"}, "drop", "at most 1,000"),
        ({"judge": "model"}, "judge", "extractive model cannot judge"),
        ({"source": "semantic-scholar", "filter": "english[la]"}, "filter", "cannot be applied"),
        ({"prompts": {"nonsense": "x"}}, "prompts", "unknown"),
        ({"prompts": "x"}, "prompts", "must map"),
        ({"prompts": {"tldr": 5}}, "prompts", "tldr must be text"),
        ({"api_key": KEY, "model": SCRIPTED}, "api_key", "not accepted here"),
        ({"question": None}, "question", "empty"),
        ({"question": ["x"]}, "question", "empty"),
        ({"question": "a\x00b"}, "question", "NUL"),
        ({"question": "\ud800 x"}, "question", "UTF-8"),
    ],
)
def test_what_cannot_be_asked_is_named(
    app: Flask, fields: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(FieldError) as refused:
        asked(app, **fields)
    assert refused.value.field == field
    assert said in refused.value.fault
    assert count(app) == 0


def test_caps_hold_for_what_is_not_asked_too(tmp_path: Path) -> None:
    app = small_app(tmp_path, most_articles=5, max_seconds=10, longest_seconds=10)
    request = asked(app).request
    assert (request.max_articles, request.per_query, request.max_seconds) == (5, 5, 10.0)


# ---- the guard

NAMED = "Is metformin safe for Mr John Smith, born 3/4/1970?"


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"question": NAMED, "model": SCRIPTED}, "question"),
        ({"question": NAMED, "source": "pubmed"}, "question"),
        ({"question": NAMED, "models": {"tldr": SCRIPTED}}, "question"),
        ({"query": ["cough", "Mr John Smith"], "source": "pubmed"}, "query 2"),
    ],
)
def test_what_identifies_a_patient_is_refused_before_anything_is_stored(
    app: Flask, fields: dict[str, Any], where: str
) -> None:
    with pytest.raises(IdentifiersFound) as refused:
        asked(app, **fields)
    assert refused.value.where == where
    assert refused.value.spans
    assert "Smith" not in str(refused.value)
    assert "--" not in str(refused.value)  # flags are for the command line
    assert count(app) == 0


def test_once_the_days_budget_is_spent_nothing_that_costs_is_taken(tmp_path: Path) -> None:
    app = small_app(tmp_path, models=("extractive", SCRIPTED), daily_budget=1.0)
    assert asked(app, model=SCRIPTED).status == "queued"
    with parts(app).store.engine.begin() as connection:
        day = datetime.now(UTC).strftime("%Y-%m-%d")
        connection.execute(insert(spending).values(day=day, spent=10, reserved=999_999_990))
    assert asked(app, model=SCRIPTED).status == "queued"  # what is set aside may come free
    with parts(app).store.engine.begin() as connection:
        connection.execute(update(spending).values(spent=1_000_000_000, reserved=0))
    with pytest.raises(Busy, match="daily budget of this site is used up") as refused:
        asked(app, model=SCRIPTED)
    assert 0 < refused.value.retry_after <= 86_400
    assert asked(app, model="extractive").status == "queued"


# ---- prompts


# ---- a visitor's own key


@pytest.fixture
def with_keys(tmp_path: Path) -> Flask:
    return small_app(tmp_path, own_keys=True)


def test_a_key_waits_sealed_for_one_worker(
    with_keys: Flask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair, store = KeyPair(), parts(with_keys).store
    store.register("worker-a", pair.public)
    run = asked(with_keys, model=SCRIPTED, api_key=KEY)
    assert (run.status, run.own_key) == ("queued", True)
    claimed = store.claim("worker-a", 15)
    assert claimed is not None
    sealed = claimed[2]
    assert sealed is not None
    assert pair.open(sealed) == KEY
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
    assert KEY not in capsys.readouterr().err
    assert "api_key" not in fields_of(run)


@pytest.mark.parametrize("key", ["", " ", "with space", "zwölf", "a\nb", "x" * 501, 5, ["x"]])
def test_a_key_that_is_none_is_refused_and_not_repeated(with_keys: Flask, key: Any) -> None:
    parts(with_keys).store.register("worker-a", KeyPair().public)
    with pytest.raises(FieldError) as refused:
        asked(with_keys, model=SCRIPTED, api_key=key)
    assert refused.value.field == "api_key"
    assert not str(key).strip() or str(key) not in str(refused.value) or len(str(key)) == 1
    assert count(with_keys) == 0


def test_a_run_whose_worker_died_goes_on_with_the_key_given_again(with_keys: Flask) -> None:
    store = parts(with_keys).store
    store.register("worker-a", KeyPair().public)
    run = asked(with_keys, model=SCRIPTED, api_key=KEY)
    store.deregister("worker-a")
    pair = KeyPair()
    store.register("worker-b", pair.public)
    assert store.claim("worker-b", 15) is None
    waiting = store.get(run.id)
    assert waiting is not None
    assert waiting.status == "key_needed"
    with with_keys.test_request_context("/"):
        with pytest.raises(FieldError):
            give_key(run.id, "not a key")
        assert give_key(run.id, KEY).status == "queued"
        with pytest.raises(Refused):
            give_key(run.id, KEY)
        with pytest.raises(NotFound):
            give_key("A" * 24, KEY)
    claimed = store.claim("worker-b", 15)
    assert claimed is not None
    assert pair.open(claimed[2] or b"") == KEY


# ---- limits, logs, weight


@pytest.mark.parametrize("switched_on", [False, True])
def test_a_question_is_logged_only_where_the_host_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], switched_on: bool
) -> None:
    app = small_app(tmp_path, log_questions=switched_on)
    run = asked(app, query=["cough[ti] AND secretquery"])
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    started = [line for line in lines if line["message"] == "run started"]
    assert [line["run"] for line in started] == [run.id[:6]]
    assert [line.get("question") for line in started] == [QUESTION if switched_on else None]
    assert "secretquery" not in json.dumps(lines)
    assert run.id not in json.dumps(lines)


# ---- what was asked, asked again

_MODELS = st.sampled_from(["extractive", SCRIPTED])
_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=60)
_WORDS = _TEXT.map(lambda text: f"cough {text}")
_QUERY = st.sampled_from(
    [
        "cough[ti]",
        '"heart failure"[majr] AND aged',
        "(a OR b) AND c",
        "1. cough\n2. honey\n3. #1 AND #2",
    ]
)
_PMIDS = st.lists(st.integers(1, 999_999_999).map(str), min_size=1, max_size=5)


@st.composite
def valid_fields(draw: st.DrawFn) -> dict[str, Any]:
    """Whatever a visitor of the small app may ask."""
    fields: dict[str, Any] = {
        "question": draw(_WORDS),
        "source": draw(st.sampled_from(["demo", "pubmed", "semantic-scholar"])),
    }
    optional: dict[str, st.SearchStrategy[Any]] = {
        "model": _MODELS,
        "models": st.dictionaries(st.sampled_from(MODEL_STAGES), _MODELS),
        "queries": st.integers(1, 20),
        "per_query": st.integers(1, 200),
        "max_articles": st.integers(1, 200),
        "rerank": st.integers(1, 10_000),
        "chase": st.integers(0, 50),
        "seed": st.integers(0, 2**31 - 1),
        "max_seconds": st.floats(0.001, 600) | st.integers(1, 600),
        "strict": st.booleans(),
        "fresh": st.booleans(),
        "term_counts": st.booleans(),
        "known": _PMIDS,
        "from": st.sampled_from(["1999", "2001-02", "2003-04-05"]),
        "to": st.sampled_from(["2010", "2011-02", "2012-02-29"]),
        "prompts": st.dictionaries(st.sampled_from(sorted(EDITED)), _TEXT).map(
            lambda chosen: {
                name: EDITED[name] + tail for name, tail in chosen.items() if "{" not in tail
            }
        ),
    }
    for name, values in optional.items():
        if draw(st.booleans()):
            fields[name] = draw(values)
    if draw(st.booleans()):
        fields["query"] = draw(st.lists(_QUERY, min_size=1, max_size=3))
    else:
        fields["strategy"] = draw(st.sampled_from(["seeds", "pico"]))
    if fields["source"] != "semantic-scholar" and draw(st.booleans()):
        fields["filter"] = draw(st.sampled_from(["english[la]", "(humans[mh] OR trial[pt])"]))
    match draw(st.sampled_from(["unrestricted", "restricted", "source-dropped"])):
        case "restricted":
            fields |= {
                "regime": "restricted",
                "before": draw(st.dates(date(1990, 1, 1), date(2030, 1, 1))).isoformat(),
            }
        case "source-dropped":
            fields |= {"regime": "source-dropped", "drop": draw(_PMIDS)}
    if draw(st.booleans()):
        fields |= {"judge": draw(st.sampled_from(["model", "both"]))}
        fields["models"] = {**fields.get("models", {}), "verify": SCRIPTED}
    return fields | {"allow_identifiers": True}


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    logging.getLogger("webapp").setLevel("WARNING")
    return small_app(tmp_path_factory.mktemp("asking"), queue_limit=100_000)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(fields=valid_fields())
def test_what_was_asked_can_be_asked_again(lasting: Flask, fields: dict[str, Any]) -> None:
    with lasting.test_request_context("/"):
        run = ask(fields, NOBODY)
        kept = parts(lasting).store.get(run.id)
        assert kept is not None
        assert kept.request == run.request
        again = fields_of(kept)
        assert set(again) <= FIELDS
        json.dumps(again)
        assert ask(again, NOBODY).request == run.request
