"""The store against a model of it in a few dictionaries: any order of calls by visitors and workers
gives the same runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Engine, delete

from clinfo.pipelines.literature.events import SynthesisText
from clinfo.records.articles import RunRequest
from webapp.records import ENDED, Beat, Head, Lease, LeaseLost, NotFound, Refused, Status
from webapp.storage.database import connect, migrate, writing
from webapp.storage.store import BARREN_CLAIMS, Store
from webapp.storage.tables import deletions, runs, workers

pytestmark = pytest.mark.slow

LEASE = 10.0
WORKERS = ("w1", "w2", "w3")


@dataclass
class Known:
    """What the model knows of a run."""

    own_key: bool
    status: Status
    place: int
    texts: list[str] = field(default_factory=list)
    fence: int = 0
    worker: str | None = None
    lease_until: float = 0.0
    key: tuple[str, bytes] | None = None
    cancel_asked: bool = False
    barren: int = 0

    def leaves(self, status: Status) -> None:
        self.status, self.worker, self.key = status, None, None


class Model(RuleBasedStateMachine):
    engine: Engine

    known_ids = Bundle("known_ids")
    leases = Bundle("leases")

    @initialize()
    def empty(self) -> None:
        with writing(self.engine) as connection:
            for table in (runs, workers, deletions):
                connection.execute(delete(table))
        self.now = 1_000.0
        self.store = Store(self.engine, lambda: self.now)
        self.known: dict[str, Known] = {}
        self.deleted: set[str] = set()
        self.seen: dict[str, float] = {}
        self.places = 0
        for name in WORKERS:
            self.arrive(name)

    # ---- visitors

    @rule(target=known_ids, own_key=st.booleans())
    def create(self, own_key: bool) -> str:
        run = self.store.create(RunRequest("Does zinc help?"), own_key=own_key)
        self.places += 1
        self.known[run.id] = Known(own_key, "key_needed" if own_key else "queued", self.places)
        return run.id

    @rule(run_id=known_ids)
    def ask_cancel(self, run_id: str) -> None:
        known = self.known.get(run_id)
        if known is None:
            with pytest.raises(NotFound):
                self.store.ask_cancel(run_id)
            return
        if known.status not in ENDED:
            known.cancel_asked = True
            if known.status != "running" or known.lease_until < self.now:
                known.leaves("cancelled")
        run = self.store.ask_cancel(run_id)
        assert (run.status, run.cancel_asked) == (known.status, known.cancel_asked)

    @rule(run_id=known_ids)
    def resume(self, run_id: str) -> None:
        known = self.known.get(run_id)
        if known is None or known.status not in ("failed", "cancelled"):
            with pytest.raises(NotFound if known is None else Refused):
                self.store.resume(run_id)
            return
        self.places += 1
        known.leaves("key_needed" if known.own_key else "queued")
        known.place, known.cancel_asked, known.barren = self.places, False, 0
        assert self.store.resume(run_id).status == known.status

    @rule(run_id=known_ids, worker=st.sampled_from(WORKERS), sealed=st.binary(max_size=3))
    def give_key(self, run_id: str, worker: str, sealed: bytes) -> None:
        known = self.known.get(run_id)
        if known is None or known.status != "key_needed":
            with pytest.raises(NotFound if known is None else Refused):
                self.store.give_key(run_id, worker, sealed)
            return
        known.status, known.key = "queued", (worker, sealed)
        assert self.store.give_key(run_id, worker, sealed).status == "queued"

    @rule(run_id=known_ids)
    def delete(self, run_id: str) -> None:
        assert self.store.delete(run_id) == (run_id in self.known)
        if self.known.pop(run_id, None):
            self.deleted.add(run_id)

    # ---- workers

    @rule(worker=st.sampled_from(WORKERS))
    def arrive(self, worker: str) -> None:
        self.leave(worker)
        self.store.register(worker, worker.encode())
        self.seen[worker] = self.now

    @rule(worker=st.sampled_from(WORKERS))
    def leave(self, worker: str) -> None:
        self.store.deregister(worker)
        self.seen.pop(worker, None)
        for known in self.known.values():
            if known.status == "queued" and known.key is not None and known.key[0] == worker:
                known.leaves("key_needed")

    @rule(target=leases, worker=st.sampled_from(WORKERS))
    def claim(self, worker: str) -> Lease | None:
        found = self.store.claim(worker, LEASE)
        expected = self._claim(worker)
        if expected is None:
            assert found is None
            return None
        run_id, sealed = expected
        assert found is not None
        known = self.known[run_id]
        assert (found[0].id, found[0].status, found[0].last_seq) == (
            run_id,
            "running",
            len(known.texts) - 1,
        )
        assert found[1:] == (Lease(run_id, worker, known.fence), sealed)
        return found[1]

    def _claim(self, worker: str) -> tuple[str, bytes | None] | None:
        for run_id, known in sorted(self.known.items(), key=lambda item: item[1].place):
            ran_out = known.status == "running" and known.lease_until < self.now
            if not ran_out and known.status != "queued":
                continue
            lost_key = ran_out and known.own_key
            if known.status == "queued" and known.key is not None and known.key[0] != worker:
                if self.seen.get(known.key[0], -1.0) >= self.now - LEASE:
                    continue
                lost_key = True
            if known.cancel_asked:
                known.leaves("cancelled")
            elif known.barren >= BARREN_CLAIMS:
                known.leaves("failed")
            elif lost_key:
                known.leaves("key_needed")
            else:
                sealed = known.key[1] if known.key is not None else None
                known.leaves("running")
                known.worker, known.fence, known.lease_until = (
                    worker,
                    known.fence + 1,
                    self.now + LEASE,
                )
                known.barren += 1
                return run_id, sealed
        return None

    def holds(self, lease: Lease) -> Known | None:
        known = self.known.get(lease.run_id)
        held = (
            known is not None
            and known.status == "running"
            and (known.worker, known.fence) == (lease.worker, lease.fence)
        )
        return known if held else None

    @rule(
        lease=leases,
        count=st.integers(0, 3),
        end=st.sampled_from([None, None, None, "done", "failed", "cancelled", "key_needed"]),
    )
    def append(self, lease: Lease | None, count: int, end: Status | None) -> None:
        if lease is None:
            return
        known = self.holds(lease)
        first = len(self.known[lease.run_id].texts) if lease.run_id in self.known else 0
        texts = [f"{lease.worker} {lease.fence} {seq}" for seq in range(first, first + count)]
        events = [
            (SynthesisText(attempt=0, piece=seq, text=text, seq=seq), self.now)
            for seq, text in enumerate(texts, first)
        ]
        if known is None:
            with pytest.raises(LeaseLost):
                self.store.append(lease, events, LEASE, end=end)
            return
        self.store.append(lease, events, LEASE, end=end)
        known.texts += texts
        known.lease_until = self.now + LEASE
        if texts:
            known.barren = 0
        if end is not None:
            known.leaves(end)

    @rule(lease=leases)
    def append_with_a_gap(self, lease: Lease | None) -> None:
        if lease is not None and self.holds(lease) is not None:
            seq = len(self.known[lease.run_id].texts) + 1
            with pytest.raises(ValueError, match="continue"):
                self.store.append(
                    lease,
                    [(SynthesisText(attempt=0, piece=seq, text="", seq=seq), self.now)],
                    LEASE,
                )

    @rule(lease=leases)
    def release(self, lease: Lease | None) -> None:
        if lease is None:
            return
        if (known := self.holds(lease)) is not None:
            known.leaves(
                "cancelled" if known.cancel_asked else "key_needed" if known.own_key else "queued"
            )
            known.barren = max(known.barren - 1, 0)
        self.store.release(lease)

    @rule(lease=leases)
    def beat(self, lease: Lease | None) -> None:
        if lease is None:
            return
        known = self.holds(lease)
        beat = self.store.beat(lease.worker, [lease], LEASE)
        if lease.worker in self.seen:
            self.seen[lease.worker] = self.now
        if known is None:
            assert beat == Beat(lost=frozenset({lease.run_id}))
            newer = self.known.get(lease.run_id)
            if newer is not None and newer.worker == lease.worker and newer.status == "running":
                newer.lease_until = (
                    self.now + LEASE
                )  # the worker lives, whichever lease it spoke of
            return
        known.lease_until = self.now + LEASE
        assert beat == Beat(
            cancelled=frozenset({lease.run_id}) if known.cancel_asked else frozenset()
        )

    @rule(seconds=st.sampled_from([1.0, 6.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    # ---- what viewers see

    @invariant()
    def seen_alike(self) -> None:
        if not hasattr(self, "known"):
            return
        queue = [
            run_id
            for run_id, known in sorted(self.known.items(), key=lambda item: item[1].place)
            if known.status == "queued"
        ]
        heads = self.store.heads([*self.known, *self.deleted])
        assert {run_id: replace(head, problem=None) for run_id, head in heads.items()} == {
            run_id: Head(
                known.status,
                len(known.texts) - 1,
                queue.index(run_id) + 1 if run_id in queue else None,
            )
            for run_id, known in self.known.items()
        }
        for run_id, known in self.known.items():
            stored = self.store.events(run_id)
            assert [event.seq for event in stored] == list(range(len(known.texts)))
            assert all(
                f'"text": "{text}"' in event.body
                for event, text in zip(stored, known.texts, strict=True)
            )
            run = self.store.get(run_id)
            assert run is not None
            assert (run.ended_at is not None) == (known.status in ENDED)
        assert {run_id for run_id, _ in self.store.deletions(0)} == self.deleted
        assert sum(self.store.counts().values()) == len(self.known)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = connect(database_url)
    migrate(made)
    yield made
    made.dispose()


def test_any_order_of_calls_gives_what_the_model_gives(engine: Engine) -> None:
    machine = type("OnThisEngine", (Model,), {"engine": engine})
    examples = 60 if engine.dialect.name == "sqlite" else 15
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow],  # a busy machine
        ),
    )
