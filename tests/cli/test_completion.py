"""Shell completion: of commands, and of the flags of one that is imported for it."""

import os
import subprocess
import sys

import pytest


def completed(words: str) -> list[str]:
    """The words that a shell is offered behind these words."""
    environment = {
        **os.environ,
        "_CLINFO_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    command = [sys.executable, "-m", "clinfo"]
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("clinfo in", ["integrity", "index"]),
        ("clinfo ask --sty", ["--style"]),
        ("clinfo index bu", ["build"]),
    ],
)
def test_commands_and_flags_are_completed(words, offered):
    assert completed(words) == offered


def test_bash_completes_with_the_script_that_is_shown(tmp_path):
    program = tmp_path / "clinfo"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m clinfo "$@"\n')
    program.chmod(0o755)
    script = """
        eval "$(clinfo --show-completion)"
        COMP_WORDS=(clinfo ask --style v) COMP_CWORD=3
        _clinfo_completion clinfo
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("vancouver\n", "")
