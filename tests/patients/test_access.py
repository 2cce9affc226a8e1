"""Where a record's text may go: this machine, and what the operator named."""

import pytest

from clinfo.errors import NotForPatients
from clinfo.patients.access import Kind, allowed, require_allowed
from clinfo.settings import Settings


@pytest.fixture(autouse=True)
def no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "OLLAMA_API_BASE", "CLINFO_PATIENT_MODELS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http", "https", "all"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("model", "extractive"),
        ("model", "ollama/llama3.2"),
        ("embedder", "wordllama"),
        ("embedder", "sentence-transformers/all-MiniLM-L6-v2"),
        ("index", ""),
        ("index", "http://127.0.0.1:6333"),
    ],
)
def test_what_is_on_this_machine_may_see_records(kind: Kind, name: str) -> None:
    require_allowed(kind, name, Settings())


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("model", "openai/gpt-4o-mini"),
        ("model", "ollama/gpt-oss:120b-cloud"),
        ("embedder", "openai/text-embedding-3-small"),
        ("index", "https://cluster.example:6333"),
        ("index", "http://10.0.0.5:6333"),
    ],
)
def test_what_is_elsewhere_is_refused_until_it_is_named(kind: Kind, name: str) -> None:
    with pytest.raises(NotForPatients) as refused:
        require_allowed(kind, name, Settings())
    assert (refused.value.exit_status, refused.value.kind, refused.value.name) == (6, kind, name)
    require_allowed(kind, name, Settings(patient_models=f"other/model, {name}"))


def test_a_proxy_before_this_machine_is_refused_until_it_is_passed_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "")
    declared = Settings(patient_models="ollama/x, openai/far")
    for kind, name in (("model", "ollama/x"), ("index", "http://127.0.0.1:6333")):
        with pytest.raises(NotForPatients, match="NO_PROXY"):
            require_allowed(kind, name, declared)  # type: ignore[arg-type]
    assert allowed("model", "openai/far", declared)
    assert allowed("model", "extractive", declared)
    assert allowed("index", "", declared)
    monkeypatch.setenv("NO_PROXY", "localhost,127.0.0.1")
    assert allowed("model", "ollama/x", declared)
