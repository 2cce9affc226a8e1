"""The typed reply of a model that judges sentences."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from clinfo.runs.replies import AlsoCalled, Quotation, Reply


class QuotedWords(Reply):
    """Words of an article, by its number."""

    prose = "words"
    article: int = 0
    words: Annotated[
        str,
        Quotation(),
        Field(description="exact words"),
        AlsoCalled(("quote", "quotation", "text")),
    ]


class JudgedSentence(Reply):
    """The verdict on the sentence of a label."""

    label: Annotated[str, Field(description="S1"), AlsoCalled(("id", "sentence"))]
    quotes: Annotated[tuple[QuotedWords, ...], AlsoCalled(("quote", "quotations"))] = ()
    reason: Annotated[str, Field(description="empty if supported, else one short sentence")] = ""
    verdict: Literal["supported", "partial", "unsupported", "contradicted"]


class Verdicts(Reply):
    """One verdict for each label."""

    verdicts: tuple[JudgedSentence, ...]


class MendedSentence(JudgedSentence):
    """The verdict on a sentence, and the sentence as it should be."""

    instead: Annotated[
        str,
        Field(
            description=(
                "unless supported: the sentence as the articles carry it, with its numbers in "
                "brackets; empty if nothing of it can be kept"
            )
        ),
    ] = ""


class Mending(Verdicts):
    """One verdict for each label, of a text that is mended."""

    verdicts: tuple[MendedSentence, ...]


class AnswersToo(Mending):
    """The verdicts, and whether the TL;DR among the sentences answers the question."""

    answers_reason: Annotated[str, Field(description="empty if yes, else one short sentence")] = ""
    answers: Literal["yes", "in part", "no"] | None = None
