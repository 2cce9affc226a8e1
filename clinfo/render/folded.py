"""Sections left out of a shorter page: one line each, with the flag that shows it."""

from __future__ import annotations

import re
from typing import Literal

from clinfo.evidence.balance import points
from clinfo.evidence.included_studies import SILENT
from clinfo.records.answer import Answer
from clinfo.text.printable import one_line
from clinfo.views.wording import number

Extent = Literal["short", "usual", "whole"]
"""The extent of a page: TL;DR, synthesis and what they cite; with a table of the studies; or
everything.
"""

DETAILS = "(--details)"

_DOUBTS = (
    (r"Few studies: (\d+)", r"few studies (\1)"),
    (r"Only one study", "only one study answers the question"),
    (
        r"The one study retrieved does not|None of the \d+ studies|Neither of",
        "no study retrieved answers the question",
    ),
    (r"The strongest studies retrieved disagree", "the strongest studies disagree"),
    (r"The studies retrieved disagree", "the studies disagree"),
    (r"Not all studies that answer were in", "not all studies were in the people asked about"),
    (
        r"(?:The study|None of the studies) that answers? was",
        "not studied in the people asked about",
    ),
    (r"(?:The interval|Intervals).* holds ", "wide intervals"),
    (r"The intervals? .* no effect", "intervals that include no effect"),
    (r"Read with care", "articles read with care"),
    (r"Small samples", "small samples"),
    (r".* observational, so", "observational studies only"),
    (r"No follow-up is stated beyond", "short follow-up"),
    (r"The reviews .* not independent", "reviews that are not independent"),
    (r".* also part of the review", "studies counted within a review too"),
    (r"All studies that answer share authors", "studies by the same authors"),
    (r"Only abstracts were read", "only abstracts were read"),
)
"""The beginnings of the sentences of `clinfo.evidence.uncertainty.why_uncertain`; each with a few
words for it.
"""


def folded(answer: Answer, extent: Extent, paragraphs: int) -> list[str]:
    """The lines for a page of this extent that leaves out so many ``paragraphs`` of the
    synthesis.
    """
    more = [number(paragraphs, "more paragraph")] if paragraphs else []
    if extent == "short":
        more += [number(len(answer.warnings), "warning")] if answer.warnings else []
        more += ["the text withheld"] if answer.withheld_text else []
        return [f"{', '.join([*more, 'evidence, search and settings'])} {DETAILS}"]
    counts, appraisal = answer.counts, answer.appraisal
    uncited = sum(not reference.cited for reference in answer.references)
    doubts = "; ".join(map(doubt_in_words, appraisal.uncertainty))
    left = counts.found - counts.cited
    found = f"{number(counts.found, 'article')} found" + (
        f", {left:,} of them not cited, and why" if left > 0 else ""
    )
    lines = [
        *more,
        f"Why this is not certain: {doubts}" if doubts else "",
        f"Balance: {standing(answer)}" if appraisal.balance is not None else "",
        (
            "Findings, populations and outcomes of the "
            f"{number(len(appraisal.rows), 'study', 'studies')}"
        )
        if appraisal.rows
        else "",
        number(uncited, "reference that is not cited", "references that are not cited")
        if uncited
        else "",
        f"The search: {number(len(answer.queries), 'query', 'queries')}, {found}"
        if answer.references
        else "",
        "Models, settings, time and cost",
    ]
    return [f"{line} {DETAILS}" for line in lines if line]


def standing(answer: Answer) -> str:
    """Return how the studies stand to each other, in a few words."""
    balance = answer.appraisal.balance
    if balance is None:
        return ""
    counts: dict[str, int] = {}
    for share in balance.shares:
        counts[share.side] = counts.get(share.side, 0) + share.studies
    told = {side: count for side, count in counts.items() if side not in SILENT}
    every = sum(counts.values())
    if not told:
        return "No study retrieved answers this"
    if balance.conflict is not None:
        return "Mixed evidence: the strongest studies disagree"
    if len(told) > 1 or "mixed" in told:
        return "Mixed evidence"
    side, count = next(iter(told.items()))
    if every == 1:
        return f"The one study retrieved {points(side, balance.sides, 1)}"
    return f"{count:,} of {every:,} studies retrieved {points(side, balance.sides, count)}"


def doubt_in_words(text: str) -> str:
    """A reason for doubt in a few words, for the head of a page: ``few studies (2)``."""
    for begins, words in _DOUBTS:
        if found := re.match(begins, text):
            return found.expand(words)
    return one_line(re.sub(r"\s*\[[\d, –-]+\]", "", text)).rstrip(".")
