"""A pipeline of two stages, in whole: what the engine, saved runs and the worker need of one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from clinfo.records.request import WHO, Option
from clinfo.runs.engine import Run
from clinfo.runs.events import Event, EventTypes
from clinfo.runs.options import Options
from clinfo.runs.pipeline import Pipeline, Stage
from clinfo.runs.protocols import Message
from clinfo.runs.run_log import RunLog


@dataclass(frozen=True)
class Asked:
    question: Annotated[str, Option("What is shouted.", WHO)]
    models: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_cost: float | None = None
    max_seconds: float | None = None
    times: Annotated[int, Option("So often.", WHO, metavar="N", least=1, most=9)] = 1
    numbers: Annotated[tuple[float, ...], Option("Shouted after that.", WHO, metavar="N")] = ()


class Shouted(Event, stage="shout", key="shouted {0.n}"):
    n: int
    text: str


SHOUT = Stage("shout")
JOIN = Stage("join")


async def work(run: Run[Asked, RunLog, None]) -> None:
    run.start()
    words = run.request.question.split() * run.request.times
    for n, word in enumerate([*words, *(f"{one:g}" for one in run.request.numbers)]):
        if f"shouted {n}" not in run.run_log:
            asked = SHOUT.request((Message("user", word),), {"words": word})
            said = await run.ask(f"shout {n}", asked)
            run.emit(Shouted(n=n, text=said.text))
    joined = " ".join(event.text for event in run.run_log.all(Shouted))
    await run.ask("join", JOIN.request((Message("user", joined),), {"words": joined}))


def fold(log: RunLog) -> dict[str, Any]:
    joined = log.reply("join")
    return {"text": joined.reply if joined else ""}


OPTIONS = Options(Asked)
TOY = Pipeline(
    "toy",
    (SHOUT, JOIN),
    EventTypes(Asked, (Shouted,)),
    Asked,
    work,
    fold,
    declared=f"{__name__}:OPTIONS",
)
