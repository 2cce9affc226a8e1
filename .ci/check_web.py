"""check_web.py PYTHON FOLDER: serves the web app from an installed wheel, asks the demo corpus over
HTTP, reads the page.

FOLDER is made and holds all that the app keeps. Uses the standard library alone.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path


def read(address: str, body: dict | None = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        address, data, {"Content-Type": "application/json"} if data else {}
    )
    with urllib.request.urlopen(request, timeout=120) as reply:
        return reply.read()


def until(what, seconds=300):  # it runs beside the tests, behind them in priority
    end = time.monotonic() + seconds
    while True:
        try:
            if found := what():
                return found
        except OSError:
            pass
        assert time.monotonic() < end, "the web app did not get there in time"
        time.sleep(0.2)


def main(python: str, folder: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folders = {"CLINFO_DATA_DIR": str(folder / "data"), "CLINFO_CACHE_DIR": str(folder / "cache")}
    environment = {**os.environ, **folders, "CLINFO_WEB_SOURCES": "demo"}
    app = subprocess.Popen([python, "-m", "webapp", "--port", str(port)], env=environment)
    base = f"http://127.0.0.1:{port}"
    try:
        until(lambda: read(f"{base}/readyz"))
        started = json.loads(
            read(f"{base}/api/v1/runs", {"question": "Does yoga lower blood pressure?"})
        )
        run = f"{base}/api/v1/runs/{started['id']}"
        done = until(
            lambda: (
                (state := json.loads(read(run)))["status"] not in ("queued", "running") and state
            )
        )
        assert done["status"] == "done", done
        assert done["answer"]["tldr"], done
        assert b"yoga" in read(f"{base}/runs/{started['id']}")
        assert b"textarea" in read(base)
        assert b"TY  - " in read(f"{base}/runs/{started['id']}.ris")
    finally:
        app.send_signal(signal.SIGTERM)
        status = app.wait(timeout=120)
    assert status == 0, f"the web app ended with status {status}"


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve())
