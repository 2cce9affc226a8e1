"""Settings from the environment and a .env file."""

import os

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.settings import _PLAIN, NCBI_EUTILS, Settings, load_settings, variable


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    for name in os.environ:
        if name.startswith(("CLINFO_", "NCBI_", "S2_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_defaults():
    settings = load_settings()
    assert (settings.model, settings.source, settings.concurrency) == (None, "pubmed", 32)
    assert settings.eutils_url == NCBI_EUTILS
    assert settings.cache_dir.name == "clinfo"
    assert LITERATURE.stage_models(settings) == {}


def test_every_variable_reaches_its_field(monkeypatch, tmp_path):
    given = {
        "CLINFO_MODEL": "m",
        "CLINFO_SOURCE": "demo",
        "CLINFO_CACHE": "off",
        "CLINFO_CACHE_DIR": str(tmp_path),
        "CLINFO_DATA_DIR": str(tmp_path),
        "CLINFO_INDEX_DIR": str(tmp_path),
        "CLINFO_CONCURRENCY": "4",
        "CLINFO_EUTILS_URL": "http://127.0.0.1:8000/x",
        "CLINFO_EUTILS_RATE": "7.5",
        "CLINFO_S2_URL": "http://localhost/",
        "CLINFO_IDENTIFIERS": "refuse",
        "CLINFO_PATIENTS_DIR": str(tmp_path),
        "CLINFO_EMBEDDER": "e",
        "CLINFO_QDRANT_URL": "http://localhost:6333",
        "QDRANT_API_KEY": "k3",
        "CLINFO_COPILOT_TOOLS": str(tmp_path / "tools.toml"),
        "CLINFO_PATIENT_MODELS": "ollama/x https://llm.example",
        "CLINFO_PATIENT_TERMS": str(tmp_path / "terms.tsv"),
        "CLINFO_MODEL_TIMEOUT": "60",
        "CLINFO_MODEL_FIRST_TOKEN_TIMEOUT": "5",
        "NCBI_API_KEY": "k1",
        "NCBI_EMAIL": "a@b.example",
        "S2_API_KEY": "k2",
        "CLINFO_JUDGE": "learned",
        "CLINFO_NLI_MODEL": "nli",
        "CLINFO_MAX_OUTPUT_TOKENS": "4000",
        "CLINFO_CONTEXT_TOKENS": "8192",
        "CLINFO_MCP_MAX_COST": "0.5",
        "CLINFO_MCP_CALLS_A_MINUTE": "6",
        "CLINFO_MCP_AT_ONCE": "2",
        "CLINFO_MCP_TOKEN": "a-secret-of-16-letters",
        "CLINFO_MCP_HOSTS": "evidence.example",
        "CLINFO_MCP_ORIGINS": "https://chat.example",
    }
    stages = {
        stage.name: f"CLINFO_MODEL_{(stage.variable or stage.name).upper()}"
        for stage in LITERATURE.stages
    }
    assert stages["question2query"] == "CLINFO_MODEL_QUERY"
    assert {
        variable(field) for field in Settings.model_fields if field != "model_by_variable"
    } == set(given)
    models = {name: f"model of {stage}" for stage, name in stages.items()}
    for name, value in (given | models).items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.identifiers, settings.judge, settings.nli_model) == (
        "refuse",
        "learned",
        "nli",
    )
    assert LITERATURE.stage_models(settings) == {stage: f"model of {stage}" for stage in stages}
    assert (settings.max_output_tokens, settings.context_tokens) == (4000, 8192)
    assert (settings.concurrency, settings.eutils_rate, settings.cache) == (4, 7.5, "off")
    assert (settings.eutils_url, settings.s2_url) == (
        "http://127.0.0.1:8000/x/",
        "http://localhost/",
    )
    assert settings.ncbi_api_key.get_secret_value() == "k1"
    assert "k1" not in repr(settings)
    assert "k2" not in str(settings)
    assert settings.mcp_max_cost == 0.5
    assert (settings.mcp_calls_a_minute, settings.mcp_at_once) == (6, 2)
    assert (settings.mcp_hosts, settings.mcp_origins) == (
        "evidence.example",
        "https://chat.example",
    )
    assert settings.mcp_token.get_secret_value() == "a-secret-of-16-letters"
    assert "a-secret" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "needed"),
    [
        ("CLINFO_CONCURRENCY", "many", "a whole number from 1 to 1,000"),
        ("CLINFO_CONCURRENCY", "0", "a whole number from 1 to 1,000"),
        ("CLINFO_CACHE", "perhaps", "on or off"),
        ("CLINFO_CACHE_DIR", "~no-such-person/x", "a valid folder name"),
        (
            "CLINFO_EUTILS_URL",
            "ftp://example.org",
            "an address that begins with http:// or https://",
        ),
        ("CLINFO_EUTILS_RATE", "nan", "a number of requests a second above 0 and at most 10,000"),
        ("CLINFO_MCP_TOKEN", "short", "a secret of at least 16 characters"),
        ("CLINFO_MCP_MAX_COST", "-1", "an amount in US dollars from 0 to 1,000,000"),
        ("CLINFO_MODEL_TIMEOUT", "-1", "a number of seconds above 0 and at most 86,400"),
    ],
)
def test_a_value_that_cannot_be_used_names_its_variable(monkeypatch, name, value, needed):
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=name) as caught:
        load_settings()
    assert needed in str(caught.value)
    assert (f"not “{value}”" in str(caught.value)) == needed.startswith(_PLAIN)


