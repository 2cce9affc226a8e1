"""Housekeeping that any worker does now and then: old runs are deleted, and what was deleted leaves
this machine's cache.
"""

import logging
import time
from collections.abc import Callable

from clinfo.cache import Cache
from clinfo.settings import Settings
from webapp.pipelines import offered
from webapp.settings import WebSettings
from webapp.storage.budget import write_off_stale
from webapp.storage.database import forget_deleted
from webapp.storage.store import Store

logger = logging.getLogger(__name__)

DAY_SECONDS = 86_400.0
SKEW_SECONDS = 300.0
"""By how much the clocks of two machines may differ."""


class Sweeper:
    """Remembers in memory how far it has come; after a start it goes through all deletions that are
    known.

    A run that is deleted while it is carried out may put a last reply into the cache afterwards,
    and a journal that was being read could not be emptied, so each is forgotten twice: at once, and
    when every worker must have dropped it.
    """

    def __init__(
        self, web: WebSettings, chain: Settings, store: Store, now: Callable[[], float] = time.time
    ) -> None:
        self._web = web
        self._retention = web.retention_days
        self._settle = max(60.0, 4 * web.lease_seconds)
        self._store = store
        self._now = now
        self._cache = Cache(chain.cache_dir / "cache.sqlite") if chain.cache == "on" else None
        self._sweepers = [
            sweep for one in offered(web) if (sweep := one.sweeper(web, chain, store, now))
        ]
        self._newest = 0.0
        self._seen: dict[str, float] = {}
        self._again: dict[str, float] = {}

    def sweep(self) -> None:
        """Once; takes a while, so not on an event loop."""
        write_off_stale(self._store.engine, self._now())
        if self._retention is not None:
            gone = self._store.delete_before(self._now() - self._retention * DAY_SECONDS)
            if gone:
                logger.info(
                    "%d run%s deleted after %g days",
                    gone,
                    "" if gone == 1 else "s",
                    self._retention,
                )
        for sweep in self._sweepers:
            sweep()
        self._forget()

    def _forget(self) -> None:
        now = self._now()
        for run_id, when in self._store.deletions(self._newest - SKEW_SECONDS):
            self._newest = max(self._newest, when)
            if run_id not in self._seen:
                self._seen[run_id] = when
                self._again[run_id] = now + self._settle
                if self._cache is not None:
                    self._cache.forget(run_id)
        due = [run_id for run_id, moment in self._again.items() if moment <= now]
        for run_id in due:
            del self._again[run_id]
            if self._cache is not None:
                self._cache.forget(run_id)
        if due:
            forget_deleted(self._store.engine)
        # What lies further back is not asked for again.
        self._seen = {
            run_id: when
            for run_id, when in self._seen.items()
            if when >= self._newest - SKEW_SECONDS
        }
