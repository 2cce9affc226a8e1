"""A worker: claims runs, carries them out on one asyncio loop, and appends their events to the database as they happen."""

from __future__ import annotations

import asyncio

from clinfo.settings import Settings
from webapp.settings import WebSettings
from webapp.store import Store
from webapp.waking import Waker


class Worker:
    """``web.runs_at_a_time`` runs side by side; visitors' keys are in its memory only, sealed to it on their way.

    When a lease is lost the run is dropped at once and nothing more of it is written. On `stop` it claims nothing more, gives
    what is running some seconds, and releases the rest for others to go on with.
    """

    def __init__(self, web: WebSettings, chain: Settings, store: Store, waker: Waker) -> None:
        raise NotImplementedError

    async def work(self, stop: asyncio.Event) -> None:
        """Until ``stop`` is set."""
        raise NotImplementedError
