"""The forms that an answer can be written down in."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """How an answer is written down."""

    text = "text"
    markdown = "markdown"
    json = "json"
    ris = "ris"
    bibtex = "bibtex"
    csl = "csl"
    prisma_s = "prisma-s"


class Include(StrEnum):
    """Which articles the reference formats hold."""

    cited = "cited"
    relevant = "relevant"
    all = "all"


REFERENCE_FORMATS = (Format.ris, Format.bibtex, Format.csl)
