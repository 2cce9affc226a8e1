"""Dates as a reader writes them."""

from datetime import date

from clinfo.text.lexicon import words_of

MONTHS = words_of("months", "names")


def day(iso: str) -> str:
    """``2026-11-20`` as ``20 November 2026``; what is no such date stays as it is."""
    try:
        value = date.fromisoformat(iso[:10])
    except ValueError:
        return iso
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"
