"""The prompts of the chain in words for their editor."""

from __future__ import annotations

from clinfo.pipelines.literature.declared import PROMPT_TEXTS as STEPS

__all__ = ["STEPS", "place_of"]


def place_of(where: str) -> tuple[str, str]:
    """(id of the control, its name in words) of a text that `clinfo.errors.IdentifiersFound`
    names.
    """
    kind, _, which = where.partition(" ")
    if kind == "prompt" and which in STEPS:
        return f"prompt-{which}", f"prompt “{STEPS[which].title}”"
    return kind, f"own query {which}" if kind == "query" else kind
