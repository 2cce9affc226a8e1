"""What is asked of an index of patients' records by the cohort pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

System = Literal["symbolic", "retriever", "reader"]
"""How members are found: by facts, by likeness of notes, or by a model that reads each patient's
likest pieces.
"""
SHARE = 0.0021
"""Share of all chunks that is kept where likeness finds members (section 4.1 of the paper)."""


@dataclass(frozen=True)
class CohortRequest:
    """Everything a run of the cohort pipeline is asked.

    ``index`` is the folder of an index; ``criteria`` are in words, for a model; a ``query`` (its
    language is on a page of docs/cohort.md) or a ``form``, a logical form as JSON, count instead.
    ``as_of`` is the day (ISO 8601, "" the day of asking) after which notes do not count.
    ``explain`` tells of the others too; ``shown`` is how many
    patients of each value are given with their evidence, None for all. ``share`` (0 to 1) or
    ``chunks``, a number, is what the retriever keeps of all chunks; the reader is shown so many
    ``pieces`` of each patient. With ``least`` more than 1 counts are given as ranges of so many
    numbers, and no patients (`clinfo.pipelines.cohort.answer`).
    """

    index: str
    criteria: str = ""
    query: str = ""
    form: Mapping[str, Any] | None = None
    system: System = "symbolic"
    as_of: str = ""
    explain: bool = False
    shown: int | None = None
    least: int = 0
    share: float = SHARE
    chunks: int | None = None
    pieces: int = 12
    models: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_cost: float | None = None
    max_seconds: float | None = None

    @property
    def question(self) -> str:
        """Return what is asked, for a reader."""
        return self.criteria or self.query or "a form"
