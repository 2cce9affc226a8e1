"""The gate: what servers answer to a chat request, brought into the one form that the rest reads.

Servers that speak OpenAI's protocol speak it in many ways: content in parts or as an object, whole
JSON where a stream was asked for and a stream where none was, a stream that ends without a reason,
an error where a reply should be. litellm reads one way; so answers pass here before it sees them.
An error becomes one of HTTP, so that its words and status are told. Thought within a text is parted
from the answer by `clinfo.text.thought`.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import httpx

from clinfo.llm.error_words import EXCERPT, WEB_PAGE, words_of

_DROPPED: Final = ("content-length", "content-encoding", "transfer-encoding", "content-type")
_EVENTS: Final = "text/event-stream"
_THOUGHT: Final = ("thinking", "reasoning", "reasoning_content", "thought")
"""Kinds of a part, and fields of a message, that hold what a model thought."""
_TEXTS: Final = ("text", "content", "output_text", "generated_text", "response", "completion")
"""Fields in which servers give the text of a part or, without choices, of a reply."""
_REASONS: Final = {"model_length": "length", "safety": "content_filter"}
_FAILED: Final = re.compile(r"\w*error|insufficient_system_resource|abort(?:ed)?")
"""Reasons for which a reply ends, in words of other providers than OpenAI."""
_ENDS: Final = re.compile(r"\r\n|\r|\n")
"""The ends of lines of a stream of events: no other of Unicode's, which stand in texts of JSON."""
BAD_GATEWAY: Final = 502
"""The status of an error that comes without one."""


async def mended(request: httpx.Request, response: httpx.Response) -> httpx.Response:
    """The answer to a chat request as litellm reads it; any other answer as it is."""
    if response.status_code != 200:
        await response.aread()  # so that its words can be told of a stream too
    chat = request.method == "POST" and request.url.path.endswith("/chat/completions")
    if response.status_code != 200 or not chat:
        return response
    streamed = json.loads(await request.aread()).get("stream") is True
    if streamed and "event-stream" in response.headers.get("content-type", ""):
        return _made(request, response, _Events(request, response), kind=_EVENTS)
    text = (await response.aread()).decode("utf-8", "replace").lstrip("\ufeff \r\n")
    if text.startswith(("data:", "event:", "id:", "retry:", ":")):
        lines = _ENDS.split(text)
        if streamed:
            return _made(request, response, "".join(_lines(request, lines)), kind=_EVENTS)
        return _made(request, response, json.dumps(_gathered(request, lines)))
    try:
        form = json.loads(text)
    except (ValueError, RecursionError):
        form = None
    whole, error = _whole(form), _error_of(form)
    if whole is None or error is not None:
        page = re.match("<(!doctype )?html", text, re.IGNORECASE)
        told = WEB_PAGE if page else "it sent something other than a model's reply"
        told += f": {said}" if (said := words_of(text)[:EXCERPT]) else ""
        status, words = error or (BAD_GATEWAY, told)
        body = json.dumps({"error": {"message": words}})
        return _made(request, response, body, status=status)
    if streamed:
        return _made(request, response, "".join(_as_events(whole)), kind=_EVENTS)
    return _made(request, response, json.dumps(whole))


def _made(
    request: httpx.Request,
    response: httpx.Response,
    body: str | httpx.AsyncByteStream,
    *,
    status: int = 200,
    kind: str = "application/json",
) -> httpx.Response:
    kept = [(n, v) for n, v in response.headers.multi_items() if n.lower() not in _DROPPED]
    held: Any = {"content": body.encode()} if isinstance(body, str) else {"stream": body}
    return httpx.Response(status, headers=[*kept, ("content-type", kind)], request=request, **held)


# ---- whole replies


def _whole(form: Any) -> dict[str, Any] | None:
    """A completion in the usual form, None where there is no reply in it."""
    if isinstance(form, list) and len(form) == 1:
        form = form[0]
    if not isinstance(form, dict):
        return None
    choices = form.get("choices")
    if choices is None and isinstance(form.get("data"), dict):  # of a gateway
        return _whole(form["data"])
    if choices == []:
        choices = [{"message": {"content": ""}}]
    if not isinstance(choices, list):
        message = form.get("message")
        if not isinstance(message, dict):
            held = next((form[name] for name in (*_TEXTS, "output") if form.get(name)), None)
            if held is None:
                return None
            message = {"content": held}
        done = form.get("finish_reason") or form.get("done_reason") or form.get("stop_reason")
        choices = [{"message": message, "finish_reason": done or "stop"}]
    every = [one for one in choices if isinstance(one, dict)]
    if not every:
        return None
    one = min(every, key=lambda choice: str(choice.get("index") or 0))  # one reply was asked for
    message = one.get("message")
    if not isinstance(message, dict):
        message = {"content": one.get("text") if message is None else message}
    choice = {
        **one,
        "index": 0,
        "message": {**message_of(message), "role": "assistant"},
        "finish_reason": _ended(one) or "stop",
    }
    head = {"id": "clinfo", "object": "chat.completion", "created": 0, "model": ""}
    usage = {"usage": form["usage"]} if isinstance(form.get("usage"), dict) else {}
    known = {name: form[name] for name in head if form.get(name)}
    return {**form, **head, **known, "choices": [choice], **usage}


