"""Types that msgspec knows wholly, so that several threads may read JSON as them.

msgspec 0.22 puts what it knows of a dataclass where all threads find it before it has gone through
the fields. A thread that reads the same class in that moment takes an unfinished entry, and the
process dies of it (SIGSEGV). So each type is learned by one thread, before any reads it.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")

_LOCK = RLock()
_LEARNED: set[Any] = set()


def learned(kind: type[T]) -> type[T]:
    """Return ``kind``, as an argument of `msgspec.convert`, `msgspec.json.decode` or a decoder,
    once msgspec knows it and all that is in it.
    """
    if kind not in _LEARNED:
        import msgspec

        with _LOCK:
            msgspec.json.Decoder(kind)
            _LEARNED.add(kind)
    return kind
