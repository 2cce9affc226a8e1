"""A run that takes over what another one judged and summarised."""

from collections import Counter
from dataclasses import replace

import pytest

from clinfo.pipelines.literature.events import ArticleReused, LiteratureLog
from clinfo.records.articles import Section
from clinfo.runs.events import Answered, Event
from tests.fakes import (
    FakeModel,
    FakeSource,
    articles,
    chain,
    collected,
    request,
    run_events,
    sensible_reply,
)

EARLIER = run_events(request(), FakeModel(), FakeSource(articles(9)))


def reading(model: FakeModel) -> Counter[str]:
    return Counter(one.stage for one in model.asked)


def later(model: FakeModel, count: int = 9, earlier: list[Event] = EARLIER, **fields: object):  # type: ignore[no-untyped-def]
    asked = request(**fields)
    made = chain(model, FakeSource(articles(count)), asked, earlier=tuple(earlier))
    events = collected(made, asked)
    assert isinstance(events[-1], Answered), events[-1]
    return events


def test_nothing_read_is_paid_for_again_and_the_synthesis_is_new() -> None:
    model = FakeModel()
    events = later(model, limits=("rct",))
    assert not {"relevance", "summary"} & reading(model).keys()
    assert (reading(model)["question2query"], reading(model)["synthesis"]) == (3, 1)
    before, after = LiteratureLog(EARLIER), LiteratureLog(events)
    assert after.judgements == before.judgements
    assert after.summaries == before.summaries
    assert after.reused == {id: id in before.summaries for id in before.judgements}
    answer = events[-1].answer
    assert answer["usage"]["calls"] == len(model.asked)
    assert answer["settings"]["limits"] == ["rct"]


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "Does vitamin D prevent fractures?"},
        {"prompts": {"summary": "Say what {title} and {abstract} mean for {question}."}},
        {"strict": True},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_nothing_is_taken_over_that_was_read_otherwise(fields: dict[str, object]) -> None:
    model = FakeModel()
    events = later(model, **fields)
    assert not any(isinstance(one, ArticleReused) for one in events)
    assert reading(model)["relevance"] == 9


def test_another_text_of_an_article_is_read() -> None:
    changed = articles(9)
    changed[0] = replace(changed[0], sections=(Section("In 10 adults, vitamin D did nothing."),))
    model, asked = FakeModel(), request()
    made = chain(model, FakeSource(changed), asked, earlier=tuple(EARLIER))
    collected(made, asked)
    assert [one.variables["article"].id for one in model.asked if one.stage == "relevance"] == [
        "pmid:1"
    ]


def test_what_failed_or_could_not_be_read_is_tried_again() -> None:
    def unsure(asked):  # type: ignore[no-untyped-def]
        relevance = asked.stage == "relevance" and asked.variables["article"].pmid == "2"
        return "hm" if relevance else sensible_reply(asked)

    earlier = run_events(request(), FakeModel(unsure), FakeSource(articles(9)))
    model = FakeModel()
    later(model, earlier=earlier)
    assert reading(model)["relevance"] == 1
