"""Tool calls of language models: by the provider's own protocol, or in words for models without it.

The reply to a request with tools is one text, whichever way it came: a JSON object with what the
model said and the calls it asks for. So it is recorded, cached and replayed as any other reply.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clinfo.runs.protocols import Message, ModelRequest, Tool
from clinfo.text.structured import json_values, well_formed
from clinfo.text.thought import without_thought

MOST_CALLS: Final = 32
"""Calls of one reply that are read."""
IN_WORDS: Final = (
    "You can call tools. To call some, reply with one JSON object and nothing else:\n"
    '{"text": "why, in one sentence", "calls": [{"name": "…", "arguments": {…}}]}\n'
    "The results come with the next message. To call none, reply without such an object.\n\n"
    "The tools, each with the JSON schema of its arguments:\n"
)
_ARGUMENTS: Final = ("arguments", "parameters", "input")
_TAGGED: Final = re.compile(
    r'<(?:function=|invoke name=")([\w.-]+)"?>((?:(?!<function=|<invoke ).)*?)'
    r"</(?:function|invoke)>",
    re.DOTALL,
)
_GIVEN: Final = re.compile(
    r'<parameter(?:=| name=")(\w{1,80})"?[^<>]{0,80}>((?:(?!<parameter\b).)*?)</parameter>',
    re.DOTALL,
)


@dataclass(frozen=True)
class Said:
    """A reply: its words, and the tools it calls as (name, arguments as written)."""

    text: str
    calls: tuple[tuple[str, str], ...] = ()


def read(text: str, names: Collection[str] = ()) -> Said:
    """The reply that ``text`` holds, `told` by this program or written by a model in words, also
    those of its own chat template that its server passed through: calls of tools by these names.
    """
    values = [one for value, _ in json_values(text) for one in _each(value)]
    form = next((one for one in values[::-1] if isinstance(one.get("calls"), list)), None)
    if form is not None:
        said = str(form["text"]).strip() if isinstance(form.get("text"), str) else ""
        calls = tuple(_calls(form["calls"]))
        return Said(said, calls) if calls or not said else read(said, names)
    tagged = [
        {"name": name, "arguments": {key: value.strip() for key, value in _GIVEN.findall(held)}}
        for name, held in _TAGGED.findall(text)
    ]
    found = _calls([*(one for one in values if {*one} & {*_ARGUMENTS}), *tagged])
    calls = tuple(one for one in found if known(one[0], names))
    return Said("" if calls else text.strip(), calls)


def known(name: str, names: Collection[str]) -> str:
    """The one of ``names`` that a model means by a name such as functions.search:0; "" for none."""
    parts = re.findall(r"\w+", name.replace("-", "_").lower())
    return next((part for part in parts if part in names), "")


def _each(value: Any) -> Iterator[dict[str, Any]]:
    """The objects that may be calls, without what some put around each."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield one["function"] if isinstance(one.get("function"), dict) else one


def _calls(listed: list[Any]) -> Iterator[tuple[str, str]]:
    for one in _each(listed[:MOST_CALLS]):
        if isinstance(name := one.get("name"), str):
            given: Any = next((one[key] for key in _ARGUMENTS if key in one), {})
            yield name, given if isinstance(given, str) else json.dumps(given)


def told(text: str, calls: Sequence[tuple[str, str]]) -> str:
    """The one text of a reply by a provider's protocol; "" where there is nothing in it."""
    said = without_thought(text)
    if not said and not calls:
        return ""
    listed = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return well_formed(json.dumps({"text": said, "calls": listed}, ensure_ascii=False))


def in_place_of_text(calls: Sequence[tuple[str, str]]) -> str:
    """The reply of a model that put it into the arguments of a call where no tool was offered."""
    return calls[0][1] if len(calls) == 1 else ""


def offered(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Tools as OpenAI's protocol has them, which litellm translates."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]


def chat(request: ModelRequest, *, native: bool) -> list[dict[str, Any]]:
    """The messages to send; without ``native`` tools, their calls and results stand in words."""
    if native or not request.tools:
        return [_native(message) for message in request.messages]
    listed = IN_WORDS + "\n".join(
        json.dumps(one["function"], ensure_ascii=False) for one in offered(request.tools)
    )
    (first, *rest) = request.messages
    if first.role != "system":
        first, rest = Message("system", ""), list(request.messages)
    messages = [{"role": "system", "content": f"{first.content}\n\n{listed}".strip()}]
    for message in rest:
        role, content = _in_words(message)
        if role == messages[-1]["role"]:  # many a server wants the roles to take turns
            messages[-1]["content"] += f"\n\n{content}"
        else:
            messages.append({"role": role, "content": content})
    return messages


def _native(message: Message) -> dict[str, Any]:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in message.calls
    ]
    beside = {"tool_calls": calls, "tool_call_id": message.call_id}
    form = {"role": message.role, "content": message.content}
    return form | {name: value for name, value in beside.items() if value}


def _in_words(message: Message) -> tuple[str, str]:
    if message.role == "tool":
        return "user", f"Result of the call {message.call_id}:\n{message.content}"
    if message.calls:
        return "assistant", told(
            message.content, [(call.name, call.arguments) for call in message.calls]
        )
    return message.role, message.content


def text_of(request: ModelRequest) -> str:
    """All that a request adds to the contents of its messages, to be counted."""
    parts = [json.dumps(offered(request.tools))] if request.tools else []
    parts += [json.dumps(request.schema)] if request.schema else []
    parts += [call.name + call.arguments for one in request.messages for call in one.calls]
    return "\n".join(parts)


class Streamed:
    """The calls of a streamed reply, whose names and arguments come in pieces."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[str]] = {}

    def add(self, deltas: Any) -> None:
        """Take in the ``tool_calls`` of one chunk."""
        for delta in deltas or ():
            held = self._pieces.setdefault(getattr(delta, "index", None) or 0, ["", ""])
            held[0] += getattr(delta.function, "name", None) or ""
            held[1] += getattr(delta.function, "arguments", None) or ""

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Name and arguments of each, in order."""
        return [(name, given) for _, (name, given) in sorted(self._pieces.items())]


def whole(message: Any) -> list[tuple[str, str]]:
    """Name and arguments of the calls of a reply that came at once."""
    return [
        (one.function.name or "", one.function.arguments or "")
        for one in getattr(message, "tool_calls", None) or ()
    ]
