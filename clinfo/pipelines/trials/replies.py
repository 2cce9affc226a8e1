"""The typed replies of the trials stages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clinfo.records.trials import Direction
from clinfo.runs.replies import Quotation, Reply


class TrialQuestion(Reply):
    """A question about trials, taken apart; "" for what it does not name."""

    intervention: str = ""
    comparator: str = ""
    outcome: str = ""
    better: Literal["lower", "higher", "unknown"] = "unknown"


class Concluding(Reply):
    """The direction of an outcome in one study."""

    direction: Direction
    quotes: tuple[Annotated[str, Quotation(), Field(description="word for word")], ...] = ()
    reason: Annotated[str, Field(description="one short sentence")] = ""
