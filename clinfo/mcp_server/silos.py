"""The tools that each search one silo of the copilot."""

from __future__ import annotations

from typing import Any

from clinfo.mcp_server.host import Host
from clinfo.mcp_server.tool import Tool


def silo_tools(host: Host) -> tuple[Tool[Any], ...]:
    """The tools of the host's silos."""
    return ()
