"""A scripted model that answers nobody before so many requests are in flight: how fast they come
does not matter.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from benchmarks.servers.faults import Fault
from benchmarks.servers.model import ModelServer

_PATIENCE = 60.0


@dataclass
class GatheringServer(ModelServer):
    """Waits until ``expected`` requests were in flight at once, for a minute from the first one at
    most.
    """

    expected: int = 1
    _patient_until: float = field(default=0.0, init=False)

    async def _answer(
        self, request: web.Request, body: dict[str, Any], fault: Fault
    ) -> web.StreamResponse:
        self._patient_until = self._patient_until or time.monotonic() + _PATIENCE
        while self.most_in_flight < self.expected and time.monotonic() < self._patient_until:
            await asyncio.sleep(0.01)
        return await super()._answer(request, body, fault)
