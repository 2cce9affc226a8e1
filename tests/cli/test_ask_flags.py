"""The flags of ``clinfo ask``: made of the declared request, written down so that help needs no
pydantic.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from clinfo.pipelines.literature.request import OPTIONS, at
from clinfo.pubmed.limits import WINDOW as PUBMED_WINDOW
from clinfo.records.request import GROUPS, WINDOW, RunRequest

ROOT = Path(__file__).resolve().parents[2]


def test_the_written_flags_are_those_of_the_declared_request() -> None:
    spec = importlib.util.spec_from_file_location("write_cli", ROOT / "docs" / "write_cli.py")
    assert spec is not None
    assert spec.loader is not None
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    assert written.FLAGS.read_text("utf-8") == written.flags()


def test_help_needs_neither_pydantic_nor_the_checks() -> None:
    """Typer imports pydantic by itself where it runs a command; the flags need none of it."""
    script = (
        "import sys; from clinfo.cli import run\n"
        "assert not {'pydantic', 'pydantic_core', 'annotated_types'} & set(sys.modules)\n"
        "assert run(['ask', '--help']) == 0\n"
        "assert not [name for name in sys.modules if name.startswith('clinfo.pipelines')]"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "--per-query N" in done.stdout


def test_every_field_is_declared_with_help_and_a_heading() -> None:
    assert {one.field for one in OPTIONS.values()} == {each.name for each in fields(RunRequest)}
    for name, one in OPTIONS.items():
        assert one.option.help.endswith((".", ")")), name
        assert one.option.group in GROUPS, name
        assert one.option.places, name
        assert set(one.option.choices) <= set(one.choices), name
    assert all(one.option.label for one in at("form").values())
    assert WINDOW == PUBMED_WINDOW
