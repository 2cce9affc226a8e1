"""One call a study where its passages fit the model's window, groups of passages beyond it; methods
and embedders by name.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from clinfo.pipelines.trials.selecting import chosen
from clinfo.records.trials import TrialsRequest
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Asked
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.rerankers.results import ResultReranker
from clinfo.settings import Settings
from tests.pipelines.trials.test_run import answer, concluding, events, request, trials


@pytest.mark.parametrize(("window", "extracts"), [(16_384, False), (2_100, True)])
def test_what_does_not_fit_the_window_is_extracted_first(window: int, extracts: bool) -> None:
    asked, model = request(), concluding()
    carrier = trials(Settings(cache="off", context_tokens=window), asked, model)
    found = answer(events(carrier, asked))
    stages = [one.stage for one in model.asked]
    assert stages.count("conclude") == 2
    assert ("extract" in stages) == extracts
    assert [one["direction"] for one in found["studies"]] == ["decrease", "decrease"]
    assert any(f"{window:,} tokens are assumed" in notice for notice in found["notices"])


def test_a_model_that_tells_its_window_is_believed() -> None:
    asked, model = request(), concluding()
    model.context_tokens = 1_000
    found = answer(events(trials(Settings(cache="off"), asked, model), asked))
    assert "extract" in [one.stage for one in model.asked]
    assert not any("assumed" in notice for notice in found["notices"])


def test_passages_bear_their_paper_and_heading() -> None:
    for method in ("numbers", "urca", "rag"):
        asked, model = request("zinc.txt", method=method), concluding()
        events(trials(Settings(cache="off"), asked, model), asked)
        told = [one.messages[-1].content for one in model.asked if one.stage != "pico"]
        assert all("zinc.txt" in text and "Abstract > Results" in text for text in told[:1])


def test_without_uniform_retrieval_as_many_passages_come_from_anywhere() -> None:
    long = of_text("RESULTS:\n" + "Itching fell with zinc in week 8 by 3 mm. " * 400, "a")
    short = of_text("RESULTS:\nNothing was said of it at all in this paper.\n", "b")
    cut = {one.id: by_section(one) for one in (long, short)}
    asked = Asked("", "itching", "zinc", "placebo")
    by_method = {}
    for method in ("urca", "urca-global"):
        found = chosen(TrialsRequest("", (), method=method), asked, cut, ResultReranker())
        by_method[method] = [one.document for one, _ in found]
    assert set(by_method["urca"]) == {"a", "b"}
    assert set(by_method["urca-global"]) == {"a"}


def test_an_embedder_ranks_and_groups_by_meaning() -> None:
    pytest.importorskip("wordllama")
    asked: Any = request(method="urca", embedder="wordllama")
    found = answer(events(trials(Settings(cache="off"), asked, concluding()), asked))
    assert found["settings"]["retriever"] == "wordllama"
    assert [one["direction"] for one in found["studies"]] == ["decrease", "decrease"]
    plain = dataclasses.replace(asked, embedder="")
    found = answer(events(trials(Settings(cache="off"), plain, concluding()), plain))
    assert found["settings"]["retriever"] == "results"
