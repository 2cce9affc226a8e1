"""The history of an E-utilities server: searches and posted lists under a WebEnv, numbered by query
keys.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
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
        self._environments: OrderedDict[str, tuple[float, dict[int, Kept]]] = OrderedDict()

    def keep(self, kept: Kept, web_env: str = "") -> dict[str, Any]:
        """Put into the environment (a new one where there is none of that name): its QueryKey and
        WebEnv.
        """
        with self._lock:
            entries = self._entries(web_env) if web_env else None
            if entries is None:
                web_env, entries = f"MCID_{secrets.token_hex(12)}", {}
            query_key = max(entries, default=0) + 1
            if query_key > MOST_KEYS:
                del entries[min(entries)]
            entries[query_key] = kept
            self._environments[web_env] = (time.monotonic(), entries)
            self._environments.move_to_end(web_env)
            while len(self._environments) > MOST_ENVIRONMENTS:
                self._environments.popitem(last=False)
            return {"QueryKey": query_key, "WebEnv": web_env}

    def all(self, web_env: str) -> dict[int, Kept] | None:
        """Return what the environment holds by query key, or None where it is unknown or has
        expired.
        """
        with self._lock:
            entries = self._entries(web_env)
            return None if entries is None else dict(entries)

    def _entries(self, web_env: str) -> dict[int, Kept] | None:
        found = self._environments.get(web_env)
        if found is None:
            return None
        used, entries = found
        if time.monotonic() - used > self._idle:
            del self._environments[web_env]
            return None
        self._environments[web_env] = (time.monotonic(), entries)
        self._environments.move_to_end(web_env)
        return entries
