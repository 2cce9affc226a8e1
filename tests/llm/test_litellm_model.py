"""litellm, unpatched, against the scripted server over real HTTP on loopback."""

import asyncio
import stat
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest

from benchmarks.servers.faults import Fault, Faults
from benchmarks.servers.model import ModelServer, Raw
from benchmarks.servers.scripted import ScriptedServer
from clinfo.cache import Cache
from clinfo.errors import ModelError
from clinfo.llm.error_words import scrubbed
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.llm.model_names import is_loopback
from clinfo.llm.slots import Pace
from clinfo.runs.protocols import Message, ModelReply, ModelRequest, StreamReset
from clinfo.runs.replies import Reply

KEY = "sk-test-4f3c2a1b9d8e7f60"
QUESTION = "Does tincture of moonwort shorten the common cold in otherwise healthy adults?"
REQUEST = ModelRequest(
    "summary", (Message("system", "Be brief."), Message("user", QUESTION)), seed=7
)
T = TypeVar("T")
TEXT = "It did not [1]; the difference was 0.2 days (95% CI -0.3 to 0.7)."


@dataclass
class Planned(Faults):
    """These faults in this order, then none."""

    plan: list[Fault] = field(default_factory=list)

    def draw(self) -> Fault:
        return self.plan.pop(0) if self.plan else "none"


@pytest.fixture(autouse=True)
def _no_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        "OPENAI_API_KEY",
        "OPENAI_API_BASE",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "OLLAMA_API_BASE",
    ):
        monkeypatch.delenv(variable, raising=False)


def model_of(server: ModelServer, **options: Any) -> LiteLLMModel:
    settings: dict[str, Any] = {
        "api_base": server.url,
        "api_key": KEY,
        "timeout": 10.0,
        "first_token_timeout": 5.0,
    }
    settings["on_this_machine"] = False  # as a provider's server elsewhere
    return LiteLLMModel("openai/scripted", **{**settings, **options})


async def streamed(
    model: LiteLLMModel, request: ModelRequest = REQUEST
) -> list[str | StreamReset | ModelReply]:
    return [item async for item in model.stream(request)]


def text_of(items: list[str | StreamReset | ModelReply]) -> str:
    """Return what a reader sees at the end: the pieces after the last reset."""
    text = ""
    for item in items:
        text = (
            "" if isinstance(item, StreamReset) else text + item if isinstance(item, str) else text
        )
    return text


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def failure(work: Coroutine[Any, Any, Any]) -> ModelError:
    with pytest.raises(ModelError) as raised:
        asyncio.run(work)
    error = raised.value
    assert "\n" not in str(error)
    assert KEY not in str(error)
    assert "moonwort" not in str(error)
    return error


def reply(_: dict[str, Any]) -> str:
    return TEXT


# ---- plain days


def test_a_whole_reply() -> None:
    with ModelServer(reply) as server:
        answer = run(model_of(server).complete(replace(REQUEST, schema={})))
    assert (answer.text, answer.model, answer.cached, answer.warnings) == (
        TEXT,
        "openai/scripted",
        False,
        (),
    )
    assert answer.prompt_tokens == len(f"Be brief. {QUESTION}".split())
    assert answer.completion_tokens == len(TEXT.split())
    assert answer.cost_usd is None, "the price of an unknown model is unknown, not 0"
    assert 0 < answer.seconds < 60
    (received,) = server.received
    assert received.body == {
        "model": "scripted",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": QUESTION},
        ],
        "temperature": 0.5,
        "max_tokens": 1024,
        "seed": 7,
        "response_format": {"type": "json_object"},
    }
    assert received.headers["Authorization"] == f"Bearer {KEY}"


def test_a_stream() -> None:
    with ModelServer(reply, first_token=0.05, per_token=0.01) as server:
        items = run(streamed(model_of(server)))
    *pieces, last = items
    assert len(pieces) == len(TEXT.split())
    assert "".join(str(piece) for piece in pieces) == TEXT
    assert isinstance(last, ModelReply)
    assert last.text == TEXT
    assert (last.prompt_tokens, last.completion_tokens) == (
        len(f"Be brief. {QUESTION}".split()),
        len(TEXT.split()),
    )


# ---- bad days


