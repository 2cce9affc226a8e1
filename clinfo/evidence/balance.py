"""The balance of the studies retrieved: a count of their results as a model read them.

A study is counted once, however many articles report it: the first of its rows speaks for it.
Retracted articles, those whose relevance could not be read, and those that their reader found of
little use for the question (`LEAST_USEFUL`) are left out. Participants are never added up, since
reports and reviews share them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from clinfo.evidence.design import POOLING, RETELLING, plural
from clinfo.records.appraisal import Balance, EvidenceRow
from clinfo.records.articles import RESULTS, Result

WORDS: Final[dict[Result, str]] = {
    "found benefit": "found benefit",
    "harm": "found harm",
    "no clear difference": "found no clear difference",
    "mixed": "found mixed results",
    "not measured": "has no result on this",
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


def answering(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that count and whose result a model read; none that only tell of others' studies."""
    return [row for row in counting(rows) if row.result and row.design not in RETELLING]


def measuring(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    """The rows that answer and measured what is asked; a trial's report of a part of its people
    only where no other row did, as another report may tell of all.
    """
    found = [row for row in answering(rows) if row.result != "not measured"]
    return [row for row in found if not _of_a_part(row)] or found


def _of_a_part(row: EvidenceRow) -> bool:
    return row.effect is not None and bool(row.effect.subset) and row.design not in POOLING


def counted_as(rows: Sequence[EvidenceRow]) -> str:
    """Return "study", or "article" where one of them may pool another that is counted."""
    pooling = any(row.design in POOLING for row in rows)
    return "article" if pooling and len(rows) > 1 else "study"


def balance(rows: Sequence[EvidenceRow]) -> Balance | None:
    """The balance of ``rows``, strongest first; None where no model read a result."""
    studies = answering(rows)
    if not studies:
        return None
    measured = measuring(rows)
    lead = measured[0].n if measured else None
    silent = [row for row in studies if row.result == "not measured"]
    return Balance("result", (), lead, text=counted_results([*measured, *silent]))


def counted_results(studies: Sequence[EvidenceRow]) -> str:
    """The results in one sentence: "Of 14 studies that measured this, 11 found benefit and 3 found
    no clear difference."
    """
    counts = Counter(row.result for row in studies if row.result is not None)
    silent = counts.pop("not measured", 0)
    measured = counts.total()
    if not measured:
        return "No study retrieved has a result on this."
    told = [(counts[one], WORDS[one]) for one in RESULTS if counts[one]]
    word = counted_as([row for row in studies if row.result != "not measured"])
    named = plural(word)
    one = f"{f'The {word}' if measured == 1 else f'All {measured} {named}'} that measured this"
    text = (
        f"{one} {told[0][1]}"
        if len(told) == 1
        else f"Of {measured} {named} that measured this, {_listed(told)}"
    )
    has = "has" if silent == 1 else "have"
    return text + (f"; {silent} {has} no result on it." if silent else ".")


def _listed(told: Sequence[tuple[int, str]]) -> str:
    *first, last = [f"{count} {words}" for count, words in told]
    return f"{', '.join(first)} and {last}"


def _counts(row: EvidenceRow) -> bool:
    useful = row.usefulness is None or row.usefulness >= LEAST_USEFUL
    return useful and not row.unread


def _is_doubted(row: EvidenceRow) -> bool:
    return any(notice.kind == "expression of concern" for notice in row.notices)
