"""What is known of a model's name before litellm is imported, against what litellm says."""

import os
import subprocess
import sys

import pytest

from clinfo.llm import model_list
from clinfo.llm.litellm_loading import load
from clinfo.llm.model_names import known_model_problem, provider_of


def test_the_names_are_those_that_litellm_has():
    litellm = load()
    assert set(model_list.models()) == set(litellm.model_cost)
    own = {str(getattr(one, "value", one)) for one in litellm.provider_list}
    assert own <= model_list.providers()


def test_no_name_is_called_unknown_that_litellm_knows():
    assert [name for name in model_list.models() if model_list.unknown(name)] == []
    for name in (
        "claude-opus-9",
        "ft:gpt-4o:me::1",
        "ollama/llama3",
        "hosted_vllm/x",
        "openai/new",
    ):
        assert provider_of(name) is not None
        assert not model_list.unknown(name)
    for name in ("gpt-40", "opnai/gpt-4o", "gpt-9o-mini"):
        assert provider_of(name) is None
        assert model_list.unknown(name)


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("gpt-40", "gpt-4o"),
        ("gpt4o", "gpt-4o"),
        ("gpt-4o-mni", "gpt-4o-mini"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("antropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("nonsense-of-no-kind-whatever", None),
    ],
)
def test_the_right_name_is_suggested(misspelt, meant):
    assert model_list.near(misspelt) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("anthropic/claude-sonet-4-5", "anthropic/claude-sonnet-4-5"),
        ("claude-sonet-4-5", "anthropic/claude-sonnet-4-5"),
        ("openai/gpt-40", "openai/gpt-4o"),
    ],
)
def test_a_model_that_may_be_misspelt_is_doubted_and_not_refused(name, meant, monkeypatch):
    assert f"did you mean {meant}?" in (model_list.doubt(name) or "")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    assert known_model_problem(name) is None


def test_known_models_and_servers_of_ones_own_are_not_doubted():
    names = ("openai/gpt-4o", "gpt-4o", "ollama/gpt-40", "claude-sonnet-4-5", "extractive")
    assert [model_list.doubt(name) for name in names] == [None] * len(names)


def test_the_variable_is_the_one_that_litellm_misses(monkeypatch):
    for variable in {one for names in model_list.KEYS.values() for one in names}:
        monkeypatch.delenv(variable, raising=False)
    for provider, variables in model_list.KEYS.items():
        missing = load().validate_environment(f"{provider}/x")["missing_keys"]
        assert model_list.lacking_key(f"{provider}/x") == variables[0]
        assert set(missing) & set(variables)
        monkeypatch.setenv(variables[-1], "x")
        assert model_list.lacking_key(f"{provider}/x") is None


@pytest.mark.parametrize("name", ["gpt-40", "opnai/gpt-4o", "gpt-4o", "anthropic/claude-sonet-4-5"])
def test_litellm_is_not_imported_to_tell_it(name, tmp_path):
    keys = {one for names in model_list.KEYS.values() for one in names}
    environment = {key: value for key, value in os.environ.items() if key not in keys}
    script = (
        "import sys; from clinfo.cli import run; "
        f"status = run(['ask', 'Does zinc help?', '--model', {name!r}, '--source', 'demo']); "
        "print(status, 'litellm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
    )
    assert done.stdout.split() == ["2", "False"], done.stderr
    assert "did you mean" in done.stderr or "no API key" in done.stderr
