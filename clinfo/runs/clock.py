"""The clock of this machine."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine, in UTC, as a `clinfo.runs.protocols.Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
