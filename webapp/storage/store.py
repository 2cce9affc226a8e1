"""Runs in the database: the row is the truth, events are appended as they happen, a lease says who
may write.
"""

import contextlib
import json
import re
import secrets
import string
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from hashlib import sha256
from itertools import islice
from statistics import median
from typing import Any, Final, get_args

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    and_,
    case,
    delete,
    func,
    insert,
    not_,
    or_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.exc import IntegrityError

from clinfo.errors import UsageError
from clinfo.learned_types import learned
from clinfo.pipelines import DEFAULT, PIPELINES, pipeline
from clinfo.runs import AnyRequest, Event, dumps
from webapp.records import (
    ENDED,
    Beat,
    Busy,
    Head,
    Lease,
    LeaseLost,
    NotFound,
    Refused,
    Repeated,
    Start,
    Status,
    StoredEvent,
    StoredRun,
)
from webapp.storage import tables
from webapp.storage.budget import forget_runs, write_off
from webapp.storage.database import forget_deleted, reading, writing
from webapp.storage.tables import deletions, documents, events, runs, starts, workers

_AHEAD = 1_200.0
"""Seconds, twice the longest lease: what lies later was written while a clock was ahead."""
BARREN_CLAIMS = 5
"""A run whose workers died this many times in a row without a new event has killed them, and
fails.
"""

DELETIONS_KEPT: Final = 400 * 86_400.0
"""Seconds for which a deleted run's id is noted: longer than a worker's cache goes without being
swept.
"""

STARTS_KEPT: Final = 86_400.0
"""Seconds for which an Idempotency-Key is known."""

_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_ID_LETTERS: Final = string.ascii_letters + string.digits
_ID_LENGTH: Final = 24  # 143 random bits
_LAST_SEQ: Final = 2**31 - 1  # what the column holds; viewers name any number
_LONGEST_KEY: Final = 600
"""Characters; PostgreSQL's index takes entries of some 2,700 bytes."""
_QUEUE_LOCK: Final = 0x636C696E_7175
_GONE_WORKER: Final = 86_400.0
_DELETED_AT_ONCE: Final = 200

_RUN_COLUMNS: Final = [
    runs.c[name]
    for name in (
        "id",
        "request",
        "status",
        "created_at",
        "started_at",
        "ended_at",
        "visitor",
        "owner",
        "shared",
        "own_key",
        "again_of",
        "last_seq",
        "problem",
        "retryable",
        "cancel_asked",
        "pipeline",
        "parent",
    )
]

_WITHOUT_WORKER: Final[dict[str, Any]] = {
    "worker": None,
    "lease_until": None,
    "sealed_key": None,
    "key_worker": None,
}


