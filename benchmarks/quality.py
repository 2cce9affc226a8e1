"""How good the extractive model, the retrieval and the checks are, on real questions, abstracts and records.

    python -m benchmarks quality [--only pubmedqa|retrieval|claims|stance|integrity|guard|effects|designs|sizes]

Needs the folder of shared real data beside the checkout. Rules were tuned on even PMIDs; the figures of odd ones count, and are
those printed here.
"""

from __future__ import annotations

import argparse
from importlib import import_module

PARTS: dict[str, tuple[str, ...]] = {
    "pubmedqa": ("--level", "chain"),
    "retrieval": (),
    "claims": ("--half", "odd"),
    "stance": ("--half", "odd"),
    "integrity": (),
    "guard": (),
    "effects": (),
    "designs": (),
    "sizes": (),
}
"""Module of this package by name, with the arguments that give the figures that count."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks quality", description="Quality on real data.")
    parser.add_argument("--only", choices=tuple(PARTS), help="one of them")
    options = parser.parse_args(arguments)
    for name in [options.only] if options.only else PARTS:
        import_module(f"benchmarks.{name}").main(list(PARTS[name]))
