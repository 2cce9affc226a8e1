"""The model that judges: named beside the one that writes."""

from typing import Any

import pytest

from clinfo.pipelines.literature.request import request_of
from clinfo.settings import load_settings


@pytest.mark.parametrize(
    ("environment", "given", "judge"),
    [
        ({}, {"model": "openai/a"}, "openai/a"),
        ({"CLINFO_MODEL_VERIFY": "openai/v"}, {"model": "openai/a"}, "openai/v"),
        ({"CLINFO_MODEL_VERIFY": "openai/v"}, {"model": None}, "openai/v"),
        (
            {"CLINFO_MODEL_VERIFY": "openai/v"},
            {"model": "openai/a", "judge_model": "openai/j"},
            "openai/j",
        ),
        ({"CLINFO_MODEL_VERIFY": "openai/v"}, {"model": "extractive"}, None),
        ({}, {"model": "openai/a", "judge": "none"}, None),
    ],
)
def test_a_judge_holds_beside_the_model(
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    given: dict[str, Any],
    judge: str | None,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CLINFO_MODEL", "openai/m")
    request = request_of(load_settings(), question="Zinc?", **given)
    assert request.models.get("verify") == judge
    assert request.models["synthesis"] == (given["model"] or "openai/m")
