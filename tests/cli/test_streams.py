"""Streams that are closed, full, or left by their reader: one line, a status, nothing lost."""

import json
import os
import subprocess

import pytest

from clinfo.events import loads
from tests.cli.process import DEMO, QUESTION, command, environment

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")


def shell(redirection, *arguments, cwd):
    """Run ``clinfo`` with its streams redirected as a shell does it."""
    line = ["sh", "-c", f'exec "$@" {redirection}', "sh", *command(*arguments)]
    return subprocess.run(line, cwd=cwd, env=environment(), capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("form", [(), ("--json",), ("--events",), ("--format", "ris")])
@pytest.mark.parametrize(
    ("redirection", "said"),
    [
        (">/dev/full", "clinfo: standard output could not be written: No space left on device"),
        (">&-", "clinfo: standard output is closed: there is nowhere to write the answer to"),
    ],
)
def test_an_answer_that_cannot_be_written_is_status_1(form, redirection, said, tmp_path):
    done = shell(redirection, "ask", QUESTION, *DEMO, *form, "--quiet", "--save", "run.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, said + "\n")
    assert list(loads((tmp_path / "run.jsonl").read_text("utf-8").split("\n")))


def test_nothing_is_asked_for_an_answer_that_has_nowhere_to_go(tmp_path):
    done = shell(">&-", "ask", QUESTION, *DEMO, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "clinfo: standard output is closed: there is nowhere to write the answer to\n"


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("ask", "--help")])
def test_help_that_cannot_be_written(arguments, tmp_path):
    done = shell(">/dev/full", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "clinfo: standard output could not be written: No space left on device\n")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_lost_stderr_loses_no_answer(redirection, tmp_path):
    done = shell(redirection, "ask", QUESTION, *DEMO, "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["synthesis"]
    assert shell(redirection, "ask", "Do dragons sneeze on Tuesdays?", *DEMO, cwd=tmp_path).returncode == 3


def test_a_process_without_streams(tmp_path):
    assert shell(">&- 2>&-", "ask", QUESTION, *DEMO, cwd=tmp_path).returncode == 1
