"""A failure in the words of visitors: no amounts of money, and no advice that only a host can
follow. Hosts find the whole text in the log.
"""

from __future__ import annotations

import re
from typing import Final

from clinfo.errors import BudgetReached

OF_DAY: Final = (
    "today's budget of this site does not cover this question; it is renewed at 0:00 UTC"
)
OF_RUN: Final = (
    "this question needs more than the budget of this site for one run; ask for fewer articles or "
    "queries"
)
_CLAUSES: Final = re.compile(r"(; |\. |, or )")
_FOR_HOSTS: Final = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<!\w)--[a-z]|\$\d")
"""Environment variables, flags and amounts."""


def for_visitors(error: str, problem: str, retryable: bool) -> tuple[str, bool]:
    """(what a visitor is told of a failed run, whether the same run may succeed later); ``error``
    is the name of the class of `clinfo.errors`.
    """
    if error == BudgetReached.__name__:
        daily = problem.startswith("today's")
        return (OF_DAY, True) if daily else (OF_RUN, False)
    first, *rest = _CLAUSES.split(problem)
    told = "" if _FOR_HOSTS.search(first) else first
    for between, clause in zip(rest[::2], rest[1::2], strict=True):
        if not _FOR_HOSTS.search(clause):
            told += f"{between}{clause}" if told else clause
    return told or "something is not set up on this site; please tell its host", retryable
