"""Settings: what the environment and a ``.env`` file say, typed and checked once.

Nothing below this module reads the environment for itself, except the libraries that read it by
their own rules (litellm its providers' keys and addresses, requests its proxies). Flags of the
command line are laid over these settings by `clinfo.pipelines.literature.request.checked`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from dotenv import load_dotenv
from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from clinfo.errors import UsageError

NCBI_EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
SEMANTIC_SCHOLAR = "https://api.semanticscholar.org/graph/v1/"


def _address(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]\S*", text):
        raise ValueError
    return text if text.endswith("/") else text + "/"


def _folder(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        raise ValueError from None


def _of_user(kind: str) -> Path:
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("clinfo"))


# A description says what a value must be, for the message about one that is not.
Address = Annotated[
    str,
    AfterValidator(_address),
    Field(description="an address that begins with http:// or https://"),
]
Folder = Annotated[Path, AfterValidator(_folder), Field(description="a valid folder name")]
SECONDS = "a number of seconds above 0 and at most 86,400"
DOLLARS = "an amount in US dollars from 0 to 1,000,000"
Seconds = Annotated[float, Field(gt=0, le=86_400)]


_MODEL_OF = "CLINFO_MODEL_"


def _models_by_variable() -> dict[str, str]:
    named = {
        name.removeprefix(_MODEL_OF).lower(): value
        for name, value in os.environ.items()
        if name.startswith(_MODEL_OF)
    }
    return {
        stage: model
        for stage, model in named.items()
        if model and f"model_{stage}" not in Settings.model_fields
    }


class Settings(BaseSettings):
    """Read from ``CLINFO_`` and the field's name in capitals; four come without that prefix. Empty
    counts as not set.

    ``model_by_variable`` holds each CLINFO_MODEL_<STAGE> by <stage>; which stages there are,
    pipelines declare. Addresses end in a slash. ``eutils_rate`` is requests a second, None for the
    default (NCBI's limits at NCBI, none elsewhere); time-outs are seconds. ``patient_models`` are
    names of models and addresses, divided by commas or blanks; ``patient_terms`` is a list of
    one's own terms of notes; ``patients_dir`` is where what is
    made of patients' records is kept, None for a folder in ``data_dir``. ``copilot_tools`` is a
    file that declares an agent's tools. ``mcp_…`` are limits of ``clinfo mcp`` (US dollars,
    calls) and who may reach it over HTTP: ``mcp_hosts`` are names of this machine,
    ``mcp_origins`` sites whose pages may call it, divided by commas or blanks. Keys never show in
    ``repr``.
    """

    model_config = SettingsConfigDict(
        env_prefix="CLINFO_",
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    model: str | None = None
    model_by_variable: dict[str, str] = Field(
        default_factory=_models_by_variable, validate_default=True
    )
    judge: str | None = None
    nli_model: str | None = None
    model_timeout: Seconds | None = Field(default=None, description=SECONDS)
    model_first_token_timeout: Seconds | None = Field(default=None, description=SECONDS)
    max_output_tokens: int | None = Field(
        default=None, ge=16, le=1_000_000, description="a whole number from 16 to 1,000,000"
    )
    context_tokens: int = Field(
        default=16_384,
        ge=2_048,
        le=10_000_000,
        description="a whole number from 2,048 to 10,000,000",
    )
    concurrency: int = Field(
        default=32, ge=1, le=1_000, description="a whole number from 1 to 1,000"
    )

    source: str = "pubmed"
    cache: Literal["on", "off"] = Field(default="on", description="on or off")
    cache_dir: Folder = Field(default_factory=lambda: _of_user("cache"))
    data_dir: Folder = Field(default_factory=lambda: _of_user("data"))
    index_dir: Path | None = None
    patients_dir: Folder | None = None

    mcp_max_cost: float | None = Field(default=None, ge=0, le=1e6, description=DOLLARS)
    mcp_calls_a_minute: int = Field(
        default=60, ge=1, le=100_000, description="a whole number from 1 to 100,000"
    )
    mcp_at_once: int = Field(
        default=4, ge=1, le=1_000, description="a whole number from 1 to 1,000"
    )
    mcp_token: SecretStr | None = Field(
        default=None, min_length=16, description="a secret of at least 16 characters"
    )
    mcp_hosts: str = ""
    mcp_origins: str = ""

    patient_models: str = ""
    patient_terms: Path | None = None
    embedder: str | None = None
    qdrant_url: Address | None = None
    qdrant_api_key: SecretStr | None = Field(default=None, validation_alias="qdrant_api_key")
    copilot_tools: Path | None = None
    identifiers: Literal["ask", "refuse"] = Field(default="ask", description="ask or refuse")

    ncbi_api_key: SecretStr | None = Field(default=None, validation_alias="ncbi_api_key")
    ncbi_email: str | None = Field(default=None, validation_alias="ncbi_email")
    eutils_url: Address = NCBI_EUTILS
    eutils_rate: float | None = Field(
        default=None,
        gt=0,
        le=10_000,
        description="a number of requests a second above 0 and at most 10,000",
    )
    s2_api_key: SecretStr | None = Field(default=None, validation_alias="s2_api_key")
    s2_url: Address = SEMANTIC_SCHOLAR


def load_settings(dotenv: Path | None = None) -> Settings:
    """The settings of this process. Raises UsageError that names the variable whose value cannot be
    used.

    ``dotenv`` (default: ``.env`` in the working folder) is first read into ``os.environ``, where
    litellm finds provider keys too; what the environment already says wins over it. An address in
    that file that a key of the environment would be sent to is refused. Values of ours and of
    providers are rid of what was pasted around them.
    """
    path = dotenv if dotenv is not None else Path(".env")
    try:
        before = dict(os.environ)
        load_dotenv(path, override=False, encoding="utf-8-sig")
        try:
            _refuse_diversion(path.name, before)
        except UsageError:
            for name in os.environ.keys() - before.keys():
                del os.environ[name]
            raise
    except OSError as error:
        raise UsageError(f"the file {path.name} cannot be read: {error.strerror}") from None
    except ValueError:  # bytes that are no characters, or a NUL
        raise UsageError(f"the file {path.name} cannot be read: it is not UTF-8 text") from None
    for name, value in os.environ.items():
        if _OURS.fullmatch(name):
            clean = re.sub(r"^(https?://\S+?)/chat/completions/*$", r"\1", value.strip(_AROUND))
            os.environ[name] = clean
    try:
        return Settings()
    except ValidationError as error:
        wrong = dict.fromkeys(tuple(map(str, one["loc"][:2])) for one in error.errors())
        raise UsageError("; ".join(map(_unusable, wrong))) from None


def usable_settings() -> Settings:
    """The settings of this process with the default for each that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors()}
    every = Settings.model_fields
    return Settings(**{name: every[name].get_default(call_default_factory=True) for name in wrong})


