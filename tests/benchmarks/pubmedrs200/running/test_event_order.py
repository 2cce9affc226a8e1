"""The lasting form of events: the same whatever order they came in, and fit to go on from and to
fold.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import date

from benchmarks.pubmedrs200.running.event_order import ordered
from benchmarks.pubmedrs200.running.planning import RunClock
from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import SynthesisReset, SynthesisText, loads
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.runs.events import Answered, Event, RunCancelled, dumps
from clinfo.settings import Settings

REQUEST = checked(
    question="Do probiotics prevent antibiotic-associated diarrhoea?",
    model="extractive",
    source="demo",
)
CLOCK = RunClock(date(2024, 5, 6))


def events_of_a_run(after: tuple[Event, ...] = ()) -> list[Event]:
    async def run() -> list[Event]:
        return [
            event
            async for event in LITERATURE.assemble(Settings(cache="off"), REQUEST, clock=CLOCK).run(
                REQUEST, after=after
            )
        ]

    return asyncio.run(run())


def text(events: list[Event]) -> str:
    return "\n".join(map(dumps, events))


def test_the_order_of_coming_and_interruptions_do_not_show() -> None:
    events = events_of_a_run()
    lasting = ordered(events)
    shuffled = [replace(event, t=event.t + 1) for event in events]
    random.Random(1).shuffle(shuffled)
    attempt = [
        replace(event, attempt=1) if isinstance(event, SynthesisText) else event
        for event in shuffled
    ]
    broken = [
        SynthesisText(attempt=0, piece=0, text="torn"),
        SynthesisReset(attempt=1),
        RunCancelled(after=3),
    ]
    assert text(ordered([*broken, *attempt])) == text(lasting)
    again = events_of_a_run(tuple(events[: len(events) // 2]))
    assert text(ordered([*events[: len(events) // 2], *again])) == text(lasting)
    assert text(ordered(lasting)) == text(lasting)


def test_they_are_a_run_like_any_other() -> None:
    lasting = list(loads(text(ordered(events_of_a_run())).split("\n")))
    assert isinstance(lasting[-1], Answered)
    answer = {**answer_json(build_answer(lasting)), "timings": {}}
    assert answer == lasting[-1].answer
    assert answer["synthesis"]
    assert answer["searched_on"] == "2024-05-06"
    assert events_of_a_run(tuple(lasting)) == [], "nothing is left to do"
    rest = events_of_a_run(tuple(lasting[: len(lasting) // 2]))
    assert text(ordered([*lasting[: len(lasting) // 2], *rest])) == text(lasting)
