"""The scripted model server, asked with plain HTTP, and the scripted model that knows the chain's
prompts.
"""

import asyncio
import json
import time
from typing import Any

import aiohttp
import pytest
import requests

from benchmarks.servers.clinical import ClinicalReply, clinical_reply
from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature import article_reading, synthesize
from clinfo.pipelines.literature.search.question2query import write_query
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.records.articles import Article, Query, Section, Study, Summary
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


def test_tokens_come_at_once_where_told() -> None:
    with ModelServer(lambda _: "One two three four five.", at_once=2) as server:
        response = requests.post(
            f"{server.url}/chat/completions", json=BODY | {"stream": True}, timeout=30
        )
        pieces = [piece["choices"][0]["delta"].get("content") for piece in chunks(response)]
    assert [piece for piece in pieces if piece] == ["One two", " three four", " five."]


def test_no_answer_comes_earlier_than_told() -> None:
    with ModelServer(lambda _: "word " * 20, first_token=0.2, per_token=0.02) as server:
        requests.get(f"{server.url}/models", timeout=30)

        def whole() -> float:
            started = time.monotonic()
            requests.post(f"{server.url}/chat/completions", json=BODY, timeout=30)
            return time.monotonic() - started

        def streamed() -> float:
            started = time.monotonic()
            response = requests.post(
                f"{server.url}/chat/completions",
                json=BODY | {"stream": True},
                timeout=30,
                stream=True,
            )
            begun = time.monotonic()
            chunks(response)
            firsts.append(begun - started)
            return time.monotonic() - started

        firsts: list[float] = []
        assert whole() >= 0.6
        assert streamed() >= 0.55
    assert firsts[0] >= 0.2


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


def test_a_port_in_use_is_said() -> None:
    with ModelServer(lambda _: "") as server, pytest.raises(RuntimeError, match="in use"):
        ModelServer(lambda _: "", port=server.port).__enter__()


def test_faults() -> None:
    def asked(timeout: float = 30.0, **faults: float) -> requests.Response:
        with ModelServer(
            lambda _: "a long enough reply", faults=Faults(**faults), retry_after="7"
        ) as server:  # type: ignore[arg-type]
            return requests.post(f"{server.url}/chat/completions", json=BODY, timeout=timeout)

    assert (asked(rate_429=1).status_code, asked(rate_429=1).headers["Retry-After"]) == (429, "7")
    assert asked(rate_500=1).status_code == 500
    assert asked(html=1).headers["Content-Type"].startswith("text/html")
    assert asked(empty=1).json()["choices"][0]["message"]["content"] == ""
    with pytest.raises(requests.Timeout):
        asked(timeout=0.5, hang=1)
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        asked(cut=1)


# ---- the clinical model, asked as the chain asks


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


def test_it_writes_different_queries() -> None:
    queries: list[Query] = [
        asyncio.run(write_query(QUESTION, seed, seed, PROMPTS["question2query"], ask))
        for seed in range(3)
    ]
    texts = [query.text for query in queries]
    assert len(set(texts)) == 3
    assert all("stockings" in text or "compression" in text for text in texts)
    assert all(query.repairs == () for query in queries)


def test_it_judges_by_what_an_article_is_about() -> None:
    on = asyncio.run(article_reading.judge(QUESTION, ON_TOPIC, PROMPTS["relevance"], ask))
    off = asyncio.run(article_reading.judge(QUESTION, OFF_TOPIC, PROMPTS["relevance"], ask))
    assert (on.relevant, off.relevant) == (True, False)
    body = {
        "messages": [
            {
                "role": "user",
                "content": f'"relevant"\nQuestion: {QUESTION}\nTitle: x\nAbstract: Cheese.',
            }
        ]
    }
    assert '"yes"' in ClinicalReply(markers=("cheese",))(body)
    assert '"no"' in ClinicalReply(markers=("stocking",))(body)


def test_it_summarises_in_the_articles_words() -> None:
    summary = asyncio.run(article_reading.summarise(QUESTION, ON_TOPIC, PROMPTS["summary"], ask))
    assert "9% with stockings" in summary.finding
    assert summary.finding in ON_TOPIC.abstract
    assert (summary.design, summary.sample_size, summary.stance) == (
        "randomised controlled trial",
        212,
        "supports",
    )


def test_it_cites_only_what_it_was_given() -> None:
    studies = [
        Study(n, ON_TOPIC, Summary(finding=f"Finding number {n} was good.")) for n in (1, 2, 5)
    ]
    request = synthesize.synthesis_request(QUESTION, studies, PROMPTS["synthesis"])
    synthesis = asyncio.run(ask("", request)).text
    assert synthesis == (
        "Finding number 1 was good [1]. Finding number 2 was good [2]. Finding number 5 was "
        "good [5]."
    )
    tldr = synthesize.tldr_request(QUESTION, synthesis, studies, PROMPTS["tldr"])
    assert asyncio.run(ask("", tldr)).text == "Finding number 1 was good [1]."