_OURS = re.compile(r"(?i)CLINFO_\w+|NCBI_EMAIL|\w+_(?:API_KEY|API_BASE|BASE_URL|API_BASE_URL)")
_AROUND = " \t\r\n\xa0\u200b\ufeff\"'"
_PLAIN = ("a number", "a whole number", "an amount", "on or off")
"""What is needed where a value is no secret."""


def _unusable(place: tuple[str, ...]) -> str:
    """What is wrong with the variable of a field; its value is shown, unless it may be a secret."""
    field, *stage = place
    needed = Settings.model_fields[field].description or "text in UTF-8"
    name = _MODEL_OF + stage[0].upper() if stage else variable(field)
    value = os.environ.get(name, "")
    shows = value.isprintable() and len(value) <= 40 and needed.startswith(_PLAIN)
    told = f", not “{value}”" if value and shows else ""
    return f"the environment variable {name} cannot be used: it must be {needed}{told}"


_KEY_OF = {
    "CLINFO_EUTILS_URL": "NCBI_API_KEY",
    "CLINFO_S2_URL": "S2_API_KEY",
    "CLINFO_QDRANT_URL": "QDRANT_API_KEY",
}
_AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables that say which servers are believed to be who they say they are."""
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def _refuse_diversion(file: str, before: Mapping[str, str]) -> None:
    """Raise UsageError where a working folder, which may be somebody else's, has put something into
    the environment that would send a key of it elsewhere. ``before``: without that file.
    """
    had = {name.upper() for name in before}  # settings are read in any case of letters
    keys = sorted(name for name in had if name.endswith("_API_KEY"))
    for name in sorted(os.environ.keys() - before.keys()):
        asked = name.upper()
        provider = re.fullmatch(r"(\w+)_(?:API_BASE|BASE_URL)", asked)
        key = f"{provider[1]}_API_KEY" if provider else _KEY_OF.get(asked, "")
        if asked in (*_AUTHORITIES, *_PROXIES) and keys:
            key = keys[0]
        if asked not in _AUTHORITIES and _is_here(os.environ[name]):
            continue
        if key in had:
            raise UsageError(
                f"the file {file} sets {name}, and {key} of the environment would be sent there: "
                f"set {name} in the environment too, or {key} in the file alone"
            )


def _is_here(address: str) -> bool:
    """Return whether an address is a server on this machine, however it is read."""
    return (
        re.fullmatch(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/[^\\@]*)?", address)
        is not None
    )


def variable(field: str) -> str:
    """The environment variable that a field of `Settings` is read from."""
    prefix = "" if Settings.model_fields[field].validation_alias else "CLINFO_"
    return prefix + field.upper()


def model_address() -> str | None:
    """The address of the OpenAI-compatible server that litellm will ask, when one is set."""
    return os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL") or None
