"""The run as a whole: order, resumption, failures, deadline, cancellation, budget."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import ModelError
from clinfo.integrity.retractions import Loaded, Retractions
from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import (
    QueryExplained,
    QueryRelaxed,
    QueryRepaired,
    loads,
)
from clinfo.pipelines.literature.search.search_stage import UNCHECKED
from clinfo.pipelines.literature.stages import LITERATURE, MODEL_STAGES
from clinfo.pipelines.literature.writing import FORM
from clinfo.records.articles import (
    Correction,
    Fetched,
    MeshDescriptor,
    MeshMatch,
    RunRequest,
)
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import Answered, CostIncurred, Event, RunFailed, RunStarted, Warned, dumps
from clinfo.runs.protocols import ModelRequest
from tests.fakes import (
    FakeModel,
    FakeSource,
    ReadingSource,
    articles,
    chain,
    collected,
    reply_in_one,
    request,
    run_events,
    sensible_reply,
)


def answer_of(events: list[Event]) -> dict[str, Any]:
    assert isinstance(events[-1], Answered), events[-1]
    return events[-1].answer


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what may differ between two runs."""
    return {key: value for key, value in answer.items() if key not in ("timings", "usage")}


def test_a_question_becomes_a_checked_answer() -> None:
    source = FakeSource(articles(9))
    events = run_events(request(), FakeModel(), source)
    answer = answer_of(events)
    assert [event.seq for event in events] == list(range(len(events)))
    assert len({event.key for event in events}) == len(events)
    # Found at ranks 5-4-3 of the three queries, 4-3-2, 7-6-5, 8-7-6, 2-1 and 1: reciprocal ranks
    # over 60 add up in this order.
    assert [reference["pmid"] for reference in answer["references"]] == [
        "4",
        "5",
        "7",
        "8",
        "2",
        "1",
    ]
    assert [reference["n"] for reference in answer["references"]] == [1, 2, 3, 4, 5, 6]
    assert answer["counts"] == {
        "found": 9,
        "duplicates": 15,
        "fetched": 9,
        "excluded": 0,
        "not_assessed": 0,
        "judged": 9,
        "relevant": 6,
        "summarised": 6,
        "cited": 6,
        "not_verified": 7,
    }
    assert answer["notices"] == ["From a fake source.", "Made by a fake."]
    assert answer["searched_on"] == "2026-01-02"
    assert [query["seed"] for query in answer["queries"]] == [0, 1, 2]
    assert all(sentence["reason"] and sentence["judges"] == [] for sentence in answer["sentences"])
    irrelevant = [article for article in answer["articles"] if article["relevant"] is False]
    assert [article["reason"] for article in irrelevant] == ["another subject"] * 3
    assert answer["schema"] == 2
    assert len(source.fetched) == 1


def test_the_answer_is_the_fold_of_the_events_before_it() -> None:
    events = run_events(request(), FakeModel(), FakeSource(articles(9)))
    assert answer_json(build_answer(events[:-1])) == answer_of(events)
    again = list(loads(dumps(event) for event in events))
    assert again == events


FULL = run_events(request(), FakeModel(), FakeSource(articles(9)))


def troubled(asked: ModelRequest) -> str | Exception:
    """Equal first queries, an unreadable judgement, a failing judgement, a failing summary, an
    unprovable sentence.
    """
    if asked.stage == "question2query" and not asked.attempt:
        return "vitamin D AND falls AND seed0"
    if asked.stage in ("relevance", "summary"):
        pmid = asked.variables["article"].pmid
        if asked.stage == "relevance" and pmid == "2" and not asked.attempt:
            return "hm"
        if (asked.stage, pmid) in (("relevance", "7"), ("summary", "8")):
            return ModelError("out of order", retryable=True, cost_usd=0.02)
    if asked.stage == "synthesis" and not asked.attempt:
        return sensible_reply(asked) + " Falls fell by 77% [1]. Nothing supports this [99]."
    return sensible_reply(asked)


def unreadable_pico(asked: ModelRequest) -> str:
    return "It is about falls." if asked.variables.get("form") == "pico" else sensible_reply(asked)


