"""The value of a mention: where a note names a concept, and what it says of it."""

from dataclasses import dataclass
from typing import Literal

Assertion = Literal["present", "negated", "family", "history", "uncertain"]
"""The assertion of a mention: the patient has it, has it not, another person has it, the patient
had it, or it is only thought of.
"""


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept that a text names: code points [start, end), the words as written, the concept
    (a heading of MeSH or of one's own list), its semantic types, what is said of it, and how
    likely that is right, in percent; that it is present and that it was count as one there.
    """

    start: int
    end: int
    text: str
    concept: str
    types: tuple[str, ...]
    assertion: Assertion = "present"
    sure: int = 100
