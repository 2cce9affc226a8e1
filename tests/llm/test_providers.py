"""litellm, unpatched, against servers that speak the protocols of OpenAI, Anthropic, Gemini and
Ollama on loopback.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer, Raw
from benchmarks.servers.scripted import Received, Reply, ScriptedServer
from clinfo.errors import ModelError
from clinfo.llm.litellm_model import CONTEXT_TOKENS, THINKING_TOKENS, LiteLLMModel
from clinfo.llm.prices import Price
from clinfo.llm.slots import Pace
from clinfo.pipelines.literature.replies import Relevance
from clinfo.pipelines.literature.stages import RELEVANCE
from clinfo.runs.protocols import MAX_OUTPUT_TOKENS, Message, ModelReply, ModelRequest
from clinfo.runs.replies import schema_of

KEY = "sk-test-4f3c2a1b9d8e7f60"
MAX_TOKENS = RELEVANCE.max_tokens
SCHEMA = schema_of(Relevance)
REQUEST = ModelRequest(
    "relevance", (Message("user", "Does it?"),), schema=SCHEMA, max_tokens=MAX_TOKENS
)
JUDGEMENT = '{"relevant": "yes", "reason": "it does"}'

Answer = Callable[[str, dict[str, Any]], tuple[str, str]]
"""From path and body to content type and the whole reply."""


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


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """(address, requests as they arrive) of a server that answers each POST."""
    received: list[tuple[str, dict[str, Any]]] = []

    def reply(asked: Received) -> Reply:
        received.append((asked.path, asked.body))
        kind, text = answer(asked.path, asked.body)
        return Reply(200, text.encode(), kind)

    with ScriptedServer(reply) as server:
        yield server.url, received


def asked(model: LiteLLMModel, request: ModelRequest = REQUEST) -> ModelReply:
    return asyncio.run(model.complete(request))


def events(*data: dict[str, Any], named: bool = False) -> str:
    lines = [
        (f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n"
        for one in data
    ]
    return "".join(lines)


def chunk(text: str | None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    delta = {"role": "assistant", "content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [choice],
        **more,
    }


def usage(completion: int) -> dict[str, Any]:
    return {
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": completion,
            "total_tokens": 9 + completion,
        }
    }


# ---- models that reason first


def test_a_model_known_to_reason_gets_room_for_its_thoughts_and_time() -> None:
    for name in (
        "openai/gpt-5",
        "o3-mini",
        "gemini/gemini-2.5-flash",
        "deepseek/deepseek-reasoner",
        "openai/qwen3-8b",
    ):
        model = LiteLLMModel(name, api_key=KEY)
        assert model.reasons, name
        assert model.limit(REQUEST) == MAX_TOKENS + THINKING_TOKENS
        assert model.waits[0] > 60
    plain = LiteLLMModel("openai/gpt-4o-mini", api_key=KEY)
    assert plain.limit(REQUEST) == MAX_TOKENS
    assert plain.limit(replace(REQUEST, max_tokens=MAX_OUTPUT_TOKENS)) == MAX_OUTPUT_TOKENS
    told = LiteLLMModel("anthropic/claude-sonnet-4-5", api_key=KEY, reasoning_effort="low")
    assert told.reasons
    assert not LiteLLMModel("anthropic/claude-sonnet-4-5", api_key=KEY).reasons


def test_a_reply_that_is_all_thought_is_asked_for_once_more_with_more_room() -> None:
    price = Price(0.0, 1.0)

    def thinking(_: str, body: dict[str, Any]) -> tuple[str, str]:
        limit = body.get("max_tokens") or body["max_completion_tokens"]
        if limit < 5_000:
            return "text/event-stream", events(
                chunk(None), chunk("", "length"), chunk("", **usage(limit))
            ) + "data: [DONE]\n\n"
        return "text/event-stream", events(
            chunk(JUDGEMENT), chunk("", "stop"), chunk("", **usage(10))
        ) + "data: [DONE]\n\n"

    with serving(thinking) as (address, received):
        model = LiteLLMModel("openai/home-grown", api_base=address, api_key=KEY, price=price)
        reply = asked(model)
        again = asked(model)
    assert [reply.text, again.text] == [JUDGEMENT] * 2
    limits = [body["max_tokens"] for _, body in received]
    assert limits[0] == MAX_TOKENS
    assert limits[1] > THINKING_TOKENS
    assert len(received) == 3, "that it reasons is remembered"
    assert reply.cost_usd == pytest.approx(price.of(0, MAX_TOKENS + 10)), (
        "what it thought in vain was paid, too"
    )


def test_a_reasoning_effort_is_passed_on_and_left_out_where_refused() -> None:
    with ModelServer(lambda _: JUDGEMENT, refused=("reasoning_effort",)) as server:
        reply = asked(
            LiteLLMModel(
                "openai/scripted", api_base=server.url, api_key=KEY, reasoning_effort="low"
            )
        )
    first, second = (one.body for one in server.received)
    assert first["reasoning_effort"] == "low"
    assert "reasoning_effort" not in second
    assert any("reasoning effort" in warning for warning in reply.warnings)


# ---- Ollama


def test_ollama_is_asked_by_its_chat_with_its_window() -> None:
    def chat(path: str, body: dict[str, Any]) -> tuple[str, str]:
        pieces = [JUDGEMENT[:9], JUDGEMENT[9:]]
        lines = [
            {"model": "q", "message": {"role": "assistant", "content": piece}, "done": False}
            for piece in pieces
        ]
        last = {
            "model": "q",
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
        }
        lines.append({**last, "prompt_eval_count": 7, "eval_count": 5})
        return "application/x-ndjson", "".join(json.dumps(line) + "\n" for line in lines)

    with serving(chat) as (address, received):
        model = LiteLLMModel("ollama/q", api_base=address)
        reply = asked(model)
    assert json.loads(reply.text) == json.loads(JUDGEMENT)
    path, body = received[0]
    assert path == "/api/chat"
    assert [message["content"] for message in body["messages"]] == ["Does it?"]
    assert body["options"]["num_ctx"] == CONTEXT_TOKENS == model.context_tokens
    assert body["options"]["num_predict"] == MAX_TOKENS
    assert body["format"]["properties"].keys() == SCHEMA["properties"].keys()
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost_usd) == (7, 5, 0.0)


# ---- replies by schema


def test_a_server_of_ones_own_is_asked_by_schema_then_for_any_object_then_in_words() -> None:
    with ModelServer(lambda _: JUDGEMENT, refused=("response_format",)) as server:
        asked(LiteLLMModel("openai/scripted", api_base=server.url, api_key=KEY))
    formats = [(one.body.get("response_format") or {}).get("type") for one in server.received]
    assert formats == ["json_schema", "json_object", None]
    assert server.received[0].body["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "failed to parse grammar"),
        (400, "Invalid JSON payload received. Unknown name 'additionalProperties'"),
        (400, "This response_format type is unavailable now"),
    ],
)
def test_a_server_that_cannot_hold_a_model_to_the_schema_is_asked_in_words(
    status: int, words: str
) -> None:
    def reply(body: dict[str, Any]) -> str | Raw:
        held = (body.get("response_format") or {}).get("type") == "json_schema"
        return Raw({"error": {"message": words}}, status) if held else JUDGEMENT

    with ModelServer(reply) as server:
        said = asked(LiteLLMModel("openai/scripted", api_base=server.url, api_key=KEY))
    assert said.text == JUDGEMENT
    assert len(server.received) == 2


def test_anthropic_is_asked_by_schema_and_its_stream_is_read() -> None:
    def messages(_: str, body: dict[str, Any]) -> tuple[str, str]:
        by_tool = bool(body.get("tools"))
        block = (
            {"type": "tool_use", "id": "t", "name": body["tools"][0]["name"], "input": {}}
            if by_tool
            else {"type": "text", "text": ""}
        )
        delta = (
            {"type": "input_json_delta", "partial_json": JUDGEMENT}
            if by_tool
            else {"type": "text_delta", "text": JUDGEMENT}
        )
        head = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": "claude",
            "stop_reason": None,
        }
        told = events(
            {
                "type": "message_start",
                "message": {**head, "usage": {"input_tokens": 7, "output_tokens": 1}},
            },
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 5},
            },
            {"type": "message_stop"},
            named=True,
        )
        return "text/event-stream", told

    with serving(messages) as (address, received):
        reply = asked(LiteLLMModel("anthropic/claude-sonnet-4-5", api_base=address, api_key=KEY))
    assert json.loads(reply.text) == json.loads(JUDGEMENT)
    assert '"relevant"' in json.dumps(received[0][1]), "the schema went along"
    assert (reply.prompt_tokens, reply.completion_tokens) == (7, 5)


def test_geminis_stream_is_read_and_its_thoughts_are_paid_for() -> None:
    def generate(_: str, body: dict[str, Any]) -> tuple[str, str]:
        counts = {
            "promptTokenCount": 7,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 100,
            "totalTokenCount": 112,
        }
        content = {"parts": [{"text": JUDGEMENT}], "role": "model"}
        told = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": counts,
        }
        return "text/event-stream", events(told)

    with serving(generate) as (address, received):
        reply = asked(LiteLLMModel("gemini/gemini-2.5-flash", api_base=address, api_key=KEY))
    assert reply.text == JUDGEMENT
    assert reply.completion_tokens == 105
    ((_, body),) = received
    assert body["generationConfig"]["max_output_tokens"] == MAX_TOKENS + THINKING_TOKENS


# ---- streams that end early, and what was paid


def test_a_stream_without_an_end_mark_is_cut() -> None:
    ends = iter([False, True])

    def half(_: str, body: dict[str, Any]) -> tuple[str, str]:
        whole = events(chunk(JUDGEMENT), chunk("", "stop")) + "data: [DONE]\n\n"
        return "text/event-stream", whole if next(ends) else events(chunk(JUDGEMENT[:20]))

    price = Price(1000.0, 1000.0)
    with serving(half) as (address, received):
        model = LiteLLMModel("openai/scripted", api_base=address, api_key=KEY, price=price)
        reply = asked(model)
    assert reply.text == JUDGEMENT
    assert len(received) == 2
    assert reply.cost_usd is None, "what the cut attempt cost is unknown"
    worst = model.worst_cost(REQUEST)
    assert worst is not None
    assert reply.at_most_usd is not None
    assert worst < reply.at_most_usd <= 2 * worst


def test_a_time_out_on_this_machine_is_not_tried_again_and_names_its_variable() -> None:
    with (
        ModelServer(lambda _: JUDGEMENT, first_token=30) as server,
        pytest.raises(ModelError) as raised,
    ):
        asked(
            LiteLLMModel(
                "openai/scripted", api_base=server.url, api_key=KEY, first_token_timeout=0.2
            )
        )
    assert len(server.received) == 1
    assert "CLINFO_MODEL_FIRST_TOKEN_TIMEOUT" in str(raised.value)


# ---- the pace of a server


def test_overload_halves_the_calls_at_a_time_and_replies_bring_them_back() -> None:
    pace = Pace(8)

    async def most(calls: int) -> int:
        inside = peak = 0

        async def one() -> None:
            nonlocal inside, peak
            async with pace:
                inside += 1
                peak = max(peak, inside)
                await asyncio.sleep(0.001)
                inside -= 1

        await asyncio.gather(*(one() for _ in range(calls)))
        return peak

    assert asyncio.run(most(20)) == 8
    pace.slow()
    assert asyncio.run(most(20)) == 4
    for _ in range(10):
        pace.slow()
    assert asyncio.run(most(5)) == 1, "one call is always let through"
    for _ in range(100):
        pace.quicken()
    assert asyncio.run(most(20)) == 8
