"""Counts, times, money and days in words."""

from collections.abc import Mapping
from datetime import date

from clinfo.records.answer import StageUsage
from clinfo.text.lexicon import words_of


def number(count: int, one: str, many: str | None = None) -> str:
    """``1 article``, ``1,200 articles``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def left_out(reasons: Mapping[str, int]) -> str:
    """``3 hits left out: 2 for one reason; 1 for another.``; nothing where nothing was left out."""
    why = "; ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    return f"{number(sum(reasons.values()), 'hit')} left out: {why}." if reasons else ""


def seconds(value: float) -> str:
    """``under 0.1 s``, ``3.2 s``, ``75 s``, ``12 min``."""
    if value < 0.1:
        return "under 0.1 s"
    if value < 10:
        return f"{value:.1f} s"
    return f"{value:.0f} s" if value < 600 else f"{value / 60:.0f} min"


def cost(usage: StageUsage) -> str:
    """``$0.0123``; an unknown price is never shown as nothing."""
    if usage.cost_usd is None:
        return "cost unknown"
    if usage.cost_usd == 0:
        return "no cost"
    if usage.cost_usd < 0.0001:
        return "under $0.0001"
    return f"${usage.cost_usd:,.4f}" if usage.cost_usd < 1 else f"${usage.cost_usd:,.2f}"


def listed(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


MONTHS = words_of("months", "names")


def day(iso: str) -> str:
    """``2026-11-20`` as ``20 November 2026``; what is no such date stays as it is."""
    try:
        value = date.fromisoformat(iso[:10])
    except ValueError:
        return iso
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"
