"""``clinfo prompts export`` and what is asked with its folder."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.process import DEMO, QUESTION, clinfo, command, environment

ASKED = ("ask", QUESTION, *DEMO, "--quiet", "--json")


def test_exported_prompts_are_used_and_not_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done = clinfo("prompts", "export", str(folder), cwd=tmp_path)
    assert done.returncode == 0
    assert (folder / "copilot" / "plan.md").is_file()
    mine = folder / "literature" / "relevance.md"
    mine.write_text("# mine\n" + mine.read_text("utf-8"), "utf-8")
    for given in (folder, folder / "literature"):
        assert clinfo(*ASKED, "--prompts", str(given), cwd=tmp_path).returncode == 0
    again = clinfo("prompts", "export", str(folder), cwd=tmp_path)
    assert again.returncode == 2
    assert "holds these prompts already" in again.stderr
    assert mine.read_text("utf-8").startswith("# mine")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask", "Does", "yoga", "help"), "put the question in quotation marks"),
        (("ask", "x", "--model", "extractive", "--source", "dmeo"), "did you mean demo?"),
        (("ask", "x", "--model", "extractive", "--format", "doc"), "did you mean docx?"),
        (("ask", "x", "--model", "extractive", "--strategy", "kind"), "did you mean kinds?"),
    ],
)
def test_what_was_meant_is_said(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = clinfo(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


def test_a_question_is_read_from_standard_input() -> None:
    done = subprocess.run(
        command("ask", "-", *ASKED[2:]), env=environment(), input=f"{QUESTION}\n",
        capture_output=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    assert f'"question": "{QUESTION}"' in done.stdout