class Store:
    """Every method is one transaction, may be called from any thread, and gives plain values
    back.
    """

    def __init__(self, engine: Engine, now: Callable[[], float] = time.time) -> None:
        self.engine = engine
        """For what looks at the database as a whole: /readyz, the day's spending."""
        self._now = now

    # ---- what visitors do

    def create(
        self,
        request: AnyRequest,
        *,
        pipeline: str = DEFAULT,
        visitor: str | None = None,
        owner: str | None = None,
        own_key: bool = False,
        again_of: str | None = None,
        parent: str | None = None,
        queue_limit: int | None = None,
        start: Start | None = None,
        packed: bytes | None = None,
    ) -> StoredRun:
        """A new queued run under an unguessable id (143 random bits, letters and digits).

        With ``own_key`` it begins as ``key_needed``: `give_key` queues it. Raises Busy where
        ``queue_limit`` are queued, Repeated where a run was begun with the key of ``start``.
        """
        status: Status = "key_needed" if own_key else "queued"
        run = StoredRun(
            id="".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH)),
            request=request,
            status=status,
            created_at=self._now(),
            visitor=_storable(visitor),
            owner=_storable(owner),
            own_key=own_key,
            again_of=again_of if again_of is not None and _ID.fullmatch(again_of) else None,
            pipeline=pipeline,
            parent=parent,
        )
        row = {column.name: getattr(run, column.name) for column in _RUN_COLUMNS}
        row |= {"request": _request_json(request), "fence": 0, "barren": 0}
        with writing(self.engine) as connection:
            place = _next_place(connection)
            _refuse_full(connection, queue_limit)
            connection.execute(insert(runs).values(**row, place=place))
            if packed is not None:
                connection.execute(insert(documents).values(run_id=run.id, packed=packed))
            if start is not None:
                now = run.created_at
                connection.execute(delete(starts).where(starts.c.created_at <= now - STARTS_KEPT))
                row = {"key": start.key, "asked": start.asked, "run_id": run.id, "created_at": now}
                try:
                    connection.execute(insert(starts).values(**row))
                except IntegrityError:  # which leaves nothing of this transaction
                    raise Repeated from None
        return run

    def documents(self, run_id: str) -> bytes | None:
        """The documents that were given with the run, if any."""
        found = select(documents.c.packed).where(documents.c.run_id == run_id)
        with reading(self.engine) as connection:
            return connection.execute(found).scalar_one_or_none()

    def started(self, key: str) -> tuple[StoredRun, str] | None:
        """The run that was started with this `Start.key` within a day, and what was asked then; or
        None.
        """
        known = and_(starts.c.key == key, starts.c.created_at > self._now() - STARTS_KEPT)
        found = select(*[*_RUN_COLUMNS, starts.c.asked]).join(starts).where(known)
        with reading(self.engine) as connection:
            row = connection.execute(found).first()
        return None if row is None else (_run(row), row.asked)

    def get(self, run_id: str) -> StoredRun | None:
        """The run, or None."""
        if not _ID.fullmatch(run_id):
            return None
        with reading(self.engine) as connection:
            row = connection.execute(select(*_RUN_COLUMNS).where(runs.c.id == run_id)).first()
        return None if row is None else _run(row)

    def of_visitor(
        self,
        visitor: str | None,
        owner: str | None,
        limit: int = 50,
        after: tuple[float, str] | None = None,
        words: Sequence[str] = (),
    ) -> list[StoredRun]:
        """The runs of a browser that belong to no user or, where a user is named, of the user,
        whose questions hold all ``words``: newest first; those after the one of this
        ``created_at`` and id, which may have been deleted.
        """
        if owner is None and visitor is None:
            return []
        whose = (
            runs.c.owner == _storable(owner)
            if owner is not None
            else and_(runs.c.visitor == _storable(visitor), runs.c.owner.is_(None))
        )
        if after is not None:
            whose = and_(whose, tuple_(runs.c.created_at, runs.c.id) < after)
        newest = (
            select(*_RUN_COLUMNS)
            .where(whose)
            .order_by(runs.c.created_at.desc(), runs.c.id.desc())
            .limit(None if words else limit)
        )
        # Not every database can compare letters of every alphabet without their case.
        words = [word.casefold() for word in words]
        with reading(self.engine) as connection:
            rows = map(_run, connection.execute(newest.execution_options(yield_per=200)))
            asked = ((run, getattr(run.request, "question", "").casefold()) for run in rows)
            held = (run for run, question in asked if all(word in question for word in words))
            return list(islice(held, limit))

    def of_pipeline(self, name: str) -> list[StoredRun]:
        """All runs of a pipeline."""
        chosen = select(*_RUN_COLUMNS).where(runs.c.pipeline == name)
        with reading(self.engine) as connection:
            return [_run(row) for row in connection.execute(chosen)]

    def following(self, run_id: str) -> list[StoredRun]:
        """The runs that follow this one up, oldest first."""
        with reading(self.engine) as connection:
            found = select(*_RUN_COLUMNS).where(runs.c.parent == run_id).order_by(runs.c.created_at)
            return [_run(row) for row in connection.execute(found)]

    def repeating(self, run_id: str) -> list[StoredRun]:
        """The runs that repeat this one, oldest first."""
        with reading(self.engine) as connection:
            chosen = select(*_RUN_COLUMNS).where(runs.c.again_of == run_id)
            return [_run(row) for row in connection.execute(chosen.order_by(runs.c.created_at))]

    def give_key(self, run_id: str, worker: str, sealed: bytes) -> StoredRun:
        """Queue a run that waits for a key, for the one worker that can open ``sealed``. Raises
        NotFound, Refused.
        """
        with writing(self.engine) as connection:
            run = _locked(connection, run_id)
            if run.status != "key_needed":
                raise Refused("This run is not waiting for a key.")
            return _changed(connection, run, status="queued", sealed_key=sealed, key_worker=worker)

    def ask_cancel(self, run_id: str) -> StoredRun:
        """Cancel at once what is queued or waits for a key, ask the worker of what is running; what
        has ended stays.

        Raises NotFound. A running one whose lease has run out has no worker to ask: it is cancelled
        at once too.
        """
        with writing(self.engine) as connection:
            run = _locked(connection, run_id)
            if run.status in ENDED:
                return run
            now = self._now()
            if run.status == "running":
                lease_until = connection.execute(
                    select(runs.c.lease_until).where(runs.c.id == run_id)
                ).scalar_one()
                if lease_until is not None and lease_until >= now:
                    return _changed(connection, run, cancel_asked=True)
            return _changed(
                connection,
                run,
                status="cancelled",
                cancel_asked=True,
                ended_at=now,
                **_WITHOUT_WORKER,
            )

    def resume(
        self, run_id: str, max_seconds: float | None = None, *, queue_limit: int | None = None
    ) -> StoredRun:
        """Queue a failed or cancelled run (``key_needed`` where it had a key of its own) to resume
        from its events.

        ``max_seconds`` is its new deadline. Raises NotFound, Refused, Busy where ``queue_limit``
        are queued.
        """
        with writing(self.engine) as connection:
            place = _next_place(connection)
            run = _locked(connection, run_id)
            if run.status == "done":
                raise Refused(
                    "This run has been answered. Ask the question again to start a new one."
                )
            if run.status not in ENDED:
                raise Refused("This run has not ended.")
            _refuse_full(connection, queue_limit)
            request = (
                run.request
                if max_seconds is None
                else replace(run.request, max_seconds=max_seconds)
            )
            status: Status = "key_needed" if run.own_key else "queued"
            fresh = {"ended_at": None, "problem": None, "retryable": False, "cancel_asked": False}
            run = replace(run, request=request)
            return _changed(
                connection,
                run,
                status=status,
                **fresh,
                place=place,
                barren=0,
                request=_request_json(request),
                **_WITHOUT_WORKER,
            )

    def amend(self, run_id: str, event: Event, last: int | None = None) -> StoredRun:
        """Append what a person did to a run that is done. Raises NotFound, Refused where the run is
        not done, its last event is not ``last``, or an event of the same key is stored.
        """
        with writing(self.engine) as connection:
            run = _locked(connection, run_id)
            if run.status != "done":
                raise Refused("This run has no answer yet that could be edited.")
            if last not in (None, run.last_seq):
                raise Refused("This run was changed at the same time; nothing was kept.")
            event = replace(event, seq=run.last_seq + 1)
            try:
                connection.execute(insert(events), [_event_row(run_id, event, self._now())])
            except IntegrityError:
                raise Refused("This was done already.") from None
            return _changed(connection, run, last_seq=event.seq)

    def share(self, run_id: str, shared: bool) -> StoredRun:
        """Let everybody who has the link read a user's run, or no longer. Raises NotFound."""
        with writing(self.engine) as connection:
            return _changed(connection, _locked(connection, run_id), shared=shared)

    def delete(self, run_id: str) -> bool:
        """Delete the run with its events, and note its id for the caches of all workers. False
        where there was none.
        """
        if not _ID.fullmatch(run_id):
            return False
        with writing(self.engine) as connection:
            found = self._delete(connection, [run_id])
        if found:
            forget_deleted(self.engine)
        return found > 0

    def _delete(self, connection: Connection, run_ids: Sequence[str]) -> int:
        """The foreign key takes the events along."""
        gone = (
            connection.execute(delete(runs).where(runs.c.id.in_(run_ids)).returning(runs.c.id))
            .scalars()
            .all()
        )
        if gone:
            now = self._now()
            forget_runs(connection, gone)
            connection.execute(
                insert(deletions), [{"run_id": run_id, "deleted_at": now} for run_id in gone]
            )
            connection.execute(
                delete(deletions).where(deletions.c.deleted_at < now - DELETIONS_KEPT)
            )
        return len(gone)

    # ---- what viewers read

    def events(self, run_id: str, after: int = -1) -> list[StoredEvent]:
        """The events after sequence number ``after``, in order."""
        if not _ID.fullmatch(run_id):
            return []
        chosen = select(
            events.c.run_id, events.c.seq, events.c.type, events.c.body, events.c.created_at
        )
        wanted = chosen.where(
            events.c.run_id == run_id, events.c.seq > min(max(after, -1), _LAST_SEQ)
        ).order_by(events.c.seq)
        with reading(self.engine) as connection:
            return [StoredEvent(*row) for row in connection.execute(wanted)]

    def log(self, run: StoredRun) -> Any:
        """The events of a run, as the run log of its pipeline."""
        of = pipeline(run.pipeline)
        return of.log(of.events.loads(event.body for event in self.events(run.id)))

    def heads(self, run_ids: Collection[str]) -> dict[str, Head]:
        """Return how far these runs are; deleted ones are left out."""
        wanted = [run_id for run_id in run_ids if _ID.fullmatch(run_id)]
        if not wanted:
            return {}
        other = runs.alias()
        before = tuple_(other.c.place, other.c.id) <= tuple_(runs.c.place, runs.c.id)
        position = select(func.count()).where(other.c.status == "queued", before).scalar_subquery()
        columns = select(
            runs.c.id,
            runs.c.status,
            runs.c.last_seq,
            runs.c.problem,
            runs.c.retryable,
            runs.c.owner,
            runs.c.shared,
            case((runs.c.status == "queued", position), else_=None).label("position"),
        )
        with reading(self.engine) as connection:
            rows = connection.execute(columns.where(runs.c.id.in_(wanted))).all()
        return {
            row.id: Head(
                row.status,
                row.last_seq,
                position=row.position,
                problem=row.problem,
                retryable=row.retryable,
                only_for=None if row.shared else row.owner,
            )
            for row in rows
        }

    def counts(self) -> Mapping[Status, int]:
        """Return how many runs there are of each status; all of them are named."""
        with reading(self.engine) as connection:
            every = select(runs.c.status, func.count()).group_by(runs.c.status)
            found = {row[0]: row[1] for row in connection.execute(every)}
        return {status: found.get(status, 0) for status in get_args(Status)}

    # ---- what workers do

    def usual_seconds(self, pipeline: str, within: float) -> float | None:
        """The median of the seconds from the start to the answer of the pipeline's runs that ended
        ``within`` the last seconds, of the newest hundred; None where there is none.
        """
        took = (
            select(runs.c.ended_at - runs.c.started_at)
            .where(runs.c.status == "done", runs.c.pipeline == pipeline)
            .where(runs.c.created_at > self._now() - within, runs.c.started_at.is_not(None))
            .order_by(runs.c.created_at.desc())
            .limit(100)
        )
        with reading(self.engine) as connection:
            found = connection.execute(took).scalars().all()
        return median(found) if found else None

    def register(self, worker: str, public_key: bytes) -> None:
        """Enter a worker, with the public key to which visitors' keys are sealed.

        Keys that were sealed to an earlier worker of that name are void.
        """
        with writing(self.engine) as connection:
            self._leave(connection, worker)
            connection.execute(
                delete(workers).where(workers.c.seen_at < self._now() - _GONE_WORKER)
            )
            connection.execute(
                insert(workers).values(name=worker, public_key=public_key, seen_at=self._now())
            )

    def live_worker(self, within: float) -> tuple[str, bytes] | None:
        """(name, public key) of the worker with the fewest runs that gave a sign of life ``within``
        seconds.
        """
        carried_out = and_(runs.c.status == "running", runs.c.worker == workers.c.name)
        waiting = and_(runs.c.status == "queued", runs.c.key_worker == workers.c.name)
        load = (
            select(func.count())
            .where(or_(carried_out, waiting))
            .correlate(workers)
            .scalar_subquery()
        )
        alive = select(workers.c.name, workers.c.public_key).where(_alive(self._now(), within))
        with reading(self.engine) as connection:
            row = connection.execute(
                alive.order_by(load, workers.c.seen_at.desc(), workers.c.name).limit(1)
            ).first()
        return None if row is None else (row.name, bytes(row.public_key))

    def deregister(self, worker: str) -> None:
        """Strike a worker off; runs whose key only it could open need it again."""
        with writing(self.engine) as connection:
            self._leave(connection, worker)

    def _leave(self, connection: Connection, worker: str) -> None:
        connection.execute(delete(workers).where(workers.c.name == worker))
        waiting = and_(runs.c.status == "queued", runs.c.key_worker == worker)
        connection.execute(
            update(runs).where(waiting).values(status="key_needed", **_WITHOUT_WORKER)
        )

    def claim(
        self,
        worker: str,
        lease_seconds: float,
        in_hand: Collection[str] = (),
    ) -> tuple[StoredRun, Lease, bytes | None] | None:
        """Take the oldest run that is queued, or running with its lease run out and not ``in_hand``
        of this worker, under a new fence; and its sealed key.

        The sealed key is wiped.

        A run whose key was sealed for another worker is left to it; where that one is dead, the run
        becomes ``key_needed``. So does a running one with ``own_key`` whose lease has run out. A
        run that `BARREN_CLAIMS` times brought no event fails. One that was to be cancelled when its
        worker died is cancelled.
        """
        with reading(
            self.engine
        ) as connection:  # an idle worker that looks for work keeps no other from writing
            found = _candidate(worker, self._now(), lease_seconds, in_hand)
            if connection.execute(found).first() is None:
                return None
        with writing(self.engine) as connection:
            now = self._now()  # only now: the transaction may have waited for others
            candidate = _candidate(worker, now, lease_seconds, in_hand)
            candidate = candidate.with_for_update(skip_locked=True)
            while (row := connection.execute(candidate).first()) is not None:
                run = _run(row)
                if (fault := _unfit(row)) is not None:
                    _changed(
                        connection,
                        run,
                        status="failed",
                        ended_at=now,
                        problem=fault,
                        retryable=False,
                        **_WITHOUT_WORKER,
                    )
                elif run.cancel_asked:
                    _changed(connection, run, status="cancelled", ended_at=now, **_WITHOUT_WORKER)
                elif (
                    run.own_key and row.key_worker != worker
                ):  # nobody's where it was running: the key died with its worker
                    _changed(connection, run, status="key_needed", **_WITHOUT_WORKER)
                else:
                    lease = Lease(run.id, worker, row.fence + 1)
                    started_at = now if run.started_at is None else run.started_at
                    held = {
                        "worker": worker,
                        "fence": lease.fence,
                        "lease_until": now + lease_seconds,
                        "barren": row.barren + 1,
                    }
                    sealed = None if row.sealed_key is None else bytes(row.sealed_key)
                    run = _changed(
                        connection,
                        run,
                        status="running",
                        started_at=started_at,
                        **{**_WITHOUT_WORKER, **held},
                    )
                    return run, lease, sealed
        return None

    def append(
        self,
        lease: Lease,
        events: Sequence[tuple[Event, float]],
        lease_seconds: float,
        *,
        end: Status | None = None,
        problem: str | None = None,
        retryable: bool = False,
    ) -> None:
        """Append events (each with when it was made) and prolong the lease, and ``end`` the run
        with them. Raises LeaseLost.

        Their sequence numbers go on from ``last_seq`` without a gap, and their keys are new, else
        ValueError.
        """
        rows = [_event_row(lease.run_id, event, created_at) for event, created_at in events]
        values: dict[str, Any] = {}
        mine = and_(_held(lease), runs.c.status == "running")
        goes_on = mine
        if rows:
            first = rows[0]["seq"]
            if [row["seq"] for row in rows] != list(range(first, first + len(rows))):
                raise ValueError("the events have gaps between their sequence numbers")
            values |= {"last_seq": rows[-1]["seq"], "barren": 0}
            goes_on = and_(mine, runs.c.last_seq == first - 1)
        if end is not None:
            if end in ("queued", "running"):
                raise ValueError(f"a run does not end as {end}")
            values |= {
                "status": end,
                "problem": _storable(problem),
                "retryable": retryable,
                **_WITHOUT_WORKER,
            }
        with writing(self.engine) as connection:
            now = self._now()
            values |= (
                {"lease_until": now + lease_seconds}
                if end is None
                else {"ended_at": now if end in ENDED else None}
            )
            if connection.execute(update(runs).where(goes_on).values(**values)).rowcount != 1:
                if connection.execute(select(runs.c.id).where(mine)).first() is None:
                    raise LeaseLost(f"the run {lease.run_id} is no longer {lease.worker}'s")
                raise ValueError("the events do not continue from the last one stored")
            if rows:
                try:
                    connection.execute(insert(tables.events), rows)
                except IntegrityError:
                    raise ValueError("an event with the same key is stored already") from None

    def beat(self, worker: str, leases: Sequence[Lease], lease_seconds: float) -> Beat:
        """A sign of life: prolong all leases of a worker, and learn what was lost and what shall be
        cancelled.
        """
        held: dict[str, bool] = {}
        with writing(self.engine) as connection:
            now = self._now()
            connection.execute(update(workers).where(workers.c.name == worker).values(seen_at=now))
            if leases:
                mine = or_(*map(_held, leases))
                prolonged = (
                    update(runs)
                    .where(mine, runs.c.status == "running")
                    .values(lease_until=now + lease_seconds)
                    .returning(runs.c.id, runs.c.cancel_asked)
                )
                held = {row.id: row.cancel_asked for row in connection.execute(prolonged)}
        return Beat(
            lost=frozenset(lease.run_id for lease in leases) - held.keys(),
            cancelled=frozenset(id for id, cancelled in held.items() if cancelled),
        )

    def release(self, lease: Lease) -> None:
        """Give a run back, queued at its old place, for another worker to go on with (a worker that
        shuts down), or for later.

        One with a key of its own needs it again; one that was to be cancelled is cancelled. A lost
        lease changes nothing.
        """
        given_back = case(
            (runs.c.cancel_asked, "cancelled"), (runs.c.own_key, "key_needed"), else_="queued"
        )
        values = {
            "status": given_back,
            "ended_at": case((runs.c.cancel_asked, self._now()), else_=None),
            "barren": case(
                (runs.c.barren > 0, runs.c.barren - 1), else_=0
            ),  # this worker did not die of it
            **_WITHOUT_WORKER,
        }
        with writing(self.engine) as connection:
            connection.execute(
                update(runs).where(_held(lease), runs.c.status == "running").values(**values)
            )

    # ---- housekeeping

    def delete_before(self, created: float) -> int:
        """Delete the ended runs that were made before this time, as `delete` does; how many.

        Those that still wait for their visitor's key count as ended. They go in several
        transactions, so that others can write.
        """
        old = select(runs.c.id).where(
            runs.c.created_at < created, runs.c.status.in_([*ENDED, "key_needed"])
        )
        total = 0
        while True:
            with writing(self.engine) as connection:
                ids = (
                    connection.execute(
                        old.limit(_DELETED_AT_ONCE).with_for_update(skip_locked=True)
                    )
                    .scalars()
                    .all()
                )
                total += self._delete(connection, ids) if ids else 0
            if len(ids) < _DELETED_AT_ONCE:
                break
        if total:
            forget_deleted(self.engine)
        return total

    def deletions(self, since: float) -> list[tuple[str, float]]:
        """(run id, when) of what was deleted at or after ``since``, in order.

        The clocks of several machines differ a little: ask again for the last minutes.
        """
        noted = select(deletions.c.run_id, deletions.c.deleted_at).where(
            deletions.c.deleted_at >= since
        )
        with reading(self.engine) as connection:
            rows = connection.execute(
                noted.order_by(deletions.c.deleted_at, deletions.c.run_id)
            ).all()
        return [(row.run_id, row.deleted_at) for row in rows]


