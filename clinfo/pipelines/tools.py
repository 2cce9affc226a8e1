"""The tools: declared in a file, opened for a run, called with typed arguments."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec
from pydantic import ConfigDict, ValidationError

from clinfo.errors import UsageError
from clinfo.learned_types import learned
from clinfo.pipelines import PIPELINES, pipeline
from clinfo.records.observations import Observation
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Event
from clinfo.runs.given import Given, fault
from clinfo.runs.protocols import Tool
from clinfo.runs.run_log import RunLog

if TYPE_CHECKING:
    from clinfo.retrieval.silos.store import StoredSilos
    from clinfo.runs.protocols import Budget, ChatModel
    from clinfo.settings import Settings

BUILT_IN: Final = Path(__file__).with_name("tools.toml")
Found = Annotated[int, msgspec.Meta(ge=1, le=100)]
LONGEST_WAIT: Final = 600
"""Seconds."""
LONGEST: Final = 2_000
"""Characters of a text argument."""
_EARLIER: Final = frozenset(("arguments", "output", "refine", "rerank", "route"))
"""Lines of earlier versions, which say nothing now."""
LONGEST_NAME: Final = 41


class Arguments(Given):
    """The typed arguments of a kind of tools: what a model is told of them, and how they are
    read.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, str_max_length=LONGEST)


@dataclass(frozen=True)
class Progress:
    """The record of a run that a call carries out: ``before`` are the JSON forms of the events that
    are there already, ``put`` records an event with its cost.
    """

    before: Sequence[Mapping[str, Any]] = ()
    put: Callable[[Event], None] = lambda event: None


@dataclass(frozen=True)
class Host:
    """The means of tools: silos (None where none is loaded), settings, the model that writes (with
    its key; by name where it is the extractive one), the money of the run, and whether what is
    asked may tell of the patient of a case.
    """

    settings: Settings
    silos: StoredSilos | None = None
    model: str | ChatModel = EXTRACTIVE
    budget: Budget | None = None
    max_cost: float | None = None
    of_patients: bool = False


@dataclass(frozen=True)
class ToolDeclared:
    """A tool as its file declares it. ``kind`` is what does it, ``silo`` the one where
    it looks ("" for any), ``top_k`` how many by meaning and in the end, ``sparse_k`` how many by
    words; ``timeout`` is in seconds. ``purpose`` tells a model what the tool is for, ``reader``
    a reader. ``options`` are of the kind.
    """

    name: str
    kind: str
    purpose: str
    silo: str = ""
    top_k: Found = 10
    sparse_k: Found = 20
    timeout: Annotated[float, msgspec.Meta(gt=0, le=LONGEST_WAIT)] = 20.0
    reader: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """Return what the tool is for, in words for a reader."""
        return " ".join((self.reader or self.purpose).split())


Asked = Callable[[Sequence[Event], float | None], AsyncIterator[Event]]
"""The new events of a run, by those to go on from and the most US dollars of the whole run."""
Call = Callable[[Mapping[str, Any], Progress], Coroutine[Any, Any, Observation]]
"""A tool that can be called with arguments. Raises ClinfoError, which is told to the agent."""


Run = Callable[
    ["ToolDeclared", "Host", Mapping[str, Any], "Progress"], Coroutine[Any, Any, Observation]
]


def in_thread(work: Callable[..., Observation]) -> Run:
    """A call that is carried out in a thread."""
    return lambda *given: asyncio.to_thread(work, *given)


@dataclass(frozen=True)
class Kind:
    """A kind of tools. ``run`` carries out a call of one; ``missing`` says why it cannot be had
    here ("" where it can).

    ``asked`` says by what it is called where no model calls it: each silo that it searches by the
    words of a question (its argument ``silo`` names one), itself by the words, by fields, or not
    at all. ``runs``: it carries out a run of another pipeline, and is so called only where it is
    named.
    """

    name: str
    arguments: type[Arguments]
    run: Run
    missing: Callable[[ToolDeclared, Host], str] = lambda declared, host: ""
    asked: Literal["silos", "words", "fields", ""] = "words"
    runs: bool = False

    @property
    def searches(self) -> bool:
        """Return whether its argument ``silo`` names the silo to be searched."""
        return self.asked == "silos"


@dataclass(frozen=True)
class OpenTool:
    """A declared tool with what carries it out. ``silos`` are those that it may be asked for, by
    name, each with what it is.
    """

    declared: ToolDeclared
    kind: Kind
    call: Call
    silos: Mapping[str, str] = field(default_factory=dict)

    def offered(self) -> Tool:
        """The tool as a model is told of it."""
        made = self.kind.arguments.model_json_schema()
        fields = {
            name: {key: value for key, value in one.items() if key != "title"}
            for name, one in made["properties"].items()
        }
        purpose = self.declared.purpose.strip()
        if self.kind.searches:
            purpose += " Silos: " + "; ".join(f"{n} ({told})" for n, told in self.silos.items())
        if self.kind.searches and not self.declared.silo:
            fields["silo"]["enum"] = list(self.silos)
        fields = {name: one for name, one in fields.items() if name not in self._fixed}
        schema = {
            "type": "object",
            "properties": fields,
            "required": [name for name in made.get("required", ()) if name in fields],
            "additionalProperties": False,
        }
        return Tool(self.declared.name, purpose, schema)

    def read(self, written: str) -> dict[str, Any]:
        """The arguments that a model wrote, without those left open. Raises ValueError, in words
        for the model.
        """
        try:
            given = json.loads(written or "null")
        except (ValueError, RecursionError):
            raise ValueError("the arguments are not JSON") from None
        given = {} if given is None else given
        if not isinstance(given, dict):
            raise ValueError("the arguments are not a JSON object")
        if taken := sorted({*self._fixed} & {*given}):
            raise ValueError(f"there is no argument {taken[0]}")
        kind = self.kind.arguments
        try:
            read = kind.model_validate(given | self._fixed)
        except ValidationError as error:
            raise ValueError(" ".join(fault(error, kind, "is no argument of this tool"))) from None
        found = {
            name: value for name, value in read.model_dump().items() if value not in ("", False)
        }
        if self.kind.searches:
            found["silo"] = self._silo(found["silo"])
        return found

    @property
    def _fixed(self) -> dict[str, str]:
        """The arguments that the declaration gives."""
        own = self.declared.silo
        return {"silo": own} if self.kind.searches and own else {}

    def silo_of(self, arguments: Mapping[str, Any]) -> str:
        """The silo that a call asks, or the tool where it is no silo's."""
        return str(arguments.get("silo") or self.declared.silo or self.declared.name)

    def _silo(self, written: str) -> str:
        wanted = _plain(written)
        for name, about in self.silos.items():
            if wanted in (_plain(name), _plain(about)):
                return name
        raise ValueError(f"there is no silo {written[:40]}; there are: {', '.join(self.silos)}")


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


