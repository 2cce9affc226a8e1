"""The clauses of a sentence with the studies cited for each: "A fell [1], while B rose [2]" says A
of [1] and B of [2].
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clinfo.text.citations import Mark
from clinfo.text.terms import weight

LEAST_WORDS = 4
"""Telling words from which a clause before a citation is judged by itself; a shorter one ("and
stroke [2]") needs the rest.
"""
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Clause:
    """The words of a clause, and the numbers of the studies cited for it; ``whole`` is the sentence
    where the clause alone says little.
    """

    text: str
    cites: tuple[int, ...]
    whole: str = ""


def clauses(
    text: str, marks: Sequence[Mark], known: Sequence[int], apart: Sequence[int] = ()
) -> tuple[Clause, ...]:
    """The clauses of ``text``, cut after each run of citations; numbers that are not ``known`` are
    left out.

    ``apart`` are studies cited without a bracket, for the whole of it. What follows the last
    citation goes with the clause before.
    """
    whole = unmarked(text, marks)
    runs: list[tuple[int, int, list[int]]] = []
    for mark in marks:
        if runs and not text[runs[-1][1] : mark.start].strip(" ,;&").removeprefix("and").strip():
            start, _, numbers = runs[-1]
            runs[-1] = (start, mark.end, [*numbers, *mark.numbers])
        else:
            runs.append((mark.start, mark.end, list(mark.numbers)))
    found: list[Clause] = [Clause(whole, tuple(apart))] if apart else []
    begin = 0
    for place, (_, end, numbers) in enumerate(runs):
        stop = len(text) if place + 1 == len(runs) else end
        own = unmarked(text, marks, begin, stop)
        begin = end
        cites = tuple(dict.fromkeys(n for n in numbers if n in known and n not in apart))
        if cites:
            telling = sum(weight(word) >= 1 for word in _WORD.findall(own))
            found.append(Clause(own, cites, "" if telling >= LEAST_WORDS else whole))
    return tuple(found)


def unmarked(text: str, marks: Sequence[Mark], start: int = 0, end: int | None = None) -> str:
    """The stretch of ``text``, or all of it, with its citations taken out."""
    pieces, at, end = [], start, len(text) if end is None else end
    for mark in marks:
        if start <= mark.start and mark.end <= end:
            pieces.append(text[at : mark.start].rstrip())
            at = mark.end
    return "".join([*pieces, text[at:end]]).strip()