def _ended(choice: dict[str, Any]) -> str | None:
    """Why a choice ended, in OpenAI's word where litellm would take it for an end."""
    reason = choice.get("finish_reason") or None
    return _REASONS.get(reason, reason) if isinstance(reason, str) else None


def _says(choice: dict[str, Any]) -> bool:
    """Whether a piece of a stream says more than whose it is."""
    delta = choice.get("delta")
    told = {**delta, "role": None} if isinstance(delta, dict) else choice
    return any(told.values()) or bool(choice.get("finish_reason"))


def text_of(reply: Any) -> str | None:
    """The text of what somebody's own model gave: a content of any shape, a message, a completion
    or an object with one; None where there is none.
    """
    if hasattr(reply, "model_dump"):  # an object of a provider's library
        reply = reply.model_dump()
    if not isinstance(reply, (str, list, dict)):
        reply = getattr(reply, "content", None) or getattr(reply, "text", None)
        if not isinstance(reply, (str, list, dict)):
            return None
    if isinstance(reply, dict) and {"choices", "message", "content"} & reply.keys():
        whole = _whole(reply)
        reply = whole["choices"][0]["message"]["content"] if whole is not None else None
    if (
        isinstance(reply, dict)
        and set(reply) <= {*_TEXTS}
        and not any(isinstance(one, str | list | dict) for one in reply.values())
    ):
        return None
    content = message_of({"content": reply})["content"]
    return content if isinstance(content, str) else None


def message_of(message: dict[str, Any]) -> dict[str, Any]:
    """A message, or a piece of one, with its content as one text or None and its thought apart."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return message
    texts: list[str] = []
    thoughts: list[str] = []
    refusals: list[str] = []
    _sort(content, texts, thoughts, refusals)
    made = {**message, "content": "".join(texts)}
    if thoughts and not message.get("reasoning_content"):
        made["reasoning_content"] = "".join(thoughts)
    if refusals and not message.get("refusal"):
        made["refusal"] = "".join(refusals)
    return made


def _sort(content: Any, texts: list[str], thoughts: list[str], refusals: list[str]) -> None:
    """Sort the parts of a content of any shape; an object of no known kind is the reply itself."""
    if isinstance(content, str):
        texts.append(content)
    elif isinstance(content, list):
        for part in content:
            _sort(part, texts, thoughts, refusals)
    elif isinstance(content, dict):
        kind = str(content.get("type", ""))
        if kind in _THOUGHT or any(name in content for name in _THOUGHT):
            held = next((content[name] for name in (*_THOUGHT, "text") if content.get(name)), "")
            _sort(held, thoughts, thoughts, refusals)
        elif isinstance(content.get("refusal"), str):
            refusals.append(content["refusal"])
        elif kind or set(content) & {"text", "content"}:
            _sort(next((content[one] for one in _TEXTS if one in content), ""), texts, thoughts,
                  refusals)  # fmt: skip
        else:
            texts.append(json.dumps(content, ensure_ascii=False))
    elif content is not None:
        texts.append(json.dumps(content))


def _as_events(whole: dict[str, Any]) -> Iterator[str]:
    """The stream that says what a whole reply says."""
    head = {name: whole[name] for name in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    for choice in whole["choices"][:1]:
        for piece in (
            {"delta": choice["message"], "finish_reason": None},
            {"delta": {}, "finish_reason": choice["finish_reason"]},
        ):
            yield _event({**head, "choices": [{"index": 0, **piece}]})
    if isinstance(whole.get("usage"), dict):
        yield _event({**head, "choices": [], "usage": whole["usage"]})
    yield "data: [DONE]\n\n"


def _event(form: Any) -> str:
    return f"data: {json.dumps(form)}\n\n"


# ---- streams


class _Events(httpx.AsyncByteStream):
    """The lines of a stream, mended as they come."""

    def __init__(self, request: httpx.Request, response: httpx.Response) -> None:
        self._request, self._response = request, response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        state = _State(self._request)
        held = ""
        async for piece in self._response.aiter_text():
            held = (held + piece).removeprefix("\ufeff")
            end = "\r" if held.endswith("\r") else ""  # of "\r\n", whose rest is to come
            *lines, held = _ENDS.split(held.removesuffix(end))
            held += end
            for line in lines:
                for made in state.line(line):
                    yield made.encode()
        for line in (held.rstrip("\r"), ""):
            for made in state.line(line):
                yield made.encode()

    async def aclose(self) -> None:
        await self._response.aclose()


class _State:
    """The state of a stream so far."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request
        self._begun = False
        self._finished = False
        self._event = ""
        self._held = ""
        self._index = ""

    def line(self, line: str) -> Iterator[str]:
        """Yield the parts of a line that are passed on. Raises httpx.HTTPStatusError where it tells
        of an error.
        """
        name, _, value = line.partition(":")
        if name == "event":
            self._event = value.strip()
        if self._held and not line:
            raise _failed(self._request, BAD_GATEWAY, self._held)
        if name != "data":
            return  # a comment, an event's name, an empty line: `_event` writes its own
        value = f"{self._held}\n{value}".strip()
        if value == "[DONE]":
            if self._begun and not self._finished:
                choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
                yield _event({"object": "chat.completion.chunk", "choices": [choice]})
            yield "data: [DONE]\n\n"
            return
        try:
            form = json.loads(value)
        except (ValueError, RecursionError):  # an event may have several lines of data
            self._held = value
            return
        self._held = ""
        error = _error_of({"error": form} if self._event == "error" else form)
        if error is not None:
            raise _failed(self._request, *error)
        if isinstance(form, dict) and "choices" in form:
            every = [one for one in form["choices"] or () if isinstance(one, dict)]
            numbers = [str(one.get("index") or 0) for one in every]
            begun = (number for one, number in zip(every, numbers, strict=True) if _says(one))
            self._index = self._index or next(begun, "")  # of the reply that begins first
            own = (one for one, number in zip(every, numbers, strict=True) if number == self._index)
            form["choices"] = [{**one, "index": 0} for one in own]
        yield from self._passed(form)

    def _passed(self, form: Any) -> Iterator[str]:
        for choice in form.get("choices", ()) if isinstance(form, dict) else ():
            self._begun = True
            self._finished = self._finished or bool(choice.get("finish_reason"))
            choice["finish_reason"] = _ended(choice)
            delta: Any = choice.get("delta") or choice.get("message")
            if not isinstance(delta, dict):
                delta = {"content": choice.get("text")}
            choice["delta"] = read = message_of(delta)
            if said := read.get("refusal"):  # which litellm would drop
                read["provider_specific_fields"] = {"refusal": said}
        yield _event(form)


