"""Who judges where nobody says."""

from typing import Any

import pytest

from clinfo.claims.registry import learned_judge
from clinfo.errors import UsageError
from clinfo.pipelines.literature.request import default_judge
from clinfo.settings import Settings


@pytest.mark.parametrize(
    ("set", "model", "chosen"),
    [
        ({}, None, "none"),
        ({}, "extractive", "none"),
        ({}, "openai/gpt-4o", "model"),
        ({"nli_model": "/models/nli"}, "extractive", "nli"),
        ({"nli_model": "/models/nli"}, "openai/gpt-4o", "model"),
        ({"judge": "none", "nli_model": "/models/nli"}, "openai/gpt-4o", "none"),
        ({"judge": "rules", "nli_model": "/models/nli"}, "openai/gpt-4o", "none"),
        ({"judge": "learned", "nli_model": "/models/nli"}, "openai/gpt-4o", "nli"),
        ({"judge": "both"}, "openai/gpt-4o", "both"),
        ({"judge": "model"}, "extractive", "none"),
        ({"judge": "both"}, None, "none"),
    ],
)
def test_the_best_judge_that_can_be_had(
    set: dict[str, Any], model: str | None, chosen: str
) -> None:
    assert default_judge(Settings(**set), model) == chosen


def test_a_judge_that_the_environment_names_must_be_one() -> None:
    with pytest.raises(UsageError, match="CLINFO_JUDGE"):
        default_judge(Settings(judge="somebody"), None)


def test_an_entailment_model_needs_a_name_unless_it_is_only_welcome() -> None:
    assert learned_judge(Settings(), "both") is None
    assert learned_judge(Settings(nli_model="/nowhere"), "none") is None
    with pytest.raises(UsageError, match="CLINFO_NLI_MODEL"):
        learned_judge(Settings(), "nli")
