"""The forms in which every hit is written down, known before anything is imported that writes them."""

from __future__ import annotations

from enum import StrEnum


class ExportFormat(StrEnum):
    """How every hit is written down."""

    nbib = "nbib"
    ris = "ris"
    csv = "csv"
