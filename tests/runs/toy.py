"""A pipeline of two stages, in whole: what the engine, saved runs and the worker need of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from clinfo.runs.engine import Run
from clinfo.runs.events import Event, EventTypes, RunStarted
from clinfo.runs.pipeline import Pipeline, Stage
from clinfo.runs.protocols import Message
from clinfo.runs.run_log import RunLog


class Words(TypedDict):
    words: str


@dataclass(frozen=True)
class Asked:
    words: str
    models: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_cost: float | None = None
    max_seconds: float | None = None


class Started(RunStarted):
    request: Asked


class Shouted(Event, stage="shout", key="shouted {0.n}"):
    n: int
    text: str


SHOUT = Stage("shout", variables=Words)
JOIN = Stage("join", variables=Words)


async def work(run: Run[Asked, RunLog, None]) -> None:
    run.start()
    for n, word in enumerate(run.request.words.split()):
        if f"shouted {n}" not in run.run_log:
            asked = SHOUT.request((Message("user", word),), {"words": word})
            said = await run.ask(f"shout {n}", asked)
            run.emit(Shouted(n=n, text=said.text))
    words = " ".join(event.text for event in run.run_log.all(Shouted))
    await run.ask("join", JOIN.request((Message("user", words),), {"words": words}))


def fold(log: RunLog) -> dict[str, Any]:
    joined = log.reply("join")
    return {"text": joined.reply if joined else ""}


TOY = Pipeline("toy", (SHOUT, JOIN), EventTypes((Started, Shouted)), Asked, work, fold)
