"""Model replies in the cache on disk."""

import json

from clinfo.cache import Cache
from clinfo.llm.tool_calls import offered
from clinfo.runs.protocols import Message, ModelReply, ModelRequest
from clinfo.runs.reply_reading import read


class ReplyCache:
    """The replies of one model at one server address (None: its provider's own). Without a
    ``cache``, always empty.

    A reply is found again by stage, messages, parameters, seed and attempt, at whatever temperature
    it was made.
    """

    def __init__(self, cache: Cache | None, model: str) -> None:
        self._cache = cache
        self._model = model

    def get(self, request: ModelRequest, address: str | None) -> ModelReply | None:
        """The reply as it was, with its tokens and warnings; it costs nothing now."""
        if self._cache is None or (stored := self._cache.get(self._key(request, address))) is None:
            return None
        try:
            entry = json.loads(stored)
            text, prompt_tokens, completion_tokens, warnings = entry
            return ModelReply(
                text,
                self._model,
                prompt_tokens,
                completion_tokens,
                cached=True,
                warnings=tuple(warnings),
            )
        except (ValueError, TypeError):
            return None

    def put(self, request: ModelRequest, address: str | None, reply: ModelReply) -> None:
        """Keep a reply that the request's class can read; another is asked for anew next time."""
        if self._cache is not None and (
            request.reply is None or read(request.reply, reply.text) is not None
        ):
            entry = [reply.text, reply.prompt_tokens, reply.completion_tokens, reply.warnings]
            self._cache.put(self._key(request, address), json.dumps(entry))

    def _key(self, request: ModelRequest, address: str | None) -> str:
        messages = [
            [message.role, message.content, *([text] if (text := _calls(message)) else [])]
            for message in request.messages
        ]
        parameters = [
            False if request.schema is None else dict(request.schema),  # as in older caches
            request.temperature,
            request.max_tokens,
            request.seed,
            request.attempt,
            *([offered(request.tools)] if request.tools else []),
        ]
        return Cache.key_of(address, request.stage, self._model, messages, parameters)


def _calls(message: Message) -> list[list[str]]:
    return [[call.id, call.name, call.arguments] for call in message.calls]
