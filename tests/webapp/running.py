"""The whole web app as real processes on free ports, for tests, benchmarks and screenshots.

    with running_app(tmp_path, workers=2, scripted={"first_token": 0.3}) as app:
        run_id = app.ask(question="Does vitamin D prevent falls in older people?", model="openai/scripted", source="pubmed")
        app.workers[0].kill()
        answer = app.ended(run_id)["answer"]

Every process has a home, a cache and a data folder of its own, as if on a machine of its own; what
they share is the database and the queue, which are SQLite files in the folder given unless
``database_url`` and ``redis_url`` name servers.
"""  # noqa: E501

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from benchmarks.own.speed import servers

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS, STOP_SECONDS = 120.0, 20.0
SCRIPTED = "openai/scripted"
DEMO_QUESTION = "Does yoga lower blood pressure?"

_OWN = ("CLINFO_", "NCBI_", "S2_", "OPENAI_", "ANTHROPIC_", "XDG_")
_OWN_NAMES = (
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "PORT",
    "WEB_CONCURRENCY",
    "GUNICORN_CMD_ARGS",
)


@dataclass
class Process:
    """A command in a process group and a folder of its own; what it says goes to ``log``."""

    name: str
    command: list[str]
    environment: dict[str, str]
    folder: Path
    _process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        """None while it runs."""
        return None if self._process is None else self._process.poll()

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def signal_group(self, number: int) -> None:
        """Send a signal to it and to all that it started, as when a machine goes down."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def kill(self) -> None:
        """kill -9, it and all that it started."""
        assert self._process is not None
        self.signal_group(signal.SIGKILL)
        self._process.wait(STOP_SECONDS)

    def stop(self, seconds: float = STOP_SECONDS) -> int:
        """Ask it to end (SIGTERM to the process itself, as init systems do), kill it after
        ``seconds``; its exit status.
        """
        assert self._process is not None
        if self._process.poll() is None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        self.signal_group(signal.SIGKILL)
        return self._process.wait(STOP_SECONDS)

    def restart(self) -> None:
        """Kill what is left of it and start it again, in the same folders and on the same port."""
        if self.exit_status is None and self._process is not None:
            self.kill()
        self.start()

    def family(self) -> list[int]:
        """Its process id and those of all that it started and that still run."""
        found = [self.pid]
        for pid in found:
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    found += [int(child) for child in (task / "children").read_text().split()]
        return found

    def peak_memory(self) -> float:
        """The largest resident memory (MB of 2**20 bytes) that one of its processes has had so
        far.
        """
        peaks = [0.0]
        for pid in self.family():
            with suppress(OSError):
                for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        peaks.append(int(line.split()[1]) / 1024)
        return max(peaks)


@dataclass
class Running:
    """A web app that runs: ``urls`` has an address for each web process, ``url`` is the first; no
    slash at the end.
    """

    urls: list[str]
    engine_url: str
    folder: Path
    environment: dict[str, str]
    web: list[Process] = field(default_factory=list)
    workers: list[Process] = field(default_factory=list)
    session: requests.Session = field(default_factory=requests.Session)

    @property
    def url(self) -> str:
        return self.urls[0]

    @property
    def processes(self) -> list[Process]:
        return self.web + self.workers

    def ask(self, url: str | None = None, **fields: Any) -> str:
        """Start a run over the API and return its id; the demo question for the extractive model
        unless said otherwise.
        """
        asked = {"question": DEMO_QUESTION, "model": "extractive", "source": "demo", **fields}
        answer = self.session.post(f"{url or self.url}/api/v1/runs", json=asked, timeout=30)
        assert answer.status_code == 202, f"{answer.status_code} {answer.text}\n{self.logs()}"
        return str(answer.json()["id"])

    def run(self, run_id: str) -> dict[str, Any]:
        """The run as the API shows it."""
        answer = self.session.get(f"{self.url}/api/v1/runs/{run_id}", timeout=30)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def ended(self, run_id: str, seconds: float = 60.0) -> dict[str, Any]:
        """The run once it is done, failed or cancelled."""
        deadline = time.monotonic() + seconds
        while (run := self.run(run_id))["status"] not in ("done", "failed", "cancelled"):
            assert time.monotonic() < deadline, (
                f"after {seconds} s the run is still {run['status']}\n{self.logs()}"
            )
            time.sleep(0.1)
        return run

    def wait_ready(self, seconds: float = START_SECONDS) -> None:
        """Until every web process says that it is ready."""
        deadline = time.monotonic() + seconds
        for url in self.urls:
            while True:
                for process in self.processes:
                    assert process.exit_status is None, (
                        f"{process.name} ended with {process.exit_status}\n{self.logs()}"
                    )
                with suppress(requests.RequestException):
                    if self.session.get(f"{url}/readyz", timeout=5).status_code == 200:
                        break
                assert time.monotonic() < deadline, (
                    f"{url} is not ready after {seconds} s\n{self.logs()}"
                )
                time.sleep(0.05)

    def logs(self, lines: int = 40) -> str:
        """The last lines that each process has said, but for requests that went well."""
        parts = []
        for process in self.processes:
            said = (
                process.log.read_text("utf-8", "replace").splitlines()
                if process.log.exists()
                else []
            )
            said = [line for line in said if '"level": "INFO"' not in line]
            parts.append("\n".join([f"--- {process.name}", *said[-lines:]]))
        return "\n".join(parts)


def free_port() -> int:
    """A port of this machine that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def bare_environment() -> dict[str, str]:
    """The environment without settings and keys of whoever runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OWN) and name not in _OWN_NAMES
    }
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


@contextmanager
def running_app(
    folder: Path,
    *,
    web: int = 1,
    workers: int = 1,
    database_url: str | None = None,
    redis_url: str | None = None,
    scripted: Mapping[str, object] | bool | None = None,
    settings: Mapping[str, str] | None = None,
    **environment: str,
) -> Iterator[Running]:
    """The app with ``web`` web processes (a port each) and ``workers``; stopped, and killed if need
    be, at the end.

    ``scripted`` starts `benchmarks.servers.pair` with these options beside it, to which the workers
    are led: the model "openai/scripted" and the source "pubmed". ``settings`` and ``environment``
    are variables of the environment that are laid over what is set here (limits on rates are out of
    the way). That model is on offer where OPENAI_API_BASE is among them, or ``scripted``.
    """
    database = database_url or f"sqlite:///{folder / 'webapp.sqlite'}"
    common = {
        **bare_environment(),
        "SECRET_KEY": "a secret for tests only, of no worth elsewhere",
        "DATABASE_URL": database,
        "CLINFO_WEB_HTTPS": "false",
        "CLINFO_WEB_MODELS": "extractive",
        "CLINFO_WEB_SOURCES": "demo,pubmed",
        "CLINFO_WEB_RUNS_RATE": "100000 per hour",
        "CLINFO_WEB_REQUESTS_RATE": "1000000 per minute",
        **({"REDIS_URL": redis_url} if redis_url else {}),
    }
    laid = {**(settings or {}), **environment}
    with ExitStack() as stack:
        if scripted is not None and scripted is not False:
            options = {} if scripted is True else dict(scripted)
            common |= stack.enter_context(servers(**options))
        if "OPENAI_API_BASE" in common | laid:
            # Not otherwise: a worker with a model on offer loads litellm first, for seconds.
            common["CLINFO_WEB_MODELS"] += f",{SCRIPTED}"
        common |= laid
        from webapp.settings import WebSettings

        ports = [free_port() for _ in range(web)]
        app = Running(
            [f"http://127.0.0.1:{port}" for port in ports],
            WebSettings(database_url=common["DATABASE_URL"]).engine_url,
            folder,
            common,
        )
        release = _process("release", folder, common)
        release.start()
        stack.callback(release.stop, 0)
        deadline = time.monotonic() + START_SECONDS
        while release.exit_status is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert release.exit_status == 0, (
            f"release ended with {release.exit_status}\n{release.log.read_text()}"
        )
        app.web = [
            _process("web", folder, common, number, PORT=str(port))
            for number, port in enumerate(ports)
        ]
        app.workers = [_process("worker", folder, common, number) for number in range(workers)]
        for process in app.processes:
            process.start()
            stack.callback(process.stop)
        stack.callback(app.session.close)
        app.wait_ready()
        yield app


def _process(
    role: str, folder: Path, common: dict[str, str], number: int = 0, **more: str
) -> Process:
    name = f"{role}-{number}"
    home = folder / name
    own = {
        "HOME": str(home),
        "CLINFO_CACHE_DIR": str(home / "cache"),
        "CLINFO_DATA_DIR": str(home / "data"),
    }
    return Process(name, [sys.executable, "-m", "webapp", role], {**common, **own, **more}, home)
