"""The scripted model server, asked with plain HTTP, and the scripted model that knows the chain's
prompts.
"""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
import requests

from benchmarks.servers.clinical import clinical_reply
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.records.articles import Article, Section
from clinfo.runs.protocols import ModelReply, ModelRequest
from tests.gathering import GatheringServer

BODY = {"model": "scripted", "messages": [{"role": "user", "content": "one two three"}]}


def chunks(response: requests.Response) -> list[Any]:
    lines = [line.removeprefix(b"data: ") for line in response.iter_lines() if line]
    assert lines.pop() == b"[DONE]"
    return [json.loads(line) for line in lines]


def test_a_reply() -> None:
    with ModelServer(lambda body: body["messages"][0]["content"].upper()) as server:
        answer = requests.post(f"{server.url}/chat/completions", json=BODY, timeout=30).json()
        models = requests.get(f"{server.url}/models", timeout=30).json()
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": "ONE TWO THREE"}
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert answer["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}
    assert models["data"][0]["id"] == "scripted"
    assert server.received[0].body == BODY


@pytest.mark.parametrize("asked", [True, False])
def test_a_stream_with_usage_if_asked(asked: bool) -> None:
    text = "One  two\nthree. "
    body = BODY | {"stream": True} | ({"stream_options": {"include_usage": True}} if asked else {})
    with ModelServer(lambda _: text) as server:
        response = requests.post(f"{server.url}/chat/completions", json=body, timeout=30)
        pieces = chunks(response)
    assert (
        "".join(
            piece["choices"][0]["delta"].get("content", "") for piece in pieces if piece["choices"]
        )
        == text
    )
    assert pieces[-1].get("usage") == (
        {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6} if asked else None
    )


def test_fifty_streams_at_once() -> None:
    async def one(session: aiohttp.ClientSession) -> bytes:
        async with session.post(
            f"{server.url}/chat/completions", json=BODY | {"stream": True}
        ) as response:
            return await response.read()

    async def all_of() -> list[bytes]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            return await asyncio.gather(*(one(session) for _ in range(50)))

    with GatheringServer(
        lambda _: "word " * 20, first_token=0.3, per_token=0.01, expected=50
    ) as server:
        replies = asyncio.run(all_of())
    assert server.most_in_flight == 50
    assert all(reply.endswith(b"data: [DONE]\n\n") for reply in replies)


def test_refusals_look_like_openai() -> None:
    with ModelServer(lambda _: "yes", key="sk-right", refused=("seed",)) as server:
        url, right = f"{server.url}/chat/completions", {"Authorization": "Bearer sk-right"}
        wrong_key = requests.post(
            url, json=BODY, headers={"Authorization": "Bearer sk-wrong"}, timeout=30
        )
        refused = requests.post(url, json=BODY | {"seed": 1}, headers=right, timeout=30)
        accepted = requests.post(url, json=BODY, headers=right, timeout=30)
    assert (wrong_key.status_code, wrong_key.json()["error"]["code"]) == (401, "invalid_api_key")
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "seed")
    assert accepted.status_code == 200


QUESTION = "Do compression stockings prevent swollen ankles on long flights?"
ON_TOPIC = Article(
    "pmid:1",
    "Compression stockings on long flights: a randomised trial",
    sections=(
        Section("Ankles swell on flights.", "BACKGROUND"),
        Section(
            (
                "We randomised 212 passengers. Ankles were swollen in 9% with stockings and in 31% "
                "without."
            ),
            "RESULTS",
        ),
    ),
)
OFF_TOPIC = Article(
    "pmid:2", "Cheese and dreams: a survey", sections=(Section("We asked 40 people about cheese."),)
)
PROMPTS = {name: PROMPTS.parse(name, text) for name, text in PROMPTS.defaults().items()}


async def ask(_: str, request: ModelRequest) -> ModelReply:
    """The scripted model's reply to a request as litellm sends it."""
    messages = [{"role": message.role, "content": message.content} for message in request.messages]
    body: dict[str, Any] = {"messages": messages, "seed": request.seed}
    if request.schema is not None:
        form = {"name": request.form or request.stage, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    text = clinical_reply(body)
    return ModelReply(text, "scripted")