@pytest.mark.parametrize("fault", ["429", "500", "hang", "cut", "empty", "html"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_fault_is_lived_through(fault: Fault, stream: bool) -> None:
    with ModelServer(reply, faults=Planned(plan=[fault], hang_seconds=30)) as server:
        model = model_of(server, timeout=3.0, first_token_timeout=2.0)
        if stream:
            items = run(streamed(model))
            assert text_of(items) == TEXT
            assert [item for item in items if isinstance(item, StreamReset)] == [StreamReset()] * (
                fault == "cut"
            )
            assert isinstance(items[-1], ModelReply)
            assert items[-1].text == TEXT
        else:
            assert run(model.complete(REQUEST)).text == TEXT
    assert [received.fault for received in server.received] == [fault, "none"]


@pytest.mark.parametrize("as_date", [False, True], ids=["seconds", "date"])
def test_the_server_says_when_to_come_back(as_date: bool) -> None:
    gaps: list[float] = []
    # A busy machine may ask again late, or get to a date that has passed already; the backoff
    # itself takes half a second.
    while len(gaps) < 10 and not (gaps and 0.9 < gaps[-1] < 3):
        value = (
            format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
            if as_date
            else "1"
        )
        with ModelServer(reply, faults=Planned(plan=["429"]), retry_after=value) as server:
            run(model_of(server).complete(REQUEST))
        first, second = (received.at for received in server.received)
        gaps.append(second - first)
    assert 0.9 < gaps[-1] < 3, gaps
    assert as_date or min(gaps) >= 0.9, gaps


def test_giving_up_in_time() -> None:
    with ModelServer(reply, faults=Faults(rate_500=1)) as server:
        error = failure(model_of(server, give_up_after=3.0).complete(REQUEST))
    assert "failed (500)" in str(error)
    assert "tried" in str(error)
    assert error.retryable
    assert 2 <= len(server.received) <= 4


@pytest.mark.parametrize("said", ["", "I cannot help with medical questions."])
def test_what_a_filter_withholds_is_said_and_not_asked_again(said: str, tmp_path: Path) -> None:
    with ModelServer(lambda _: said, finish_reason="content_filter") as server:
        model = model_of(server, cache=Cache(tmp_path / "cache.sqlite"))
        answer = run(model.complete(REQUEST))
        assert answer.text == ""
        assert "content filter" in answer.warnings[0]
        assert len(server.received) == 1
        run(model.complete(REQUEST))
        assert len(server.received) == 2, "an empty reply is not kept"
        assert text_of(run(streamed(model))) == ""


def test_a_reply_cut_at_its_limit_says_so() -> None:
    with ModelServer(reply) as server:
        answer = run(model_of(server).complete(replace(REQUEST, max_tokens=3)))
    assert answer.text == "It did not …"
    assert "3 output tokens" in answer.warnings[0]


# ---- refusals


def test_refused_parameters_are_dropped_remembered_and_said_once() -> None:
    refused = ("temperature", "seed", "response_format", "stream_options")
    with ModelServer(reply, refused=refused) as server:
        model = model_of(server)
        first = run(model.complete(replace(REQUEST, schema={})))
        asked = len(server.received)
        second = run(model.complete(replace(REQUEST, schema={})))
        items = run(streamed(model))
    assert first.text == second.text == text_of(items) == TEXT
    assert len(first.warnings) == 3
    assert all(warning.startswith("openai/scripted: ") for warning in first.warnings)
    assert second.warnings == ()
    assert isinstance(items[-1], ModelReply)
    assert len(items[-1].warnings) == 1
    assert items[-1].completion_tokens > 5, "estimated"
    assert asked == 4
    assert len(server.received) == asked + 1 + 2
    assert not set(refused) & server.received[-1].body.keys()


@pytest.mark.parametrize("bad", [1, 2, 9])
def test_what_the_provider_itself_could_not_read_is_asked_for_again(bad: int) -> None:
    said = {"code": "json_validate_failed", "message": "See 'failed_generation'."}

    def torn(body: dict[str, Any]) -> str | Raw:
        every = "response_format" in body and len(server.received) <= bad
        return Raw({"error": said}, 400) if every else reply(body)

    with ModelServer(torn) as server:
        answer = run(model_of(server).complete(replace(REQUEST, schema={"type": "object"})))
    assert answer.text == TEXT
    assert len(server.received) == {1: 2, 2: 3, 9: 4}[bad]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_wrong_key(stream: bool) -> None:
    with ModelServer(reply, key="sk-another") as server:
        model = model_of(server)
        error = failure(streamed(model) if stream else model.complete(REQUEST))
    assert "refused the API key" in str(error)
    assert not error.retryable
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("http://127.0.0.1:9/v1", "connection refused"),
        ("http://clinfo-test.invalid/v1", "name was not found"),
    ],
)
def test_a_server_that_is_not_there(address: str, what: str) -> None:
    error = failure(
        LiteLLMModel("openai/scripted", api_base=address, api_key=KEY).complete(REQUEST)
    )
    assert what in str(error)
    assert "tried 3 times" in str(error)
    assert error.retryable


def test_what_the_provider_says_is_passed_on_without_keys_or_the_question() -> None:
    with ModelServer(reply, refused=("model",)) as server:
        error = failure(model_of(server).complete(REQUEST))
    assert "(400): Unsupported parameter: 'model'" in str(error)
    echo = f"cannot handle: {QUESTION} with {KEY}"
    with ModelServer(reply, refused=("model",), refusal=echo) as server:
        error = failure(model_of(server).complete(REQUEST))
    assert str(error).startswith("openai/scripted: ")
    assert str(error).endswith("(400)")