EVERYTHING = {
    "chase": 2,
    "known": ("1", "3", "22", "99"),
    "term_counts": True,
    "per_query": 5,
    "max_articles": 12,
}


def tldr_first(asked: ModelRequest) -> str:
    """A sensible reply with a TL;DR ahead of the synthesis where that is asked for; a judge carries
    every sentence.
    """
    if asked.stage == "verify":
        quotes = [{"article": 1, "words": "vitamin D and falls: 4.5% fewer"}]
        verdicts = [
            {"label": f"S{number}", "verdict": "supported", "reason": "read", "quotes": quotes}
            for number, _ in enumerate(asked.variables["sentences"], 1)
        ]
        return json.dumps({"verdicts": verdicts})
    reply = sensible_reply(asked)
    short = "With vitamin D, adults have fewer falls [1]."
    return f"TL;DR: {short}\n\n{reply}" if FORM in asked.messages[0].content else reply


SCENARIOS = {
    "pico and all": (request(strategy="pico", **EVERYTHING), sensible_reply),
    "no pico": (request(strategy="pico", **EVERYTHING), unreadable_pico),
    "strategy": (
        request(own_queries=("#1 vitamin D\n#2 falls\n#3 #1 AND #2",), per_query=5),
        sensible_reply,
    ),
    "own query": (
        request(own_queries=("vitamin D AND falls", "falls AND nonsense"), **EVERYTHING),
        sensible_reply,
    ),
    "chased and reranked": (
        request(strategy="pico", chase=3, rerank=5, per_query=60, max_articles=70),
        sensible_reply,
    ),
    "undisturbed": (request(), sensible_reply),
    "TL;DR first": (
        request(judge="both", models=dict.fromkeys((*MODEL_STAGES, "verify"), "fake")),
        tldr_first,
    ),
    "in one call": (request(), reply_in_one),
    "troubled": (
        request(strict=True, drop=("4",), regime="source-dropped", max_articles=6),
        troubled,
    ),
    "an empty query": (request(), lambda asked: "" if asked.seed == 1 else sensible_reply(asked)),
    "reranked": (request(rerank=5, per_query=60), sensible_reply),
    "failing": (
        request(),
        lambda asked: ModelError("no key") if asked.stage == "summary" else sensible_reply(asked),
    ),
}


@pytest.fixture(scope="module", params=SCENARIOS)
def scenario(request: pytest.FixtureRequest) -> tuple[Any, Any, int, list[Event]]:
    run, reply = SCENARIOS[request.param]
    count = 60 if run.rerank else 24 if run.chase else 9
    return run, reply, count, run_events(run, FakeModel(reply), source_of(run, count))


def source_of(run: RunRequest, count: int) -> FakeSource:
    """One that reads queries and knows links where the run needs that."""
    return ReadingSource(articles(count)) if run.chase else FakeSource(articles(count))


@pytest.mark.slow
def test_a_run_goes_on_from_every_prefix_and_repeats_nothing(
    scenario: tuple[Any, Any, int, list[Event]],
) -> None:
    run, reply, count, full = scenario
    ended = next(
        place for place, event in enumerate(full) if isinstance(event, Answered | RunFailed)
    )
    calls = {event.call for event in full if isinstance(event, CostIncurred) and event.reply}
    for length in range(0, ended + 1, 1 if count < 60 else 7):
        before = list(loads([dumps(event) for event in full[:length]]))
        model, source = FakeModel(reply), source_of(run, count)
        after = run_events(run, model, source, after=before)
        whole = before + after
        assert [event.seq for event in whole] == list(range(len(whole)))
        assert len({event.key for event in whole}) == len(whole)
        assert comparable(answer_json(build_answer(whole))) == comparable(
            answer_json(build_answer(full))
        )
        recorded = {
            event.call for event in before if isinstance(event, CostIncurred) and event.reply
        }
        made = [event.call for event in after if isinstance(event, CostIncurred) and event.reply]
        assert sorted([*recorded, *made]) == sorted(calls)
        keys = {event.key for event in before}
        if "fetched" in keys:
            assert len(source.fetched) == 0 if "chased" in keys else len(source.fetched) <= 1
            proof = (run.known and "known" not in keys) or (run.term_counts and "terms" not in keys)
            assert (
                not source.searched
                or proof
                or ("#1" in str(run.own_queries) and "lines" not in keys)
            )


