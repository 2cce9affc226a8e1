"""Questions to the demo corpus, asked in every way: without a model none is judged."""

import asyncio

import pytest

from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.records.answer import Answer
from clinfo.settings import Settings
from clinfo.sources import demo


def answered(question: str) -> Answer:
    from clinfo.pipelines.literature.answer import build_answer
    from clinfo.pipelines.literature.request import checked
    from clinfo.sources.memory import Memory

    source = Memory(demo.load(), name="demo", notices=(demo.NOTICE,))
    request = checked(question=question, model=ExtractiveModel.name, source="demo")
    chain = LITERATURE.assemble(Settings(cache="off"), request, source=source)

    async def run() -> Answer:
        return build_answer([event async for event in chain.run(request)])

    return asyncio.run(run())


@pytest.mark.parametrize(
    "question",
    [
        "Does yoga lower blood pressure?",
        "Does yoga raise blood pressure?",
        "Is vitamin D ineffective in tuberculosis?",
        "Is palonosetron more effective than ondansetron?",
        "Why does dexmedetomidine reduce pain?",
        "Does sitagliptin reduce vomiting?",
    ],
)
def test_nobody_judges_without_a_model(question: str) -> None:
    answer = answered(question)
    assert not answer.tldr.startswith(("Yes", "No (", "Probably", "The studies disagree"))
    assert {one.summary.stance for one in answer.articles if one.summary is not None} <= {None}
    verdicts = {sentence.verdict for sentence in answer.sentences}
    assert verdicts <= {"quoted", "uncited"}
    assert bool(verdicts) == bool(answer.synthesis)
