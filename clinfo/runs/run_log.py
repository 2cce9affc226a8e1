"""The run log: recorded events by key and by type. A pipeline's log adds what its stages need.

The engine asks it what is already done, an answer is made from it: nobody computes either a second
time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from clinfo.records.answer import StageUsage, Usage
from clinfo.runs.events import (
    CostIncurred,
    Event,
    RunStarted,
    StageTimed,
    StreamedReset,
    StreamedText,
    Warned,
)

Kind = TypeVar("Kind", bound=Event)
Value = TypeVar("Value")


class Held(Generic[Kind]):
    """An attribute of a log: the event of a type and key, None while there is none."""

    def __init__(self, kind: type[Kind], key: str) -> None:
        self._kind, self._key = kind, key

    def __get__(self, log: RunLog, owner: type[RunLog]) -> Kind | None:
        return log.get(self._kind, self._key)


class Field(Generic[Value]):
    """An attribute of a log: a field of the event of a type and key, ``none`` without one."""

    def __init__(self, kind: type[Event], key: str, name: str, none: Value) -> None:
        self._kind, self._key, self._name, self._none = kind, key, name, none

    def __get__(self, log: RunLog, owner: type[RunLog]) -> Value:
        found: Value = getattr(log.get(self._kind, self._key), self._name, self._none)
        return found


class By(Generic[Value]):
    """An attribute of a log: a field of all events of a type by another of them, ``what`` and
    ``by`` as `attrgetter` takes them; events that have none are left out.
    """

    def __init__(self, kind: type[Event], by: str, what: str) -> None:
        self._kind, self._by, self._what = kind, attrgetter(by), attrgetter(what)

    def __get__(self, log: RunLog, owner: type[RunLog]) -> dict[str, Value]:
        pairs = ((self._by(one), self._what(one)) for one in log.all(self._kind))
        return {by: what for by, what in pairs if what is not None}


class RunLog:
    """The events of one run, each key once."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._by_key: dict[str, Event] = {}
        self._by_type: dict[type[Event], list[Event]] = {}
        self.last_seq = -1
        self.last_t = 0.0
        for event in events:
            self.add(event)

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def __iter__(self) -> Iterator[Event]:
        return iter(self._by_key.values())

    def __len__(self) -> int:
        return len(self._by_key)

    def add(self, event: Event) -> None:
        """Record an event; one whose key is there already changes nothing."""
        if event.key in self._by_key:
            return
        self._by_key[event.key] = event
        self._by_type.setdefault(type(event), []).append(event)
        self.last_seq = max(self.last_seq, event.seq)
        self.last_t = max(self.last_t, event.t)

    def all(self, kind: type[Kind]) -> list[Kind]:
        """The events of a type, in the order in which they were recorded."""
        return self._by_type.get(kind, [])  # type: ignore[return-value]

    def get(self, kind: type[Kind], key: str) -> Kind | None:
        """The event of this type and key, or None."""
        event = self._by_key.get(key)
        return event if isinstance(event, kind) else None

    @property
    def started(self) -> RunStarted | None:
        """The first event, or None where nothing is recorded yet."""
        return self.get(RunStarted, "run")

    @property
    def warnings(self) -> list[str]:
        """Return what a reader should know of the run, and of the replies of its models."""
        replies = {text for event in self.all(CostIncurred) for text in event.warnings}
        return [*(event.text for event in self.all(Warned)), *sorted(replies)]

    def common(self, told: Iterable[str] = ()) -> dict[str, Any]:
        """What every answer says of its run as far as that got, by the fields of `RunAnswer`;
        warnings ``told`` go before the run's own. Raises ValueError before it began.
        """
        if (started := self.started) is None:
            raise ValueError("no run_started event: an answer cannot be built")
        return {
            "question": started.request.question,
            "notices": started.notices,
            "warnings": tuple(dict.fromkeys((*told, *self.warnings))),
            "usage": self.usage,
            "timings": self.timings,
            "settings": started.settings,
        }

    def attempt(self, reset: type[StreamedReset]) -> int:
        """Return which streaming of a text the latest piece belongs to, counted from 0."""
        return max((event.attempt for event in self.all(reset)), default=0)

    def streamed(self, text: type[StreamedText], reset: type[StreamedReset]) -> str:
        """A text as it has streamed since its last reset."""
        attempt = self.attempt(reset)
        pieces = [event for event in self.all(text) if event.attempt == attempt]
        return "".join(event.text for event in sorted(pieces, key=lambda event: event.piece))

    def reply(self, call: str) -> CostIncurred | None:
        """The recorded reply to a model call, or None."""
        return self.get(CostIncurred, f"cost {call}")

    @property
    def usage(self) -> Usage:
        """The model calls with what they took."""
        return usage_of(self.all(CostIncurred))

    @property
    def timings(self) -> dict[str, float]:
        """The seconds of each step, and of all."""
        return {one.where: one.seconds for one in self.all(StageTimed)} | {"total": self.last_t}

    @property
    def spent_usd(self) -> float:
        """Return what the recorded model calls cost, or may have cost at most, as far as prices are
        known.
        """
        return sum(event.cost_usd or event.at_most_usd or 0.0 for event in self.all(CostIncurred))


def usage_of(costs: Sequence[CostIncurred]) -> Usage:
    """Return what these calls took."""
    by_stage: dict[str, list[CostIncurred]] = {}
    for event in costs:
        by_stage.setdefault(event.where, []).append(event)
    return Usage(
        **_totals(costs),
        by_stage={stage: StageUsage(**_totals(by_stage[stage])) for stage in sorted(by_stage)},
    )


def _totals(costs: Sequence[CostIncurred]) -> dict[str, Any]:
    prices = [event.cost_usd for event in costs]
    return {
        "calls": sum(not event.cached for event in costs),
        "cached": sum(event.cached for event in costs),
        "prompt_tokens": sum(event.prompt_tokens for event in costs),
        "completion_tokens": sum(event.completion_tokens for event in costs),
        "cost_usd": None if None in prices else sum(price for price in prices if price is not None),
    }
