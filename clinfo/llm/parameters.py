"""Parameters that a model accepts: known from litellm, or learned from what its provider
refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clinfo.llm.failures import refused_parameter, wants_max_completion_tokens
from clinfo.llm.litellm_loading import load
from clinfo.llm.tool_calls import offered
from clinfo.runs.protocols import ModelRequest

NOT_SENT = {
    "temperature": "the model does not accept a temperature; its own default was used",
    "seed": "the model does not accept a seed; the same question may get another reply",
    "response_format": "the model has no JSON mode; JSON was requested only in the prompt",
    "max_tokens": "the model does not accept a limit on output tokens; none was set",
    "max_completion_tokens": "the model does not accept a limit on output tokens; none was set",
    "stream_options": "the model does not report tokens in a stream; they were estimated",
    "reasoning_effort": "the model does not take a reasoning effort; its own was used",
    "tools": "the model has no tool calling; the tools were offered in the prompt",
}
"""The parameters that may be left out, each with what is then said."""


class Parameters:
    """The parameters of one model's calls. What it refused once is not sent again, and said once.

    A reply in JSON is asked for by schema where litellm knows that the model takes one, and of
    servers of the user's own (``own_server``: llama.cpp, vLLM, Ollama and their like hold a model
    to a schema); else as any object; else in words only.
    """

    def __init__(self, name: str, own_server: bool = False) -> None:
        self._name = name
        self._own_server = own_server
        self._schema_refused = False
        self._left_out: set[str] = set()
        self._limit_name = "max_tokens"
        self._unsaid: list[str] = []

    def of(
        self, request: ModelRequest, limit: int, effort: str | None = None, *, streamed: bool
    ) -> dict[str, Any]:
        """The parameters to send, by their names at OpenAI, which litellm translates. ``limit`` is
        of output tokens.
        """
        wanted: dict[str, Any] = {"temperature": request.temperature, self._limit_name: limit}
        if request.seed is not None:
            wanted["seed"] = request.seed
        if request.schema is not None:
            wanted["response_format"] = self._format(request.stage, request.schema)
        if effort is not None:
            wanted["reasoning_effort"] = effort
        if request.tools and not request.attempt:  # a second asking goes in words
            wanted["tools"] = offered(request.tools)
        taken = load().get_supported_openai_params(model=self._name)
        for parameter in wanted:
            if taken is not None and parameter not in taken:
                self._leave_out(parameter)
        if streamed:
            wanted["stream_options"] = {"include_usage": True}
        return {
            parameter: value
            for parameter, value in wanted.items()
            if parameter not in self._left_out
        }

    def take(self, parameter: str) -> bool:
        """Return whether a parameter is sent: neither litellm nor a refusal speaks against it."""
        taken = load().get_supported_openai_params(model=self._name)
        return parameter not in self._left_out and (taken is None or parameter in taken)

    def learn(self, error: Exception, sent: dict[str, Any]) -> bool:
        """Return whether ``error`` only says that one of the parameters ``sent`` is not taken, so
        that the call can go without it.
        """
        parameter = refused_parameter(error, [name for name in NOT_SENT if name in sent])
        if parameter is None:
            return False
        if parameter == "max_tokens" and wants_max_completion_tokens(error):
            self._limit_name = "max_completion_tokens"
        elif parameter == "response_format" and sent[parameter]["type"] == "json_schema":
            self._schema_refused = True
        else:
            self._leave_out(parameter)
        return True

    def _format(self, stage: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return how JSON is asked for: by schema while nothing speaks against it."""
        if (
            schema
            and not self._schema_refused
            and (self._own_server or self._known_to_take_schemas())
        ):
            return {
                "type": "json_schema",
                "json_schema": {"name": stage, "schema": dict(schema), "strict": True},
            }
        return {"type": "json_object"}

    def _known_to_take_schemas(self) -> bool:
        try:
            return bool(load().supports_response_schema(model=self._name))
        except Exception:  # litellm raises what it likes here
            return False

    def unsaid(self) -> list[str]:
        """Return what was left out and has not been said yet; saying it empties the list."""
        warnings, self._unsaid = self._unsaid, []
        return warnings

    def _leave_out(self, parameter: str) -> None:
        if parameter not in self._left_out:
            self._left_out.add(parameter)
            self._unsaid.append(NOT_SENT[parameter])
