"""A scripted language model behind an OpenAI-compatible server on loopback: what a provider does,
good days and bad.

    with ModelServer(reply=lambda body: "yes") as server:
        LiteLLMModel("openai/scripted", api_base=server.url, api_key="sk-test")

The text of a reply comes from ``reply``, a function of the request's body, which may also give a
whole message, with ``tool_calls`` or ``reasoning_content``, or a `Raw` answer that is sent as it
stands. Time is simulated: so many seconds to the first token, so many a token, whether the reply is
streamed or not; a token is a word.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from benchmarks.servers.faults import Fault, Faults

_TOKEN = re.compile(r"\s*\S+\s*$|\s*\S+")


@dataclass(frozen=True)
class Raw:
    """An answer of a server: ``body`` as it stands, or an object that is written as JSON."""

    body: str | dict[str, Any] | list[Any]
    status: int = 200
    content_type: str = "application/json"


@dataclass
class Received:
    """A request as it arrived: its JSON body, headers, time (monotonic seconds), its fault."""

    body: dict[str, Any]
    headers: dict[str, str]
    at: float
    fault: Fault = "none"


@dataclass
class ModelServer:
    """The server, run in a thread of its own between ``__enter__`` and ``__exit__``.

    ``first_token`` and ``per_token`` are seconds. ``faults`` is drawn from once a request; with
    ``retry_after`` a 429 says when to come back. Parameters in ``refused`` are answered with a 400
    that names them, or says ``refusal``. With ``key`` set, other keys get a 401 that, as OpenAI's
    does, quotes the key. ``at_once`` tokens
    come in one piece of a stream.
    """

    reply: Callable[[dict[str, Any]], str | dict[str, Any] | Raw]
    first_token: float = 0.0
    per_token: float = 0.0
    at_once: int = 1
    faults: Faults | None = None
    retry_after: str | None = None
    refused: tuple[str, ...] = ()
    refusal: str | None = None
    key: str | None = None
    finish_reason: str = "stop"
    host: str = "127.0.0.1"
    port: int = 0
    received: list[Received] = field(default_factory=list)
    aborted: int = 0
    """Requests whose client went away before the reply was complete."""

    _in_flight: int = 0
    _problem: OSError | None = None
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Address to give a client, up to and including ``/v1``."""
        return f"http://{self.host}:{self.port}/v1"

    def __enter__(self) -> Self:
        started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        if not started.wait(10) or self._problem is not None:
            raise RuntimeError(
                f"the scripted model server did not start: {self._problem or 'no answer'}"
            )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self, started: threading.Event) -> None:
        assert self._loop is not None
        asyncio.set_event_loop(self._loop)
        runner = web.AppRunner(
            self._application(), access_log=None, shutdown_timeout=0.0, handler_cancellation=True
        )
        try:
            self._loop.run_until_complete(runner.setup())
            site = web.TCPSite(runner, self.host, self.port, backlog=512)
            self._loop.run_until_complete(site.start())
            self.port = runner.addresses[0][1]
            started.set()
            self._loop.run_forever()
        except OSError as error:
            self._problem = error
        finally:
            started.set()
            self._loop.run_until_complete(runner.cleanup())
            self._loop.close()

    def _application(self) -> web.Application:
        application = web.Application(client_max_size=64 * 2**20)
        application.router.add_post("/v1/chat/completions", self._completions)
        application.router.add_post("/v1/embeddings", self._completions)
        application.router.add_post("/rerank", self._completions)
        application.router.add_get("/v1/models", self._models)
        return application

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response(
            {
                "object": "list",
                "data": [{"id": "scripted", "object": "model", "owned_by": "clinfo"}],
            }
        )

    async def _completions(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self._in_flight += 1
        fault = self.faults.draw() if self.faults is not None else "none"
        self.received.append(Received(body, dict(request.headers), time.monotonic(), fault))
        try:
            if (problem := self._refusal(request, body)) is not None:
                return problem
            return await self._answer(request, body, fault)
        except (asyncio.CancelledError, ConnectionError):
            self.aborted += 1
            raise
        finally:
            self._in_flight -= 1

    def _refusal(self, request: web.Request, body: dict[str, Any]) -> web.Response | None:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.key is not None and given != self.key:
            return _error(
                401,
                f"Incorrect API key provided: {given}.",
                "invalid_request_error",
                code="invalid_api_key",
            )
        for name in self.refused:
            if name in body:
                hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
                message = (
                    self.refusal
                    or f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
                )
                return _error(
                    400, message, "invalid_request_error", param=name, code="unsupported_parameter"
                )
        return None

    async def _answer(
        self, request: web.Request, body: dict[str, Any], fault: Fault
    ) -> web.StreamResponse:
        if fault == "429":
            headers = {"Retry-After": self.retry_after} if self.retry_after is not None else {}
            return _error(
                429,
                "Rate limit reached for requests",
                "requests",
                code="rate_limit_exceeded",
                headers=headers,
            )
        if fault == "500":
            return _error(
                500, "The server had an error while processing your request.", "server_error"
            )
        if fault == "html":
            return web.Response(
                text="<html><body><h1>502 Bad Gateway</h1></body></html>", content_type="text/html"
            )
        if fault == "hang":
            assert self.faults is not None
            await asyncio.sleep(self.faults.hang_seconds)
        if "input" in body or "documents" in body:
            whole = _vectors(body) if "input" in body else _ranks(body)
            return (
                await _cut(request, json.dumps(whole))
                if fault == "cut"
                else (web.json_response(whole))
            )
        said = "" if fault == "empty" else self.reply(body)
        if isinstance(said, Raw):
            text = said.body if isinstance(said.body, str) else json.dumps(said.body)
            return web.Response(text=text, status=said.status, content_type=said.content_type)
        given: dict[str, Any] = dict(said) if isinstance(said, dict) else {"content": said}
        content: Any = given.pop("content", None)
        calls: Any = given.pop("tool_calls", None)
        if not isinstance(content, str) and content is not None:  # of another shape, in one piece
            given["content"], content = content, None
        tokens = _TOKEN.findall(content or "")
        limit = body.get("max_completion_tokens") or body.get("max_tokens")
        finish = self.finish_reason
        if limit is not None and len(tokens) > limit:
            tokens, finish = tokens[:limit], "length"
        if body.get("stream"):
            return await self._stream(
                request, body, tokens, finish, calls, given, cut=fault == "cut"
            )
        await asyncio.sleep(self.first_token + self.per_token * len(tokens))
        message = {"role": "assistant", "content": "".join(tokens)} | given
        message |= {"tool_calls": calls} if calls else {}
        whole = _envelope(body, "chat.completion") | {
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": _usage(body, tokens),
        }
        if fault == "cut":
            return await _cut(request, json.dumps(whole))
        return web.json_response(whole)

    async def _stream(
        self,
        request: web.Request,
        body: dict[str, Any],
        tokens: list[str],
        finish: str,
        calls: list[dict[str, Any]] | None,
        beside: dict[str, Any],
        *,
        cut: bool,
    ) -> web.StreamResponse:
        await asyncio.sleep(self.first_token)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)

        async def send(delta: dict[str, Any], reason: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = _envelope(body, "chat.completion.chunk") | {"choices": [choice]}
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())

        await send({"role": "assistant", "content": ""} | beside)
        started = time.monotonic()
        sent = tokens[: len(tokens) // 2] if cut else tokens
        for place in range(0, len(sent), self.at_once):
            piece = sent[place : place + self.at_once]
            # Against the clock, not token by token: timers that fire late do not add up.
            due = started + (place + len(piece)) * self.per_token
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            await send({"content": "".join(piece)})
        if cut:
            assert request.transport is not None
            request.transport.abort()
            return response
        for place, call in enumerate(calls or ()):  # the arguments come in two pieces
            function, given = call["function"], call["function"]["arguments"]
            half = len(given) // 2
            first = call | {"index": place, "function": function | {"arguments": given[:half]}}
            await send({"tool_calls": [first]})
            await send({"tool_calls": [{"index": place, "function": {"arguments": given[half:]}}]})
        await send({}, finish)
        if (body.get("stream_options") or {}).get("include_usage"):
            last = _envelope(body, "chat.completion.chunk") | {
                "choices": [],
                "usage": _usage(body, tokens),
            }
            await response.write(f"data: {json.dumps(last)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response


def _envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": kind,
        "created": 0,
        "model": body.get("model", "scripted"),
    }


def _vectors(body: dict[str, Any]) -> dict[str, Any]:
    """Embeddings in which each dimension counts the words whose letters sum to it."""
    data = []
    for index, text in enumerate(body["input"]):
        vector = [0.0] * 32
        for word in text.lower().split():
            vector[sum(map(ord, word)) % 32] += 1.0
        data.append({"object": "embedding", "index": index, "embedding": vector})
    tokens = sum(len(text.split()) for text in body["input"])
    return {
        "object": "list",
        "model": body["model"],
        "data": data,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _ranks(body: dict[str, Any]) -> dict[str, Any]:
    """A reranking by the share of the query's words that a document has, best first."""
    wanted = set(body["query"].lower().split())
    scores = [len(wanted & set(text.lower().split())) / len(wanted) for text in body["documents"]]
    order = sorted(range(len(scores)), key=lambda index: -scores[index])
    results = [{"index": index, "relevance_score": scores[index]} for index in order]
    return {"id": "rerank-scripted", "results": results, "usage": {"total_tokens": 1}}


def _usage(body: dict[str, Any], tokens: list[str]) -> dict[str, int]:
    prompt = sum(len(str(message["content"] or "").split()) for message in body["messages"])
    return {
        "prompt_tokens": prompt,
        "completion_tokens": len(tokens),
        "total_tokens": prompt + len(tokens),
    }


def _error(
    status: int,
    message: str,
    kind: str,
    *,
    param: str | None = None,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> web.Response:
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response({"error": error}, status=status, headers=headers)


async def _cut(request: web.Request, text: str) -> web.StreamResponse:
    """Half of ``text``, announced as the whole, and then the connection breaks."""
    data = text.encode()
    response = web.StreamResponse(
        headers={"Content-Type": "application/json", "Content-Length": str(len(data))}
    )
    await response.prepare(request)
    await response.write(data[: len(data) // 2])
    assert request.transport is not None
    request.transport.abort()
    return response
