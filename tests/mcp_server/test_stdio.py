"""The server over stdin and stdout, started by the SDK's own client; the language model and PubMed
are scripted servers.
"""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers import workload
from tests.cli.process import DEMO, command, environment
from tests.mcp_server.serving import NAMES, PRICED, call, refusal, scripted, stdio

PATIENT = "My patient John Smith, born 3 March 1950, MRN 1234567, falls: does vitamin D help?"


def test_a_question_without_key_and_network(tmp_path: Path) -> None:
    async def asked() -> tuple[list[str], dict[str, Any]]:
        async with stdio(tmp_path) as client:
            names = [one.name for one in (await client.list_tools()).tools]
            return names, await call(client, "ask", question="Does yoga lower blood pressure?")

    names, answer = asyncio.run(asked())
    assert names[:5] == NAMES
    assert "yoga" in answer["synthesis"].lower()


@pytest.mark.slow
def test_a_language_model_answers_and_its_cost_is_told(tmp_path: Path) -> None:
    async def asked(more: dict[str, str]) -> dict[str, Any]:
        async with stdio(tmp_path, "--model", PRICED, "--max-cost", "1", **more) as client:
            return await call(client, "ask", question=workload.QUESTION)

    with scripted() as (model, more):
        answer = asyncio.run(asked(more))
        assert model.received
    assert 0 < answer["cost_usd"] < 1
    assert answer["models"] == [PRICED]
    assert {one["verdict"] for one in answer["sentences"]}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_call_that_is_cancelled_ends_its_run(tmp_path: Path, mode: str) -> None:
    async def cancelled(more: dict[str, str]) -> int:
        client = stdio(tmp_path, "--model", PRICED, **more)
        client.mode = mode
        async with client:
            judging = asyncio.Event()

            async def progressed(_done: float, _total: float | None, said: str | None) -> None:
                if "Judge" in (said or ""):
                    judging.set()

            asked = {"question": workload.QUESTION}
            running = asyncio.create_task(client.call_tool("ask", asked, None, progressed))
            await judging.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert (await call(client, "search", query="falls"))["count"]
            begun = len(model.received)
            await asyncio.sleep(2.5)
            assert len(model.received) == begun
            return begun

    with scripted(first_token=1.0) as (model, more):
        begun = asyncio.run(cancelled({**more, "CLINFO_CONCURRENCY": "4"}))
    assert begun < workload.ARTICLE_COUNT


@pytest.mark.slow
def test_what_identifies_a_patient_is_sent_to_nobody(tmp_path: Path) -> None:
    async def refused(more: dict[str, str]) -> list[str]:
        async with stdio(tmp_path, "--model", PRICED, **more) as client:
            return [
                await refusal(client, "ask", question=PATIENT),
                await refusal(client, "search", query=PATIENT),
            ]

    with scripted() as (model, more):
        for said in asyncio.run(refused(more)):
            assert "identify a patient (name, date of birth, record number)" in said
            assert "Smith" not in said
            assert "--allow" not in said
        assert not model.received


@pytest.mark.slow
def test_budget_of_a_call(tmp_path: Path) -> None:
    async def refused(more: dict[str, str], *limits: str) -> str:
        async with stdio(tmp_path, "--model", PRICED, *limits, **more) as client:
            return await refusal(client, "ask", question=workload.QUESTION)

    with scripted() as (model, more):
        said = asyncio.run(refused(more, "--max-cost", "0.0001"))
        assert "budget of $0.0001" in said
        assert not model.received


@pytest.mark.slow
def test_a_failure_tells_neither_key_nor_question(tmp_path: Path) -> None:
    async def refused(more: dict[str, str]) -> str:
        async with stdio(tmp_path, "--model", PRICED, **more) as client:
            return await refusal(client, "ask", question=workload.QUESTION)

    with scripted() as (model, more):
        model.key = "another"
        said = asyncio.run(refused(more))
    assert "sk-" not in said
    assert "vitamin" not in said.lower()


def test_without_the_extra_it_is_told_how_to_install_it(tmp_path: Path) -> None:
    without = "import sys; sys.modules['mcp'] = None; from clinfo.cli import run; sys.exit(run())"
    done = subprocess.run(
        [sys.executable, "-c", without, "mcp", *DEMO],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "install the extra mcp" in done.stderr


def _talking(folder: Path, *lines: dict[str, Any], **more: str) -> subprocess.Popen[str]:
    """A server that has answered the first of some lines."""
    process = subprocess.Popen(
        command("mcp", *DEMO),
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for line in lines:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **line}) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    return process


HELLO: tuple[dict[str, Any], ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
)
ASK: dict[str, Any] = {
    "id": 2,
    "method": "tools/call",
    "params": {"name": "ask", "arguments": {"question": "Does yoga lower blood pressure?"}},
}


def test_every_request_is_answered_before_the_end_of_stdin_ends_it(tmp_path: Path) -> None:
    lines = [json.dumps({"jsonrpc": "2.0", **one}) for one in HELLO]
    lines += [
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": ["search", "zinc"]}',
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": 5}}',
        '[{"jsonrpc": "2.0", "id": 4, "method": "tools/list"}, 5, []]',
        '{"id": 5, "method": "tools/list"}',
        "Content-Length: 58",
        "[" * 10_000,
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}',
        '{"jsonrpc": "2.0", "id": 6, "method": "tools/list", "params": null}',
    ]
    done = subprocess.run(
        command("mcp", *DEMO),
        cwd=tmp_path,
        env=environment(),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(one["id"] for one in answers) == [1, 2, 3, 4, 5, 6]
    assert {one["id"] for one in answers if "error" in one} == {2, 3, 5}


@pytest.mark.slow
def test_it_ends_with_its_client_and_with_control_c(tmp_path: Path) -> None:
    for lines in (HELLO, (*HELLO, ASK)):
        left = _talking(tmp_path, *lines)
        left.communicate(timeout=30)
        assert left.returncode == 0
        stopped = _talking(tmp_path, *lines)
        stopped.send_signal(signal.SIGINT)
        _, said = stopped.communicate(timeout=30)
        assert (stopped.returncode, said.splitlines()[-1]) == (130, "clinfo: interrupted")