def _held(lease: Lease) -> ColumnElement[bool]:
    return and_(
        runs.c.id == lease.run_id, runs.c.fence == lease.fence, runs.c.worker == lease.worker
    )


def _alive(now: float, within: float) -> ColumnElement[bool]:
    """Workers that gave a sign of life ``within`` seconds."""
    return workers.c.seen_at.between(now - within, now + _AHEAD)


def _candidate(
    worker: str,
    now: float,
    lease_seconds: float,
    in_hand: Collection[str],
) -> Select[Any]:
    """The oldest run that is queued for anybody, for this worker or for one that is dead, or not
    ``in_hand`` with a lease that has run out, or ends so late that the clock must have been ahead
    when it was made.
    """
    living = select(workers.c.name).where(_alive(now, lease_seconds))
    for_me = or_(
        runs.c.key_worker.is_(None), runs.c.key_worker == worker, runs.c.key_worker.not_in(living)
    )
    free = or_(
        and_(runs.c.status == "queued", for_me),
        and_(
            runs.c.status == "running",
            runs.c.id.not_in(in_hand),
            not_(runs.c.lease_until.between(now, now + _AHEAD)),
        ),
    )
    columns = [*_RUN_COLUMNS, runs.c.fence, runs.c.barren, runs.c.sealed_key, runs.c.key_worker]
    return select(*columns).where(free).order_by(runs.c.place, runs.c.id).limit(1)


