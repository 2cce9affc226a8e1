"""``clinfo copilot``: silos of documents, and an agent whose tools they are."""

from __future__ import annotations

from clinfo.cli.copilot_ask import ask
from clinfo.cli.copilot_load import load
from clinfo.cli.help import GroupedCommand, group

copilot = group("copilot", "Load silos of documents and ask them.")
copilot.command(cls=GroupedCommand)(load)
copilot.command(cls=GroupedCommand)(ask)
