"""Exit statuses of what went well; those of failures stand with `clinfo.errors`."""

from __future__ import annotations

NOTHING_FOUND = 3
"""There is an answer, and it is that nothing was found."""
