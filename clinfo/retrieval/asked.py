"""What is looked for in long texts: the question in words, and its parts where they are known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """A question, and the outcome, intervention and comparator it names ("" where not known)."""

    text: str = ""
    outcome: str = ""
    intervention: str = ""
    comparator: str = ""

    @property
    def words(self) -> str:
        """Everything that is asked, as one text to search for."""
        parts = (self.intervention, self.outcome, self.comparator)
        return " ".join(part for part in parts if part) or self.text
