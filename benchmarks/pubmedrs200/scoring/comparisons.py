"""Every system against a baseline, as one family of tests."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.scoring.inputs import whole_answer
from benchmarks.pubmedrs200.scoring.significance import Comparison, compare, family, pairing


def comparisons(
    rows: Sequence[ScoreRow], metrics: Sequence[str], baseline: str
) -> list[Comparison]:
    """Every system against the baseline under every metric; measures of whole answers against the
    baseline's whole answer.
    """
    values: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        values.setdefault(row.metric, {}).setdefault(row.system, {})[row.id] = row.value
    found = []
    for metric in metrics:
        by_system = values.get(metric, {})
        against = baseline if baseline in by_system else whole_answer(baseline)
        if against in by_system:
            found += [
                pairing(metric, system, against, by_id, by_system[against])
                for system, by_id in by_system.items()
                if system != against
            ]
    return family(compare([one for one in found if one is not None]))
