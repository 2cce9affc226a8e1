"""Lists in cells: Python literals as the published file has them, or JSON as ours do."""

from __future__ import annotations

import ast

LONGEST = 1_000_000
"""Characters; the longest published list has about 10,000."""


def read_list(text: str) -> list[str]:
    """The entries of a list of texts or whole numbers, as texts. Nothing is evaluated.

    Raises ValueError, whose text says in words what is wrong.
    """
    if len(text) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} characters")
    if not text.strip():
        raise ValueError("the cell is empty; an empty list is written []")
    try:
        entries = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(
            f"it cannot be read: {text[:40]!r}{'…' if len(text) > 40 else ''}"
        ) from None
    if not isinstance(entries, list):
        raise ValueError(f"it is not a list but {text[:40]!r}")
    for entry in entries:
        if not isinstance(entry, str) and (not isinstance(entry, int) or isinstance(entry, bool)):
            raise ValueError(f"it holds {str(entry)[:40]!r}, which is not text")
    return [str(entry) for entry in entries]
