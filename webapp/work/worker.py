"""A worker: claims runs of any pipeline, carries them out on one asyncio loop, and appends their
events to the database.

    claim ─► stored events ─► carrier ─► events ─► group commit ─► … ─► last event and status in one commit
                                 ▲                  │
              cancel, lost ◄── heartbeat            └─ lease lost: dropped, nothing more is written

The loop does no work of the database and loads no library: both are done in threads. Heartbeats do
not wait for the loop: runs side by side may keep it busy for longer than a short lease.
"""  # noqa: E501

import asyncio
import contextlib
import logging
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from nacl.public import PrivateKey

from clinfo.errors import ClinfoError, UsageError
from clinfo.llm import LOCAL_PROVIDERS, Price, provider_of
from clinfo.pipelines import pipeline
from clinfo.pipelines.opening import chat_model, priced
from clinfo.records import EXTRACTIVE
from clinfo.runs import (
    Answered,
    AnyRequest,
    Carrier,
    Event,
    RunCancelled,
    RunFailed,
    cancelled,
    internal,
)
from clinfo.settings import Settings
from webapp.pipelines import declared
from webapp.records import Beat, Lease, LeaseLost, Status, StoredRun
from webapp.settings import WebSettings
from webapp.storage.budget import DatabaseBudget
from webapp.storage.store import Store
from webapp.work.event_log import EventLog
from webapp.work.key_encryption import opened
from webapp.work.retention import Sweeper
from webapp.work.retrying import OUTAGES, PatientBudget, for_visitors, patiently, say

logger = logging.getLogger(__name__)

Value = TypeVar("Value")

LOOK_SECONDS = 0.1
"""Between two looks into the database, each one read by an index."""
CANCEL_SECONDS = 0.75
"""Heartbeats come at least this often, because they tell what shall be cancelled."""
GRACE_SECONDS = 5.0
"""Seconds that runs have to end by themselves when the worker is stopped."""
DATABASE_THREADS = 4
SWITCH_SECONDS = 0.001
"""For `sys.setswitchinterval` in a worker's process. A commit waits for Python's lock after each of
its statements while runs compute; with Python's own 5 ms, commits took tenths of a second under
load.
"""
LAST_SECONDS = 4.0
"""After that it has this long to get what has gathered into the database."""

KEYLESS = frozenset(
    {
        *LOCAL_PROVIDERS,
        "vertex_ai",
        "vertex_ai_beta",
        "sagemaker",
        "sagemaker_chat",
        "sagemaker_nova",
    }
)
"""Providers that ask for no key or do not look at it: the host's own credentials or machines would
do the work, uncounted.
"""


@dataclass(eq=False)
class WorkerHandle:
    """A run in hand. ``over`` is set with the reason when it is to be left before its end."""

    run: StoredRun
    lease: Lease
    api_key: str | None = field(repr=False)
    log: EventLog
    cancel: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    reason: Literal["lost", "stopped"] | None = None
    task: asyncio.Task[None] | None = None

    def leave(self, reason: Literal["lost", "stopped"]) -> None:
        if self.reason is None:
            self.reason = reason
            self.over.set()


