"""The history of an E-utilities server: searches and posted lists under a WebEnv, numbered by query
keys.
"""

import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clinfo.pubmed.plan import Plan, Sort

IDLE_SECONDS = 8 * 3600.0
"""Seconds for which an environment is kept after its last use, as NCBI is said to."""
MOST_ENVIRONMENTS = 10_000
MOST_KEYS = 1_000


@dataclass(frozen=True)
class Kept:
    """The hits of an entry, and their order: by ``sort``, or as posted in ``pmids``."""

    plan: Plan
    sort: Sort = "pub_date"
    pmids: Sequence[str] | None = None


class History:
    """Environments in memory, the one unused for longest dropped first. Safe to use from any
    thread.
    """

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle = idle_seconds
        self._lock = threading.Lock()
        # those used last stand last
        self._environments: dict[str, tuple[float, dict[int, Kept]]] = {}

    def keep(self, kept: Kept, web_env: str = "") -> dict[str, Any]:
        """Put into the environment (a new one where there is none of that name): its QueryKey and
        WebEnv.
        """
        with self._lock:
            entries = self._entries(web_env)
            if entries is None:
                web_env, entries = f"MCID_{secrets.token_hex(12)}", {}
            query_key = max(entries, default=0) + 1
            if query_key > MOST_KEYS:
                del entries[min(entries)]
            entries[query_key] = kept
            self._environments[web_env] = (time.monotonic(), entries)
            if len(self._environments) > MOST_ENVIRONMENTS:
                del self._environments[next(iter(self._environments))]
            return {"QueryKey": query_key, "WebEnv": web_env}

    def all(self, web_env: str) -> dict[int, Kept] | None:
        """Return what the environment holds by query key, or None where it is unknown or has
        expired.
        """
        with self._lock:
            entries = self._entries(web_env)
            return None if entries is None else dict(entries)

    def _entries(self, web_env: str) -> dict[int, Kept] | None:
        used, entries = self._environments.pop(web_env, (0.0, None))
        if entries is None or time.monotonic() - used > self._idle:
            return None
        self._environments[web_env] = (time.monotonic(), entries)
        return entries
