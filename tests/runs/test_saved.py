"""Saved runs: whatever was torn off, what is left is a run to go on from."""

import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.errors import RecordError, UsageError
from clinfo.pipelines.literature.events import QueryGenerated, TldrText
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.records.articles import Query
from clinfo.runs import saved
from clinfo.runs.events import RunStarted, Warned, dumps

REQUEST = checked(question="Does zinc help?", model="extractive", source="demo")
EVENTS = [
    RunStarted(
        seq=0,
        request=REQUEST,
        settings={},
        notices=("ä\u2028…",),
        started_at="2026-11-20T12:00:00+00:00",
    ),
    QueryGenerated(seq=1, t=0.5, query=Query(0, "zinc AND “cold”", 0)),
    Warned(seq=2, t=0.6, about="x", text="n°1\nn°2"),
]
LINES = [(dumps(event) + "\n").encode() for event in EVENTS]
DATA = b"".join(LINES)


@given(st.integers(0, len(DATA)))
@settings(deadline=None)
def test_any_prefix_gives_the_events_that_are_whole(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("cut") / "run.jsonl"
    path.write_bytes(DATA[:cut])
    events = saved.unfinished(path, REQUEST, LITERATURE)
    assert events == EVENTS[: len(events)]
    assert sum(map(len, LINES[: len(events)])) <= cut + 1
    saving = saved.Saving(path, LITERATURE.events, events, pytest.fail)
    for event in EVENTS[len(events) :]:
        saving.put(event)
    saving.close()
    assert path.read_bytes() == DATA


def test_only_what_may_be_spent_can_change(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(DATA)
    assert (
        saved.unfinished(path, replace(REQUEST, max_cost=2.0, max_seconds=9.0), LITERATURE)
        == EVENTS
    )
    for other in (
        replace(REQUEST, seed=5),
        replace(REQUEST, question="Does iron help?"),
        replace(REQUEST, strict=False),
    ):
        with pytest.raises(UsageError, match="another question or other flags"):
            saved.unfinished(path, other, LITERATURE)


@pytest.mark.parametrize(
    "content",
    [
        b"notes\nand more\n",
        b"one line of notes",
        b"[" * 100_000,
        b"[" * 100_000 + b"\n",
        b"1" * 5_000 + b"\n",
        b"\xff\xfe\n",
        b'{"schema": 9, "type": "answer"}\n',
        b'["a list"]\n',
        b'{"schema": 1}\n',
        b'{"schema": 1, "a": ' + b"[" * 100_000 + b"\n",
    ],
)
def test_a_file_that_is_no_run(tmp_path, content):
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError, match="not a saved run"):
        saved.read(path, LITERATURE)
    with pytest.raises(UsageError, match="contains no run"):
        saved.unfinished(path, REQUEST, LITERATURE)
    assert path.read_bytes() == content


def test_a_name_too_long_is_one_line():
    with pytest.raises(UsageError, match="cannot be used: File name too long"):
        saved.unfinished(saved.Path("x" * 300), REQUEST, LITERATURE)


def test_a_full_disk_is_said_once_and_stops_nothing():
    said = []
    saving = saved.Saving(saved.Path("/dev/full"), LITERATURE.events, [], said.append)
    for number in range(3):
        saving.put(TldrText(seq=number, text="x"))
    saving.close()
    assert len(said) == 1
    assert "No space left" in said[0]


def test_only_one_run_at_a_time_has_the_file_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "run.jsonl"
    first = saved.Saving(path, LITERATURE.events, [], pytest.fail)
    first.put(EVENTS[0])
    assert path.stat().st_mode & 0o077 == 0 or os.name == "nt"
    if os.name != "nt":
        for overwrite in (False, True):
            with pytest.raises(UsageError, match="in use by another run"):
                saved.Saving(path, LITERATURE.events, [], pytest.fail, overwrite)
    first.close()
    assert path.read_bytes() == LINES[0]
    saved.Saving(path, LITERATURE.events, [], pytest.fail, overwrite=True).close()
    assert path.read_bytes() == b""


def test_what_another_run_wrote_after_the_file_was_looked_at_is_left_alone(tmp_path):
    path = tmp_path / "run.jsonl"
    for held, seen in ((DATA, []), (DATA, EVENTS[:2]), (b"notes\n", [])):
        path.write_bytes(held)
        with pytest.raises(UsageError, match="has since written"):
            saved.Saving(path, LITERATURE.events, seen, pytest.fail)
        assert path.read_bytes() == held
