"""Files of systems: what is read from them, and one line for whatever is wrong."""

import json
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.running.folder import difference
from benchmarks.pubmedrs200.running.records import System
from benchmarks.pubmedrs200.running.systems import (
    read_systems,
    recorded,
)
from clinfo.errors import UsageError
from clinfo.pipelines.literature.stages import MODEL_STAGES

GOOD = """
[[system]]
name = "small"
model = "openai/gpt-4o-mini"
models = { synthesis = "openai/gpt-4o" }
cutoff = 2023-10-01
options = { queries = 2, from = 2010-01-01 }

[[system]]
name = "alone"
kind = "bare"
model = "openai/gpt-4o-mini"

[[system]]
name = "other"
command = ["python3", "/opt/a/other.py", "--fast"]
environment = ["OTHER_API_KEY"]
timeout = 3
"""


def test_the_three_kinds_are_read(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(GOOD)
    small, alone, other = read_systems(tmp_path / "s.toml")
    models = {"all": "openai/gpt-4o-mini", "synthesis": "openai/gpt-4o"}
    assert small == System(
        "small", "chain", models, cutoff="2023-10-01", options={"queries": 2, "from": "2010-01-01"}
    )
    assert alone == System("alone", "bare", {"all": "openai/gpt-4o-mini"})
    command = ("python3", "/opt/a/other.py", "--fast")
    assert other == System(
        "other", "command", command=command, environment=("OTHER_API_KEY",), timeout=3.0
    )
    assert recorded(other, Path())["command"] == ["python3", "other.py", "--fast"], (
        "folders differ between machines"
    )
    json.dumps([recorded(one, Path()) for one in (small, alone, other)])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('model = "extractive"', "system 1: "),
        ('name = "../x"\nmodel = "extractive"', "name"),
        ('name = "a"\nmodle = "extractive"', "modle"),
        ('name = "a"\nkind = "agent"\nmodel = "x"', "agent"),
        ('name = "a"', f"no model for {', '.join(MODEL_STAGES)}"),
        ('name = "a"\nmodel = "x"\nmodels = { writing = "y" }', "models: unknown stage 'writing'"),
        ('name = "a"\nkind = "bare"\nmodels = { tldr = "x" }', "a bare model needs model"),
        ('name = "a"\ncommand = "python3 x.py"', "command"),
        ('name = "a"\ncommand = ["x"]\nenvironment = ["KEY=value"]', "environment"),
        ('name = "a"\ncommand = ["x"]\ntimeout = 0', "timeout"),
        ('name = "a"\ncommand = ["x"]\noptions = { queries = 1 }', "with a chain only"),
        ('name = "a"\nmodel = "x"\noptions = { max_seconds = 5 }', "'max_seconds' cannot be set"),
        ('name = "a"\nmodel = "x"\ncutoff = "soon"', "cutoff"),
        ('name = "a"\nmodel = ', "is not TOML"),
        ("[systems]", "system"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "s.toml").write_text(f"[[system]]\n{table}\n")
    with pytest.raises(UsageError) as raised:
        read_systems(tmp_path / "s.toml")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"a": 1}, {"a": True}, "a is 1 there and true here"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[2] is 2 there and 3 here"),
        ({"a": [1]}, {"a": [1, 2]}, "a has 1 entries there and 2 here"),
        ({}, {"a": None, "b": "x"}, 'b is null there and "x" here'),
    ],
)
def test_the_first_difference_is_named(
    before: dict[str, object], now: dict[str, object], said: str
) -> None:
    assert difference(before, now) == said
