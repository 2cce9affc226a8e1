"""python -m webapp as its users meet it: real processes, real signals, real ports."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from clinfo.pipelines.literature.events import loads
from tests.webapp.running import ROOT, Process, bare_environment, free_port

pytestmark = pytest.mark.slow

QUESTION = "Does yoga lower blood pressure?"


def command(folder: Path, *arguments: str, **environment: str) -> Process:
    """``python -m webapp`` with these arguments, in a home of its own."""
    own = {
        "HOME": str(folder),
        "CLINFO_CACHE_DIR": str(folder / "cache"),
        "CLINFO_DATA_DIR": str(folder / "data"),
    }
    laid = {**bare_environment(), **own, "CLINFO_SOURCE": "demo", **environment}
    return Process("webapp", [sys.executable, "-m", "webapp", *arguments], laid, folder)


def said(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Exit status and what was said."""
    process = command(folder, *arguments, **environment)
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        process.command,
        env=process.environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout + done.stderr


def until(
    condition: Callable[[], object], seconds: float = 40.0, what: Callable[[], str] = lambda: ""
) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        return requests.get(f"{url}/readyz", timeout=5).status_code == 200
    except requests.RequestException:
        return False


@contextmanager
def everything(folder: Path, **environment: str) -> Iterator[tuple[Process, str]]:
    """``python -m webapp`` on a free port, and its address once it is ready."""
    process = command(folder, "--port", "0", **environment)
    process.start()
    try:
        until(lambda: "http://" in process.log.read_text(), what=process.log.read_text)
        url = next(word for word in process.log.read_text().split() if word.startswith("http://"))
        until(lambda: answers(url), what=process.log.read_text)
        yield process, url
    finally:
        process.stop()


def ask(url: str) -> str:
    answer = requests.post(
        f"{url}/api/v1/runs", json={"question": QUESTION, "source": "demo"}, timeout=30
    )
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def ended(url: str, run_id: str) -> dict[str, object]:
    def look() -> dict[str, object]:
        found: dict[str, object] = requests.get(f"{url}/api/v1/runs/{run_id}", timeout=30).json()
        return found

    until(lambda: look()["status"] in ("done", "failed", "cancelled"))
    return look()


def children(process: Process, word: str) -> list[int]:
    """Its descendants whose command line holds ``word``, oldest first."""
    found = []
    for pid in process.family()[1:]:
        try:
            if word in Path(f"/proc/{pid}/cmdline").read_text().split("\0"):
                found.append(pid)
        except OSError:
            continue
    return found


def test_all_of_it_with_no_setting_answers_a_question(tmp_path: Path) -> None:
    with everything(tmp_path) as (process, url):
        assert ended(url, ask(url))["status"] == "done"
        page = requests.get(url, timeout=30)
        assert page.status_code == 200
        assert "Strict-Transport-Security" not in page.headers
        log = process.log.read_text()
        assert "models: extractive" in log
        assert "sources: demo" in log
        assert "webapp.sqlite" in log
        assert "no language model is set up" in log
        assert '"message": "worker ready"' in log
        assert "https://" not in log
        assert QUESTION not in log
        assert (tmp_path / "data" / "webapp-secret").stat().st_mode & 0o077 == 0
        assert process.stop() == 0


def test_a_child_that_is_killed_is_started_again_and_visitors_are_not_refused(
    tmp_path: Path,
) -> None:
    with everything(tmp_path) as (process, url):
        first = ask(url)
        for word in ("worker", "gunicorn"):
            os.kill(children(process, word)[0], signal.SIGKILL)
            # At once: the socket is open all the time, so this waits until the web server is back.
            assert requests.get(f"{url}/healthz", timeout=30).status_code == 200
        assert ended(url, first)["status"] == "done"
        assert ended(url, ask(url))["status"] == "done"
        assert process.log.read_text().count("starting it again") == 2
        assert process.stop() == 0


def test_the_parts_end_when_the_whole_is_killed(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux tells a child that its parent was killed")
    with everything(tmp_path) as (process, url):
        family = process.family()
        assert len(family) >= 4
        os.kill(process.pid, signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in family[1:]), 20)
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", urlsplit(url).port))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_a_web_process_imports() -> None:
    """The libraries that workers need would make it twice as large."""
    heavy = ["litellm", "tantivy", "matplotlib", "openai", "numpy"]
    code = (
        "import sys; from webapp.app import create_app; create_app(); print(*[name for name in "
        f"{heavy} if name in sys.modules])"
    )
    environment = {**bare_environment(), "SECRET_KEY": "x" * 40}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.parametrize("arguments", [(), ("web",)])
def test_a_port_that_is_taken_is_said_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        status, text = said(tmp_path, *arguments, "--port", port, SECRET_KEY="x" * 40)
    assert status == 2
    assert f"port {port} is used by another program" in text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "environment", "wanted"),
    [
        (("--host", "0.0.0.0", "--port", "0"), {}, "SECRET_KEY"),
        (("--port", "70000"), {}, "PORT"),
        (("web", "--port", "0"), {"SECRET_KEY": "x" * 40, "REDIS_URL": "http://x"}, "REDIS_URL"),
        (("worker",), {"CLINFO_WEB_REQUESTS_RATE": "5 per fortnight"}, "CLINFO_WEB_REQUESTS_RATE"),
        (("--port", "0"), {"CLINFO_DATA_DIR": "/dev/null/x"}, "CLINFO_DATA_DIR"),
        (("web", "--host", "192.0.2.1", "--port", "0"), {}, "192.0.2.1 is not an address"),
        (("release",), {"DATABASE_URL": "nonsense"}, "DATABASE_URL"),
        (
            ("worker",),
            {"CLINFO_WEB_MODELS": "openai/unheard-of", "CLINFO_WEB_DAILY_BUDGET": "5"},
            "CLINFO_WEB_PRICES",
        ),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str], wanted: str
) -> None:
    status, text = said(tmp_path, *arguments, **environment)
    assert status == 2, text
    errors = [line for line in text.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, text
    assert wanted in errors[0]
    if not arguments or arguments[0] in ("web", "worker", "release"):
        assert len(text.splitlines()) == 1, text


def test_a_database_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    address = f"postgresql://clinfo:secret@127.0.0.1:{free_port()}/name"
    status, text = said(tmp_path, "release", DATABASE_URL=address)
    assert status == 1
    assert len(text.splitlines()) == 1
    assert "database" in text
    assert "secret" not in text


def test_release_can_be_repeated_and_backup_copies_what_is_there(tmp_path: Path) -> None:
    with everything(tmp_path) as (_, url):
        run_id = ask(url)
        ended(url, run_id)
        assert said(tmp_path, "release")[0] == 0
        copy = tmp_path / "copy.sqlite"
        assert said(tmp_path, "backup", str(copy))[0] == 0
        status, text = said(tmp_path, "backup", str(copy))
        assert status == 2
        assert "already exists" in text
    connection = sqlite3.connect(copy)
    bodies = [
        body
        for (body,) in connection.execute(
            "SELECT body FROM events WHERE run_id = ? ORDER BY seq", (run_id,)
        )
    ]
    connection.close()
    assert list(loads(bodies))[-1].type == "answer"
    # A backup is restored by putting it in place.
    with everything(tmp_path / "elsewhere", DATABASE_URL=f"sqlite:///{copy}") as (_, url):
        assert ended(url, run_id)["status"] == "done"
