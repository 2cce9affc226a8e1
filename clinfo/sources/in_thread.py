"""Blocking calls from asyncio, in threads that can be told to stop and that hold nothing up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[threading.Event], T]) -> T:
    """``work`` in a thread of its own, told to stop when this task is cancelled.

    Not asyncio.to_thread: its threads are few, waited for at exit, and one that hangs on a silent
    server would hold both up.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    stop = threading.Event()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not done.done():
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work(stop)
        except BaseException as caught:
            error = caught
        if not loop.is_closed():
            try:
                loop.call_soon_threadsafe(settle, result, error)
            except RuntimeError:
                return  # the loop was closed in between: nobody waits any more

    threading.Thread(target=run, name="clinfo-source", daemon=True).start()
    try:
        return await done
    finally:
        stop.set()
