"""Dates as a reader writes them."""

from __future__ import annotations

from datetime import date

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def day(iso: str) -> str:
    """``2026-11-20`` as ``20 November 2026``; what is no such date stays as it is."""
    try:
        value = date.fromisoformat(iso[:10])
    except ValueError:
        return iso
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"
