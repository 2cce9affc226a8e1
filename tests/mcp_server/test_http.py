"""The server over real HTTP, on the demo corpus with the extractive model, called by the SDK's own
client.
"""

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.servers import workload
from tests.cli.process import DEMO, clinfo
from tests.mcp_server.serving import NAMES, PRICED, Served, call, over_http, refusal, scripted

pytestmark = pytest.mark.slow
YOGA = "Does yoga lower blood pressure?"
TOKEN = "correct-horse-battery-staple"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with over_http(tmp_path_factory.mktemp("demo"), CLINFO_MCP_CALLS_A_MINUTE="1000") as served:
        yield served


def posted(url: str, **headers: str) -> httpx2.Response:
    """The answer to the first message of a client, with these headers."""
    accepted = {"Accept": "application/json, text/event-stream", **headers}
    return httpx2.post(url, json=INITIALIZE, headers=accepted, timeout=20)


def test_the_tools_only_read_and_say_what_they_take_and_give(server: Served) -> None:
    async def listed() -> list[Any]:
        async with Client(server.url) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(listed())
    assert [one.name for one in tools][:5] == NAMES
    assert "search_silo" in [one.name for one in tools]  # of a built-in silo
    for one in tools:
        assert (one.annotations.read_only_hint, one.annotations.destructive_hint) == (True, False)
        assert one.description
        assert one.title
        for schema in (one.input_schema, one.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert one.input_schema["additionalProperties"] is False
        assert not re.search("chart|cohort", one.name)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_question_with_progress_is_answered_as_the_command_line_answers_it(
    server: Served, mode: str, tmp_path: Path
) -> None:
    told: list[tuple[float, str]] = []

    async def progressed(done: float, _total: float | None, said: str | None) -> None:
        told.append((done, said or ""))

    async def asked() -> dict[str, Any]:
        async with Client(server.url, mode=mode) as client:
            (tool, *_) = (await client.list_tools()).tools
            result = await client.call_tool("ask", {"question": YOGA}, progress_callback=progressed)
            jsonschema.validate(result.structured_content, tool.output_schema)
            assert json.loads(result.content[0].text) == result.structured_content
            return result.structured_content

    answer = asyncio.run(asked())
    done = clinfo("ask", YOGA, *DEMO, "--json", "--quiet", cwd=tmp_path)
    form = json.loads(done.stdout)
    assert answer["answered"]
    for name in ("tldr", "synthesis", "notices", "warnings", "counts", "searched_on"):
        assert answer[name] == form[name], name
    assert [(one["part"], one["text"], one["verdict"]) for one in answer["sentences"]] == [
        (one["in"], one["text"], one["verdict"]) for one in form["sentences"]
    ]
    assert [(one["n"], one["id"]) for one in answer["references"]] == [
        (one["n"], one["id"]) for one in form["references"]
    ]
    assert (answer["models"], answer["cost_usd"], answer["source"]) == (["extractive"], 0.0, "demo")
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert any(re.search(r"Judge: \d+ of 5", said) for _, said in told)


def test_a_question_without_an_answer_says_why(server: Served) -> None:
    async def asked() -> dict[str, Any]:
        async with Client(server.url) as client:
            return await call(client, "ask", question=YOGA, to="1950")

    answer = asyncio.run(asked())
    assert (answer["answered"], answer["tldr"], answer["sentences"]) == (False, "", [])
    assert answer["why_not"]


def test_search_and_fetch(server: Served, tmp_path: Path) -> None:
    async def found() -> tuple[dict[str, Any], ...]:
        async with Client(server.url) as client:
            hits = await call(client, "search", query="yoga AND pressuer[foo]", limit=2)
            plain = await call(client, "search", query="yoga", limit=2)
            by_id = await call(client, "fetch", id=plain["results"][0]["id"])
            by_pmid = await call(client, "fetch", id="PMID: " + by_id["id"].removeprefix("pmid:"))
            assert by_id == by_pmid
            for doi in ("doi:" + by_id["doi"].upper(), by_id["doi"]):
                assert by_id == await call(client, "fetch", id=doi)
            assert "it takes a PMID, a DOI" in await refusal(client, "fetch", id="10.1000/none")
            assert "has no article 99999999" in await refusal(client, "fetch", id="99999999")
            return hits, plain, by_id

    odd, plain, article = asyncio.run(found())
    shown = json.loads(clinfo("search", "yoga", *DEMO[2:], "--json", cwd=tmp_path).stdout)
    assert plain["count"] == shown["count"] > 2
    assert [one["id"] for one in plain["results"]] == shown["ids"][:2]
    assert odd["warnings"]
    assert article["text"].count("\n") >= 2
    assert article["title"] == shown["articles"][0]["title"]
    assert any("demonstration corpus" in one for one in article["source_notices"])


def test_without_a_judge_sentences_are_located_and_none_is_judged(server: Served) -> None:
    async def judged() -> dict[str, Any]:
        async with Client(server.url) as client:
            article = (await call(client, "fetch", id="26000038"))["text"]
            last = article.rsplit(": ", 1)[1].split(". ")[0].rstrip(".") + " [1]."
            return await call(
                client,
                "verify",
                sentences=[
                    last,
                    "Aspirin halved mortality in 912 women [2].",
                    "Nine of 12 got well [2].",
                ],
                articles=[{"pmid": "26000038"}, {"title": "A trial", "abstract": "Of 12, 9 died."}],
            )

    first, second, third = asyncio.run(judged())["sentences"]
    assert (first["verdict"], first["passages"][0]["n"]) == ("quoted", 1)
    assert first["passages"][0]["text"].rstrip(".") in first["text"]
    assert second["verdict"] == third["verdict"] == "not_verified"
    assert any("912" in one for one in second["notes"])
    assert all(one["judges"] == [] for one in (first, second, third))


def test_a_reference_list(server: Served, tmp_path: Path) -> None:
    references = "23334063\n26000038\n10.9999/nothing\nno identifier at all"

    async def checked() -> dict[str, Any]:
        async with Client(server.url) as client:
            assert "1,000" in await refusal(
                client, "integrity", references="\n".join(map(str, range(1, 1_200)))
            )
            assert "XML" in await refusal(client, "integrity", references="<a>23334063</a>")
            return await call(client, "integrity", references=references)

    found = asyncio.run(checked())
    (tmp_path / "list.txt").write_text(references)
    done = clinfo("integrity", "list.txt", "--source", "demo", "--json", cwd=tmp_path)
    form = json.loads(done.stdout)
    assert (found["counts"], found["form"]) == (form["counts"], form["form"])
    assert found["references"] == form["references"]
    assert found["retraction_list"] is None


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("ask", {}, "question: is missing"),
        ("ask", {"question": "?!"}, "question: contains no word"),
        ("ask", {"question": "x" * 5_000}, "at most 4,000"),
        ("ask", {"question": 7}, "question: "),
        (
            "ask",
            {"question": YOGA, "model": "openai/gpt-4o"},
            "model: this tool has no such argument",
        ),
        (
            "ask",
            {"question": YOGA, "source": "/etc/passwd"},
            "source: this tool has no such argument",
        ),
        (
            "ask",
            {"question": YOGA, "allow_identifiers": True},
            "allow_identifiers: this tool has no such argument",
        ),
        ("ask", {"question": YOGA, "from": "2015-13"}, "from: "),
        ("ask", {"question": YOGA, "from": "2020", "to": "2010"}, "from: "),
        ("ask", {"question": YOGA, "limits": ["dogs"]}, "limits.0: "),
        ("search", {"query": ""}, "query: "),
        ("search", {"query": "yoga", "limit": 0}, "limit: "),
        ("search", {"query": "yoga", "limit": 101}, "limit: "),
        ("search", {"query": "x", "limit": "ten"}, "a whole number from 1 to 100, not “ten”"),
        ("search", {"query": "x", "max": 1, "day": 2}, "max, day: this tool has no such argument"),
        ("fetch", {"id": "two words"}, "id: "),
        ("fetch", {"id": ""}, "id: "),
        ("verify", {"sentences": [], "articles": []}, "sentences: "),
        ("verify", {"sentences": ["x"], "articles": [{}]}, "give a pmid"),
        ("verify", {"sentences": ["x"], "articles": [{"pmid": "1 OR 1"}]}, "not a number"),
        ("verify", {"sentences": ["x"], "articles": [{"pmid": "77"}]}, "has no article 1"),
        ("verify", {"sentences": ["x" * 1_001], "articles": [{"title": "t"}]}, "1,000"),
        ("verify", {"sentences": ["x"] * 21, "articles": [{"title": "t"}]}, "sentences: "),
        (
            "verify",
            {"sentences": ["x"], "articles": [{"abstract": "x " * 4_000}] * 20},
            "60,000 characters together",
        ),
        ("integrity", {"references": ""}, "references: "),
        ("integrity", {"references": [{"pmid": 1}, {"year": 1}]}, "references: entry 2 "),
        ("fetch", {"id": "\u200b"}, "id: is empty"),
    ],
)
def test_bad_arguments_are_one_sentence(
    server: Served, name: str, arguments: dict[str, Any], word: str
) -> None:
    async def refused() -> str:
        async with Client(server.url) as client:
            return await refusal(client, name, **arguments)

    said = asyncio.run(refused())
    assert word in said
    assert said.endswith(".")
    assert len(said) < 300
    assert not re.search(r"pydantic|traceback|input_value|https?://", said.lower())


