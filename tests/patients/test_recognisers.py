"""Readers of entities by name, with a small recogniser of another program's."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinfo.errors import UsageError
from clinfo.patients.recognisers import reader

PLUG_IN = """
def words(text):
    at = text.find("gout")
    while at >= 0:
        yield at, at + 4, "C0018099", ("T047",)
        at = text.find("gout", at + 1)

def outside(text):
    return [(0, len(text) + 1, "C1", ())]
"""


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "words_of_gout.py").write_text(PLUG_IN)
    monkeypatch.syspath_prepend(tmp_path)


def test_a_plug_in_finds_and_the_house_says_what_is_said_of_it() -> None:
    found = reader("words_of_gout:words")("No gout. His father has gout.")
    assert [(each.start, each.concept, each.types, each.assertion) for each in found] == [
        (3, "C0018099", ("T047",), "negated"),
        (24, "C0018099", ("T047",), "family"),
    ]


def test_the_houses_own_has_a_name_too() -> None:
    assert [each.concept for each in reader("mesh")("Known gout.")] == ["Gout"]


@pytest.mark.parametrize("name", ["no_such_module:words", "words_of_gout:no", "words_of_gout", ""])
def test_a_name_that_leads_nowhere_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        reader(name)


def test_a_mention_outside_the_text_is_refused() -> None:
    with pytest.raises(UsageError):
        reader("words_of_gout:outside")("Short.")
