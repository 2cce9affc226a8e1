"""Tasks of a run: waited for together, or not needed any more."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


async def cancelled(tasks: Sequence[asyncio.Future[Any]]) -> None:
    """Cancel tasks and wait until they have ended; their outcome stays with them."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def all_of(works: Iterable[Awaitable[T]]) -> list[T]:
    """Return what each of them gives, in order. At the first error, or when cancelled, the others
    are cancelled before it is raised.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        await cancelled(tasks)
        raise
