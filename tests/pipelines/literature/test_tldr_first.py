"""One call that writes the TL;DR and then the synthesis: when, how its reply is parted, and what is
shown of it ahead of the synthesis.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from clinfo.pipelines.literature.events import (
    LiteratureLog,
    SynthesisReset,
    SynthesisText,
    TldrText,
)
from clinfo.pipelines.literature.spending_plan import tldr_first
from clinfo.pipelines.literature.stages import MODEL_STAGES, PROMPTS
from clinfo.pipelines.literature.writing import FORM, parted, unlabelled
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Answered, Event
from clinfo.runs.protocols import ModelReply, ModelRequest, StreamReset
from clinfo.views.steps import tldr
from tests.fakes import FakeModel, FakeSource, articles, request, run_events, sensible_reply

DEFAULTS = PROMPTS.defaults()
MODELS = dict.fromkeys(MODEL_STAGES, "fake")
EDITED = "Shorten it. {question} {synthesis}"
CARRIED = "In 40 adults, vitamin D and falls: 4.5% fewer (95% CI 4.1 to 4.9) [1]."
WHOLE = f"TL;DR: {CARRIED}\n\nThe first sentence [1]. The second [2]."


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"models": {**MODELS, "tldr": "another"}}, False),
        ({"models": {**MODELS, "summary": "another"}}, True),
        ({"models": dict.fromkeys(MODEL_STAGES, EXTRACTIVE)}, False),
        ({"prompts": {"tldr": EDITED}}, False),
        ({"prompts": {"synthesis": "Sum up. {question} {studies}"}}, False),
        ({"prompts": DEFAULTS}, True),
    ],
)
def test_when(fields: dict[str, Any], expected: bool) -> None:
    assert tldr_first(request(**fields)) is expected


SYNTHESIS = "*The* first sentence [1]. The second [2]."
LAID_OUT = (
    "TL;DR: {}\n\n{}",
    "**TL;DR:** {}\n \n{}",
    "\n# TL;DR:\n{}\n\n{}",
    "**TL;DR**: {}\n\n{}",
    "**TL;DR: {}**\n\n{}",
    "TLDR: {}\n\n{}",
    "## TL;DR\n\n{}\n\n## Synthesis\n\n{}",
    "Tl;dr: {}\n\nSynthesis: {}",
    "> TL;DR: {}\n>\n> {}",
    "TL; DR – {}\r\n\r\n**Synthesis:** {}",
    "TL;DR: {}\n{}",
    "TL;DR: {}\r\n{}",
)


@pytest.mark.parametrize("form", ["{}", "TL;DR: {}", "Sure! Here is one:\n\n**TL;DR:** {}\n"])
def test_alone_it_loses_its_label_and_what_greets_before_it(form: str) -> None:
    assert unlabelled(form.format(CARRIED)) == CARRIED


@pytest.mark.parametrize("form", LAID_OUT)
@pytest.mark.parametrize("times", [1, 20])
def test_ways_in_which_models_lay_it_out(form: str, times: int) -> None:
    synthesis = " ".join([SYNTHESIS] * times)
    text = form.format(CARRIED, synthesis)
    assert parted(text, whole=True) == (CARRIED, synthesis)
    shown = [parted(text[:end]) for end in range(len(text) + 1)]
    assert {tldr for tldr, _ in shown} <= {"", CARRIED}
    assert all(later.startswith(one) for (_, one), (_, later) in pairwise(shown))
    if times > 1:
        assert shown[-1] == (CARRIED, synthesis)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A synthesis alone [1].\n\nIn two parts.", "A synthesis alone [1].\n\nIn two parts."),
        ("Synthesis of proteins fell [1].", "Synthesis of proteins fell [1]."),
        (f"TL;DR: {CARRIED}", CARRIED),
        (f"TL;DR: {CARRIED}\n\n", CARRIED),
        ("T", "T"),
        ("", ""),
    ],
)
def test_a_reply_of_one_part_is_a_synthesis(text: str, expected: str) -> None:
    assert parted(text, whole=True) == ("", expected)


def test_a_tldr_of_two_lines_is_one() -> None:
    tldr = "It fell [1].\nIt rose [2]."
    assert parted(f"TL;DR: {tldr}\n\n{SYNTHESIS}", whole=True) == (tldr, SYNTHESIS)
    assert parted("TL;DR: not whole yet") == ("", "")


@pytest.mark.parametrize("text", [WHOLE, f"**{WHOLE}", "A synthesis alone [1].\n\nTo its end."])
def test_what_is_shown_only_grows(text: str) -> None:
    shown = [parted(text[:end])[1] for end in range(len(text) + 1)]
    assert all(later.startswith(one) for one, later in pairwise(shown))
    assert not any("TL;DR" in one for one in shown)


def first(asked: ModelRequest, short: str = CARRIED) -> str:
    """A sensible reply, with the TL;DR before the synthesis where that is asked for."""
    reply = sensible_reply(asked)
    return f"TL;DR: {short}\n\n{reply}" if is_first(asked) else reply


def is_first(asked: ModelRequest) -> bool:
    """Return whether a TL;DR is asked for ahead of a synthesis."""
    return FORM in asked.messages[0].content


def ran(reply: Any, **fields: Any) -> tuple[list[Event], Counter[str], dict[str, Any]]:
    """(events, calls by stage, answer) of a run."""
    model = FakeModel(reply)
    events = run_events(request(**fields), model, FakeSource(articles(9)))
    assert isinstance(events[-1], Answered)
    return events, Counter(asked.stage for asked in model.asked), events[-1].answer


def test_the_tldr_comes_before_the_synthesis_and_takes_no_call() -> None:
    events, calls, answer = ran(first)
    assert (calls["synthesis"], calls["tldr"]) == (1, 0)
    assert answer["tldr"] == CARRIED
    assert answer["settings"]["tldr_first"] is True
    assert "TL;DR" not in answer["synthesis"]
    log = LiteratureLog(events)
    (draft,) = log.all(TldrText)
    assert draft.seq < log.all(SynthesisText)[0].seq
    streamed = "".join(event.text for event in log.all(SynthesisText))
    assert streamed.strip() == answer["synthesis"]
    shown = tldr(LiteratureLog(event for event in events if event.seq <= draft.seq))
    assert (shown.state, shown.draft) == ("checking", CARRIED)


def test_the_answer_is_that_of_two_calls() -> None:
    def second(asked: ModelRequest) -> str:
        return CARRIED if asked.stage == "tldr" else sensible_reply(asked)

    _, calls, one = ran(first)
    _, others, two = ran(second, prompts={"tldr": EDITED})
    assert (calls["tldr"], others["tldr"]) == (0, 1)
    for name in ("tldr", "synthesis", "sentences", "references", "counts"):
        assert one[name] == two[name]


def test_a_reply_without_a_tldr_is_a_synthesis() -> None:
    _, calls, answer = ran(sensible_reply)
    assert (calls["synthesis"], calls["tldr"]) == (1, 1)
    assert answer["tldr"]
    assert answer["synthesis"]


def test_a_thought_that_began_unseen_is_void_in_the_stream_and_never_in_the_answer() -> None:
    class Thinking(FakeModel):
        async def stream(
            self, request: ModelRequest
        ) -> AsyncIterator[str | StreamReset | ModelReply]:
            for piece in ("Hm, I think [2]", ".\n</th", "ink>\n\n"):
                yield piece
                await asyncio.sleep(1)
            async for part in super().stream(request):
                if isinstance(part, ModelReply):
                    part = replace(part, text=f"Hm, I think [2].\n</think>\n\n{part.text}")
                yield part

    run = request(judge="none", prompts={"tldr": "{question} {synthesis}"})
    log, plain = (
        LiteratureLog(run_events(run, model, FakeSource(articles(9))))
        for model in (Thinking(), FakeModel())
    )
    shown = log.streamed(SynthesisText, SynthesisReset)
    assert shown == plain.streamed(SynthesisText, SynthesisReset)
    assert len(log.all(SynthesisReset)) == 1
    first, second = (one.get(Answered, "answer") for one in (log, plain))
    assert first is not None
    assert second is not None
    assert first.answer["synthesis"] == second.answer["synthesis"]
