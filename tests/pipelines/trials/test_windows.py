"""One call a study where its passages fit the model's window, groups of passages beyond it; methods
and embedders by name.
"""

import dataclasses
from typing import Any

import pytest

from clinfo.settings import Settings
from tests.pipelines.carried import answer, events
from tests.pipelines.trials.test_run import concluding, request, trials


@pytest.mark.parametrize(("window", "extracts"), [(16_384, False), (2_100, True)])
def test_what_does_not_fit_the_window_is_extracted_first(window: int, extracts: bool) -> None:
    asked, model = request(), concluding()
    carrier = trials(Settings(cache="off", context_tokens=window), asked, model)
    found = answer(events(carrier, asked))
    stages = [one.stage for one in model.asked]
    assert stages.count("conclude") == 2
    assert ("extract" in stages) == extracts
    assert [one["direction"] for one in found["studies"]] == ["decrease", "decrease"]
    assert any(f"{window:,} tokens are assumed" in one for one in found["warnings"])


def test_a_model_that_tells_its_window_is_believed() -> None:
    asked, model = request(), concluding()
    model.context_tokens = 1_000
    found = answer(events(trials(Settings(cache="off"), asked, model), asked))
    assert "extract" in [one.stage for one in model.asked]
    assert not any("assumed" in one for one in found["warnings"])


def test_an_embedder_ranks_and_groups_by_meaning() -> None:
    pytest.importorskip("wordllama")
    asked: Any = request(method="urca", embedder="wordllama")
    found = answer(events(trials(Settings(cache="off"), asked, concluding()), asked))
    assert found["settings"]["retriever"] == "wordllama"
    assert [one["direction"] for one in found["studies"]] == ["decrease", "decrease"]
    plain = dataclasses.replace(asked, embedder="")
    found = answer(events(trials(Settings(cache="off"), plain, concluding()), plain))
    assert found["settings"]["retriever"] == "results"
