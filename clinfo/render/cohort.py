"""A cohort as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def csv_rows(answer: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """A heading, and a row for each sentence behind each criterion of each member."""
    yield ("member", "criterion", "quote", "date")
    for member in answer["members"]:
        for criterion in member["criteria"]:
            for span in criterion["spans"] or [{"quote": criterion.get("basis", ""), "date": ""}]:
                row = (member["id"], criterion["text"], span["quote"])
                yield (*map(_cell, row), span["date"][:10])


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
