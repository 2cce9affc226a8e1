"""The occurrences of a record's items as columns, and which of them a question speaks of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from clinfo.pipelines.chart.asked import ChartQuestion
from clinfo.pipelines.chart.index import ChartIndex

PLAN: Final = ("plan", "course", "procedures", "immunizations")
HISTORY: Final = ("past", "present")
"""Kinds of sections (`clinfo.patients.sections`) that say what was found or done, and what was
before.
"""
_CACHE, _LAST = "_occurrence_arrays", "_last"
"""What an index keeps beside its fields: its columns, and what was made for the last question."""


def once(index: ChartIndex, name: str, question: ChartQuestion, made: Callable[[], Any]) -> Any:
    """What ``made`` gives for a question, kept until another one is asked."""
    last: tuple[ChartQuestion, dict[str, Any]] | None = index.__dict__.get(_LAST)
    if last is None or last[0] is not question:
        last = question, {}
        object.__setattr__(index, _LAST, last)
    if name not in last[1]:
        last[1][name] = made()
    return last[1][name]


def occurrence_arrays(index: ChartIndex) -> dict[str, Any]:
    """The occurrences as columns, made once for an index."""
    known: dict[str, Any] | None = index.__dict__.get(_CACHE)
    if known is None:
        own = index.occurrences
        sections = np.array([one.at.section for one in own], dtype=object)
        headed = {one.note for one in own if one.at.section}
        every = {kind for one in own for kind in one.at.kinds}
        known = {
            "kinds": {
                kind: np.array([kind in one.at.kinds for one in own], bool) for kind in every
            },
            "item": np.array([one.item for one in own], np.intp),
            "chunk": np.array([one.chunk for one in own], np.intp),
            "denied": [place for place, one in enumerate(own) if one.denied],
            "doubted": [place for place, one in enumerate(own) if one.doubted],
            "plan": np.isin(sections, PLAN),
            "flat": np.array([one.note not in headed for one in own], bool),
            "history": np.isin(sections, HISTORY) | np.array([bool(one.past) for one in own], bool),
            "medications": sections == "medications",
        }
        object.__setattr__(index, _CACHE, known)
    return known


def stated_mask(question: ChartQuestion, index: ChartIndex) -> Any:
    """Which occurrences do not deny what the question names."""
    return ~against_mask(question, index, "denied")


def against_mask(question: ChartQuestion, index: ChartIndex, how: str) -> Any:
    """Which occurrences deny (``denied``) or doubt (``doubted``) what the question names."""
    return once(index, how, question, lambda: _against(question, index, how))


def _against(question: ChartQuestion, index: ChartIndex, how: str) -> Any:
    named = frozenset(
        word for part in question.parts if not part.faint for name in part.names for word in name
    )
    found = np.zeros(len(index.occurrences), bool)
    for place in occurrence_arrays(index)[how]:
        one = index.occurrences[place]
        words = getattr(one, how)
        found[place] = bool(words & named) or words == index.words[one.item]
    return found


def kind_mask(question: ChartQuestion, index: ChartIndex) -> Any:
    """Which occurrences are statements of a kind that the question is after; where it does not
    say, those of assessments and plans. What a note without any heading says may be of any kind.
    """
    arrays = occurrence_arrays(index)
    if not question.kinds:
        return arrays["plan"] | arrays["flat"]
    asked = [arrays["kinds"][kind] for kind in question.kinds if kind in arrays["kinds"]]
    return np.logical_or.reduce([arrays["flat"], *asked])
