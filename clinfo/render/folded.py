"""Sections left out of a shorter page: one line each, with the flag that shows it."""

from __future__ import annotations

from typing import Literal

from clinfo.records.answer import Answer
from clinfo.views.evidence import standing
from clinfo.views.wording import number

Extent = Literal["short", "usual", "whole"]
"""The extent of a page: TL;DR, synthesis and what they cite; with a table of the studies; or
everything.
"""

DETAILS = "(--details)"


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
    doubts = number(len(appraisal.uncertainty), "reason")
    left = counts.found - counts.cited
    found = f"{number(counts.found, 'article')} found" + (
        f", {left:,} of them not cited, and why" if left > 0 else ""
    )
    lines = [
        *more,
        f"Why this is not certain: {doubts}" if appraisal.uncertainty else "",
        standing(answer),
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