def test_a_run_goes_on_though_a_stage_came_since_and_a_prompt_reads_otherwise() -> None:
    first, *rest = FULL
    assert isinstance(first, RunStarted)
    models = {name: "fake" for name in (*MODEL_STAGES, "gone") if name != "tldr"}
    older = replace(first.request, models=models)
    hashes = {**first.settings["prompts"], "summary": "older", "tldr": "older"}
    begun = replace(first, request=older, settings={**first.settings, "prompts": hashes})
    read = next(n for n, event in enumerate(rest) if event.key.startswith("cost synthesis"))
    model = FakeModel()
    after = run_events(request(), model, FakeSource(articles(9)), [begun, *rest[:read]])
    assert isinstance(after[-1], Answered)
    stages = {one.stage for one in model.asked}
    assert stages >= {"synthesis", "tldr"}
    assert not stages & {"question2query", "relevance", "summary"}, "these were paid for"
    (told,) = (event.text for event in after if isinstance(event, Warned))
    assert "summary" in told
    assert "tldr" not in told, "it was not asked yet"
    for other in ({"summary": "other"}, {"verify": "fake"}):
        now = request(models={**request().models, **other})
        assert not LITERATURE.same_run(older, now)


@given(st.lists(st.sampled_from(FULL)).map(lambda events: [FULL[0], *events]))
def test_any_events_of_a_run_fold_to_an_answer(events: list[Event]) -> None:
    answer = build_answer(events)
    assert answer.question == FULL[0].request.question  # type: ignore[attr-defined]
    assert answer_json(answer) == answer_json(build_answer([*events, *events]))


def test_a_broken_stream_is_reset_and_its_text_forgotten() -> None:
    model = FakeModel()
    model.resets = 1
    answer = answer_of(run_events(request(), model, FakeSource(articles(9))))
    assert comparable(answer) == comparable(answer_of(FULL))


# ---- queries


def test_equal_queries_are_asked_again_once_and_searched_once() -> None:
    def reply(asked: ModelRequest) -> str:
        if asked.stage == "question2query":
            return (
                "falls AND vitamin D"
                if not asked.variables["previous"] or asked.seed == 2
                else "falls OR vitamin D"
            )
        return sensible_reply(asked)

    model, source = FakeModel(reply), FakeSource(articles(4))
    answer = answer_of(run_events(request(), model, source))
    assert [search.query for search in source.searched] == [
        "falls AND vitamin D",
        "falls OR vitamin D",
    ]
    assert len([asked for asked in model.asked if asked.stage == "question2query"]) == 5
    assert "Query 3 is identical to query 1 and was not sent again." in answer["warnings"]


def test_an_empty_query_is_not_searched_and_said() -> None:
    source = FakeSource(articles(4))
    answer = answer_of(
        run_events(
            request(),
            FakeModel(lambda asked: "" if asked.seed == 1 else sensible_reply(asked)),
            source,
        )
    )
    assert len(source.searched) == 2
    assert (
        "Query 2 was not sent: no query could be derived from the question." in answer["warnings"]
    )


def test_own_queries_are_used_as_they_are() -> None:
    model, source = FakeModel(), FakeSource(articles(4))
    answer = answer_of(run_events(request(own_queries=('"a AND b',)), model, source))
    assert [search.query for search in source.searched] == ['"a AND b']
    assert [(query["text"], query["seed"]) for query in answer["queries"]] == [('"a AND b', None)]
    assert not [asked for asked in model.asked if asked.stage == "question2query"]


