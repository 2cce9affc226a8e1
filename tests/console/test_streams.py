"""Streams that are closed, full, or left by their reader: one line, a status, nothing lost."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import termios
import time
import unicodedata

import pytest

from clinfo.console import streams
from clinfo.pipelines.literature.events import loads
from tests.cli.process import DEMO, QUESTION, command, environment

pytestmark = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="the system has no /dev/full"
)


def shell(redirection, *arguments, cwd):
    """Run ``clinfo`` with its streams redirected as a shell does it."""
    line = ["sh", "-c", f'exec "$@" {redirection}', "sh", *command(*arguments)]
    return subprocess.run(
        line,
        cwd=cwd,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_no_text_is_a_command_to_a_terminal(capfdbinary):
    hostile = "a\tb\x9b31mred\x1b]0;title\x07\x85\x1b[2J\x08\x00z\n"
    streams.write(hostile)
    streams.say(hostile)
    streams.show(hostile)
    streams.show({"said": hostile})
    for stream in capfdbinary.readouterr():
        text = stream.decode()
        assert {one for one in text if unicodedata.category(one) == "Cc"} <= {"\n", "\t"}
        assert "red" in text


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",), ("--events",), ("--format", "ris")])
@pytest.mark.parametrize(
    ("redirection", "said"),
    [
        (">/dev/full", "clinfo: standard output could not be written: No space left on device"),
        (">&-", "clinfo: standard output is closed: the answer cannot be written"),
    ],
)
def test_an_answer_that_cannot_be_written_is_status_1(form, redirection, said, tmp_path):
    done = shell(
        redirection, "ask", QUESTION, *DEMO, *form, "--quiet", "--save", "run.jsonl", cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (1, said + "\n")
    assert list(loads((tmp_path / "run.jsonl").read_text("utf-8").split("\n")))


def test_nothing_is_asked_for_an_answer_that_has_nowhere_to_go(tmp_path):
    done = shell(">&-", "ask", QUESTION, *DEMO, cwd=tmp_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("clinfo: standard output is closed")


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("ask", "--help")])
def test_help_that_cannot_be_written(arguments, tmp_path):
    done = shell(">/dev/full", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "clinfo: standard output could not be written: No space left on device\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_lost_stderr_loses_no_answer(redirection, tmp_path):
    done = shell(redirection, "ask", QUESTION, *DEMO, "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["synthesis"]
    assert (
        shell(redirection, "ask", "Do dragons sneeze on Tuesdays?", *DEMO, cwd=tmp_path).returncode
        == 3
    )


def test_a_process_without_streams(tmp_path):
    assert shell(">&- 2>&-", "ask", QUESTION, *DEMO, cwd=tmp_path).returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("buffered", [True, False])
def test_what_is_held_up_while_it_writes_writes_the_rest(buffered, tmp_path):
    """As by Ctrl-Z and `fg` while a pager shows the first page: a write under way then takes a part
    only.
    """
    asked = ("ask", QUESTION, *DEMO, "--quiet", "--save", "run.jsonl", "--events")
    whole = subprocess.run(
        command(*asked),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=True,
    ).stdout
    reader, writer = os.pipe()
    size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    own = environment(PYTHONUNBUFFERED="" if buffered else "1")
    replay = command("ask", "--replay", "run.jsonl", "--json")
    with subprocess.Popen(
        replay, cwd=tmp_path, env=own, stdout=writer, stderr=subprocess.PIPE
    ) as process:
        os.close(writer)
        end = time.monotonic() + 60
        while (
            struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, b"\0" * 4))[0] < size
        ):  # it fills the pipe and waits
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)
        process.send_signal(signal.SIGCONT)
        with open(reader, "rb") as rest:
            answer = json.loads(rest.read())
        assert process.wait(60) == 0
    assert answer == json.loads(whole.splitlines()[-1])["answer"]
