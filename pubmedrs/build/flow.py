"""The flow of a build like Figure 1 of the paper: how many records came to each step, how many it
rejected, and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pubmedrs.build.screening import STEPS, Rejection


@dataclass(frozen=True)
class Step:
    """One step: ``entered`` = ``passed`` + the sum of ``rejected``, reasons with their numbers,
    most frequent first.
    """

    name: str
    title: str
    entered: int
    passed: int
    rejected: Mapping[str, int]


@dataclass(frozen=True)
class Flow:
    """A whole build. ``hits`` are PubMed's numbers over all topics, ``taken`` the PMIDs taken of
    them, ``distinct`` without repeats, ``looked_at`` those screened (fewer where enough were
    accepted before).
    """

    topics: int
    hits: int
    taken: int
    distinct: int
    looked_at: int
    steps: tuple[Step, ...]
    accepted: int


def flow_of(
    topics: int,
    hits: int,
    taken: int,
    distinct: int,
    looked_at: int,
    rejections: Sequence[Rejection],
    accepted: int,
) -> Flow:
    """The flow from what was looked at and what was rejected.

    Raises ValueError where a record was lost or counted twice: what came in is not what went out.
    """
    steps = []
    left = looked_at
    for name, title in STEPS:
        reasons = Counter(one.reason for one in rejections if one.step == name)
        entered, left = left, left - reasons.total()
        steps.append(
            Step(
                name,
                title,
                entered,
                left,
                dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0]))),
            )
        )
    if left != accepted:
        raise ValueError(
            f"of {looked_at} records {accepted} were accepted and {len(rejections)} rejected"
        )
    return Flow(topics, hits, taken, distinct, looked_at, tuple(steps), accepted)


def as_json(flow: Flow) -> dict[str, Any]:
    """The flow as JSON holds it."""
    steps = [
        {
            "step": one.name,
            "passes": one.title,
            "entered": one.entered,
            "passed": one.passed,
            "rejected": dict(one.rejected),
        }
        for one in flow.steps
    ]
    return {
        "schema": 1,
        "topics": flow.topics,
        "hits": flow.hits,
        "taken": flow.taken,
        "duplicates": flow.taken - flow.distinct,
        "distinct": flow.distinct,
        "not_looked_at": flow.distinct - flow.looked_at,
        "steps": steps,
        "accepted": flow.accepted,
    }


def as_markdown(flow: Flow) -> str:
    """The flow as a page for people."""
    rows = [
        ("", f"searches, one a topic ({flow.hits:,} hits in PubMed)", f"{flow.topics:,}"),
        ("", "PMIDs taken", f"{flow.taken:,}"),
        ("", "repeats across topics removed", f"{flow.taken - flow.distinct:,}"),
        ("", "distinct PMIDs", f"{flow.distinct:,}"),
    ]
    if flow.looked_at < flow.distinct:
        rows.append(
            (
                "",
                "not examined, because enough were accepted",
                f"{flow.distinct - flow.looked_at:,}",
            )
        )
    for number, step in enumerate(flow.steps, 1):
        rows.append((str(number), step.title, f"{step.passed:,} of {step.entered:,}"))
        rows.extend(
            ("", f"rejected: {_cell(reason)}", f"{count:,}")
            for reason, count in step.rejected.items()
        )
    rows.append(("", "candidate questions", f"{flow.accepted:,}"))
    return "\n".join(["# Flow of the build", "", *_table(("step", "records", "n"), rows)]) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ("--:", "---", "--:"), *rows)]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
