"""The names of models and providers that litellm ships, read from its files: to import it takes
2 to 3 seconds, and a misspelt name or a missing key is told before that.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

CHAT_MODES: Final = ("chat", "completion", "responses")
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "xai": ("XAI_API_KEY",),
}
"""Variables of which one must hold the provider's key, the usual one first; of other providers
litellm is asked.
"""
ALIKE: Final = 0.7
"""Share of a name's characters that a suggestion must have in common with it."""
_PROVIDERS = re.compile(r"^class LlmProviders\(.*?(?=^\S(?!lass LlmProviders))", re.M | re.S)
_VALUE = re.compile(r'^    [A-Z0-9_]+ = "([^"]+)"', re.M)


def _read(path: str) -> str:
    """A file of litellm's; "" where there is none."""
    spec = find_spec("litellm")
    try:
        return (Path(spec.origin or "").parent / path).read_text("utf-8") if spec else ""
    except OSError:
        return ""


@cache
def models() -> Mapping[str, Mapping[str, Any]]:
    """litellm's price list by name; empty where it cannot be read."""
    held = json.loads(_read("model_prices_and_context_window_backup.json") or "{}")
    return {name: entry for name, entry in held.items() if "litellm_provider" in entry}


@cache
def providers() -> frozenset[str]:
    """The names of providers; empty where they cannot be read."""
    found = _PROVIDERS.search(_read("types/utils.py"))
    named = _VALUE.findall(found[0]) if found else []
    return frozenset([*named, *json.loads(_read("llms/openai_like/providers.json") or "{}")])


def near(name: str) -> str | None:
    """A known name that looks like ``name``: with the provider's spelling mended, else a model of
    the price list.
    """
    provider, slash, model = name.lower().partition("/")
    if slash and provider not in providers() and (close := _closest(provider, providers())):
        return f"{close}/{model}"
    chat = [known for known, entry in models().items() if entry.get("mode") in CHAT_MODES]
    return _closest(name.lower(), chat)


def _closest(name: str, known: Iterable[str]) -> str | None:
    """The name with the fewest edits, of these one as long as ``name``, of these the first."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    most = int(len(name) * (1 - ALIKE))
    found = extract(name, sorted(known), scorer=OSA.distance, score_cutoff=most, limit=None)
    best = min(found, key=lambda one: (one[1], abs(len(one[0]) - len(name)), one[0]), default=None)
    return str(best[0]) if best else None


def unknown(name: str) -> bool:
    """Return whether litellm is sure to know no provider for the name: one with a provider that
    does not exist, or one without that looks like a known model's.
    """
    provider, slash, _ = name.partition("/")
    if slash:
        return bool(providers()) and provider not in providers() and name not in models()
    listed = name in models() or name.startswith("claude") or ":" in name  # litellm takes all such
    return not listed and near(name) is not None


def lacking_key(name: str) -> str | None:
    """The variable that should hold the provider's key and does not, of the providers in `KEYS`."""
    provider, slash, _ = name.partition("/")
    owner = provider if slash else models().get(name, {}).get("litellm_provider", "")
    variables = KEYS.get(owner, ())
    return variables[0] if variables and not any(map(os.environ.get, variables)) else None


def doubt(name: str) -> str | None:
    """Return what to say of a model that is not on the list of its provider while one of nearly the
    same name is: it may be newer than the list, or misspelt.
    """
    provider, slash, model = name.partition("/")
    if not slash and name.startswith("claude"):
        provider, model = "anthropic", name
    if provider not in KEYS or name in models() or model in models():
        return None
    own = [
        f"{provider}/{known.removeprefix(f'{provider}/')}"
        for known, entry in models().items()
        if entry.get("litellm_provider") == provider and entry.get("mode") in CHAT_MODES
    ]
    close = _closest(f"{provider}/{model}", own)
    return f"{name} is on no list of models; did you mean {close}?" if close else None
