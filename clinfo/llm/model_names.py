"""Facts known from a model's name before any call: its provider, its location, and whether it can
be used.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from ipaddress import ip_address
from urllib.parse import urlsplit

from clinfo.llm.litellm_loading import load

LOCAL_PROVIDERS = {
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
    "lm_studio": "http://localhost:1234/v1",
    "llamafile": "http://127.0.0.1:8080/v1",
}
"""Providers that are programs on the user's own machine and cost nothing, with the addresses they
have unless told otherwise.
"""

ADDRESS_VARIABLES = ("_BASE_URL", "_API_BASE", "_API_BASE_URL")
CHAT_MODES = ("chat", "completion", "responses")


def is_ollama(name: str) -> bool:
    """Return whether the model runs in Ollama."""
    return name.partition("/")[0] in ("ollama", "ollama_chat")


def called(name: str) -> str:
    """The name under which litellm is asked: ``ollama/`` would send a bare prompt without the
    model's chat template.
    """
    provider, slash, model = name.partition("/")
    return f"ollama_chat/{model}" if slash and provider == "ollama" else name


def provider_of(name: str) -> str | None:
    """litellm's name of the provider, None where it knows none."""
    try:
        return str(load().get_llm_provider(name)[1])
    except Exception:  # litellm raises what it likes here
        return None


def address_of(name: str, api_base: str | None = None) -> str | None:
    """The server address in effect: ``api_base``, else the provider's environment variable, else
    None (its own address).
    """
    if api_base:
        return api_base
    for prefix in _variable_prefixes(name):
        for suffix in ADDRESS_VARIABLES:
            if address := os.environ.get(prefix + suffix):
                return address
    return LOCAL_PROVIDERS.get(name.partition("/")[0])


def is_remote(name: str, api_base: str | None = None) -> bool:
    """Return whether text sent to the model leaves this machine."""
    address = address_of(name, api_base)
    return address is None or not is_loopback(address)


def is_loopback(address: str) -> bool:
    """Return whether a server address (a URL, or host and port) is this machine."""
    try:
        host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False


def key_variable(name: str) -> str | None:
    """The environment variable that holds the provider's key, where litellm needs one and it is not
    set.
    """
    try:
        missing = load().validate_environment(name)["missing_keys"]
    except Exception:  # litellm raises what it likes here
        return None
    return next((variable for variable in missing if variable.endswith("_API_KEY")), None)


def known_model_problem(
    name: str, *, api_base: str | None = None, api_key: str | None = None
) -> str | None:
    """Return why the model cannot be used, in one line, as far as can be known without calling it;
    else None.
    """
    if not name.strip() or not name.isprintable() or any(character.isspace() for character in name):
        return (
            f"{name[:60]!r} is not a model name; give one as PROVIDER/MODEL, for example "
            "openai/gpt-4o-mini"
        )
    provider = provider_of(name)
    if provider is None:
        near = _near(name)
        return (
            f"unknown model {name[:80]!r}{f'; did you mean {near}?' if near else ''} (names are "
            "PROVIDER/MODEL, as in litellm)"
        )
    if name.rpartition("/")[2] == "":
        return (
            f"{name!r} names a provider but no model; give one as PROVIDER/MODEL, for example "
            "openai/gpt-4o-mini"
        )
    mode = (load().model_cost.get(name) or {}).get("mode", "chat")
    if mode not in CHAT_MODES:
        return f"{name} is a model for {mode.replace('_', ' ')}, not for text; choose a chat model"
    if (
        api_key is None
        and needs_key(name, api_base)
        and (variable := key_variable(name)) is not None
    ):
        return f"{name}: no API key; set {variable}"
    return None


def needs_key(name: str, api_base: str | None = None) -> bool:
    """Return whether the provider is sure to want a key; a server of the user's own
    (OpenAI-compatible or on this machine) may not.
    """
    address = address_of(name, api_base)
    if address is None:
        return True
    return not is_loopback(address) and not (
        provider_of(name) == "openai" and "openai.com" not in address
    )


def _variable_prefixes(name: str) -> tuple[str, ...]:
    """Beginnings of the environment variables that may hold the address: those of the provider."""
    provider, slash, _ = name.partition("/")
    if not slash:
        if not any(variable.endswith(ADDRESS_VARIABLES) for variable in os.environ):
            return ()  # spares the import of litellm
        provider = provider_of(name) or ""
    prefix = provider.upper().replace("-", "_")
    return ("OLLAMA",) if prefix == "OLLAMA_CHAT" else (prefix,) if prefix else ()


def _near(name: str) -> str | None:
    """A known name that looks like ``name``: with the provider's spelling mended, else a model of
    the price list.
    """
    litellm = load()
    providers = [str(getattr(provider, "value", provider)) for provider in litellm.provider_list]
    provider, slash, model = name.lower().partition("/")
    if slash and (close := get_close_matches(provider, providers, n=1, cutoff=0.7)):
        return f"{close[0]}/{model}"
    chat = [known for known, entry in litellm.model_cost.items() if entry.get("mode") in CHAT_MODES]
    close = get_close_matches(name.lower(), chat, n=1, cutoff=0.7)
    return close[0] if close else None
