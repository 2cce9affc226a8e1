"""How runs of the cohort pipeline are shown while they go on."""

from __future__ import annotations

from typing import Final

from webapp.watch.in_order import in_order

LIVE: Final = in_order(
    "cohort",
    {
        "index": ("Records", "opening the records"),
        "criteria": ("Criteria", "reading the criteria"),
        "cohort": ("Patients", "finding patients"),
    },
)
