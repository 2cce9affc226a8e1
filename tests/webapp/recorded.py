"""Runs put into a store as a worker would have left them: real ones of the chain, and events made
by hand.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from flask import Flask

from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.records.articles import RunRequest
from clinfo.runs.events import Event
from clinfo.settings import Settings
from tests.webapp.small_app import small_app
from webapp.records import Status, StoredRun
from webapp.storage.store import Store

DEMO_QUESTION = "Does yoga lower blood pressure?"


def app_in(folder: Path, **settings: object) -> Flask:
    """The app over a new SQLite database in ``folder``, over plain HTTP; ``settings`` are fields of
    WebSettings.
    """
    usual: dict[str, object] = {
        "database_url": f"sqlite:///{folder}/runs.sqlite",
        "sources": ("demo", "pubmed"),
        "models": ("extractive",),
    }
    return small_app(folder, {"data_dir": folder / "data"}, **usual | settings)


def request(question: str = DEMO_QUESTION, **fields: object) -> RunRequest:
    return checked(
        **{"question": question, "model": "extractive", "source": "demo", "strict": True} | fields
    )


def events_of(asked: RunRequest, folder: Path) -> list[Event]:
    """The events of a whole run."""
    chain = LITERATURE.assemble(Settings(data_dir=folder / "data", cache="off"), asked)

    async def collected() -> list[Event]:
        return [event async for event in chain.run(asked)]

    return asyncio.run(collected())


def numbered(events: Sequence[Event]) -> list[Event]:
    """The events with sequence numbers from 0 on."""
    return [replace(event, seq=seq) for seq, event in enumerate(events)]


def stored(
    store: Store,
    asked: RunRequest,
    events: Sequence[Event],
    status: Status = "done",
    *,
    problem: str | None = None,
    retryable: bool = False,
    visitor: str | None = None,
    owner: str | None = None,
    again_of: str | None = None,
) -> StoredRun:
    """The run after these events, ended as ``status``, or still running."""
    made = store.create(asked, visitor=visitor, owner=owner, again_of=again_of)
    claimed = store.claim("worker of a test", 60.0)
    assert claimed is not None
    run, lease, _ = claimed
    assert run.id == made.id
    end = None if status == "running" else status
    store.append(
        lease,
        [(event, made.created_at + event.t) for event in events],
        60.0,
        end=end,
        problem=problem,
        retryable=retryable,
    )
    found = store.get(made.id)
    assert found is not None
    return found
