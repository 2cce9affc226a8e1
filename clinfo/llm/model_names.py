"""Facts known from a model's name before any call: its provider, its location, and whether it can
be used.
"""

import os
import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from clinfo.llm.litellm_loading import load
from clinfo.records.request import EXTRACTIVE

LOCAL_PROVIDERS = {
    "ollama": "http://localhost:11434",
    "ollama_chat": "http://localhost:11434",
    "lm_studio": "http://localhost:1234/v1",
    "llamafile": "http://127.0.0.1:8080/v1",
}
"""Providers that are programs on the user's own machine and cost nothing, with the addresses they
have unless told otherwise.
"""

CHAT_MODES = ("chat", "completion", "responses")
OWN_NAMES = ("anthropic", "deepseek", "gemini", "groq", "mistral", "openai", "openrouter", "xai")
"""Providers whose models have the names that these gave them."""
ALIKE = 0.7
"""Share of a name's characters that a suggestion must have in common with it."""
ADDRESS_VARIABLES = ("_BASE_URL", "_API_BASE", "_API_BASE_URL")


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
    if provider_of(name) is None:
        own = "/" not in name and address_of("openai/") is not None  # a server of the user's
        near = f"openai/{name}" if own else near_name(name)
        return (
            f"unknown model {name[:80]!r}{f'; did you mean {near}?' if near else ''} (names are "
            "PROVIDER/MODEL, as in litellm)"
        )
    if name.rpartition("/")[2] == "":
        return (
            f"{name!r} names a provider but no model; give one as PROVIDER/MODEL, for example "
            "openai/gpt-4o-mini"
        )
    if "://" not in (address := address_of(name, api_base) or "://"):
        return f"{name}: the address {address!r} is none of a server; it begins with http:// or https://"
    if (mode := _mode(load().model_cost.get(name))) not in CHAT_MODES:
        return f"{name} is a model for {mode.replace('_', ' ')}, not for text; choose a chat model"
    if (
        api_key is None
        and needs_key(name, api_base)
        and (variable := key_variable(name)) is not None
    ):
        return f"{name}: no API key; set {variable}"
    for variable in (f"{prefix}_API_KEY" for prefix in _variable_prefixes(name)):
        if re.search(r"[^!-~]", api_key or os.environ.get(variable, "")):
            return f"{name}: {variable} has a blank, a line break or a sign that no key has"
    return None


def near_name(name: str) -> str | None:
    """A known name that looks like ``name``: with the provider's spelling mended, else a model of
    litellm's list or the extractive one; None where none does.
    """
    litellm = load()
    providers = {str(getattr(one, "value", one)) for one in litellm.provider_list}
    provider, slash, model = name.lower().partition("/")
    if slash and provider not in providers and (close := _closest(provider, providers)):
        return f"{close}/{model}"
    listed = [known for known, entry in litellm.model_cost.items() if _mode(entry) in CHAT_MODES]
    return _closest(name.lower(), [EXTRACTIVE, *listed])


def doubt(name: str) -> str | None:
    """Return what to say of a model that is not on the list of its provider while one of nearly
    its name is; None where there is nothing to say: lists are older than the newest models, and
    users name the models of other providers and of a server with an address of its own.
    """
    provider, slash, model = name.partition("/")
    if not slash and name.startswith("claude"):
        provider, model = "anthropic", name
    if provider not in OWN_NAMES or address_of(name) is not None:
        return None
    if name in (listed := load().model_cost) or model in listed:
        return None
    own = [
        f"{provider}/{known.removeprefix(f'{provider}/')}"
        for known, entry in listed.items()
        if entry.get("litellm_provider") == provider and _mode(entry) in CHAT_MODES
    ]
    close = _closest(f"{provider}/{model}", own)
    return f"{name} is on no list of models; did you mean {close}?" if close else None


def _closest(name: str, known: Iterable[str]) -> str | None:
    """The name with the fewest edits, of these one as long as ``name``, of these the first."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    most = int(len(name) * (1 - ALIKE))
    found = extract(name, sorted(known), scorer=OSA.distance, score_cutoff=most, limit=None)
    best = min(found, key=lambda one: (one[1], abs(len(one[0]) - len(name)), one[0]), default=None)
    return str(best[0]) if best else None


def _mode(entry: Mapping[str, Any] | None) -> str:
    """The use of a model, by its entry in a price list; chat where it does not say."""
    return str((entry or {}).get("mode", "chat"))


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


def own_key(name: str, api_base: str | None, api_key: str | None) -> str | None:
    """The key to send. A server of one's own may want none, but the client library insists."""
    unset = api_key is None and not os.environ.get("OPENAI_API_KEY")
    own = unset and provider_of(name) == "openai" and not needs_key(name, api_base)
    return "none" if own else api_key


def _variable_prefixes(name: str) -> tuple[str, ...]:
    """Beginnings of the environment variables that may hold the address: those of the provider."""
    provider, slash, _ = name.partition("/")
    if not slash:
        if not any(variable.endswith(ADDRESS_VARIABLES) for variable in os.environ):
            return ()  # spares the import of litellm
        provider = provider_of(name) or ""
    prefix = provider.upper().replace("-", "_")
    return ("OLLAMA",) if prefix == "OLLAMA_CHAT" else (prefix,) if prefix else ()
