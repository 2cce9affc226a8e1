"""Counts as they are shown to people who may not see patients: in ranges, so that neither a count
nor the difference of two tells of few people.
"""

from __future__ import annotations


def shown(count: int, least: int) -> int | str:
    """A count; where ``least`` is more than 1, the range of so many numbers that it lies in.

    All ranges are alike wide and begin at the same numbers, also those of large counts: of two
    counts, the one within the other, more than one difference below ``least`` is left, or none.
    """
    if least <= 1:
        return count
    low = count // least * least
    return f"{low:,} to {low + least - 1:,}" if low else f"fewer than {least:,}"
