"""Model calls of a run with what they took, by stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clinfo.records.answer import StageUsage, Usage
from clinfo.runs.events import CostIncurred


def usage_of(costs: Sequence[CostIncurred]) -> Usage:
    """Return what these calls took."""
    by_stage: dict[str, list[CostIncurred]] = {}
    for event in costs:
        by_stage.setdefault(event.where, []).append(event)
    return Usage(
        **_totals(costs),
        by_stage={stage: StageUsage(**_totals(by_stage[stage])) for stage in sorted(by_stage)},
    )


def _totals(costs: Sequence[CostIncurred]) -> dict[str, Any]:
    prices = [event.cost_usd for event in costs]
    return {
        "calls": sum(not event.cached for event in costs),
        "cached": sum(event.cached for event in costs),
        "prompt_tokens": sum(event.prompt_tokens for event in costs),
        "completion_tokens": sum(event.completion_tokens for event in costs),
        "cost_usd": None if None in prices else sum(price for price in prices if price is not None),
    }