class Worker:
    """``web.runs_at_a_time`` runs side by side; visitors' keys are in its memory only, sealed to it
    on their way.

    When a lease is lost the run is dropped at once and nothing more of it is written. On `stop` it
    claims nothing more, gives what is running some seconds, and releases the rest for others to go
    on with.
    """

    def __init__(self, web: WebSettings, chain: Settings, store: Store) -> None:
        self.web = web
        self.chain = chain
        self.store = store
        self.name = f"{socket.gethostname()[:60]}-{os.getpid()}-{secrets.token_hex(4)}"
        self._private_key = PrivateKey.generate()
        self._sweeper = Sweeper(web, chain, store)
        self._hands: dict[str, WorkerHandle] = {}
        self._ended = threading.Event()
        # SQLite has one writer at a time, and those who wait for it sleep: better to queue here.
        single = web.engine_url.startswith("sqlite")
        self._database = ThreadPoolExecutor(
            1 if single else DATABASE_THREADS, thread_name_prefix="database"
        )
        self._slow = ThreadPoolExecutor(2, thread_name_prefix="slow")

    def prepare(self) -> None:
        """Load what takes seconds to load, and check what cannot be put right later. Raises
        UsageError.
        """
        limited = self.web.daily_budget is not None or self.web.run_budget is not None
        for name in self.web.offered_models(self.chain):
            if name == EXTRACTIVE:
                continue
            price = self._prices.get(name)
            model = chat_model(self.chain, name, None, price, api_key="none")
            model.count_tokens("The first count loads a tokenizer.")
            try:
                priced({"any": model} if limited else {})
            except UsageError:
                raise UsageError(
                    f"the price of the model {name} is unknown, so a budget cannot be enforced; "
                    f'set it with CLINFO_WEB_PRICES, e.g. {{"{name}": [0.15, 0.60]}} (US dollars a '
                    "million tokens in and out), or set no budget"
                ) from None

    async def work(self, stop: asyncio.Event) -> None:
        """Until ``stop`` is set."""
        loop = asyncio.get_running_loop()
        stopped = asyncio.create_task(stop.wait())
        register = partial(
            self._in,
            self._database,
            self.store.register,
            self.name,
            bytes(self._private_key.public_key),
        )
        registering = asyncio.create_task(patiently(register))
        await asyncio.wait([registering, stopped], return_when="FIRST_COMPLETED")
        if not registering.done():
            await cancelled([registering])
            return
        registering.result()
        beating = threading.Thread(target=self._beat, args=(loop,), name="heartbeat", daemon=True)
        beating.start()
        background = [asyncio.create_task(self._sweep())]
        logger.info("worker ready", extra={"runs_at_a_time": self.web.runs_at_a_time})
        try:
            while not stop.is_set():
                await self._claim_all(stop)
                await asyncio.wait([stopped], timeout=LOOK_SECONDS * random.uniform(0.8, 1.2))
            await self._finish()
        finally:
            self._ended.set()
            await cancelled([*background, stopped])
            for hand in self._hands.values():  # none is left but after an error
                hand.log.drop()
            with contextlib.suppress(*OUTAGES):
                await self._in(self._database, self.store.deregister, self.name)
            self._database.shutdown(wait=True)
            self._slow.shutdown(wait=False, cancel_futures=True)

    # ---- claiming

    async def _claim_all(self, stop: asyncio.Event) -> None:
        """Claim as long as there is room and something to claim."""
        while not stop.is_set() and len(self._hands) < self.web.runs_at_a_time:
            try:
                claimed = await self._in(self._database, self._claim)
            except OUTAGES as error:
                say(error)
                break
            if claimed is None:
                break
            await self._begin(*claimed)

    def _claim(self) -> tuple[StoredRun, Lease, bytes | None] | None:
        # What is in hand goes on after an outage longer than its lease, unless another took it.
        mine = [id for id, hand in dict(self._hands).items() if hand.reason is None]
        return self.store.claim(self.name, self.web.lease_seconds, mine)

    async def _begin(self, run: StoredRun, lease: Lease, sealed: bytes | None) -> None:
        if (older := self._hands.get(run.id)) is not None and older.task is not None:
            older.leave("lost")  # this worker stood still for so long that the run was free again
            await asyncio.wait([older.task])
        api_key = None if sealed is None else opened(self._private_key, sealed)
        log = EventLog(self.store, lease, self.web.lease_seconds, self._database)
        hand = WorkerHandle(run, lease, api_key, log)
        if run.cancel_asked:
            hand.cancel.set()
        self._hands[run.id] = hand
        hand.task = asyncio.create_task(self._carry_out(hand))

    # ---- a run

    async def _carry_out(self, hand: WorkerHandle) -> None:
        """One run to its end, or until it is to be left; no error of it goes further."""
        writing: asyncio.Future[None] = hand.log.finished
        making = asyncio.create_task(self._make(hand))
        over: asyncio.Future[Any] = asyncio.create_task(hand.over.wait())
        try:
            await asyncio.wait([writing, making, over], return_when="FIRST_COMPLETED")
            if making.done() and hand.reason is None:
                await asyncio.wait([writing, over], return_when="FIRST_COMPLETED")
            if hand.reason == "stopped":
                await cancelled([making])
                hand.log.close()
                await asyncio.wait([writing])
                if not hand.log.ended:
                    await self._in(self._database, self.store.release, hand.lease)
                    logger.info("run handed back", extra={"run": hand.run.id[:6]})
            if writing.done() and (error := writing.exception()) is not None:
                raise error
        except LeaseLost:
            logger.info("run lost to another worker, or deleted", extra={"run": hand.run.id[:6]})
        except Exception:
            logger.exception("run could not be written", extra={"run": hand.run.id[:6]})
        finally:
            if hand.log.ended:
                logger.info(
                    "run ended",
                    extra={
                        "run": hand.run.id[:6],
                        "status": hand.log.ended,
                        "events": hand.log.written,
                    },
                )
            hand.log.drop()
            await cancelled((making, writing, over))
            hand.api_key = None
            if self._hands.get(hand.run.id) is hand:
                del self._hands[hand.run.id]

    async def _make(self, hand: WorkerHandle) -> None:
        """Put the run's new events into its log, and close that with how the run ended."""
        run, log = hand.run, hand.log
        try:
            if run.own_key and hand.api_key is None:
                log.close("key_needed")
                return
            after = await self._stored(run.id, run.pipeline)
            earlier: list[Event] = []
            if run.parent:  # what it read only saves: without it the run reads for itself
                with contextlib.suppress(UsageError):
                    earlier = await self._stored(run.parent, run.pipeline)
            request = self._limited(run)
            packed = await patiently(lambda: self._in(self._database, self.store.documents, run.id))
            carrier = await self._in(
                self._slow, self._assembled, hand, request, after, earlier, packed
            )
            async with aclosing(carrier.run(request, after, hand.cancel)) as events:  # type: ignore[type-var]
                async for event in events:
                    if isinstance(event, RunFailed):
                        words = _in_words(run, event.error, event.problem, event.retryable)
                        event = replace(event, problem=words[0], retryable=words[1])
                    log.add(event, time.time(), *_end_of(event))
            log.close("done")  # where its answer was there already
        except LeaseLost:
            raise
        except ClinfoError as error:
            name, said = type(error).__name__, str(error)
            log.close("failed", *_in_words(run, name, said, error.retryable))
        except Exception as error:
            logger.exception("run failed unexpectedly", extra={"run": run.id[:6]})
            log.close("failed", str(internal(error)), True)

    async def _stored(self, run_id: str, pipeline_name: str) -> list[Event]:
        stored = await patiently(lambda: self._in(self._database, self.store.events, run_id))
        types = pipeline(pipeline_name).events
        after = await self._in(
            self._slow, lambda: list(types.loads(event.body for event in stored))
        )
        if len(after) != sum(event.type not in types.gone for event in stored):
            raise UsageError(
                "a newer version of this app started the run; only that version can resume it"
            )
        return after

    def _limited(self, run: StoredRun) -> AnyRequest:
        """The request under the host's limit for a run; what a visitor's own key pays is the
        visitor's business.
        """
        request: AnyRequest = run.request
        limits = (request.max_cost, None if run.own_key else self.web.run_budget)
        least = min((one for one in limits if one is not None), default=None)
        return replace(request, max_cost=least)

    def _assembled(
        self,
        hand: WorkerHandle,
        request: AnyRequest,
        after: Sequence[Event],
        earlier: Sequence[Event],
        packed: bytes | None,
    ) -> Carrier[Any]:
        """Return what carries the run out (slow the first time). Raises ClinfoError."""
        of = pipeline(hand.run.pipeline)
        spent = of.log(after).spent_usd
        own = hand.run.own_key
        if own:
            _refuse_to_lend_out(set(request.models.values()))
        daily = None if own else self.web.daily_budget
        budget = PatientBudget(
            DatabaseBudget(
                self.store.engine, hand.lease, daily, request.max_cost, spent, counts=not own
            )
        )
        chain, given = declared(hand.run.pipeline).hosted(hand.run, packed, self.web, self.chain)
        if earlier:
            given["earlier"] = earlier
        carrier = of.assemble(
            chain,
            request,
            after,
            budget=budget,
            prices=self._prices,
            api_key=hand.api_key,
            owner=hand.run.id,
            **given,
        )
        try:
            priced(carrier.models if daily is not None else {})
        except UsageError:
            raise UsageError(
                "the price of a model of this run is unknown, so this site does not use it"
            ) from None
        return carrier

    @property
    def _prices(self) -> Mapping[str, Any]:

        return {name: Price(*pair) for name, pair in self.web.prices.items()}

    # ---- heartbeat, housekeeping, the end

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        """A sign of life, in a thread of its own, and what it brings back: lost runs are dropped,
        others are to be cancelled.
        """
        while not self._ended.wait(min(self.web.lease_seconds / 4, CANCEL_SECONDS)):
            hands = {hand.lease: hand for hand in list(self._hands.values())}
            try:
                beat = self._database.submit(
                    self.store.beat, self.name, list(hands), self.web.lease_seconds
                ).result()
                loop.call_soon_threadsafe(_obey, beat, hands)
            except OUTAGES as error:
                say(error)
            except Exception:
                if not self._ended.is_set():  # else there is no pool or loop any more
                    logger.exception("a heartbeat failed")

    async def _sweep(self) -> None:
        while True:
            try:
                await self._in(self._slow, self._sweeper.sweep)
            except OUTAGES as error:
                say(error)
            except Exception:
                logger.exception("sweeping failed")
            await asyncio.sleep(self.web.lease_seconds / 2 * random.uniform(0.8, 1.2))

    async def _finish(self) -> None:
        """Let what is running end within the grace, and release the rest."""
        tasks = [hand.task for hand in self._hands.values() if hand.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_SECONDS)
        left = list(self._hands.values())
        for hand in left:
            hand.leave("stopped")
        tasks = [hand.task for hand in left if hand.task is not None]
        if tasks:
            _, slow = await asyncio.wait(tasks, timeout=LAST_SECONDS)
            await cancelled(list(slow))  # the database is out: leases run out by themselves

    async def _in(
        self, executor: ThreadPoolExecutor, work: Callable[..., Value], *arguments: Any
    ) -> Value:
        return await asyncio.get_running_loop().run_in_executor(executor, lambda: work(*arguments))


