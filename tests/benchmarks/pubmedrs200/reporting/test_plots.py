"""What plots leave out, and that no point hides another."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from tests.benchmarks.pubmedrs200.reporting.conftest import Made

DOLLARS = {
    "title": "US dollars",
    "low": 0,
    "high": None,
    "better": "lower",
    "floor": None,
    "signature": "",
}


def words(path: Path) -> str:
    return " ".join(
        " ".join(ElementTree.fromstring(path.read_text(encoding="utf-8")).itertext()).split()
    )


def test_plots_say_by_themselves_what_they_stand_on(made: Made) -> None:
    folder = made.report / "plots"
    boxes = words(folder / "boxes-rouge-l.svg")
    assert "Subset all; orientation correct." in boxes
    assert "A question left open counts 0." in boxes
    assert boxes.count("10 of 12") == 1, "one, restricted search, answered ten of twelve"
    assert boxes.count("9 of 11") == 1
    assert boxes.count("n = 12") == 4
    assert "A question left open counts 1." in words(folder / "boxes-character.svg")
    support = words(folder / "boxes-sentences-supported-own.svg")
    assert "orientation" not in support
    assert "left open" not in support
    assert "not validated" in words(folder / "boxes-bertscore.svg")
    assert "one, restricted search (n = 11)" in words(folder / "pool.svg"), (
        "one review lists no references"
    )
    assert "one, restricted search (10 of 12 answered)" in words(folder / "support-overlap.svg")
