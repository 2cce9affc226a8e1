"""Verdicts of the judge counted: rates with Wilson's intervals (1927, J Am Stat Assoc 22:209),
bars, measures by name.

Whatever verdict a judge says is counted under its own name, one that is not in `VERDICTS` too.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

VERDICTS = ("supported", "partial", "not_verified", "unsupported", "contradicted", "uncited")
CONDEMNED = ("unsupported", "contradicted")
_BADNESS = {"contradicted": 0, "unsupported": 1, "partial": 3, "supported": 4, "uncited": 5}


def worst(verdicts: Iterable[str]) -> str:
    """The worst of some verdicts, "uncited" for none; not verified and unknown ones are worse than
    partial.
    """
    return min(verdicts, key=lambda verdict: _BADNESS.get(verdict, 2), default="uncited")


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """The 95 % score interval of a share; (0, 1) for nothing."""
    if not count:
        return 0.0, 1.0
    share, spread = hits / count, z * z / count
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def rate(hits: int, count: int) -> str:
    """A share as printed: percent, counts and interval."""
    low, high = wilson(hits, count)
    return (
        f"{100 * hits / count if count else 0:5.1f} %  ({hits}/{count}, 95 % CI {100 * low:.1f} to "
        f"{100 * high:.1f})"
    )


def at_least(hits: int, count: int, bar: float) -> str:
    return f"bar >= {100 * bar:.0f} % {'reached' if hits >= bar * count else 'MISSED'}"


def at_most(hits: int, count: int, bar: float) -> str:
    return f"bar <= {100 * bar:.0f} % {'reached' if hits <= bar * count else 'MISSED'}"


def condemned(counts: Mapping[str, int]) -> int:
    """Return how many were found false: unsupported or contradicted."""
    return sum(counts.get(verdict, 0) for verdict in CONDEMNED)


@dataclass(frozen=True)
class Bars:
    """The limits of a row, as shares; None where nothing is."""

    most_supported: float | None = None
    least_supported: float | None = None
    most_condemned: float | None = None
    least_condemned: float | None = None


def lines_of(name: str, counts: Counter[str], bars: Bars) -> list[str]:
    """A row of the report: n, supported and condemned with interval and bar, then the share of
    every other verdict; [] for none.
    """
    total = counts.total()
    if not total:
        return []
    lines = [f"{name}, n = {total}"]
    for word, hits, most, least in (
        ("supported", counts["supported"], bars.most_supported, bars.least_supported),
        ("condemned", condemned(counts), bars.most_condemned, bars.least_condemned),
    ):
        told = [at_most(hits, total, most)] if most is not None else []
        told += [at_least(hits, total, least)] if least is not None else []
        lines.append("  ".join([f"  {word:12} {rate(hits, total)}", *told]))
    rest = [
        verdict
        for verdict in (*VERDICTS, *sorted(counts.keys() - {*VERDICTS}))
        if verdict != "supported" and counts[verdict]
    ]
    shares = [
        f"{verdict.replace('_', ' ')} {100 * counts[verdict] / total:.1f} %" for verdict in rest
    ]
    return [*lines, f"  {', '.join(shares)}"] if shares else lines


def measures(name: str, counts: Counter[str]) -> dict[str, float]:
    """``NAME_n`` and the share (0 to 1) of each verdict of `VERDICTS`, of any other that was said,
    and of condemned, by name.
    """
    slug, total = re.sub(r"\W+", "_", name), counts.total()
    if not total:
        return {}
    shares = {
        verdict: counts[verdict] for verdict in (*VERDICTS, *sorted(counts.keys() - {*VERDICTS}))
    }
    shares["condemned"] = condemned(counts)
    return {f"{slug}_n": total} | {
        f"{slug}_{verdict}": round(hits / total, 4) for verdict, hits in shares.items()
    }