@pytest.mark.parametrize(
    "name", ["anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash", "mistral/m", "ollama_chat/o"]
)
def test_other_providers_refusals_are_read_alike(name: str) -> None:
    async def both() -> list[ModelError | Any]:
        model = LiteLLMModel(name, api_base=server.url, api_key=KEY, give_up_after=0.0)
        return await asyncio.gather(
            model.complete(REQUEST), streamed(model), return_exceptions=True
        )

    def lines(status: int) -> set[str]:
        for _ in range(2):
            server.queue(status, {"error": {"type": "some_error", "message": "Not today"}})
        errors = run(both())
        assert all(isinstance(error, ModelError) for error in errors)
        return {str(error) for error in errors}

    with ScriptedServer() as server:
        assert lines(529) == {f"{name}: its server failed (529): Not today; try again later"}
        assert all("refused the API key (401)" in line for line in lines(401))
        assert all(
            "no such model (404)" in line and line.endswith(": Not today") for line in lines(404)
        )
        assert lines(400) == {f"{name}: the provider rejected the request (400): Not today"}


# ---- cache


def test_the_second_time_nothing_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with ModelServer(reply, refused=("seed",)) as server:
        first = run(model_of(server, cache=Cache(path)).complete(REQUEST))
        asked = len(server.received)
        second = run(model_of(server, cache=Cache(path)).complete(REQUEST))
        items = run(streamed(model_of(server, cache=Cache(path))))
        assert len(server.received) == asked
    assert second == replace(first, cached=True, cost_usd=0.0, seconds=0.0)
    assert second.warnings, "the same warnings as the first time, so that the answer is the same"
    assert items == [TEXT, second]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"moonwort" not in held
    assert KEY.encode() not in held


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, seed=8),
        replace(REQUEST, attempt=1),
        replace(REQUEST, stage="relevance"),
        replace(REQUEST, temperature=0.0),
        replace(REQUEST, max_tokens=100),
        replace(REQUEST, schema={}),
        replace(REQUEST, messages=(Message("user", QUESTION),)),
    ],
)
def test_another_request_is_asked(tmp_path: Path, other: ModelRequest) -> None:
    with ModelServer(reply) as server:
        model = model_of(server, cache=Cache(tmp_path / "cache.sqlite"))
        run(model.complete(REQUEST))
        assert not run(model.complete(other)).cached


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_reply_that_cannot_be_read_is_not_kept(tmp_path: Path, stream: bool) -> None:
    class Judged(Reply):
        relevant: bool

    replies = iter(("I would rather not say.", '{"relevant": true}'))
    asked = replace(REQUEST, reply=Judged)
    with ModelServer(lambda _: next(replies)) as server:
        model = model_of(server, cache=Cache(tmp_path / "cache.sqlite"))
        if stream:
            run(streamed(model, asked))
        else:
            run(model.complete(asked))
        again, third = (run(model.complete(asked)) for _ in range(2))
    assert (again.cached, third.cached) == (False, True)
    assert again.text == third.text == '{"relevant": true}'


# ---- going away


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_cancelling_leaves_nothing_behind(stream: bool) -> None:
    async def cancelled() -> int:
        model = model_of(server, slots=Pace(1))
        task = asyncio.create_task(streamed(model) if stream else model.complete(REQUEST))  # type: ignore[arg-type]
        await _until(lambda: bool(server.received))
        await asyncio.sleep(0.15)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await _until(lambda: server.aborted == 1)
        waiting = [
            one
            for one in asyncio.all_tasks()
            if one is not asyncio.current_task() and "litellm" not in repr(one)
        ]
        server.per_token = 0.0
        assert (await model.complete(REQUEST)).text.startswith("word"), "the slot is free again"
        return len(waiting)

    with ModelServer(lambda _: "word " * 50, per_token=0.1) as server:
        assert run(cancelled()) == 0


async def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


# ---- money and sizes


def test_what_a_reply_cost() -> None:
    with ModelServer(reply) as server:
        answer = run(
            LiteLLMModel("openai/gpt-4o", api_base=server.url, api_key=KEY).complete(REQUEST)
        )
    assert answer.cost_usd == pytest.approx(
        (answer.prompt_tokens * 2.5 + answer.completion_tokens * 10) / 1e6
    )


# ---- names


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("http://localhost:1234/v1", True),
        ("http://127.8.9.1", True),
        ("http://[::1]:80/", True),
        ("localhost:11434", True),
        ("http://localhost.example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://192.168.0.2", False),
        ("http://[::1", False),
        ("", False),
    ],
)
def test_loopback(address: str, loopback: bool) -> None:
    assert is_loopback(address) is loopback


# ---- readings


def test_every_variable_named_like_a_secret_is_taken_out_however_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = {
        "AWS_SECRET_ACCESS_KEY": "abcdEFGH1234secret",
        "AWS_ACCESS_KEY_ID": "id-of-a-key",
        "HF_TOKEN": "to ken",
        "A_SECRET": "s3",
        "DB_PASSWORD": "hunter2",
        "GOOGLE_APPLICATION_CREDENTIALS": "/home/somebody/key.json",
        "OPENAI_API_KEY": "mykey",
    }
    for variable, value in secrets.items():
        monkeypatch.setenv(variable, value)
    clean = scrubbed(f"bad {' '.join(secrets.values())}, visit us", "vis")
    assert clean == f"bad {' '.join(['[key]'] * len(secrets))}, visit us"
