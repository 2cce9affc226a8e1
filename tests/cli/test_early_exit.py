"""A command that ends while libraries still load ends all the same."""

from pathlib import Path

from tests.cli.process import clinfo

PATIENT = "Should John Smith, born 03/04/1961, MRN 4482913, take metformin?"


def test_a_refusal_ends_while_litellm_loads(tmp_path: Path) -> None:
    asked = ("ask", PATIENT, "--model", "openai/gpt-4o-mini", "--source", "demo", "--quiet")
    for _ in range(3):  # it hung in about half of the tries
        done = clinfo(*asked, cwd=tmp_path, OPENAI_API_KEY="sk-none")
        assert done.returncode == 6, done.stderr
