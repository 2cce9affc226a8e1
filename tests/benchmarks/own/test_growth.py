"""The benchmark of hostile text: every reader reads what it is timed on, and the growth is the one
that the times have.
"""

from __future__ import annotations

import math
import time

import pytest

from benchmarks.own import growth
from benchmarks.own.growth import READERS, Reader


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_every_reader_reads_hostile_text_or_refuses_it(reader: Reader) -> None:
    for piece in reader.pieces:
        assert growth.seconds(reader, piece * (1_000 // len(piece)), tries=1) >= 0


@pytest.mark.parametrize(("power", "told"), [(1, 1.0), (2, 2.0)])
def test_growth_is_the_power_of_the_length(
    monkeypatch: pytest.MonkeyPatch, power: int, told: float
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: clock[0])

    def read(text: str) -> None:
        clock[0] += 0.001 * len(text) ** power

    found = growth.growth(Reader("made up", read, ("a",)), "a", 100)
    assert found is not None
    assert math.isclose(found, told, abs_tol=0.02)


def test_a_reader_above_the_bound_ends_with_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(growth, "READERS", (Reader("made up", str.strip, ("a",)),))
    monkeypatch.setattr(growth, "growth", lambda *_: 2.0)
    with pytest.raises(SystemExit) as ended:
        growth.main([])
    assert ended.value.code == 1
    assert "above 1.6: 1" in capsys.readouterr().out
