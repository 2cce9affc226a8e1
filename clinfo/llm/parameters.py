"""Which parameters a model takes: known from litellm, or learned from what its provider refuses."""

from __future__ import annotations

from typing import Any

from clinfo.llm.failures import refused_parameter, wants_max_completion_tokens
from clinfo.llm.litellm_loading import load
from clinfo.runs.protocols import ModelRequest

NOT_SENT = {
    "temperature": "the model does not take a temperature; its own default was used",
    "seed": "the model does not take a seed; the same question may get another reply",
    "response_format": "the model has no JSON mode; JSON was asked for in words only",
    "max_tokens": "the model does not take a limit on output tokens; none was set",
    "max_completion_tokens": "the model does not take a limit on output tokens; none was set",
    "stream_options": "the model does not count tokens in a stream; they were estimated",
}
"""The parameters that may be left out, each with what is then said."""


class Parameters:
    """The parameters of one model's calls. What it refused once is not sent again, and said once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left_out: set[str] = set()
        self._limit_name = "max_tokens"
        self._unsaid: list[str] = []

    def of(self, request: ModelRequest, *, streamed: bool) -> dict[str, Any]:
        """The parameters to send, by their names at OpenAI, which litellm translates."""
        wanted: dict[str, Any] = {"temperature": request.temperature, self._limit_name: request.max_tokens}
        if request.seed is not None:
            wanted["seed"] = request.seed
        if request.json:
            wanted["response_format"] = {"type": "json_object"}
        taken = load().get_supported_openai_params(model=self._name)
        for parameter in wanted:
            if taken is not None and parameter not in taken:
                self._leave_out(parameter)
        if streamed:
            wanted["stream_options"] = {"include_usage": True}
        return {parameter: value for parameter, value in wanted.items() if parameter not in self._left_out}

    def learn(self, error: Exception, sent: dict[str, Any]) -> bool:
        """Whether ``error`` only says that one of the parameters ``sent`` is not taken, so that the call can go without it."""
        parameter = refused_parameter(error, [name for name in NOT_SENT if name in sent])
        if parameter is None:
            return False
        if parameter == "max_tokens" and wants_max_completion_tokens(error):
            self._limit_name = "max_completion_tokens"
        else:
            self._leave_out(parameter)
        return True

    def unsaid(self) -> list[str]:
        """What was left out and has not been said yet; saying it empties the list."""
        warnings, self._unsaid = self._unsaid, []
        return warnings

    def _leave_out(self, parameter: str) -> None:
        if parameter not in self._left_out:
            self._left_out.add(parameter)
            self._unsaid.append(NOT_SENT[parameter])
