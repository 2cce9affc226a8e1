"""Prices of model calls, from the price list included in litellm (nothing is fetched)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clinfo.llm.litellm_loading import load
from clinfo.llm.model_names import LOCAL_PROVIDERS, is_remote


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens in and for a million out."""

    input: float
    output: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars for that many tokens."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


def listed(name: str) -> Mapping[str, Any] | None:
    """litellm's entry for a model, None where it has none."""
    litellm = load()
    if entry := litellm.model_cost.get(name):
        return dict(entry)
    try:
        model, provider, _, _ = litellm.get_llm_provider(name)
    except Exception:  # litellm raises what it likes here
        return None
    for candidate in (f"{provider}/{model}", model):
        entry = litellm.model_cost.get(candidate)
        if entry and str(entry.get("litellm_provider", "")).startswith(provider):
            return dict(entry)
    return None


def context_tokens(name: str) -> int | None:
    """Most tokens a model reads, None where unknown."""
    size = (listed(name) or {}).get("max_input_tokens")
    return size if isinstance(size, int) and size > 0 else None


def cost(
    name: str,
    prompt_tokens: int,
    completion_tokens: int,
    *,
    api_base: str | None = None,
    price: Price | None = None,
    usage: object = None,
) -> float | None:
    """US dollars for that many tokens, 0.0 for a model on this machine, None where the price is
    unknown.

    ``price`` goes before the list. ``usage`` is litellm's own account of a call, which knows of
    tokens the provider had cached and of dearer kinds.
    """
    if price is not None:
        return price.of(prompt_tokens, completion_tokens)
    entry = listed(name)
    if entry is None:
        free = name.partition("/")[0] in LOCAL_PROVIDERS and not is_remote(name, api_base)
        return 0.0 if free else None
    if entry.get("input_cost_per_token") is None or entry.get("output_cost_per_token") is None:
        return None
    try:
        parts = load().cost_per_token(
            model=name,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            usage_object=usage,
        )
    except (
        Exception
    ):  # ModelNotMappedError and whatever an odd entry leads to: not known, which is never 0
        return None
    return float(sum(parts))
