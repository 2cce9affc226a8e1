"""The typed replies of the stages of the chart pipeline."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clinfo.runs.replies import AlsoCalled, Quotation, Reply

SemanticType = Literal[
    "anatomy", "behaviour", "care", "device", "diagnostic procedure", "diet", "disease",
    "drug class", "drug or substance", "finding", "injury", "mental", "mental disorder",
    "organism", "procedure", "surgery", "treatment",
]  # fmt: skip
_DAY = "YYYY, YYYY-MM or YYYY-MM-DD"


class QuestionTypes(Reply):
    """What notes that answer a question name, and the days that it asks about."""

    direct: tuple[SemanticType, ...] = ()
    complementary: tuple[SemanticType, ...] = ()
    since: Annotated[str | None, Field(description=_DAY)] = None
    until: Annotated[str | None, Field(description=_DAY)] = None
    order: Literal["first", "last"] | None = None


class Quoted(Reply):
    """Words of a note, by its number."""

    prose = "quotation"
    note: int = 0
    quotation: Annotated[
        str, Quotation(), Field(description="exact words"), AlsoCalled(("quote", "words"))
    ] = ""


class WrittenClaim(Quoted):
    """A statement about the patient, with the number of a note and its words; ``also`` are further
    notes that it rests on.
    """

    prose = "text"
    text: Annotated[str, AlsoCalled(("claim", "statement"))]
    also: Annotated[tuple[Quoted, ...], Field(description="further notes it rests on")] = ()


class Claims(Reply):
    """The answer to a question in claims; none where the notes do not answer it."""

    claims: tuple[WrittenClaim, ...]
