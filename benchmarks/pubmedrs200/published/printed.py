"""The figures that the paper prints, as far as known here (printed.toml beside this module)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("printed.toml")


@dataclass(frozen=True)
class Printed:
    """``table1`` has printed means by metric and system key, ``table3`` by regime and metric.
    ``notes`` has by table what is known of its misprints; ``misprints`` names cells as (table, row,
    metric)."""

    source: str
    table1: Mapping[str, Mapping[str, float]]
    table3: Mapping[str, Mapping[str, float]]
    notes: Mapping[str, tuple[str, ...]]
    misprints: frozenset[tuple[str, str, str]]


def printed() -> Printed:
    """The printed values that are known."""
    with _FILE.open("rb") as file:
        form = tomllib.load(file)
    notes: dict[str, tuple[str, ...]] = {}
    for note in form["notes"]:
        notes[note["table"]] = (*notes.get(note["table"], ()), note["text"])
    misprints = frozenset(
        (item["table"], item["row"], item["metric"]) for item in form["misprints"]
    )
    return Printed(form["source"], form["table1"], form["table3"], notes, misprints)
