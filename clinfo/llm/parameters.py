"""Parameters that a model accepts: known from litellm, or learned from what its provider
refuses.
"""

from collections.abc import Mapping
from typing import Any

from clinfo.llm.failures import refused_parameter, refuses_system, wants_max_completion_tokens
from clinfo.llm.litellm_loading import load
from clinfo.llm.tool_calls import chat, offered
from clinfo.runs.protocols import ModelRequest

NOT_SENT = {
    "temperature": "the model does not accept a temperature; its own default was used",
    "seed": "the model does not accept a seed; the same question may get another reply",
    "response_format": "the model has no JSON mode (response_format); JSON was asked for in words",
    "max_tokens": "the model does not accept max_tokens; no limit on output tokens was set",
    "max_completion_tokens": "the model does not accept max_completion_tokens; no limit was set",
    "stream_options": "the model does not take stream_options; the tokens were estimated",
    "reasoning_effort": "the model does not take a reasoning effort (reasoning_effort)",
    "tools": "the model has no tool calling; the tools were offered in the prompt",
}
"""The parameters that may be left out, each with what is then said."""


class Parameters:
    """The parameters of one model's calls. What it refused once is not sent again, and said once.

    A reply in JSON is asked for by schema; where the provider refused that, as any object and in
    words; else in words only. Of a model without the role system the first message of the user
    begins with what stands in the system's.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._schema_refused = False
        self._system_refused = False
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
            wanted["response_format"] = self._format(request)
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
            has_system = any(message["role"] == "system" for message in sent["messages"])
            if has_system and refuses_system(error):
                self._system_refused = True
                return True
            return False
        if parameter == "max_tokens" and wants_max_completion_tokens(error):
            self._limit_name = "max_completion_tokens"
            self._unsaid.append("the model does not accept max_tokens but max_completion_tokens")
        elif parameter == "response_format" and sent[parameter]["type"] == "json_schema":
            self._schema_refused = True
            self._unsaid.append("the model takes no JSON schema as response_format; it had words")
        else:
            self._leave_out(parameter)
        return True

    def messages(self, request: ModelRequest, sent: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The messages to send with the parameters ``sent``; what these leave out is in words."""
        held = sent.get("response_format", {}).get("type") == "json_schema"
        messages = chat(request if held else request.in_words(), native="tools" in sent)
        return _without_system(messages) if self._system_refused else messages

    def _format(self, request: ModelRequest) -> dict[str, Any]:
        """Return how JSON is asked for: by schema while nothing speaks against it."""
        if not request.schema or self._schema_refused:
            return {"type": "json_object"}
        form = {
            "name": request.form or request.stage,
            "schema": dict(request.schema),
            "strict": True,
        }
        return {"type": "json_schema", "json_schema": form}

    def unsaid(self) -> list[str]:
        """Return what was left out and has not been said yet; saying it empties the list."""
        warnings, self._unsaid = self._unsaid, []
        return warnings

    def _leave_out(self, parameter: str) -> None:
        if parameter not in self._left_out:
            self._left_out.add(parameter)
            self._unsaid.append(NOT_SENT[parameter])


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the system's text at the head of the user's that follows."""
    folded: list[dict[str, Any]] = []
    for message in messages:
        own = {**message, "role": "user"} if message["role"] == "system" else message
        if folded and folded[-1]["role"] == own["role"] == "user":
            content = f"{folded[-1]['content']}\n\n{own['content']}"
            folded[-1] = {**folded[-1], "content": content}
        else:
            folded.append(own)
    return folded