@cache
def kinds_by_name() -> Mapping[str, Kind]:
    """The kinds of tools that the pipelines have."""
    found = (resolve_name(name) for one in PIPELINES for name in pipeline(one).tools)
    return {kind.name: kind for kind in found}


def declared(settings: Settings) -> tuple[ToolDeclared, ...]:
    """The tools that a file declares, `BUILT_IN` unless the settings name another. Raises
    UsageError.
    """
    file = settings.copilot_tools or BUILT_IN
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the tools in {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"the tools in {file} cannot be read: {error}") from None
    found = []
    for name, table in tables.items():
        try:
            found.append(_declared(name, table))
        except (TypeError, ValueError) as error:
            raise UsageError(f"the tool {name[:40]} in {file} cannot be used: {error}") from None
    return tuple(found)


def _declared(name: str, table: Any) -> ToolDeclared:
    plain = name.isascii() and name.isidentifier() and name.islower() and name[0] != "_"
    if not plain or len(name) > LONGEST_NAME or not isinstance(table, dict):
        raise ValueError("a tool is a table with a name of small letters, digits and underscores")
    table = {line: value for line, value in table.items() if line not in _EARLIER}
    if unknown := sorted(set(table) - set(ToolDeclared.__dataclass_fields__)):
        raise ValueError(f"unknown lines: {', '.join(unknown)}")
    one = msgspec.convert({**table, "name": name}, learned(ToolDeclared))
    if one.kind not in kinds_by_name():
        raise ValueError(f"its kind must be one of: {', '.join(sorted(kinds_by_name()))}")
    return one


def opened(
    every: Iterable[ToolDeclared], host: Host, wanted: Sequence[str] = ()
) -> tuple[dict[str, OpenTool], dict[str, str]]:
    """The tools that can be called, by name, and why the others cannot.

    ``wanted`` are names of tools; all where there is none. Raises UsageError for one that is not
    declared or cannot be had.
    """
    held = tuple(every)
    by_kind, found, missing = kinds_by_name(), dict[str, OpenTool](), dict[str, str]()
    for one in held:
        if wanted and one.name not in wanted:
            continue
        kind = by_kind[one.kind]
        if why := kind.missing(one, host):
            missing[one.name] = why
        else:
            silos = _silos(one, held, host) if kind.searches else {}
            found[one.name] = OpenTool(one, kind, partial(kind.run, one, host), silos)
    for name in wanted:
        if name not in {one.name for one in held}:
            listed = ", ".join(one.name for one in held)
            raise UsageError(f"the tool {name[:40]} is not declared; there are: {listed}")
        if name in missing:
            raise UsageError(f"the tool {name} cannot be used: {missing[name]}")
    return found, missing


def _silos(one: ToolDeclared, every: Sequence[ToolDeclared], host: Host) -> dict[str, str]:
    """The silos that a tool searches: its own, else all that no other tool of its kind names."""
    assert host.silos is not None
    named = {other.silo for other in every if other.kind == one.kind and other.silo}
    names = [one.silo] if one.silo else [n for n in host.silos.names() if n not in named]
    return {name: str(host.silos.about(name).get("title") or name) for name in names}


async def carried_out(name: str, host: Host, progress: Progress, ask: Asked) -> list[Event]:
    """All events of the run of the pipeline ``name`` within a call. Each is recorded as it happens,
    so that who is resumed goes on in it and pays for nothing again.

    Half of the money that is left is set aside for it. What a call that is broken off has spent is
    not known, so that all of it counts.
    """
    kinds, most = pipeline(name).events, None
    budget = host.budget if host.max_cost is not None else None
    before = [one for form in progress.before if (one := kinds.from_json(dict(form)))]
    events, paid = list(before), RunLog(before).spent_usd
    if host.max_cost is not None:
        most = max(0.0, (host.max_cost - float(getattr(budget, "spent", 0.0))) / 2)
    token = await budget.reserve(most or 0.0) if budget is not None else ""
    spent = None
    try:
        asked = ask(before, None if most is None else paid + most)
        async with aclosing(asked) as new:  # type: ignore[type-var]
            async for event in new:
                progress.put(event)
                events.append(event)
    except asyncio.CancelledError:
        spent = most
        raise
    finally:
        if budget is not None:
            await budget.settle(token, RunLog(events).spent_usd - paid if spent is None else spent)
    return events