def _obey(beat: Beat, hands: Mapping[Lease, WorkerHandle]) -> None:
    for lease, hand in hands.items():
        if lease.run_id in beat.cancelled:
            hand.cancel.set()
        elif lease.run_id in beat.lost and hand.lease == lease:
            hand.leave("lost")


def _in_words(run: StoredRun, error: str, problem: str, retryable: bool) -> tuple[str, bool]:
    """A failure as visitors are told it; where that is not all of it, the log has the rest."""
    told = for_visitors(error, problem, retryable)
    if told[0] != problem:
        logger.warning("run failed", extra={"run": run.id[:6], "error": problem})
    return told


def _end_of(event: Event) -> tuple[Status | None, str | None, bool]:
    match event:
        case Answered():
            return "done", None, False
        case RunFailed():
            return "failed", event.problem, event.retryable
        case RunCancelled():
            return "cancelled", None, False
    return None, None, False


def _refuse_to_lend_out(names: Collection[str]) -> None:
    """Raise UsageError where a visitor's key would go to a provider it is not for, or would not be
    what pays.
    """
    providers = {name: provider_of(name) for name in sorted(names) if name != EXTRACTIVE}
    for name, provider in providers.items():
        if provider in KEYLESS:
            raise UsageError(f"{name} does not accept a visitor's key; ask again without one")
    if len(set(providers.values())) > 1:
        raise UsageError(
            f"the models of this run belong to several providers ({', '.join(providers)}), but a "
            "key belongs "
            "to one; choose one model for all steps"
        )