def _refuse_full(connection: Connection, limit: int | None) -> None:
    """Raise Busy where as many runs are queued as may be. Whoever asks holds the queue's lock, see
    `_next_place`.
    """
    if limit is None:
        return
    queued = connection.execute(select(func.count()).where(runs.c.status == "queued")).scalar_one()
    if queued >= limit:
        raise Busy(f"{queued:,} questions are waiting already. Please try again in a minute.", 60)


def _next_place(connection: Connection) -> int:
    """The place behind all others. PostgreSQL's lock makes places and the length of the queue exact
    until the transaction ends.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _QUEUE_LOCK})
    waiting = or_(
        runs.c.status == "queued", runs.c.status == "running", runs.c.status == "key_needed"
    )
    last = connection.execute(select(func.max(runs.c.place)).where(waiting)).scalar_one()
    return int(last or 0) + 1


def _locked(connection: Connection, run_id: str) -> StoredRun:
    """The run, which nobody else changes until the transaction ends. Raises NotFound."""
    if _ID.fullmatch(run_id):
        row = connection.execute(
            select(*_RUN_COLUMNS).where(runs.c.id == run_id).with_for_update()
        ).first()
        if row is not None:
            return _run(row)
    raise NotFound("This run does not exist.")


def _changed(connection: Connection, run: StoredRun, **values: Any) -> StoredRun:
    """Write ``values`` to a locked run's row; the run as it is then. What a worker that is gone had
    set aside for it is not kept for a run that waits or has ended.
    """
    if values.get("status") in (*ENDED, "key_needed"):
        write_off(connection, [run.id])
    connection.execute(update(runs).where(runs.c.id == run.id).values(**values))
    shown = {
        name: value
        for name, value in values.items()
        if name != "request" and name in StoredRun.__dataclass_fields__
    }
    return replace(run, **shown)


def _run(row: Row[Any]) -> StoredRun:
    values = {column.name: getattr(row, column.name) for column in _RUN_COLUMNS}
    return StoredRun(**values | {"request": _request(row)})


def _request(row: Row[Any]) -> Any:
    """The request, or as much of it as this version understands, to be shown."""
    kind = learned(pipeline(row.pipeline if row.pipeline in PIPELINES else DEFAULT).request)
    try:
        return msgspec.json.decode(row.request, type=kind)
    except msgspec.ValidationError:
        given = msgspec.json.decode(row.request)
        understood = {
            part.name: given.get(part.name, "")
            for part in fields(kind)
            if part.default is MISSING and part.default_factory is MISSING
        }
        for name, value in given.items():
            with contextlib.suppress(msgspec.ValidationError):
                msgspec.convert(understood | {name: value}, kind)
                understood[name] = value
        return msgspec.convert(understood, kind)


def _unfit(row: Row[Any]) -> str | None:
    """Return why a run cannot be carried out: it has killed its workers, or, beside a newer version
    or after a step back from one, its request holds what is new.
    """
    try:
        msgspec.json.decode(row.request, type=learned(pipeline(row.pipeline).request))
    except (msgspec.ValidationError, UsageError):
        return "This run was started by a newer version of this site. Please ask again."
    if row.barren < BARREN_CLAIMS or row.cancel_asked:
        return None
    return f"{BARREN_CLAIMS} workers in a row stopped during this run without any progress."


def _request_json(request: AnyRequest) -> str:
    return msgspec.json.encode(request).decode()


def _event_row(run_id: str, event: Event, created_at: float) -> dict[str, Any]:
    """JSON writes NUL, which PostgreSQL does not take, as an escape."""
    try:
        body = dumps(event)
    except (
        UnicodeEncodeError
    ):  # half a surrogate pair: JSON of a model or a source can hold one, UTF-8 cannot
        said = json.dumps(msgspec.to_builtins(event), ensure_ascii=False).encode(errors="replace")
        event = msgspec.json.decode(said, type=learned(type(event)))
        body = dumps(event)
    key = json.dumps(event.key, ensure_ascii=False)
    if len(key) > _LONGEST_KEY:
        key = f"sha256 {sha256(key.encode()).hexdigest()}"
    return {
        "run_id": run_id,
        "seq": event.seq,
        "key": key,
        "type": event.type,
        "created_at": created_at,
        "body": body,
    }


def _storable(value: str | None) -> str | None:
    """Text as PostgreSQL takes it."""
    return None if value is None else value.replace("\0", "�").encode(errors="replace").decode()
