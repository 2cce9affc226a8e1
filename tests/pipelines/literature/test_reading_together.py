"""Articles read several a call: who is, what a reply leaves out, and how a run is resumed."""

import json
import re

from clinfo.pipelines.literature.reading_stage import SINGLY, TOGETHER
from clinfo.runs.events import Answered, CostIncurred
from clinfo.runs.protocols import ModelRequest
from tests.fakes import FakeModel, FakeSource, articles, reply_in_one, request, run_events

COUNT = SINGLY + TOGETHER + 2
RUN = request(per_query=COUNT, max_articles=COUNT)


def together(request: ModelRequest, left_out: str = "0") -> str:
    """The readings of the articles in a request, but for the one numbered ``left_out``."""
    if request.form != "readings":
        return reply_in_one(request)
    shown = re.findall(r"\[(\d+)\] <article \w+>\s*Title: (.*)", request.messages[-1].content)
    assert 1 < len(shown) <= TOGETHER
    read = [
        {"n": int(n), "relevant": "yes" if "vitamin D" in title else "no", "finding": title}
        for n, title in shown
        if n != left_out
    ]
    return json.dumps({"readings": read})


def asked(model: FakeModel) -> list[str]:
    return [one.form for one in model.asked if one.stage == "relevance"]


def test_the_first_have_a_call_each_and_the_rest_several_a_call() -> None:
    model = FakeModel(together)
    last = run_events(RUN, model, FakeSource(articles(COUNT)))[-1]
    assert isinstance(last, Answered)
    assert asked(model).count("reading") == SINGLY
    assert asked(model).count("readings") == 2
    judged = {one["pmid"]: one["relevant"] for one in last.answer["articles"]}
    assert judged == {str(n): n % 3 != 0 for n in range(1, COUNT + 1)}
    assert last.answer["counts"]["summarised"] == sum(judged.values())


def test_what_a_reply_leaves_out_is_read_by_itself() -> None:
    model = FakeModel(lambda one: together(one, "2"))
    last = run_events(RUN, model, FakeSource(articles(COUNT)))[-1]
    assert isinstance(last, Answered)
    assert asked(model).count("reading") == SINGLY + 2
    assert {one["relevant"] for one in last.answer["articles"]} == {True, False}

    prose = FakeModel(lambda one: "I cannot." if one.form == "readings" else reply_in_one(one))
    last = run_events(RUN, prose, FakeSource(articles(COUNT)))[-1]
    assert isinstance(last, Answered)
    assert asked(prose).count("reading") == COUNT


def test_a_resumed_run_asks_for_no_group_again() -> None:
    whole = run_events(RUN, FakeModel(together), FakeSource(articles(COUNT)))
    groups = [one for one in whole if isinstance(one, CostIncurred) and one.call.count("pmid") > 1]
    assert len(groups) == 2
    model = FakeModel(together)
    before = whole[: whole.index(groups[-1]) + 1]
    last = run_events(RUN, model, FakeSource(articles(COUNT)), after=before)[-1]
    assert "readings" not in asked(model)
    assert isinstance(last, Answered)
    assert isinstance(whole[-1], Answered)
    assert last.answer["articles"] == whole[-1].answer["articles"]
