"""A pipeline of two stages, in whole: what the engine, saved runs and the worker need of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from clinfo.pipelines.models import stage_models
from clinfo.runs.clock import SystemClock
from clinfo.runs.engine import Runner
from clinfo.runs.events import Answered, Event, EventTypes, RunStarted
from clinfo.runs.pipeline import Pipeline, Stage, StagePrompt
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings


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


SHOUT = Stage("shout", variables=Words, prompts=(StagePrompt("shout", {"words": "a word"}),))
JOIN = Stage("join", variables=Words, prompts=(StagePrompt("join", {"words": "words"}),))


async def work(recorder: Recorder[RunLog], request: Asked) -> None:
    log = recorder.run_log
    recorder.emit(Started(request=request, settings={}, notices=(), started_at="2026-11-22"))
    for n, word in enumerate(request.words.split()):
        if f"shouted {n}" not in log:
            asked = SHOUT.request((Message("user", word),), {"words": word})
            said = await recorder.ask(f"shout {n}", asked)
            recorder.emit(Shouted(n=n, text=said.text))
    words = " ".join(event.text for event in log.all(Shouted))
    joined = await recorder.ask("join", JOIN.request((Message("user", words),), {"words": words}))
    recorder.emit(Answered(answer={"text": joined.text}))


def assemble(
    settings: Settings, request: Asked, after: Iterable[Event] = (), **given: Any
) -> Runner[Asked, RunLog]:
    models = stage_models(
        settings, TOY, request.models, prices=given.get("prices"), api_key=given.get("api_key")
    )
    budget = given.get("budget")
    return Runner(TOY, work, models, budget or MemoryBudget(request.max_cost), SystemClock())


TOY = Pipeline("toy", (SHOUT, JOIN), EventTypes((Started, Shouted)), Asked, assemble, RunLog)
