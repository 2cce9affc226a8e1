"""The studies that count, and the words for what each found as a model read it.

A study is counted once, however many articles report it: the first of its rows speaks for it.
Retracted articles, those whose relevance could not be read, and those that their reader found of
little use for the question (`LEAST_USEFUL`) are left out. Participants are never added up, since
reports and reviews share them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Result

WORDS: Final[dict[Result, str]] = {
    "found benefit": "found benefit",
    "harm": "found harm",
    "no clear difference": "found no clear difference",
    "mixed": "found mixed results",
    "not measured": "did not measure this",
}
"""Each result as it is said of studies."""
CONCERN: Final = {
    "expression of concern": "under an expression of concern",
    "preprint": "a preprint",
    "preprint with a published version": "a preprint with a published version",
    "cites retracted articles": "citing retracted articles",
    "retracted and republished": "retracted and republished",
}
"""Words on a source that a reader must see where it is named."""


LEAST_USEFUL: Final = 5
"""Usefulness, 0 to 10, from which a study counts: a study of one of two treatments that are
compared, or of another outcome, has less.
"""


def led(rows: Iterable[EvidenceRow]) -> tuple[tuple[EvidenceRow, tuple[int, ...]], ...]:
    """The rows that lead, in their order, each with the citation numbers of the study's further
    reports: one row a study.

    The first report leads, one without an expression of concern before others. Rows of group 0 are
    studies of their own.
    """
    groups: dict[int, list[EvidenceRow]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.group or -1 - place, []).append(row)
    leading = [(min(members, key=_is_doubted), members) for members in groups.values()]
    return tuple(
        (row, tuple(sorted(each.n for each in members if each is not row)))
        for row, members in leading
    )


def counting(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that count, in their order: one a study, none retracted, unread or of little use."""
    kept = [row for row in rows if all(one.kind != "retracted" for one in row.notices)]
    return [row for row, _ in led(kept) if _counts(row)]


def _counts(row: EvidenceRow) -> bool:
    useful = row.usefulness is None or row.usefulness >= LEAST_USEFUL
    return useful and not row.unread


def _is_doubted(row: EvidenceRow) -> bool:
    return any(notice.kind == "expression of concern" for notice in row.notices)
