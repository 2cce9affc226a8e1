"""Odd answers of servers over real HTTP: the right text whole and streamed, or a plain word why
not.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer, Raw
from clinfo.errors import ModelError
from clinfo.llm.error_words import excerpt, words_of
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.runs.protocols import Message, ModelReply, ModelRequest, StreamReset
from clinfo.text.thought import parted

REQUEST = ModelRequest("summary", (Message("system", "Be brief."), Message("user", "Moonwort?")))
TEXT = "Yoga lowered systolic blood pressure [1]."
THOUGHT = 'Okay, an answer could look like {"relevant": "no"}.'
CHUNK = "chat.completion.chunk"
Reply = str | dict[str, Any] | Raw


def whole(message: Any, reason: str | None = "stop", **beside: Any) -> Raw:
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return Raw({"id": "x", "object": "chat.completion", "choices": [choice], **beside})


def events(*forms: Any) -> Raw:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in forms]
    body = "".join(f"data: {line}\n\n" for line in lines)
    return Raw(body, content_type="text/event-stream")


def piece(text: str, reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    return {"id": "x", "object": CHUNK, "choices": [choice]}


async def _streamed(model: LiteLLMModel, request: ModelRequest) -> tuple[ModelReply, list[str]]:
    """The reply and what a reader of the stream saw from piece to piece, but for thoughts."""
    text, seen = "", [""]
    async for item in model.stream(request):
        if isinstance(item, ModelReply):
            return item, seen
        text = "" if isinstance(item, StreamReset) else text + item
        seen.append(parted(text)[0])
    raise AssertionError("a stream ends with its reply")


def asked(
    reply: Callable[[dict[str, Any]], Reply], request: ModelRequest = REQUEST, **options: Any
) -> tuple[list[ModelReply | str], list[str], list[dict[str, Any]]]:
    """Replies or words of the error, whole and streamed; what was seen; the requests that came."""
    found: list[ModelReply | str] = []
    seen: list[str] = []
    bodies: list[dict[str, Any]] = []
    for streamed in (False, True):
        with ModelServer(reply, **options) as server:
            model = LiteLLMModel(
                "openai/scripted",
                api_base=server.url,
                api_key="sk-test",
                on_this_machine=False,
                give_up_after=0.0,
            )
            try:
                if streamed:
                    one, seen = asyncio.run(_streamed(model, request))
                else:
                    one = asyncio.run(model.complete(request))
                found.append(one)
            except ModelError as error:
                found.append(str(error))
            bodies += [received.body for received in server.received]
    return found, seen, bodies


def other(text: str) -> dict[str, Any]:
    """A further choice, which nobody asked for."""
    return {"index": 1, "message": {"content": text}, "delta": {"content": text}}


@pytest.mark.parametrize(
    "message",
    [
        {"content": [{"type": "text", "text": TEXT}]},
        {"content": [{"text": "Yoga lowered "}, "systolic ", {"content": "blood pressure [1]."}]},
        {"content": {"type": "text", "text": TEXT}},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                     {"type": "text", "text": TEXT}]},
        {"content": [{"type": "reasoning", "reasoning": THOUGHT},
                     {"type": "output_text", "text": TEXT}]},
        {"content": TEXT, "reasoning_content": THOUGHT},
        {"content": TEXT, "reasoning": THOUGHT},
        {"content": f"<think>{THOUGHT}</think>\n{TEXT}"},
        {"content": f"{THOUGHT}\n</think>\n\n{TEXT}"},
        {"content": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>"
                    f"final<|message|>{TEXT}"},
        {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": {
            "name": "summary", "arguments": TEXT}}]},
        whole({"content": TEXT}),
        whole({"role": "assistant", "content": TEXT}, None),
        whole({"role": "assistant", "content": TEXT}, "eos_token"),
        whole(TEXT),
        Raw({"choices": [{"text": TEXT}]}),
        Raw([{"generated_text": TEXT}]),
        Raw({"model": "x", "message": {"role": "assistant", "content": TEXT}, "done": True}),
        Raw({"content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"}),
        Raw({"output": [{"type": "reasoning", "reasoning": THOUGHT},
                        {"type": "message", "content": [{"type": "output_text", "text": TEXT}]}]}),
        events(piece(TEXT), "[DONE]"),
        events(piece(TEXT), piece("", "stop")),
        events(piece("Yoga lowered "), piece("systolic blood pressure [1].", "stop"), "[DONE]"),
        Raw(f": hello\n\ndata: {json.dumps(piece(TEXT))}\n\ndata: [DONE]\n\n"),
        Raw(f"\ufeffid: 7\rdata: {json.dumps(piece(TEXT))}\r\rdata: [DONE]\r\r",
            content_type="text/event-stream"),
        {"content": f"<|assistant|>{TEXT}<|user|>Thanks"},
        Raw({"choices": [other("Or not."), *whole({"content": TEXT}).body["choices"]]}),
        events(piece("Yoga lowered "), {"choices": [other("Or not.")]},
               piece("systolic blood pressure [1].", "stop"), "[DONE]"),
        events({"choices": [{"index": 1, "delta": {"role": "assistant"}}]}, piece(TEXT, "stop")),
        events(*({"choices": [other(text)]} for text in TEXT.partition(" ")), "[DONE]"),
        Raw({"code": 0, "data": {"choices": [{"message": {"content": TEXT}}]}}),
    ],
)  # fmt: skip
def test_the_text_is_found(message: Reply) -> None:
    found, seen, bodies = asked(lambda _: message)
    assert [one.text if isinstance(one, ModelReply) else one for one in found] == [TEXT, TEXT]
    assert seen[-1].strip() == TEXT
    assert not any(one.warnings for one in found if isinstance(one, ModelReply))
    assert len(bodies) == 2, "each is asked for once"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"content": "", "reasoning_content": TEXT}, "only thought and wrote no answer"),
        ({"content": None, "reasoning": TEXT}, "only thought and wrote no answer"),
        ({"content": f"<think>{TEXT}"}, "only thought and wrote no answer"),
        ({"content": [{"type": "thinking", "thinking": TEXT}]}, "only thought"),
        (Raw({"error": {"message": "Too odd for me", "code": 400}}), "(400): Too odd for me"),
        (Raw({"error": {"message": "Worker limit", "code": 502}}), "(502): Worker limit"),
        (Raw({"error": "the weights are loading"}), "(502): the weights are loading"),
        (Raw({"object": "error", "message": "No luck", "code": 422}), "(422): No luck"),
        (Raw({"detail": "Out of order"}), "(502): Out of order"),
        (Raw({"error": {"message": "Slow down", "code": "429"}}), "rate limit was reached (429)"),
        (whole({"content": ""}, "error"), "the reply ended in an error"),
        (events({"error": {"code": 502, "message": "Worker limit"}}), "(502): Worker limit"),
        (events(piece("Yoga"), {"choices": [], "error": {"code": 502, "message": "Worker limit"}}),
         "(502): Worker limit"),
        (events(piece("Yoga"), {"error": "the worker died"}, "[DONE]"), "(502): the worker died"),
        (events(piece("Yoga"), {"error": {"code": 400, "message": "No more"}}), "(400): No more"),
        (Raw('event: error\ndata: {"message": "Too busy", "code": 503}\n\n',
             content_type="text/event-stream"), "(503): Too busy"),
        (Raw("data: upstream gone\n\n", content_type="text/event-stream"), "upstream gone"),
        (Raw("Welcome!", content_type="text/plain"), "something other than a model's reply"),
        (Raw("[" * 20_000, content_type="text/plain"), "something other than a model's reply"),
        (Raw("<html><head><title>Sign in</title></head>Hello</html>"), "a web page: Sign in; "),
        (Raw({"success": False, "message": "No such plan"}), "reply: No such plan; try"),
        (Raw({"errors": [{"message": "Being loaded", "code": 7}]}, 503), "(503): Being loaded;"),
        (Raw({"detail": [{"loc": ["body"], "msg": "field required"}]}, 422), "(422): field req"),
        (Raw("<html><title>No &amp; no</title></html>", 403), "use this model (403): No & no"),
        (Raw("no healthy upstream", 503), "(503): no healthy upstream; try"),
        (Raw({"error": {"message": "Your quota is gone", "code": "insufficient_quota"}}, 429),
         "no credit left: Your quota is gone"),
        (Raw({"error": {"message": "Wrong: sk-test, 0123456789abcdef0123456789abcdef"}}, 401),
         "refused the API key (401); check that it is right and belongs to this provider: Wrong: "
         "[key], [key]"),
        (Raw({"error": {"message": "maximum context length is 99 tokens: Moonwort"}}, 400),
         "another model: maximum context length is 99 tokens: …"),
        (whole({"content": "Yoga"}, "network_error"), "ended in an error (network_error)"),
        (Raw({"hello": "world"}), "unreadable reply|something other than a model's reply"),
    ],
)  # fmt: skip
def test_why_there_is_none_is_said(message: Reply, words: str) -> None:
    found, _, bodies = asked(lambda _: message)
    for one in found:
        assert isinstance(one, str)
        assert any(each in one for each in words.split("|")), one
    most = 2 if "thought" in words else 4 if "web page" in words else 16
    assert len(bodies) <= most, "a thought alone is not paid for again"


def test_a_stream_that_breaks_off_is_no_reply() -> None:
    found, _, _ = asked(lambda _: events(piece("Yoga")))
    assert [isinstance(one, str) for one in found] == [True, True]
    assert "interrupted" in str(found[1])


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "refusal": "I cannot help with that."},
        {"content": [{"type": "refusal", "refusal": "I cannot help with that."}]},
        events(*({"choices": [{"delta": {"refusal": part}}]} for part in ("I cannot help ",
                 "with that.")), piece("", "stop"), "[DONE]"),
    ],
)  # fmt: skip
def test_a_refusal_is_told_as_such(message: Reply) -> None:
    found, _, bodies = asked(lambda _: message)
    for one in found:
        assert isinstance(one, ModelReply)
        assert one.text == ""
        assert one.warnings == (
            "openai/scripted: the model refused to answer: I cannot help with that",
        )
    assert len(bodies) == 2


@pytest.mark.parametrize(
    "answer",
    [
        whole({"content": ""}, "safety"),
        Raw({"error": {"message": "Filtered", "code": "content_filter"}}, 400),
    ],
)
def test_what_a_filter_withholds_is_an_empty_reply(answer: Raw) -> None:
    for one in asked(lambda _: answer)[0]:
        assert isinstance(one, ModelReply)
        assert (one.text, "content filter withheld" in one.warnings[0]) == ("", True)


def test_other_ends_of_lines_are_text() -> None:
    body = json.dumps(piece(TEXT + "\u2028\x85" + TEXT, "stop"), ensure_ascii=False)
    found, _, _ = asked(lambda _: events(body, "[DONE]"))
    assert [one.text.count(TEXT) for one in found if isinstance(one, ModelReply)] == [2, 2]


def test_an_event_may_have_several_lines_of_data() -> None:
    halves = json.dumps(piece(TEXT, "stop")).split(', "choices"', 1)
    body = f'data: {halves[0]},\ndata: "choices"{halves[1]}\n\ndata: [DONE]\n\n'
    found, _, _ = asked(lambda _: Raw(body, content_type="text/event-stream"))
    assert [one.text for one in found if isinstance(one, ModelReply)] == [TEXT, TEXT]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("<html><body>Oops</body></html>", ""),
        ("<title" * 100_000, ""),
        ('{"error":' * 40 + '{"message": "x"}' + "}" * 40, ""),
        ({"error": {"metadata": {"raw": '{"message": "Deep"}'}}}, "Deep"),
    ],
)
def test_words_of_an_error_are_found_in_little_time(form: Any, told: str) -> None:
    assert words_of(form) == told


def test_names_and_numbers_that_were_sent_are_not_told() -> None:
    asked = (Message("user", "Note: Mrs Lopez, MRN 0042.\n"), Message("user", "Any gout?"))
    said = excerpt(ValueError("Bad token Lopez (0042) on line 7"), ModelRequest("x", asked))
    assert said == ": Bad token … (…) on line 7"