def test_one_failing_search_is_reported_and_all_failing_end_the_run() -> None:
    source = FakeSource(articles(4), lambda query: "down" if "seed1" in query else None)
    answer = answer_of(run_events(request(), FakeModel(), source))
    assert "Query 2 could not be searched: down" in answer["warnings"]
    events = run_events(request(), FakeModel(), FakeSource(articles(4), lambda _: "down"))
    failed = events[-1]
    assert isinstance(failed, RunFailed)
    assert (failed.exit_status, failed.problem, failed.retryable) == (4, "down", True)
    resumed = run_events(request(), model := FakeModel(), FakeSource(articles(4)), after=events)
    assert answer_of(resumed)["synthesis"]
    assert not [asked for asked in model.asked if asked.stage == "question2query"]


def test_found_but_not_returned_is_a_failure_of_the_source() -> None:
    class Forgetful(FakeSource):
        async def fetch(self, ids: Any, fresh: bool = False) -> Fetched:
            return Fetched((), missing=tuple(ids))

    events = run_events(request(), FakeModel(), Forgetful(articles(4)))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].problem == "fake found 4 articles but returned none of them"


# ---- a question understood


def test_what_the_question_is_about_is_known_before_any_query_and_makes_three() -> None:
    source = ReadingSource(articles(24))
    events = run_events(request(strategy="pico"), FakeModel(), source)
    answer = answer_of(events)
    assert [event.type for event in events[:4]] == [
        "run_started",
        "cost",
        "question_understood",
        "query_generated",
    ]
    assert answer["understood"] == {
        "population": ["adults"],
        "intervention": ["vitamin D"],
        "comparator": [],
        "outcome": ["falls"],
    }
    assert [query["breadth"] for query in answer["queries"]] == ["strict", "standard", "wide"]
    assert [query["seed"] for query in answer["queries"]] == [None] * 3
    assert [query["number"] for query in answer["queries"]] == [1, 2, 3]
    counts = [query["count"] for query in answer["queries"]]
    assert counts == sorted(counts)
    assert answer["settings"]["strategy"] == "pico"


def test_a_question_that_is_not_understood_is_searched_by_seeds_and_said() -> None:
    model, source = FakeModel(unreadable_pico), FakeSource(articles(9))
    answer = answer_of(run_events(request(strategy="pico"), model, source))
    assert [search.query[-5:] for search in source.searched] == ["seed0", "seed1", "seed2"]
    assert answer["understood"] is None
    (said,) = [warning for warning in answer["warnings"] if "pico" in warning]
    assert "seeded queries were used instead" in said


def test_a_source_with_another_language_is_searched_by_seeds() -> None:
    class Keywords(FakeSource):
        query_prompt = "keywords"

    run = request(
        strategy="pico", term_counts=True, known=("1", "99"), prompts={"keywords": "{question}"}
    )
    answer = answer_of(run_events(run, FakeModel(), Keywords(articles(9))))
    assert any("does not read PubMed's query language" in warning for warning in answer["warnings"])
    assert answer["search_report"]["terms"] == []
    assert any(
        "Hits of single terms were not requested" in warning for warning in answer["warnings"]
    )
    first, other = answer["search_report"]["seed_studies"]
    assert (first["in_source"], len(first["hits"]), other["hits"]) == (None, 1, [])


# ---- queries checked


