"""Housekeeping: old runs go by themselves, and what was deleted leaves the caches."""

import dataclasses
import os
from pathlib import Path

import pytest

from clinfo.cache import Cache
from clinfo.patients.keeping import PatientStore
from clinfo.pipelines.chart.records import ChartRequest
from clinfo.records.articles import RunRequest
from clinfo.settings import Settings
from webapp.pipelines.chart.declared import HOUR_SECONDS
from webapp.settings import WebSettings
from webapp.storage.database import connect, migrate
from webapp.storage.store import Store
from webapp.work.retention import DAY_SECONDS, Sweeper

REQUEST = RunRequest(
    question="Does yoga lower blood pressure?", models={"synthesis": "extractive"}, source="demo"
)


@dataclasses.dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(database_url: str, clock: Clock) -> Store:
    engine = connect(database_url)
    migrate(engine)
    return Store(engine, clock)


def sweeper(store: Store, clock: Clock, cache_dir: Path, **web: object) -> Sweeper:
    return Sweeper(WebSettings(**web), Settings(cache_dir=cache_dir), store, clock)


def use(cache_dir: Path, run_id: str, *keys: str) -> None:
    cache = Cache(cache_dir / "cache.sqlite", owner=run_id)
    for key in keys:
        cache.put(key, f"reply {key}")
    cache.close()


def kept(cache_dir: Path, *keys: str) -> list[str]:
    cache = Cache(cache_dir / "cache.sqlite")
    found = [key for key in keys if cache.get(key) is not None]
    cache.close()
    return found


def test_a_deleted_run_leaves_the_cache_and_others_stay(
    store: Store, clock: Clock, tmp_path: Path
) -> None:
    one, two = store.create(REQUEST), store.create(REQUEST)
    use(tmp_path, one.id, "only one", "both")
    use(tmp_path, two.id, "both", "only two")
    sweep = sweeper(store, clock, tmp_path).sweep
    sweep()
    assert kept(tmp_path, "only one", "both", "only two") == ["only one", "both", "only two"]
    store.delete(one.id)
    sweep()
    assert kept(tmp_path, "only one", "both", "only two") == ["both", "only two"]


def test_what_a_run_stores_while_it_is_being_dropped_goes_too(
    store: Store, clock: Clock, tmp_path: Path
) -> None:
    run = store.create(REQUEST)
    sweep = sweeper(store, clock, tmp_path, lease_seconds=1).sweep
    store.delete(run.id)
    sweep()
    use(tmp_path, run.id, "late")
    clock.now += 60
    sweep()
    assert kept(tmp_path, "late") == []


def test_retention_deletes_ended_runs_only(store: Store, clock: Clock, tmp_path: Path) -> None:
    ended, waiting = store.create(REQUEST), store.create(REQUEST)
    store.ask_cancel(ended.id)
    use(tmp_path, ended.id, "old")
    clock.now += 29 * DAY_SECONDS
    young = store.create(REQUEST)
    store.ask_cancel(young.id)
    sweep = sweeper(store, clock, tmp_path, retention_days=30).sweep
    sweep()
    assert store.get(ended.id) is not None
    clock.now += 2 * DAY_SECONDS
    sweep()
    assert store.get(ended.id) is None
    assert store.get(waiting.id) is not None
    assert store.get(young.id) is not None
    assert kept(tmp_path, "old") == []


def test_records_without_runs_and_runs_without_records_go(
    store: Store, clock: Clock, tmp_path: Path
) -> None:
    """A record that a person has just handed over stays, for its run is still to come."""
    records = PatientStore(tmp_path / "patients")
    names = ("used", "unused", "erased", "fresh")
    for name in names:
        path = records.keep(name, "record-1.json", b"{}")
        at = clock.now - (10 if name == "fresh" else 2 * HOUR_SECONDS)
        os.utime(path, (at, at))
    cache = records.cache("cached")
    cache.put("k", "v")
    cache.close()
    for path in cache.path.parent.iterdir():
        os.utime(path, (0, 0))
    (records.root / "incoming-x").mkdir()
    os.utime(records.root / "incoming-x", (0, 0))
    runs = {}
    for name in ("used", "erased"):
        asked = ChartRequest("Any pain?", ("record-1.json",), patient=records.hashed(name))
        runs[name] = store.create(asked, visitor="a" * 64, pipeline="chart").id
        store.ask_cancel(runs[name])
    records.erase(records.hashed("erased"))
    settings = Settings(cache_dir=tmp_path, patients_dir=records.root)
    Sweeper(WebSettings(chart=True), settings, store, clock).sweep()
    kept = [name for name in names if records.kept(records.hashed(name), "record-1.json")]
    assert kept == ["used", "fresh"]
    assert [name for name, run in runs.items() if store.get(run)] == ["used"]
    assert not (records.root / "incoming-x").exists()
    assert not cache.path.parent.exists()
