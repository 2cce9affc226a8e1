"""Counts as a shared host shows them: in ranges, so that neither a count nor the difference of two
tells of few people.
"""

from __future__ import annotations


def shown(count: int, least: int) -> str:
    """A count; where ``least`` is more than 0, the range of so many numbers that it lies in.

    All ranges are alike wide and begin at the same numbers, also those of large counts: of two
    counts, the one within the other, more than one difference below ``least`` is left, or none.
    """
    if least <= 1:
        return f"{count:,}"
    low = count // least * least
    return f"{low:,} to {low + least - 1:,}" if low else f"fewer than {least:,}"