def test_a_dotenv_file_reaches_other_libraries_but_never_overrides(monkeypatch, tmp_path):
    monkeypatch.setenv("CLINFO_SOURCE", "demo")
    monkeypatch.setenv("A_PROVIDERS_KEY", "")  # registered, so that it is undone after the test
    monkeypatch.delenv("A_PROVIDERS_KEY")
    monkeypatch.setenv("CLINFO_MODEL", "")
    monkeypatch.delenv("CLINFO_MODEL")
    (tmp_path / ".env").write_text(
        "CLINFO_SOURCE=pubmed\nCLINFO_MODEL=extractive\nA_PROVIDERS_KEY=abc\n"
    )
    settings = load_settings()
    assert (settings.source, settings.model) == ("demo", "extractive")
    assert os.environ["A_PROVIDERS_KEY"] == "abc"


def test_what_was_pasted_around_a_value_is_left_out(monkeypatch, tmp_path):
    for name, value, read in (
        ("CLINFO_MODEL", " extractive\r\n", "extractive"),
        ("NCBI_API_KEY", "\ufeff'abc' ", "abc"),
        ("OPENAI_API_BASE", '"http://here:1/v1/chat/completions/"\n', "http://here:1/v1"),
        ("HOME", " /x ", " /x "),
    ):
        monkeypatch.setenv(name, value)
        load_settings()
        assert os.environ[name] == read
    monkeypatch.delenv("CLINFO_MODEL")
    (tmp_path / ".env").write_text("\ufeffCLINFO_MODEL=other\n")
    assert load_settings().model == "other"


def test_a_dotenv_file_that_is_no_text(tmp_path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"\.env cannot be read: it is not UTF-8 text"):
        load_settings()


@pytest.mark.parametrize(
    ("address", "key", "refused"),
    [
        ("OPENAI_API_BASE=https://evil.example/v1", "OPENAI_API_KEY", True),
        ("ANTHROPIC_BASE_URL=https://evil.example", "ANTHROPIC_API_KEY", True),
        ("CLINFO_EUTILS_URL=https://evil.example/", "NCBI_API_KEY", True),
        ("clinfo_eutils_url=https://evil.example/", "NCBI_API_KEY", True),
        ("CLINFO_EUTILS_URL='http://evil.example\\@localhost/x/'", "NCBI_API_KEY", True),
        ("CLINFO_EUTILS_URL=http://evil.example${CLINFO_NOT_SET}", "NCBI_API_KEY", True),
        ("OPENAI_API_BASE=evil.example/v1", "OPENAI_API_KEY", True),
        ("SSL_CERT_FILE=/tmp/mine.pem", "OPENAI_API_KEY", True),
        ("HTTPS_PROXY=http://evil.example:3128", "OPENAI_API_KEY", True),
        ("http_proxy=evil.example:3128", "OPENAI_API_KEY", True),
        ("all_proxy=socks5://evil.example", "OPENAI_API_KEY", True),
        ("HTTPS_PROXY=http://localhost:3128", "OPENAI_API_KEY", False),
        ("HTTPS_PROXY=http://proxy.example:3128", "PROJECT_NAME", False),
        ("OPENAI_API_BASE=http://localhost:8080/v1", "OPENAI_API_KEY", False),
        ("OPENAI_API_BASE=https://other.example/v1", "ANTHROPIC_API_KEY", False),
    ],
)
def test_a_working_folder_does_not_divert_a_key(tmp_path, monkeypatch, address, key, refused):
    name = address.partition("=")[0]
    monkeypatch.setenv(name, "")  # put back after the test
    monkeypatch.delenv(name)
    for other in [other for other in os.environ if other.endswith("_API_KEY")]:
        monkeypatch.delenv(other)
    monkeypatch.setenv(key, "secret")
    file = tmp_path / ".env"
    file.write_text(address + "\n")
    if not refused:
        load_settings(file)
        return
    with pytest.raises(UsageError):
        load_settings(file)
    assert name not in os.environ
    file.write_text(f"{address}\n")
    monkeypatch.setenv(name, "https://own.example/")  # the environment wins: nothing is diverted
    load_settings(file)
