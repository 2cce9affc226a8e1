"""The protocol's own inspector, by its command line, against the server over both transports."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import DEMO, command, environment
from tests.mcp_server.serving import NAMES, over_http
from tests.webapp.servers import absent

pytestmark = pytest.mark.slow
TOKEN = "correct-horse-battery-staple"


def inspected(folder: Path, *arguments: str, status: int = 0) -> Any:
    """The output of the inspector; skips where it is not installed
    (``npm install --global @modelcontextprotocol/inspector``).
    """
    program = shutil.which("mcp-inspector") or absent("inspector", "mcp-inspector is not installed")
    done = subprocess.run(
        [program, "--cli", *arguments],
        cwd=folder,
        env=environment(HOME=str(folder)),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr


def test_over_stdio(tmp_path: Path) -> None:
    kept = [f"{name}={environment()[name]}" for name in ("PYTHONPATH", "CLINFO_CACHE")]
    settings = [part for one in kept for part in ("-e", one)]
    server = ["--", *command("mcp", *DEMO)]
    listed = inspected(tmp_path, *settings, "--method", "tools/list", "--strict", *server)
    assert [one["name"] for one in listed["tools"]][:5] == NAMES
    asked = ["--method", "tools/call", "--tool-name", "ask", "--tool-arg"]
    question = "question=Does yoga lower blood pressure?"
    found = inspected(tmp_path, *settings, *asked, question, *server)["structuredContent"]
    assert found["answered"]


def test_over_http_with_a_token(tmp_path: Path) -> None:
    with over_http(tmp_path, CLINFO_MCP_TOKEN=TOKEN) as served:
        call = ["--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=yoga"]
        right = ["--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"]
        found = inspected(tmp_path, served.url, *right, *call)
        assert found["structuredContent"]["count"] > 2
        with pytest.raises(AssertionError, match="auth_required"):
            inspected(tmp_path, served.url, "--transport", "http", *call)
