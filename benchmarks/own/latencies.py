"""Model latencies that a run waits for one after another, to its judged end.

A scripted model answers every request after the same delay; of the requests as they arrived the
longest row is counted of which each came after the one before was answered.

    python -m benchmarks latencies
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.own import speed
from benchmarks.own.tokens import one_rejected
from benchmarks.servers import workload

DELAY = 5.0
"""Seconds until a reply: far more than anything else takes."""
TARGETS = {"nothing mended": (4, 4), "one sentence mended": (5, 4)}
"""Latencies to the end of the run and to its judged TL;DR."""


def in_a_row(arrived: Iterable[float], delay: float = DELAY) -> int:
    """The longest row of requests, each after the reply to the one before."""
    count, answered = 0, float("-inf")
    for at in sorted(arrived):
        if at >= answered:
            count, answered = count + 1, at + delay
    return count


def latencies(reply: Callable[[dict[str, Any]], str], count: int = 30) -> tuple[int, int]:
    """Those of a run over ``count`` articles, to its end and to its judged TL;DR. Raises SystemExit
    where it does not answer.
    """
    events, received = speed.judged_run(reply, count, first_token=DELAY)
    judged = next(one.t for one in events if one.key == "checked tldr 0")
    asked = [one.at for one in received]
    answered = [at for at in asked if at - min(asked) < judged - DELAY / 2]
    return in_a_row(asked), in_a_row(answered)


def report() -> dict[str, tuple[int, int]]:
    """Print the latencies beside their targets; give them back."""
    found = {
        "nothing mended": latencies(workload.reply),
        "one sentence mended": latencies(lambda body: one_rejected(workload.reply(body))),
    }
    for name, (end, tldr) in found.items():
        most, first = TARGETS[name]
        print(f"{name}: {end} latencies one after another (target {most}), {tldr} to the judged "
              f"TL;DR (target {first})")  # fmt: skip
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print the figures, and as JSON."""
    argparse.ArgumentParser("python -m benchmarks latencies", description=__doc__).parse_args(
        arguments
    )
    print(json.dumps(report()))
