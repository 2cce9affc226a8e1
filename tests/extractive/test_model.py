"""The model without a language model: off the event loop, in order, and bounded."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

from clinfo.extractive.model import CUT, READ_CHARACTERS, ExtractiveModel
from clinfo.pipelines.literature.declared import LITERATURE
from clinfo.records.articles import Article, Section
from clinfo.runs.protocols import ModelRequest

MODEL = ExtractiveModel(LITERATURE.stages)
QUESTION = "Does walking reduce back pain?"


def article(number: int, conclusion: str, methods: str) -> Article:
    return Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title="Walking for back pain",
        sections=(Section(methods, "METHODS"), Section(conclusion, "CONCLUSIONS")),
    )


def test_the_rules_of_a_stage_leave_the_event_loop_free_and_answer_in_order() -> None:
    """Each reply waits until the loop has answered it, which it cannot do while it is read there;
    the first is the slowest.
    """
    order: list[int] = []

    async def go() -> None:
        loop = asyncio.get_running_loop()

        def by_rule(variables: Any, seed: int) -> str:
            answered = threading.Event()
            turns = 50 - seed

            def turn(left: int) -> None:
                if left:
                    loop.call_soon(turn, left - 1)
                else:
                    answered.set()

            loop.call_soon_threadsafe(turn, turns)
            assert answered.wait(10), "the event loop was kept busy"
            return str(seed)

        model = ExtractiveModel([replace(LITERATURE.stages[0], by_rule=by_rule)])
        stage = LITERATURE.stages[0].name

        async def one(seed: int) -> None:
            order.append(int((await model.complete(ModelRequest(stage, (), seed=seed))).text))

        await asyncio.gather(*map(one, range(20)))

    asyncio.run(go())
    assert order == list(range(20))


def test_an_abstract_is_read_up_to_a_length_and_that_is_told() -> None:
    filler = "Pain was measured each week. "
    late = "In conclusion, walking did not reduce back pain."
    short = article(1, "Walking reduced back pain.", filler * 9)
    long = article(2, late, filler * 900)
    assert len(short.abstract) < READ_CHARACTERS < len(long.abstract)
    for each, told in ((short, ()), (long, (CUT,))):
        for stage in ("relevance", "summary"):
            request = ModelRequest(stage, (), {"question": QUESTION, "article": each})
            reply = asyncio.run(MODEL.complete(request))
            assert reply.warnings == told
            assert late not in reply.text
    turned = replace(long, sections=long.sections[::-1])
    request = ModelRequest("summary", (), {"question": QUESTION, "article": turned})
    assert late in asyncio.run(MODEL.complete(request)).text
