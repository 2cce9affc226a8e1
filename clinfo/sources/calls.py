"""Calls of a service from asyncio: in threads that can be told to stop, their answers kept."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from clinfo.cache import Cache
from clinfo.learned_types import learned
from clinfo.records.articles import Article, Fetched, Unreadable
from clinfo.runs.protocols import Clock

A_DAY = 24 * 3600.0

T = TypeVar("T")


class ResponseCache:
    """Values (dataclasses) by key, none of them older than ``seconds``. Without a cache nothing is
    found and nothing kept.
    """

    def __init__(self, cache: Cache | None, seconds: float = A_DAY) -> None:
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
                        found[key] = msgspec.json.decode(text, type=learned(form))
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

    async def once(
        self,
        key: str,
        form: type[T],
        fresh: bool,
        make: Callable[[], Awaitable[T]],
        whole: Callable[[T], bool] = lambda made: True,
    ) -> T:
        """The value under a key, where it is not to be ``fresh``; else as it is made, and kept
        where it is ``whole``.
        """
        known = {} if fresh else await self.recall([key], form)
        if key in known:
            return known[key]
        made = await make()
        await self.remember({key: made} if whole(made) else {})
        return made

    async def fetched(
        self,
        ids: Sequence[str],
        fresh: bool,
        key_of: Callable[[str], str],
        takes: Callable[[str], bool],
        read: Callable[[list[str]], Awaitable[list[Article | Unreadable]]],
        most: int,
        too_many: type[Exception],
    ) -> Fetched:
        """The records of these ids, told apart by their own and not by their place: kept ones, else
        as they are read, ``most`` at a time, of ids that the service ``takes``. Where they are
        ``too_many`` for one answer they are read by halves.
        """

        async def all_of(ids: list[str]) -> list[Article | Unreadable]:
            try:
                return await read(ids)
            except too_many:
                if len(ids) == 1:
                    raise
                half = len(ids) // 2
                return [*await all_of(ids[:half]), *await all_of(ids[half:])]

        wanted = list(dict.fromkeys(ids))
        keys = {} if fresh else {key_of(id): id for id in wanted}
        kept = await self.recall(list(keys), Article)
        articles = {keys[key]: article for key, article in kept.items()}
        asked = [id for id in wanted if id not in articles and takes(id)]
        parts = [asked[start : start + most] for start in range(0, len(asked), most)]
        items = [item for part in await asyncio.gather(*map(all_of, parts)) for item in part]
        unread = {item.id: item for item in items if isinstance(item, Unreadable)}
        own = {item.id: item for item in items if isinstance(item, Article) and item.id in {*asked}}
        articles |= own
        await self.remember({key_of(id): article for id, article in own.items()})
        return Fetched(
            articles=tuple(articles[id] for id in wanted if id in articles),
            missing=tuple(id for id in wanted if id not in articles and id not in unread),
            unreadable=tuple(item for id, item in unread.items() if id not in articles),
        )


def moment(clock: Clock | None) -> str:
    """The time, as records of searches have it."""
    now = clock.now() if clock is not None else datetime.now(UTC)
    return now.astimezone(UTC).isoformat(timespec="seconds")


async def in_thread(work: Callable[[threading.Event], T]) -> T:
    """``work`` in a thread of its own, told to stop when this task is cancelled.

    Not asyncio.to_thread: its threads are few, waited for at exit, and one that hangs on a silent
    server would hold both up.
    """
    done: Future[T] = Future()
    stop = threading.Event()

    def run() -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            done.set_result(work(stop))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, name="clinfo-source", daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    finally:
        stop.set()
