"""What is known of a model's name before it is asked."""

import subprocess
import sys

import pytest

from clinfo.llm.model_names import doubt, known_model_problem, near_name, provider_of


def test_what_litellm_knows_is_not_called_unknown():
    for name in (
        "claude-opus-9",
        "ft:gpt-4o:me::1",
        "ollama/llama3",
        "hosted_vllm/x",
        "openai/new",
    ):
        assert provider_of(name) is not None
    for name in ("gpt-40", "opnai/gpt-4o", "gpt-9o-mini"):
        assert "unknown model" in (known_model_problem(name) or "")


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("gpt-40", "gpt-4o"),
        ("gpt4o", "gpt-4o"),
        ("gpt-4o-mni", "gpt-4o-mini"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("extractve", "extractive"),
        ("antropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("nonsense-of-no-kind-whatever", None),
    ],
)
def test_the_right_name_is_suggested(misspelt, meant):
    assert near_name(misspelt) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("anthropic/claude-sonet-4-5", "anthropic/claude-sonnet-4-5"),
        ("claude-sonet-4-5", "anthropic/claude-sonnet-4-5"),
        ("openai/gpt-40", "openai/gpt-4o"),
    ],
)
def test_a_model_that_may_be_misspelt_is_doubted_and_not_refused(name, meant, monkeypatch):
    assert f"did you mean {meant}?" in (doubt(name) or "")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    assert known_model_problem(name) is None


def test_known_models_and_servers_of_ones_own_are_not_doubted(monkeypatch):
    names = ("openai/gpt-4o", "gpt-4o", "ollama/gpt-40", "claude-sonnet-4-5", "extractive")
    assert [doubt(name) for name in names] == [None] * len(names)
    monkeypatch.setenv("OPENAI_API_BASE", "https://llm.example/v1")
    assert doubt("openai/gpt-40") is None, "the server's names are its own"


def test_an_extractive_run_does_not_import_litellm_to_doubt_its_name(tmp_path):
    script = (
        "import sys; from clinfo.cli import run; "
        "status = run(['ask', 'Does zinc help?', '--model', 'extractive', '--source', 'demo', "
        "'--quiet', '--short']); print(status, 'litellm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.split()[-1] == "False", done.stderr


def test_an_own_server_is_named_rightly(monkeypatch):
    monkeypatch.setenv("OPENAI_API_BASE", "127.0.0.1:8000/v1")
    assert "http://" in (known_model_problem("openai/llama") or "")
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:8000/v1")
    assert known_model_problem("openai/llama") is None
    assert "did you mean openai/my-llama?" in (known_model_problem("my-llama") or "")
