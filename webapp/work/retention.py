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
    """Remembers in memory when it has swept; after a start it goes through all deletions that are
    known.

    A run that is deleted while it is carried out may put a last reply into the cache afterwards,
    and a journal that was being read could not be emptied, so each is forgotten at once, and again
    until every worker must have dropped it.
    """

    def __init__(
        self, web: WebSettings, chain: Settings, store: Store, now: Callable[[], float] = time.time
    ) -> None:
        self._web = web
        self._retention = web.retention_days
        self._again = SKEW_SECONDS + max(60.0, 4 * web.lease_seconds)
        self._store = store
        self._now = now
        self._cache = Cache(chain.cache_dir / "cache.sqlite") if chain.cache == "on" else None
        self._sweepers = [
            sweep for one in offered(web) if (sweep := one.sweeper(web, chain, store, now))
        ]
        self._swept = 0.0

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
        since, self._swept = self._swept - self._again, self._now()
        gone = self._store.deletions(since)
        if self._cache is not None:
            for run_id, _ in gone:
                self._cache.forget(run_id)
        if gone:
            forget_deleted(self._store.engine)
