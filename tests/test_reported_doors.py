"""Kinds of faults that users of other tools reported, of models, batches, commands and Python, each
with the thread and an input of our own.
"""

import asyncio
import json
import pickle
from pathlib import Path
from typing import Any

import httpx
import pytest

import clinfo
from benchmarks.servers.model import Raw
from clinfo.api import Hits
from clinfo.cli import run
from clinfo.errors import FieldError, ModelError, NotForPatients, UsageError
from clinfo.llm.failures import retry_after
from clinfo.pipelines.literature.batch import Question, each, read_questions
from clinfo.records.articles import Article
from clinfo.runs.protocols import Budget, ModelReply
from tests.llm.test_gate import TEXT, Reply, asked, events, piece, whole
from tests.mcp_server.serving import call, stdio
from tests.test_reported_kinds import GITHUB

ANSWER = clinfo.ask("Does yoga help?", model="extractive", source=["Yoga helps.", "Zinc."])


def failed(words: str, status: int = 400, **beside: Any) -> Raw:
    return Raw({"error": {"message": words, "code": status, **beside}}, status)


TOO_LONG = "longer than the model's context window"
MODELS: dict[str, tuple[Reply, str]] = {
    "cline/cline/issues/13194": (
        failed("Provider said no", metadata={"raw": json.dumps({"error": {
            "message": "This model's maximum context length is 99 tokens"}})}), TOO_LONG),
    "DraconDev/pi-goal-list-loop-audit/pull/48": (
        failed("request (900 tokens) exceeds the available context size (99 tokens)"), TOO_LONG),
    "continuedev/continue/issues/6080": (
        failed("input length and `max_tokens` exceed context limit: 90 + 90 > 99"), TOO_LONG),
    "JohnnyZ93/oai-compatible-copilot/issues/13": (
        failed("prompt is too long: 900 tokens > 99 maximum"), TOO_LONG),
    "LibreChat-AI/agents/issues/357": (
        Raw({"status": 429, "error": "INSUFFICIENT QUOTA", "message": "too many at a time"}, 429),
        "rate limit was reached"),
    "genkit-ai/genkit/issues/6232": (
        Raw({"choices": [], "usage": {"prompt_tokens": 3}}), "the reply was empty"),
    "BerriAI/litellm/issues/3276": (
        events({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, piece(TEXT, "stop"),
               {"choices": [], "usage": {"prompt_tokens": 3}}, "[DONE]"), TEXT),
    "laravel/ai/pull/955": (whole({"content": TEXT}, "model_length"), "breaks off there"),
    "xorbitsai/inference/issues/3673": (
        whole({"content": "", "reasoning_content": TEXT}), "only thought"),
}  # fmt: skip


@pytest.mark.parametrize("thread", MODELS)
def test_a_model_s_odd_answers_are_told(thread: str) -> None:
    answer, words = MODELS[thread]
    for one in asked(lambda _: answer)[0]:
        told = " ".join((one.text, *one.warnings)) if isinstance(one, ModelReply) else one
        assert words in told, GITHUB + thread


def test_google_s_delay_is_waited_for() -> None:
    """googleapis/python-genai/pull/2114"""
    body = {"error": {"details": [{"@type": "RetryInfo", "retryDelay": "3.5s"}]}}
    answer = httpx.Response(429, json=body, request=httpx.Request("POST", "http://x"))
    assert retry_after(httpx.HTTPStatusError("", request=answer.request, response=answer)) == 3.5


BATCHES: list[tuple[str, str, bytes]] = [
    ("awdeorio/mailmerge/issues/93", ".csv", b"\xef\xbb\xbfid,question\r\na,Zinc?\r\n"),
    ("iOfficeAI/OfficeCLI/issues/352", ".csv", b"id;question\na;Zinc?\n"),
    ("SFDO-Tooling/Snowfakery/pull/516", ".csv", b"ID, Question,\na,Zinc?,\n,,\n"),
    ("mui/mui-x/pull/1656", ".csv", b"sep=;\r\nid;question\r\na;Zinc?\r\n"),
    ("PIC-IRIS/PH5/issues/536", ".tsv", "id\tquestion\na\tZinc?\n".encode("utf-16")),
]


@pytest.mark.parametrize(("thread", "ending", "raw"), BATCHES)
def test_questions_of_a_table(thread: str, ending: str, raw: bytes, tmp_path: Path) -> None:
    file = tmp_path / f"q{ending}"
    file.write_bytes(raw)
    assert read_questions(file) == (Question("a", "Zinc?"),), GITHUB + thread
    file.write_text("question\nZinc, or not?\n")
    with pytest.raises(UsageError, match="row 1"):
        read_questions(tmp_path / file.name)


def test_a_last_line_without_its_end_is_kept_and_a_torn_one_asked_again(tmp_path: Path) -> None:
    """NousResearch/hermes-agent/pull/112575, alibaba/open-code-review/issues/1308"""
    out, asked = tmp_path / "out.jsonl", list[str]()

    async def ask(question: str, _: Budget) -> Any:
        asked.append(question)
        return ANSWER

    for left in (None, -1, -9):  # all but so many signs of the file
        if left:
            out.write_bytes(out.read_bytes()[:left])
        rows = asyncio.run(each((Question("a", "A?"), Question("b", "B?")), ask, (), out))
        assert [one["id"] for one in rows] == ["a", "b"]
    assert asked in (["A?", "B?", "B?"], ["A?", "B?", "A?"])


COMMANDS = [
    ("AgentWorkforce/relayhistory/issues/127", "ask -h", 0, "--model"),
    ("moadim-io/daemon/issues/303", "serach x", 2, "Did you mean 'search'"),
    ("superseriousbusiness/gotosocial/issues/2517", "ask Zinc? --modle x", 2, "--model"),
    ("coder/coder/issues/10760", "ask Zinc or not --source demo", 2, "in quotation marks"),
    ("Azure/azure-xplat-cli/issues/2154", "copilot", 2, "Usage: clinfo copilot"),
]


@pytest.mark.parametrize(("thread", "typed", "status", "told"), COMMANDS)
def test_what_is_typed_wrong_is_told(
    thread: str, typed: str, status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(typed.split()) == status, GITHUB + thread
    assert told in "".join(capsys.readouterr()), GITHUB + thread


@pytest.mark.slow
def test_a_server_over_stdin_speaks_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    """MemPalace/mempalace/pull/1060, xpzouying/xiaohongshu-mcp/issues/697"""
    query = "Sj\u00f6gren \u2605"

    async def sent() -> object:
        more = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
        async with stdio(tmp_path, **more) as client:
            return (await call(client, "search", query=query))["sent"]

    assert asyncio.run(sent()) == query


def test_what_python_is_given_goes_to_other_processes_and_into_notebooks() -> None:
    """lancedb/lancedb/issues/3447, pasqal-io/Pulser/pull/842, Eventual-Inc/Daft/pull/982"""
    errors = (FieldError("seed", "is odd"), NotForPatients("model", "x"), ModelError("no"))
    for one in errors:
        assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
    assert pickle.loads(pickle.dumps(ANSWER)).to_dict() == ANSWER.to_dict()
    assert "<img" not in Hits((Article("x", "<img src=x>"),))._repr_html_()
