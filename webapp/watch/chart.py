"""How runs of the chart pipeline are shown while they go on."""

from __future__ import annotations

from typing import Final

from webapp.watch.in_order import in_order

LIVE: Final = in_order(
    "chart",
    {
        "record": ("Record", "reading the record"),
        "question": ("Question", "reading the question"),
        "found": ("Notes", "finding notes"),
        "written": ("Answer", "writing the answer"),
    },
)
