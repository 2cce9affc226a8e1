"""The clock of this machine."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class SystemClock:
    """The clock of this machine, in UTC, as a `clinfo.runs.protocols.Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def seconds_until(stated: str) -> float | None:
    """Seconds of a Retry-After header, which holds a number or a date (RFC 9110, 10.2.3), never
    negative; None where it cannot be read.
    """
    if re.fullmatch(r"\d{1,9}(\.\d*)?", stated.strip(), re.ASCII):
        return float(stated)
    try:
        moment = parsedate_to_datetime(stated)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(
        0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - time.time()
    )
