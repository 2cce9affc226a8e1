"""The bookkeeping of one run: events out, replies back in, spending, and the time it may take.

Every reply of a model is recorded as an event under its call's name. Asked for a call whose reply
is recorded, the recorder answers from the record; so a run that goes on from saved events repeats
nothing that was paid for.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from clinfo.errors import ModelError
from clinfo.runs.events import CostIncurred, Event, StageTimed, StreamedReset, StreamedText, Warned
from clinfo.runs.protocols import Budget, ChatModel, Clock, ModelReply, ModelRequest, StreamReset
from clinfo.runs.run_log import RunLog
from clinfo.text.thought import Parting, without_thought

Log = TypeVar("Log", bound=RunLog)
Result = TypeVar("Result")

PIECE_SECONDS = 0.1
"""Streamed text is gathered for this long before it becomes an event."""


class Recorder(Generic[Log]):
    """Stamps and keeps events in ``log``, and asks models by stage. ``put`` receives each new event
    as it happens.
    """

    def __init__(
        self,
        models: Mapping[str, ChatModel],
        budget: Budget,
        clock: Clock,
        seed: int,
        log: Log,
        put: Callable[[Event], None],
    ) -> None:
        self.run_log = log
        self._models = models
        self._budget = budget
        self._clock = clock
        self._seed = seed
        self._put = put
        self._began = clock.monotonic() - self.run_log.last_t

    @property
    def elapsed(self) -> float:
        """Seconds since the run started, without the time between a stop and its resumption."""
        return self._clock.monotonic() - self._began

    def emit(self, event: Event) -> None:
        """Stamp, keep and pass on an event, unless one of its key is recorded already."""
        if event.key not in self.run_log:
            stamped = replace(
                event,
                seq=self.run_log.last_seq + 1,
                t=round(max(self.elapsed, self.run_log.last_t), 6),
            )
            self.run_log.add(stamped)
            self._put(stamped)

    def warn(self, about: str, text: str, where: str) -> None:
        """Record something the reader of the answer should know; `Warned` says what the fields
        are.
        """
        self.emit(Warned(about=about, text=text, where=where))

    def warn_unread(self, where: str, unread: int, of: int) -> None:
        """Say so where most replies of a stage could not be read: what they were to say is missing,
        and nothing may be read into that.
        """
        if 2 * unread > of:
            name = self._models[where].name
            said = (
                f"Most replies of {name} at the stage “{where}” could not be read ({unread} of "
                f"{of}): it does not keep to the form asked for. What they were to say is missing."
            )
            self.warn(f"unread {where}", said, where)

    async def timed(self, where: str, work: Awaitable[Result]) -> Result:
        """Return what ``work`` gives, its duration recorded."""
        began = self.elapsed
        result = await work
        self.emit(StageTimed(where=where, seconds=round(self.elapsed - began, 6)))
        return result

    def _next(self, name: str) -> str:
        """The next name of a call that nothing is recorded under: "NAME 1"."""
        calls = (f"{name} {number}" for number in itertools.count(1))
        return next(call for call in calls if f"cost {call}" not in self.run_log)

    async def ask(self, call: str, request: ModelRequest) -> ModelReply:
        """The reply to a model call: recorded, or new and then recorded. Raises ModelError,
        BudgetReached.
        """
        return await self._paid(call, request, lambda model, asked: model.complete(asked))

    async def ask_streaming(
        self,
        call: str,
        request: ModelRequest,
        text: type[StreamedText],
        reset: type[StreamedReset],
        shown: Callable[[str], str] = str,
    ) -> ModelReply:
        """As `ask`, with the text passed on as events of the kinds ``text`` and ``reset`` while it
        comes; ``shown`` is the part of what has come so far that is passed on.
        """

        async def streamed(model: ChatModel, asked: ModelRequest) -> ModelReply:
            pieces, reply = _Pieces(self, text, reset, shown), None
            try:
                async for part in model.stream(asked):
                    if isinstance(part, str):
                        pieces.add(part, self._clock.monotonic())
                    elif isinstance(part, StreamReset):
                        pieces.reset()
                    else:
                        reply = part
            finally:
                pieces.end()
            if reply is None:
                raise ModelError(f"{model.name} ended its stream without a reply", retryable=True)
            return reply

        return await self._paid(call, request, streamed)

    async def _paid(
        self,
        call: str,
        request: ModelRequest,
        answer: Callable[[ChatModel, ModelRequest], Awaitable[ModelReply]],
    ) -> ModelReply:
        """The reply that is recorded, or what ``answer`` gives. What it may cost is reserved;
        afterwards what it did cost is settled and recorded, also when it failed or was broken off.
        """
        if (known := self.run_log.reply(call)) is not None:
            return ModelReply(known.reply, known.model)
        model = self._models[request.stage]
        if not getattr(model, "takes_schemas", False):  # nor do models of a user's own
            request = request.in_words()
        request = request if request.seed is not None else replace(request, seed=self._seed)
        worst = model.worst_cost(request) or 0.0
        token = await self._budget.reserve(worst)
        spent, certain = worst, False  # what a call that was broken off may have cost
        try:
            reply = await answer(model, request)
            reply = replace(reply, text=without_thought(reply.text))
            known_costs = (usd for usd in (reply.cost_usd, reply.at_most_usd) if usd is not None)
            spent = next(known_costs, worst)
            self._record(call, request, reply)
            return reply
        except BaseException as error:
            if isinstance(error, ModelError):
                spent, certain = error.cost_usd, error.cost_known
            if spent > 0:
                self.emit(
                    CostIncurred(
                        call=self._next(f"{call} failed"),
                        where=request.stage,
                        model=model.name,
                        reply="",
                        cost_usd=spent if certain else None,
                        at_most_usd=None if certain else spent,
                    )
                )
            raise
        finally:
            await self._budget.settle(token, spent)

    def _record(self, call: str, request: ModelRequest, reply: ModelReply) -> None:
        self.emit(
            CostIncurred(
                call=call,
                where=request.stage,
                model=reply.model,
                reply=reply.text,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                cost_usd=reply.cost_usd,
                at_most_usd=reply.at_most_usd,
                cached=reply.cached,
                seconds=round(reply.seconds, 6),
                warnings=reply.warnings,
            )
        )


class _Pieces:
    """Streamed text on its way into events: gathered for a moment, numbered, started anew where it
    was broken off.
    """

    def __init__(
        self,
        recorder: Recorder[Log],
        text: type[StreamedText],
        reset: type[StreamedReset],
        shown: Callable[[str], str],
    ) -> None:
        self._recorder, self._kinds, self._shown = recorder, (text, reset), shown
        self._parting, self._passed = Parting(), 0
        self._attempt = recorder.run_log.attempt(reset)
        self._count = 0
        self._text = ""
        self._since: float | None = None
        if recorder.run_log.streamed(text, reset):
            self.reset()

    def add(self, text: str, now: float) -> None:
        voided = self._parting.voided
        self._parting.add(text)
        if self._parting.voided != voided:  # what was passed on was thought
            self._discard()
        self._pass_on()
        if self._since is None:
            self._since = now
        elif now - self._since >= PIECE_SECONDS:
            self.flush()

    def _pass_on(self) -> None:
        shown = self._shown(self._parting.text)
        self._text += shown[self._passed :]
        self._passed = len(shown)

    def end(self) -> None:
        """Pass on what is left."""
        if self._parting.end():
            self._pass_on()
        self.flush()

    def flush(self) -> None:
        if self._text:
            self._recorder.emit(
                self._kinds[0](attempt=self._attempt, piece=self._count, text=self._text)
            )
            self._count += 1
        self._text, self._since = "", None

    def reset(self) -> None:
        """Discard what came so far: the stream begins anew."""
        self._parting = Parting()
        self._discard()

    def _discard(self) -> None:
        self._passed = 0
        self._text, self._since = "", None
        if self._count or self._recorder.run_log.streamed(*self._kinds):
            self._attempt += 1
            self._count = 0
            self._recorder.emit(self._kinds[1](attempt=self._attempt))


DEADLINE = "deadline"


class Deadline:
    """The deadline of one run; without ``max_seconds`` it never comes."""

    def __init__(self, max_seconds: float | None, recorder: Recorder[Any]) -> None:
        self._most = max_seconds
        self._recorder = recorder

    @property
    def left(self) -> float | None:
        """Seconds until the deadline, at least 0; None without one."""
        return None if self._most is None else max(0.0, self._most - self._recorder.elapsed)

    @property
    def told(self) -> str:
        """`` of 30 s``: the deadline of this run in words, or where it has none that of the run it
        resumes.
        """
        started = self._recorder.run_log.started
        first = started.request.max_seconds if started else None
        limit = self._most if self._most is not None else first
        return "" if limit is None else f" of {limit:g} s"
