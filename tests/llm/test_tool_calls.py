"""Tool calls, by a provider's protocol over real HTTP and in words."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer
from clinfo.cache import Cache
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.llm.tool_calls import Said, read
from clinfo.runs.protocols import Message, ModelRequest, Tool, ToolCall

SEARCH = Tool("search", "Searches.", {"type": "object", "properties": {"q": {"type": "string"}}})
ASKED = ModelRequest(
    "act",
    (
        Message("system", "Look up."),
        Message("user", "moles"),
        Message("assistant", "First.", (ToolCall("c1", "search", '{"q": "a"}'),)),
        Message("tool", "nothing", call_id="c1"),
    ),
    tools=(SEARCH,),
)
TOLD = ("a", '{"q": "moles"}')
FORM = json.dumps({"name": "a", "arguments": {"q": "moles"}})
CALL = {
    "id": "x",
    "type": "function",
    "function": {"name": "search", "arguments": '{"q": "nævus"}'},
}


def asked(server: ModelServer, request: ModelRequest = ASKED, **given: Any) -> Said:
    model = LiteLLMModel("openai/scripted", api_base=server.url, api_key="sk-test", **given)
    return read(asyncio.run(model.complete(request)).text)


@pytest.mark.parametrize("on_this_machine", [False, True], ids=["whole", "streamed"])
def test_calls_come_back_whether_streamed_or_not(on_this_machine: bool) -> None:
    def reply(body: dict[str, Any]) -> dict[str, Any]:
        return {"content": "Look it up.", "tool_calls": [CALL, CALL]}

    with ModelServer(reply) as server:
        said = asked(server, on_this_machine=on_this_machine)
        body = server.received[0].body
    assert said == Said("Look it up.", (("search", '{"q": "nævus"}'),) * 2)
    assert bool(body.get("stream")) is on_this_machine
    assert body["tools"][0]["function"]["name"] == "search"
    assert body["messages"][2]["tool_calls"][0]["function"]["arguments"] == '{"q": "a"}'
    assert body["messages"][3] == {"role": "tool", "content": "nothing", "tool_call_id": "c1"}


def test_a_reply_of_calls_alone_is_not_empty() -> None:
    with ModelServer(lambda body: {"content": "", "tool_calls": [CALL]}) as server:
        assert asked(server).calls == (("search", '{"q": "nævus"}'),)


def test_a_model_that_refuses_tools_is_told_of_them_in_words() -> None:
    wanted = '{"text": "so", "calls": [{"name": "search", "arguments": {"q": "a"}}]}'
    with ModelServer(lambda body: wanted, refused=("tools",)) as server:
        assert asked(server) == Said("so", (("search", '{"q": "a"}'),))
        messages = server.received[-1].body["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    assert '"name": "search"' in messages[0]["content"]
    assert read(messages[2]["content"]) == Said("First.", (("search", '{"q": "a"}'),))


def test_the_cache_tells_requests_with_other_calls_and_tools_apart(tmp_path: Path) -> None:
    replies = iter("abcd")
    with ModelServer(lambda body: next(replies)) as server:
        cache = Cache(tmp_path / "cache.sqlite")
        other = replace(
            ASKED, messages=(*ASKED.messages[:2], Message("assistant", "First."), ASKED.messages[3])
        )
        made = [asked(server, one, cache=cache).text for one in (ASKED, other, ASKED, other)]
        bare = replace(ASKED, tools=())
        assert made == ["a", "b", "a", "b"]
        assert asked(server, bare, cache=cache).text == "c"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("I have enough.", Said("I have enough.")),
        *((one, Said(one)) for one in (FORM.replace('"a"', '"BRCA1"'), "<function=a>" * 4000)),
        ("<function=a>" + "<parameter=b>" * 4000 + "</function>", Said("", (("a", "{}"),))),
        ('{"claims": []}', Said('{"claims": []}')),
        ('{"calls": "search"}', Said('{"calls": "search"}')),
        ('So:\n```json\n{"calls": [{"name": "a"}, 3, {"x": 1}]}\n```', Said("", (("a", "{}"),))),
        ('{"text": 3, "calls": []}', Said("")),
        ('{"text": "I have enough.", "calls": []}', Said("I have enough.")),
        (f"<tool_call>\n{FORM}\n</tool_call>\n" * 2, Said("", (TOLD,) * 2)),
        (json.dumps({"text": f"<tool_call>{FORM}</tool_call>", "calls": []}), Said("", (TOLD,))),
        (f"[TOOL_CALLS] [{FORM}]", Said("", (TOLD,))),
        (f'{{"type": "function", "function": {FORM}}}', Said("", (TOLD,))),
        (FORM.replace("arguments", "parameters"), Said("", (TOLD,))),
        ("<function=a><parameter=q>\nmoles\n</parameter></function>", Said("", (TOLD,))),
        ('<invoke name="a"><parameter name="q">moles</parameter></invoke>', Said("", (TOLD,))),
    ],
)
def test_calls_in_words_are_told_from_what_is_none(written: str, said: Said) -> None:
    assert read(written, {"a"}) == said


@pytest.mark.slow
def test_tools_need_no_package_that_litellm_would_like() -> None:
    """litellm looks for tools of its own with the package mcp unless it is told not to."""
    program = (
        "import asyncio, sys\n"
        "sys.modules['mcp'] = None\n"
        "from tests.llm.test_tool_calls import ASKED, LiteLLMModel\n"
        "model = LiteLLMModel('openai/scripted', api_base=sys.argv[1], api_key='sk-test')\n"
        "print(asyncio.run(model.complete(ASKED)).text)\n"
    )
    with ModelServer(lambda body: {"content": "", "tool_calls": [CALL]}) as server:
        ended = subprocess.run(
            [sys.executable, "-c", program, server.url],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert read(ended.stdout).calls, ended.stderr
