"""The replies of the extractive model: the router's plan, its calls, and quotations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.declared import Acting, Planning, Writing


def plan(variables: Planning, seed: int) -> str:
    """The plan by rule."""
    parts = [{"question": one.question, "tools": one.tools} for one in variables["routed"]]
    return json.dumps({"parts": parts})


def act(variables: Acting, seed: int) -> str:
    """The calls by rule."""
    calls = [{"name": name, "arguments": given} for name, given in variables["calls"]]
    return json.dumps({"text": "", "calls": calls})


def write(variables: Writing, seed: int) -> str:
    """What fields say, and quotations."""
    claims = [{"text": text, "sources": n, "part": ""} for text, n in variables["quoted"]]
    return json.dumps({"claims": claims, "not_found": [], "conflicts": []})
