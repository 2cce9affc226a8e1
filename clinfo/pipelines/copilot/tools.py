"""The tools: declared in a file, opened for a run."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from clinfo.errors import UsageError
from clinfo.extras import declared as modules
from clinfo.lazy_dataclass import dataclass, replace
from clinfo.learned_types import learned
from clinfo.pipelines.copilot import kinds
from clinfo.pipelines.copilot.tool_declared import ToolDeclared
from clinfo.records.copilot import Observation
from clinfo.records.request import EXTRACTIVE
from clinfo.retrieval.rerankers import NONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinfo.llm.prompts import Prompt
    from clinfo.retrieval.silos import Silos
    from clinfo.runs.events import Event
    from clinfo.runs.protocols import Budget, ChatModel
    from clinfo.settings import Settings

BUILT_IN: Final = Path(__file__).with_name("tools.toml")
ANY: Final = "*"
"""The silo of a tool that stands for one tool a silo."""
APART: Final = "__"
"""Between the name of such a tool and the name of its silo."""
MOST_FOUND, LONGEST_WAIT = 100, 600
"""Bounds of top_k and sparse_k, and of a time-out in seconds."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


class Progress(Protocol):
    """What a call that carries out a run of its own records of it."""

    before: Sequence[Mapping[str, Any]]
    """The JSON forms of the events that are recorded already."""

    def put(self, event: Event) -> None:
        """Record an event of that run, with its cost."""


@dataclass
class Money:
    """US dollars that a call of a tool may spend (``most``, None for no limit), and has."""

    most: float | None
    spent: float = 0.0


@dataclass(frozen=True)
class Host:
    """What tools may use: silos (None where none is loaded), settings, the case, the model that
    writes (with its key; by name where it is the extractive one), the money of the run, and whether
    what is asked may tell of a patient: of the case, or of what a record was read to say.
    """

    settings: Settings
    silos: Silos | None = None
    case: str = ""
    model: str | ChatModel = EXTRACTIVE
    budget: Budget | None = None
    max_cost: float | None = None
    of_patients: bool = False
    refining: tuple[ChatModel, Prompt] | None = None
    """The model and the prompt of tools that refine; None where there is no language model."""

    @asynccontextmanager
    async def set_aside(self) -> AsyncIterator[Money]:
        """Half of the money that is left, for a tool that carries out a run of its own. What a call
        that is broken off has spent is not known, so that all of it counts.
        """
        if self.max_cost is None:
            yield Money(None)
            return
        left = self.max_cost - float(getattr(self.budget, "spent", 0.0))
        most = max(0.0, left / 2)
        token = await self.budget.reserve(most) if self.budget is not None else ""
        money = Money(most)
        try:
            yield money
        except asyncio.CancelledError:
            money.spent = most
            raise
        finally:
            if self.budget is not None:
                await self.budget.settle(token, money.spent)


class Call(Protocol):
    """An opened tool."""

    async def __call__(self, arguments: Mapping[str, Any], progress: Progress) -> Observation:
        """What it brings. Raises ClinfoError, which is told to the agent."""


@dataclass(frozen=True)
class Kind:
    """A kind of tools. ``open`` makes one that can be called; ``missing`` says why it cannot be had
    here ("" where it can).
    """

    name: str
    open: Callable[[ToolDeclared, Host], Call]
    missing: Callable[[ToolDeclared, Host], str] = lambda declared, host: ""
    order: int = 100
    narrows: bool = False
    """Whether what it finds can be reranked and refined."""


@dataclass(frozen=True)
class OpenTool:
    """A declared tool with what carries it out."""

    declared: ToolDeclared
    call: Call


def kinds_by_name() -> dict[str, Kind]:
    """The kinds of tools, each a module of `clinfo.pipelines.copilot.kinds`."""
    return {one.name: one for one in modules(kinds, "KIND")}


def declared(path: Path | None = None) -> tuple[ToolDeclared, ...]:
    """The tools that a file declares (`BUILT_IN` unless another is named). Raises UsageError."""
    file = path or BUILT_IN
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
    import msgspec

    if not _NAME.fullmatch(name) or not isinstance(table, dict):
        raise ValueError("a tool is a table with a name of small letters, digits and underscores")
    if unknown := sorted(set(table) - set(ToolDeclared.__dataclass_fields__)):
        raise ValueError(f"unknown lines: {', '.join(unknown)}")
    one = msgspec.convert({**table, "name": name}, learned(ToolDeclared))
    if one.kind not in kinds_by_name():
        raise ValueError(f"its kind must be one of: {', '.join(sorted(kinds_by_name()))}")
    if not (1 <= one.top_k <= MOST_FOUND and 1 <= one.sparse_k <= MOST_FOUND):
        raise ValueError(f"top_k and sparse_k must be from 1 to {MOST_FOUND}")
    if (one.refine or one.rerank != NONE) and not kinds_by_name()[one.kind].narrows:
        raise ValueError(f"what the kind {one.kind} finds cannot be reranked or refined")
    if not 0 < one.timeout <= LONGEST_WAIT:
        raise ValueError(f"its timeout must be above 0 and at most {LONGEST_WAIT} s")
    if not all(map(_NAME.fullmatch, one.arguments)):
        raise ValueError("names of arguments have small letters, digits and underscores")
    return one


def opened(
    every: Iterable[ToolDeclared], host: Host, wanted: Sequence[str] = ()
) -> tuple[dict[str, OpenTool], dict[str, str]]:
    """The tools that can be called, by name, and why the others cannot.

    ``wanted`` are names of tools or of declarations with a pattern; all where there is none. Raises
    UsageError for one that is not declared or cannot be had.
    """
    held = tuple(every)
    single = [one for declared in held for one in _each(declared, held, host)]
    by_kind, found, missing = kinds_by_name(), dict[str, OpenTool](), dict[str, str]()
    for one in single:
        if wanted and not {one.name, one.name.split(APART)[0]} & set(wanted):
            continue
        kind = by_kind[one.kind]
        if why := kind.missing(one, host):
            missing[one.name] = why
        else:
            found[one.name] = OpenTool(one, kind.open(one, host))
    known = {name for one in single for name in (one.name, one.name.split(APART)[0])}
    for name in wanted:
        if name not in known:
            listed = ", ".join(sorted(known))
            raise UsageError(f"the tool {name[:40]} is not declared; there are: {listed}")
        if name in missing:
            raise UsageError(f"the tool {name} cannot be used: {missing[name]}")
    return found, missing


def _each(declared: ToolDeclared, every: Sequence[ToolDeclared], host: Host) -> list[ToolDeclared]:
    """The declaration itself; where its silo is `ANY`, one for each silo that no other names."""
    if declared.silo != ANY:
        return [declared]
    named = {one.silo for one in every}
    names = host.silos.names() if host.silos is not None else ()
    return [
        replace(declared, name=f"{declared.name}{APART}{_suffix(name)}", silo=name)
        for name in names
        if name not in named
    ] or [declared]


def _suffix(silo: str) -> str:
    return re.sub(r"[^\w-]+", "_", silo.lower())
