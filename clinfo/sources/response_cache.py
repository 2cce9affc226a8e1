"""A cache of source responses: typed values in and out of a cache of texts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

import msgspec

A_DAY = 24 * 3600.0

T = TypeVar("T")


class ReplyCache(Protocol):
    """The cache that a source needs (`clinfo.cache.Cache`)."""

    def get(self, key: str, max_age: float | None = None) -> str | None:
        """The text stored under ``key``, None if there is none that is young enough (seconds)."""

    def put(self, key: str, value: str) -> None:
        """Store ``value`` under ``key``."""


class ResponseCache:
    """Values (dataclasses) by key, none of them older than ``seconds``. Without a cache nothing is
    found and nothing kept.
    """

    def __init__(self, cache: ReplyCache | None, seconds: float = A_DAY) -> None:
        self._cache = cache
        self._seconds = seconds

    async def recall(self, keys: Sequence[str], form: type[T]) -> dict[str, T]:
        """Return what is kept under these keys, as far as it can be read; a damaged entry is as
        good as none.
        """
        cache = self._cache
        if cache is None or not keys:
            return {}

        def recalled() -> dict[str, T]:
            found: dict[str, T] = {}
            for key in keys:
                text = cache.get(key, self._seconds)
                with suppress(msgspec.MsgspecError):
                    if text is not None:
                        found[key] = msgspec.json.decode(text, type=form)
            return found

        return await asyncio.to_thread(recalled)

    async def remember(self, values: Mapping[str, Any]) -> None:
        """Keep these values."""
        cache = self._cache
        if cache is None or not values:
            return

        def remember() -> None:
            for key, value in values.items():
                cache.put(key, msgspec.json.encode(value).decode())

        await asyncio.to_thread(remember)
