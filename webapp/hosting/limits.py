"""Rate limits per address and per user.

Whoever a trusted proxy names is counted by name, everybody else by address (IPv6: by its /64, which
is one household), so that a hospital behind one address is not one visitor. Counts are kept in
Redis where ``REDIS_URL`` is set, which all processes share. Else they are in this process's memory,
which is right for one web process: it answers all requests itself, with threads; a restart
forgives. With several processes and no Redis every one would allow the whole rate, so
`webapp.hosting.starting` refuses that.

When Redis is down the counts go on in memory for a while: visitors rather get a little more than
nothing.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from flask import Flask, current_app, request
from limits import RateLimitItem, parse_many
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import MovingWindowRateLimiter

from webapp.hosting.logs import network_of
from webapp.records import Busy, Visitor
from webapp.services import services
from webapp.settings import WebSettings

_log = logging.getLogger(__name__)

RETRY_SECONDS: Final = 5.0
"""Seconds for which the memory stands in before Redis is tried again."""
PATIENCE: Final = 0.5
"""Seconds that Redis may take for an answer; every request waits for it."""
BYTES: Final = 2_000
"""Bytes of a body that count as a request."""
WRONG_TOKEN: Final = 20
"""Requests that one with a wrong access token counts as."""
_UNCOUNTED: Final = ("static", "operations.healthz", "operations.readyz", "operations.metrics")
_UNCOUNTED_ROOMS: Final = ("streams", "live", "admin")
"""Event streams, whose number has a limit of its own, and which come back by themselves, and the
host's page. They count themselves what is to be counted.
"""


class Counts:
    """Recent requests by address or user, in Redis or in memory."""

    def __init__(self, shared: Storage | None) -> None:
        self.shared = MovingWindowRateLimiter(shared) if shared is not None else None
        self._memory = MovingWindowRateLimiter(MemoryStorage())
        self._shared_again = 0.0
        self._lock = threading.Lock()

    def wait_for(self, rates: Sequence[RateLimitItem], *key: str, cost: int = 1) -> int:
        """0 and counted (as ``cost``, but never as more than half of a rate), or the seconds until
        the next one is allowed.
        """
        if self.shared is not None and time.monotonic() >= self._shared_again:
            try:
                wait = self._asked(self.shared, rates, key, cost)
            except Exception as error:  # whatever the client raises: a visitor must not see it
                with self._lock:
                    self._shared_again = time.monotonic() + RETRY_SECONDS
                _log.warning(
                    "rates are counted in memory: Redis does not answer",
                    extra={"error": type(error).__name__},
                )
            else:
                return wait
        return self._asked(self._memory, rates, key, cost)

    @staticmethod
    def _asked(
        counter: MovingWindowRateLimiter,
        rates: Sequence[RateLimitItem],
        key: tuple[str, ...],
        cost: int,
    ) -> int:
        # Ask all of them first, so that what one refuses is not counted by another; `hit` decides
        # between two at once.
        for allowed in (counter.test, counter.hit):
            for rate in rates:
                if not allowed(rate, *key, cost=min(cost, max(1, rate.amount // 2))):
                    wait = int(counter.get_window_stats(rate, *key).reset_time - time.time()) + 1
                    if wait <= rate.get_expiry() + 1:
                        return max(1, wait)
                    counter.clear(rate, *key)  # counted before the clock was put back
        return 0


def set_up(app: Flask, visitor: Callable[[], Visitor]) -> None:
    """Put it into an app that is being made; `webapp.hosting.starting` has looked at its settings.
    ``visitor`` gives who sent the present request.
    """
    web: WebSettings = app.extensions["clinfo"].web
    rates = {"runs": web.runs_rate, "requests": web.requests_rate}
    app.extensions["clinfo_rates"] = {what: parse_many(rate) for what, rate in rates.items()}
    app.extensions["clinfo_counts"] = Counts(_redis(web.redis_url))

    @app.before_request
    def _count_request() -> None:
        if request.endpoint not in _UNCOUNTED and request.blueprint not in _UNCOUNTED_ROOMS:
            count_request(visitor())


def counts_are_shared() -> bool:
    """Return False where there is a Redis that cannot be reached (for /readyz)."""
    counts: Counts = current_app.extensions["clinfo_counts"]
    return counts.shared is None or counts.shared.storage.check()


def count_start(who: Visitor) -> None:
    """Count a run that is about to be started, from a page or by a program. Raises Busy where that
    is one too many.
    """
    most = f"started as many runs as this site allows ({services().web.runs_rate})"
    _count("runs", counted_as(who), 1, most)


def counted_as(who: Visitor) -> str:
    """Under what a visitor is counted."""
    if who.user is not None:
        return f"user {who.user}"
    return f"address {household(who.address)}"


def household(address: str) -> str:
    """An address as it is counted: IPv6 by its /64. "unknown" for what is none."""
    return network_of(address, 32, 64).removesuffix("/32")


def count_request(who: Visitor) -> None:
    """Count the present request. Raises Busy where it is one too many."""
    _count("requests", counted_as(who), _cost())


def count_wrong_token(address: str) -> None:
    """Count a request with a wrong access token, as several of its address. Raises Busy."""
    _count("requests", f"address {household(address)}", WRONG_TOKEN)


def _count(
    what: str, whose: str, cost: int, most: str = "sent more requests than this site allows"
) -> None:
    rates: Sequence[RateLimitItem] = current_app.extensions["clinfo_rates"][what]
    counts: Counts = current_app.extensions["clinfo_counts"]
    if wait := counts.wait_for(rates, what, whose, cost=cost):
        raise Busy(f"Your network has {most}. Try again in {_said(wait)}.", wait)


def _cost() -> int:
    """A long request counts as several: what is sent is looked through for what identifies a
    patient, which takes its time.
    """
    if request.method in ("GET", "HEAD"):
        return 1
    length = request.content_length
    return (
        1
        + (
            services().web.largest_body
            if length is None and "Transfer-Encoding" in request.headers
            else min(length or 0, services().web.largest_body)  # beyond it: documents
        )
        // BYTES
    )


def _said(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds" if seconds != 1 else "a second"
    return f"{-(-seconds // 60)} minutes"


def _redis(url: str | None) -> Storage | None:
    if url is None:
        return None
    storage = storage_from_string(url, socket_connect_timeout=PATIENCE, socket_timeout=PATIENCE)
    assert isinstance(storage, Storage)  # an asynchronous one has an address of its own
    return storage