def _lines(request: httpx.Request, lines: list[str]) -> Iterator[str]:
    state = _State(request)
    for line in (*lines, ""):
        yield from state.line(line)


def _gathered(request: httpx.Request, lines: list[str]) -> dict[str, Any]:
    """The whole reply that a stream says, where none was asked for."""
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    held: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": None}]}
    for made in _lines(request, lines):
        value = made.removeprefix("data:").strip()
        form = json.loads(value) if value.startswith("{") else {}
        held |= {name: form[name] for name in ("id", "model", "created", "usage") if form.get(name)}
        for choice in (form.get("choices") or ())[:1]:
            for name in ("content", "reasoning_content", "refusal"):
                if isinstance(piece := choice["delta"].get(name), str):
                    message[name] = message.get(name, "") + piece
            held["choices"][0]["finish_reason"] = (
                choice["finish_reason"] or held["choices"][0]["finish_reason"]
            )
    if held["choices"][0]["finish_reason"] is None:
        raise _failed(request, BAD_GATEWAY, "the reply broke off")
    return _whole(held) or held


# ---- errors


def _error_of(form: Any) -> tuple[int, str] | None:
    """(status, words) of the error that stands where a reply should, None where none does."""
    if isinstance(form, list) and len(form) == 1:
        form = form[0]
    if not isinstance(form, dict):
        return None
    error, choices = form.get("error"), form.get("choices")
    if not error and isinstance(choices, list) and choices and isinstance(choices[0], dict):
        ended = _FAILED.search(str(choices[0].get("finish_reason")))
        told = f"the reply ended in an error ({ended[0]})" if ended else None
        error = choices[0].get("error") or told
    if not error and form.get("object") == "error":
        error = form
    if not error and not choices and isinstance(form.get("detail"), str):
        error = form["detail"]
    if not error:
        return None
    held = error if isinstance(error, dict) else {}
    held = held["error"] if isinstance(held.get("error"), dict) else held
    for value in (held.get("code"), held.get("status"), held.get("status_code"), form.get("code")):
        if (told := str(value)).isdecimal() and 400 <= int(told) < 600:
            return int(told), words_of(error)
    return BAD_GATEWAY, words_of(error) or "an error"


def _failed(request: httpx.Request, status: int, words: str) -> Exception:
    response = httpx.Response(status, json={"error": {"message": words}}, request=request)
    return httpx.HTTPStatusError(words, request=request, response=response)