def test_another_name_or_site_is_not_answered(server: Served) -> None:
    port = server.url.split(":")[2].split("/")[0]
    assert posted(server.url).status_code == 200
    assert posted(server.url, Host=f"localhost:{port}").status_code == 200
    for name in (f"evil.example:{port}", "evil.example", f"127.0.0.1.evil.example:{port}"):
        assert posted(server.url, Host=name).status_code == 421
    for site in ("http://evil.example", f"http://localhost:{port}", "null"):
        assert posted(server.url, Origin=site).status_code == 403


def test_what_is_asked_is_in_no_log(server: Served) -> None:
    async def asked() -> None:
        async with Client(server.url) as client:
            await call(client, "ask", question=YOGA)

    asyncio.run(asked())
    said = server.log.read_text()
    assert re.search(r"^ask: done after \d+\.\d s$", said, re.MULTILINE)
    assert not re.search(r"yoga|probiotics|Traceback|aspirin", said, re.IGNORECASE)


def test_a_body_that_is_too_long_is_refused(server: Served) -> None:
    sent = httpx2.post(
        server.url,
        content=b'{"x": "' + b"x" * 5_000_000 + b'"}',
        headers={"Content-Type": "application/json", "Accept": "application/json"},
        timeout=20,
    )
    assert sent.status_code == 413


