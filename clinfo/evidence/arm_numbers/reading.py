"""What the values of one arm say, each by its form and by the labels that explain it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from clinfo.evidence.arm_numbers.grids import Entry
from clinfo.evidence.arm_numbers.pairing import Part, Reported
from clinfo.evidence.arm_numbers.roles import Role, roles
from clinfo.lazy_dataclass import dataclass
from clinfo.text.regex import anycase

NEAR_PERCENT = 1.0
"""Most points that a percentage may differ from its count over the group's size."""
NORMAL = 1.959964
"""Half the width of a 95 % interval, in standard errors."""
_PERCENT_FIRST = anycase(r"%\s?[,(/]\s?n\b")
_SPREADS: tuple[Role, ...] = ("sd", "se", "interval", "median")


@dataclass(frozen=True)
class Read:
    """What stands for one arm: values with the cell each stands in.

    ``spread`` is of the kind that ``spread_kind`` says: sd, se, interval (``low`` and ``high``) or
    median, where the value beside it is no mean.
    """

    events: tuple[float, Entry] | None = None
    percent: tuple[float, Entry] | None = None
    total: tuple[float, Entry] | None = None
    value: tuple[float, Entry] | None = None
    spread: tuple[float, Entry] | None = None
    limits: tuple[float, float, Entry] | None = None
    kind: Role | None = None

    @property
    def counted(self) -> bool:
        """Return whether a count or a share is told, no mean."""
        return self.events is not None or self.percent is not None


def read_arm(parts: Sequence[Part], told: Reported, size: float | None) -> Read:
    """The values of one arm; ``size`` is its group's, where known."""
    held = [part for part in parts if "p" not in part.roles]
    all_roles = frozenset(role for part in held for role in part.roles)
    kind = _spread_kind(told, held)
    found: dict[str, tuple[float, Entry]] = {}
    limits: tuple[float, float, Entry] | None = None
    for part in held:
        own, cell, entry = part.roles, part.entry.value, part.entry
        first, second = (cell.first, entry), (cell.second or 0.0, entry)
        if cell.shape == "spread":
            found.setdefault("value", first)
            found.setdefault("spread", second)
        elif cell.shape == "share":
            found.setdefault("events", first)
            found.setdefault("percent", second)
        elif cell.shape == "of":
            if cell.second and float(cell.first).is_integer() and cell.first <= cell.second:
                found.setdefault("events", first)
                found.setdefault("total", second)
        elif cell.shape == "percent":
            found.setdefault("percent", first)
        elif cell.shape == "interval" and cell.second is not None and cell.third is not None:
            if not math.isnan(cell.first):
                found.setdefault("percent" if cell.percent else "value", first)
            limits = limits or (cell.second, cell.third, entry)
        elif cell.shape == "bracket" and _PERCENT_FIRST.search(told.label):
            found.setdefault("percent", first)
            found.setdefault("events", second)
        elif cell.shape == "bracket":
            counts = _is_count(part, told, cell.first, cell.second or 0.0, size)
            found.setdefault("events" if counts else "value", first)
            found.setdefault("percent" if counts else "spread", second)
        else:
            found.setdefault(_plain(own, all_roles, cell.bracketed, "value" in found), first)
    if limits is not None and not limits[0] <= limits[1]:
        limits = None
    if not 0 <= found.get("percent", (0.0,))[0] <= 100:
        found.pop("percent")
    if "events" in found and "value" in found and "spread" not in found:
        found.pop("value")
    return Read(
        found.get("events"), found.get("percent"), found.get("total"), found.get("value"),
        found.get("spread"), limits, kind,
    )  # fmt: skip


def _plain(own: frozenset[Role], every: frozenset[Role], bracketed: bool, valued: bool) -> str:
    """What a number alone is."""
    if own & {"sd", "se"} and not own & {"mean"}:
        return "spread"
    if "percent" in own and not own & {"mean", "n"}:
        return "percent"
    if "n" in own and not own & {"mean", "sd", "se"}:
        return "events" if "percent" in every and "mean" not in every else "total"
    if bracketed and valued:
        return "spread"
    return "value"


def _is_count(part: Part, told: Reported, first: float, second: float, size: float | None) -> bool:
    """Return whether "a (b)" is a count and its percentage, not a mean and its SD."""
    if not first.is_integer() or first < 0 or not 0 <= second <= 100:
        return False
    labels = (told.label, told.condition, told.heading, told.caption)
    for found in (part.roles, *map(roles, labels)):
        means = found & {"sd", "se", "mean", "median"}
        if means and "percent" not in found:
            return False
        if "percent" in found and not means:
            return "n" in found or found is part.roles or _fits(first, second, size)
    return _fits(first, second, size)


def _fits(count: float, percent: float, size: float | None) -> bool:
    """Return whether a count is about the percentage of a group."""
    return bool(size) and abs(100 * count / (size or 1) - percent) <= NEAR_PERCENT


def _spread_kind(told: Reported, held: Sequence[Part]) -> Role | None:
    """What is said of the spread: the nearest label that says something."""
    own = frozenset(role for part in held for role in part.roles)
    labels = (told.label, told.condition, told.heading, told.caption, told.notes)
    for found in (own, *map(roles, labels)):
        if "median" in found and "mean" in found and "sd" in found:
            continue
        for role in _SPREADS:
            if role in found and not (role == "median" and found & {"sd", "se"}):
                return role
        if "mean" in found and found is own:
            break
    return None
