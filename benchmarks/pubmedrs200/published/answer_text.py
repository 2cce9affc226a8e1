"""The annotators' answers as texts to compare with."""

from __future__ import annotations

import re

_BREAK = re.compile(r"(?:\r?\n[ \t]*)+(?=\S)")


def paragraphs(answer: str) -> tuple[str, ...]:
    """The paragraphs of an answer in the order of the file, results first, without white space
    around them.
    """
    return tuple(part for part in (part.strip() for part in _BREAK.split(answer)) if part)


def published_reference(answer: str) -> str:
    """The text that the published scores were computed against: the paragraphs in reverse order,
    joined with nothing.

    ``answer`` is the cell ``HumanAnswer`` as published (untouched),
    mis-decoded characters and all. That the scores of som-shahlab/Clinfo.AI
    (PubMedRS-200/LLMEvaluations) were made so was found by recomputing them: with this text
    ROUGE-L, chrF, GoogleBLEU and CharacTER of every published output come out as published, value
    by value; with the paragraphs in their own order they do not (``python -m benchmarks
    reproduce``).
    """
    return "".join(_BREAK.split(answer)[::-1])