def test_limits_of_the_host(tmp_path: Path) -> None:
    async def called(url: str) -> None:
        async with Client(url) as client:
            begun = asyncio.Event()

            async def progressed(*_: object) -> None:
                begun.set()

            asked = {"question": workload.QUESTION}
            running = asyncio.create_task(client.call_tool("ask", asked, None, progressed))
            await begun.wait()
            assert "1 calls at a time" in await refusal(client, "search", query="yoga")
            assert not (await running).is_error
            await call(client, "search", query="yoga")
            said = await refusal(client, "search", query="yoga")
            assert re.fullmatch(r"this server takes 2 calls a minute; call again in \d+ s\.", said)

    limits = {"CLINFO_MCP_AT_ONCE": "1", "CLINFO_MCP_CALLS_A_MINUTE": "2"}
    with (
        scripted(first_token=1.0) as (_, more),
        over_http(tmp_path, "--model", PRICED, **more, **limits) as served,
    ):
        asyncio.run(called(served.url))


def test_a_token_opens_the_server_and_nothing_else_does(tmp_path: Path) -> None:
    async def called(url: str) -> dict[str, Any]:
        with_token = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"})
        async with Client(streamable_http_client(url, http_client=with_token)) as client:
            return await call(client, "search", query="yoga")

    where = {"CLINFO_MCP_TOKEN": TOKEN, "CLINFO_MCP_HOSTS": "127.0.0.1"}
    with over_http(tmp_path, *DEMO, "--http", "0.0.0.0:0", **where) as served:
        url = served.url.replace("0.0.0.0", "127.0.0.1")
        for wrong in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}):
            answer = posted(url, **wrong)
            assert answer.status_code == 401
            assert TOKEN not in answer.text
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert posted(url, **right).status_code == 200
        assert posted(url, Host="evil.example", **right).status_code == 421
        assert asyncio.run(called(url))["count"] > 0
        assert TOKEN not in served.log.read_text()


def test_a_server_that_anyone_could_reach_does_not_start(tmp_path: Path) -> None:
    def refused(address: str, **more: str) -> str:
        done = clinfo("mcp", *DEMO, "--http", address, cwd=tmp_path, **more)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    assert "CLINFO_MCP_TOKEN" in refused("0.0.0.0:0")
    assert "CLINFO_MCP_TOKEN" in refused("evidence.example:0")
    assert "CLINFO_MCP_HOSTS" in refused("0.0.0.0:0", CLINFO_MCP_TOKEN=TOKEN)
    for address in ("8000", "127.0.0.1", "127.0.0.1:99999", "http://127.0.0.1:1", "a b:1"):
        assert "HOST:PORT" in refused(address)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "cannot listen" in refused(f"127.0.0.1:{taken.getsockname()[1]}")


def test_a_server_that_could_not_answer_does_not_start(tmp_path: Path) -> None:
    for arguments, word in (
        ((), "--model"),
        (("--model", "extractive", "--source", "nowhere"), "nowhere"),
        (("--model", "openai/no-such-model-x", "--max-cost", "1"), "price"),
    ):
        done = clinfo("mcp", *arguments, cwd=tmp_path, OPENAI_API_KEY="sk-none")
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert word in done.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [  # forms and models fill what is optional with "", and give one value for a list of one,
        # or a list as text
        ("ask", {"question": "Does yoga lower blood pressure?", "from": "", "limits": [""]}),
        ("ask", {"question": "Does yoga lower blood pressure?", "from": 2000, "limits": "rct"}),
        ("ask", {"question": "Does yoga lower blood pressure?", "limits": '["rct", "humans"]'}),
        ("ask", {"question": "Does yoga lower blood pressure?", "from": 2000.0, "to": "null"}),
        ("ask", {"question": "Does yoga lower blood pressure?", "limits": "rct, humans"}),
        ("verify", {"sentences": "Yoga helps.", "articles": {"title": "T", "abstract": "Yoga."}}),
        ("verify", {"sentences": "Yoga.", "articles": [{"title": "T"}, {"n": 2, "title": "Yoga"}]}),
    ],
)
def test_what_is_left_empty_is_not_given(
    server: Served, name: str, arguments: dict[str, Any]
) -> None:
    async def called() -> bool:
        async with Client(server.url) as client:
            return bool((await client.call_tool(name, arguments)).is_error)

    assert not asyncio.run(called())