class Headings:
    """A MeSH of one heading, which remembers what it was asked; every other text is unknown."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def matches(self, texts: Any) -> dict[str, MeshMatch]:
        self.asked.append(tuple(texts))
        falls = MeshDescriptor("D000058", "Accidental Falls", ("Falls",))
        known = {"accidental falls": "heading", "falls": "entry term"}
        return {
            text: MeshMatch(text, known[text.lower()], falls)  # type: ignore[arg-type]
            if text.lower() in known
            else MeshMatch(text, "unknown", None, ("Accidental Falls",))
            for text in texts
        }


INVENTED = '(vitamin D AND "fall stopping"[mh]) AND falls[mh]'


def with_mesh(run: RunRequest, mesh: Headings) -> list[Event]:
    model = FakeModel(
        lambda asked: INVENTED if asked.stage == "question2query" else sensible_reply(asked)
    )
    whole = chain(model, ReadingSource(articles(9)), run, clock=SystemClock(), mesh=mesh)

    async def collect() -> list[Event]:
        return [event async for event in whole.run(run)]

    return asyncio.run(collect())


def test_a_generated_query_is_mended_before_it_is_sent_and_that_is_told() -> None:
    mesh = Headings()
    events = with_mesh(request(queries=1), mesh)
    (repaired,) = [event for event in events if isinstance(event, QueryRepaired)]
    query, _ = answer_of(events)[
        "queries"
    ]  # the second is made by rule, since the first finds nothing
    assert mesh.asked
    assert repaired.before == INVENTED
    assert repaired.after == query["text"]
    assert "fall stopping" in query["text"]
    assert '"fall stopping"[mh]' not in query["text"]
    assert "accidental falls" in query["text"].lower()
    assert query["repairs"] == list(repaired.repairs)
    assert len(repaired.repairs) >= 2
    assert set(repaired.repairs) <= set(query["warnings"])
    assert repaired.seq < next(event.seq for event in events if event.type == "query_generated")


def test_what_is_not_to_be_repaired_is_reported_on() -> None:
    for run in (request(queries=1, repair=False), request(own_queries=(INVENTED,))):
        events = with_mesh(run, Headings())
        (query,) = answer_of(events)["queries"]
        assert (query["text"], query["sent"], query["repairs"]) == (INVENTED, INVENTED, [])
        assert any("MeSH has no heading “fall stopping”" in remark for remark in query["remarks"])
        assert set(query["remarks"]) <= set(query["warnings"])
        assert not any(isinstance(event, QueryRepaired) for event in events)


# ---- queries that find nothing


def loosening(*queries: str, **fields: Any) -> tuple[list[Event], ReadingSource]:
    """A run whose model writes these queries, over a source that reads them."""

    def reply(asked: ModelRequest) -> str:
        return (
            queries[(asked.seed or 0) % len(queries)]
            if asked.stage == "question2query"
            else sensible_reply(asked)
        )

    source = ReadingSource(articles(12))
    return run_events(request(queries=len(queries), **fields), FakeModel(reply), source), source


def test_a_phrase_that_the_source_does_not_know_is_left_out_first() -> None:
    events, source = loosening('falls AND "vitamin D" AND "such a phrase"')
    answer = answer_of(events)
    (query,) = answer["queries"]
    assert (query["text"], query["sent"]) == (
        'falls AND "vitamin D" AND "such a phrase"',
        'falls AND "vitamin D"',
    )
    assert (query["count"], query["outcome"], query["dropped"]) == (
        8,
        "complete",
        ["such a phrase"],
    )
    assert [(step["count"], step["without"]) for step in query["steps"]] == [
        (0, []),
        (8, ['"such a phrase"']),
    ]
    assert (
        'It found nothing; without “"such a phrase"” (not found by the source): 8 hits.'
        in query["warnings"]
    )
    assert len(source.searched) == 2
    assert answer["counts"]["found"] == 8


def test_then_all_goes_that_is_no_subject() -> None:
    events, _ = loosening("falls AND satisfaction AND mortality")
    (relaxed,) = [event for event in events if isinstance(event, QueryRelaxed)]
    assert relaxed.said == "without “satisfaction”, “mortality”: 8 hits"


@pytest.mark.parametrize("own", [(), ("falls",)])
def test_a_filter_that_loses_everything_is_told_and_nothing_is_loosened(
    own: tuple[str, ...],
) -> None:
    events, source = loosening("falls", filter="nonsense", own_queries=own)
    (query,) = answer_of(events)["queries"]
    assert (query["count"], query["steps"]) == (0, [])
    assert (
        "It finds nothing because of the filter; without the filter it finds 8 hits."
        in query["warnings"]
    )
    assert [(asked.filter, asked.limit) for asked in source.searched] == [
        ("nonsense", 16),
        (None, 0),
    ]
    assert not any(isinstance(event, QueryRelaxed) for event in events)
    before = events[
        : next(place for place, event in enumerate(events) if event.key == "explained 0") + 1
    ]
    again = ReadingSource([])
    after = run_events(
        request(queries=1, filter="nonsense", own_queries=own), FakeModel(), again, after=before
    )
    assert (again.searched, [event for event in after if isinstance(event, QueryExplained)]) == (
        [],
        [],
    )


# ---- links


def test_linked_articles_come_after_those_found_and_are_read_like_them() -> None:
    source = ReadingSource(articles(30))
    events = run_events(
        request(own_queries=("vitamin D AND falls",), per_query=4, chase=2), FakeModel(), source
    )
    answer = answer_of(events)
    # Found: 1, 2, 4, 5. Links of 1: 2, 3, 4, 11, 21; of 2: 3, 4, 5, 12, 22. Second in one list and
    # first in the other: 3.
    assert [article["pmid"] for article in answer["articles"]] == [
        "1",
        "2",
        "4",
        "5",
        "3",
        "11",
        "21",
        "12",
        "22",
    ]
    assert answer["search_report"]["chase"] == {
        "began": ["pmid:1", "pmid:2"], "similar": 4, "citing": 2, "cited": 2, "new": 5, "taken": 5,
    }  # fmt: skip
    counts = answer["counts"]
    assert (counts["found"], counts["fetched"], counts["judged"], counts["duplicates"]) == (
        9,
        9,
        9,
        0,
    )
    assert [reference["pmid"] for reference in answer["references"]] == [
        "1",
        "2",
        "4",
        "5",
        "11",
        "22",
    ]
    assert source.fetched[1] == ("pmid:3", "pmid:11", "pmid:21", "pmid:12", "pmid:22")


# ---- more articles than may be judged


def test_what_is_judged_is_chosen_by_both_ranks_and_keeps_its_order() -> None:
    run = request(own_queries=("adults",), per_query=200, max_articles=5)
    found = [
        replace(one, title="On rats", sections=(replace(one.sections[0], text="Adults and rats."),))
        if int(one.pmid) < 9 and one.sections
        else one
        for one in articles(20)
    ]
    answer = answer_of(run_events(run, FakeModel(), ReadingSource(found)))
    judged = [article["pmid"] for article in answer["articles"] if article["judge"]]
    assert judged == sorted(judged, key=int)
    assert len(judged) == 5
    assert {"10", "11"} & set(judged)
    assert answer["counts"]["not_assessed"] == answer["counts"]["fetched"] - 5
    left_out = next(article for article in answer["articles"] if not article["judge"])
    assert (
        left_out["reason"]
        == "ranked below the 5 articles that are judged, by the search and by BM25 together"
    )


# ---- nothing found


def test_nothing_found_is_an_answer_without_synthesis() -> None:
    answer = answer_of(run_events(request(), FakeModel(), FakeSource([])))
    assert (answer["tldr"], answer["synthesis"], answer["counts"]["found"]) == ("", "", 0)


@pytest.mark.parametrize(
    "written",
    ["{question}", "This query will find the articles about moonwort for you.", "moonwort"],
)
def test_where_no_query_of_the_model_finds_anything_one_is_made_by_rule_and_said(
    written: str,
) -> None:
    model = FakeModel(
        lambda asked: written if asked.stage == "question2query" else sensible_reply(asked)
    )
    events = run_events(request(queries=2, repair=True), model, ReadingSource(articles(6)))
    answer = answer_of(events)
    assert answer["synthesis"]
    assert answer["counts"]["found"] > 0
    assert any("made of the question by rule" in warning for warning in answer["warnings"])
    last = answer["queries"][-1]
    assert last["seed"] is None
    assert last["count"] == answer["counts"]["found"]
    place = next(place for place, event in enumerate(events) if event.key == "query 2")
    again = run_events(
        request(queries=2, repair=True),
        model,
        ReadingSource(articles(6)),
        after=events[: place + 1],
    )
    assert answer_of(again)["queries"] == answer["queries"]


def test_nothing_relevant_is_an_answer_without_synthesis() -> None:
    model = FakeModel(
        lambda asked: '{"relevant": "no"}' if asked.stage == "relevance" else sensible_reply(asked)
    )
    answer = answer_of(run_events(request(), model, FakeSource(articles(6))))
    assert (answer["synthesis"], answer["counts"]["judged"], answer["counts"]["relevant"]) == (
        "",
        6,
        0,
    )
    assert not [asked for asked in model.asked if asked.stage in ("summary", "synthesis", "tldr")]


# ---- regimes and limits


def test_withheld_and_screened_articles_are_counted_and_explained() -> None:
    run = request(regime="source-dropped", drop=("2",), max_articles=5)
    answer = answer_of(run_events(run, FakeModel(), FakeSource(articles(9))))
    counts = answer["counts"]
    assert counts["fetched"] == counts["excluded"] + counts["not_assessed"] + counts["judged"] == 9
    assert (counts["excluded"], counts["not_assessed"]) == (1, 3)
    by_id = {article["id"]: article for article in answer["articles"]}
    assert by_id["pmid:2"]["reason"] == "dropped on request"
    assert "2" not in {reference["pmid"] for reference in answer["references"]}


def test_rerank_keeps_the_best_before_anything_is_summarised() -> None:
    model = FakeModel()
    run = request(rerank=10, per_query=80)
    events = run_events(run, model, FakeSource(articles(60)))
    answer = answer_of(events)
    assert answer["counts"]["relevant"] == 40
    assert answer["counts"]["summarised"] == 10
    assert len([asked for asked in model.asked if asked.stage == "summary"]) == 10
    last_judged = max(event.seq for event in events if event.type == "article_judged")
    first_summary = min(event.seq for event in events if event.type == "article_summarised")
    assert last_judged < first_summary
    assert answer["references"][0]["n"] == 1
    assert len(answer["references"]) == 40


# ---- failures of the model


def test_one_failing_judgement_is_kept_and_flagged() -> None:
    def reply(asked: ModelRequest) -> str | Exception:
        if asked.stage == "relevance" and asked.variables["article"].pmid == "1":
            return ModelError("the server is overloaded", retryable=True)
        return sensible_reply(asked)

    answer = answer_of(run_events(request(), FakeModel(reply), FakeSource(articles(9))))
    first = next(article for article in answer["articles"] if article["pmid"] == "1")
    assert first["relevant"] is None
    assert "overloaded" in first["reason"]
    assert first["summary"] is not None
    assert answer["counts"]["judged"] == 9


def test_one_failing_summary_leaves_the_others() -> None:
    def reply(asked: ModelRequest) -> str | Exception:
        if asked.stage == "summary" and asked.variables["article"].pmid == "1":
            return ModelError("cut off", retryable=True)
        return sensible_reply(asked)

    answer = answer_of(run_events(request(), FakeModel(reply), FakeSource(articles(9))))
    assert answer["counts"]["relevant"] == 6
    assert answer["counts"]["summarised"] == 5
    assert any(
        "pmid:1 could not be summarised: cut off" in warning for warning in answer["warnings"]
    )


def test_a_model_that_rejects_every_call_ends_the_run_at_once() -> None:
    def reply(asked: ModelRequest) -> str | Exception:
        return ModelError("no API key") if asked.stage == "relevance" else sensible_reply(asked)

    events = run_events(request(), FakeModel(reply), FakeSource(articles(9)))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].problem == "no API key"
    partial = build_answer(events)
    assert partial.counts.fetched == 9
    assert any("no API key" in warning for warning in partial.warnings)


def test_a_fault_of_ours_still_ends_the_stream_with_what_was_done() -> None:
    def reply(asked: ModelRequest) -> str:
        if asked.stage == "summary":
            raise ZeroDivisionError("private words")
        return sensible_reply(asked)

    events = run_events(request(), FakeModel(reply), FakeSource(articles(4)))
    assert isinstance(events[-1], RunFailed)
    assert "ZeroDivisionError in test_chain.py" in events[-1].problem
    assert "private words" not in events[-1].problem


# ---- budget, deadline, cancellation


def test_the_budget_is_never_passed_and_nothing_paid_for_is_lost() -> None:
    model = FakeModel(price=0.01)
    events = run_events(request(max_cost=0.08), model, FakeSource(articles(9)))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].exit_status == 5
    spent = build_answer(events).usage.cost_usd
    assert spent is not None
    assert 0 < spent <= 0.08
    assert len(model.asked) == len([event for event in events if isinstance(event, CostIncurred)])


def test_calls_under_way_when_the_budget_is_spent_are_not_thrown_away() -> None:
    model = FakeModel(price=0.01, delay=0.02)
    events = run_events(request(max_cost=0.11), model, FakeSource(articles(9)))
    assert isinstance(events[-1], RunFailed)
    assert events[-1].exit_status == 5
    assert all(event.reply for event in events if isinstance(event, CostIncurred))
    assert build_answer(events).usage.cost_usd == pytest.approx(0.1)


def test_parallel_reservations_do_not_stop_a_run_that_fits() -> None:
    run_events(request(), free := FakeModel(), FakeSource(articles(9)))
    calls, model = len(free.asked), FakeModel(price=0.01, delay=0.01)
    answer = answer_of(
        run_events(request(max_cost=0.01 * (calls + 1.5)), model, FakeSource(articles(9)))
    )
    assert answer["usage"]["cost_usd"] == pytest.approx(0.01 * calls)


def test_at_the_deadline_what_is_ready_is_synthesised() -> None:
    def slow_summaries(asked: ModelRequest) -> str:
        return sensible_reply(asked)

    class Slow(FakeModel):
        async def complete(self, asked: ModelRequest) -> Any:
            if asked.stage == "relevance" and int(asked.variables["article"].pmid) > 4:
                await asyncio.sleep(30)
            return await super().complete(asked)

    run = request(max_seconds=0.5)
    events = run_events(run, Slow(slow_summaries), FakeSource(articles(9)))
    answer = answer_of(events)
    counts = answer["counts"]
    assert (counts["judged"], counts["not_assessed"], counts["summarised"]) == (4, 5, 3)
    assert counts["fetched"] == counts["excluded"] + counts["not_assessed"] + counts["judged"]
    assert answer["synthesis"]
    assert any(
        "4 of 9 articles were judged and 3 of 3 relevant ones summarised" in warning
        for warning in answer["warnings"]
    )
    assert events[-1].t < 5


@pytest.mark.parametrize("delay", [30, 0.25])
def test_a_deadline_within_the_search_is_an_answer_that_says_so(delay: float) -> None:
    events = run_events(request(max_seconds=0.1), FakeModel(), FakeSource(articles(9), delay=delay))
    answer = answer_of(events)
    assert (answer["counts"]["judged"], answer["synthesis"]) == (0, "")
    assert any("The deadline of 0.1 s passed" in warning for warning in answer["warnings"])
    assert comparable(answer_json(build_answer(events))) == comparable(answer)


# ---- checks


def test_a_citation_of_a_study_that_was_not_shown_is_named_as_such() -> None:
    def reply(asked: ModelRequest) -> str | Exception:
        if asked.stage == "summary" and asked.variables["article"].pmid == "4":
            return ModelError("cut off", retryable=True)
        return (
            "Falls were fewer [1][2][77]." if asked.stage == "synthesis" else sensible_reply(asked)
        )

    warnings = answer_of(run_events(request(), FakeModel(reply), FakeSource(articles(9))))[
        "warnings"
    ]
    assert (
        "The synthesis cited [1], which the model was not shown; the citation was removed."
        in warnings
    )
    assert "The synthesis cited [77], which no study has; the citation was removed." in warnings


@pytest.mark.parametrize(
    ("remote", "noticed", "loaded", "said"),
    [
        (False, False, False, True),
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
    ],
)
def test_the_answer_says_once_that_retractions_could_not_be_checked(
    remote: bool, noticed: bool, loaded: bool, said: bool
) -> None:
    found = articles(9)
    if noticed:
        found = [replace(each, corrections=(Correction("ErratumIn"),)) for each in found]
    source = FakeSource(found)
    source.remote = remote
    listed = Retractions(Loaded((), "2026-01-01T00:00:00"), ()) if loaded else None
    held = chain(FakeModel(), source, request(), retractions=listed)
    warnings = answer_of(collected(held, request()))["warnings"]
    assert [each for each in warnings if "etractions" in each] == ([UNCHECKED] if said else [])
