"""Multi-line search strategies, as librarians keep them: numbered lines, later ones combining
earlier ones.

    #1 asthma[mh] OR asthma*[tiab]
    #2 "breathing exercises"[mh] OR buteyko[tiab]
    #3 #1 AND #2

The last line is the search. A line that begins with no number goes on with the one before it; blank
lines and comments (``# …`` with no digit after the sign, ``// …``) are passed over.
"""

import re
from dataclasses import dataclass

from clinfo.errors import UsageError
from clinfo.pubmed.query import parse
from clinfo.pubmed.tree import Line, leaves

_NUMBERED = re.compile(
    r"\s*(?:#\s*(\d{1,3})\s*[.:)=]?\s+|(\d{1,3})\s*[.:)]\s+)(?!(?:AND|OR|NOT)\b(?!/))(?=\S)"
)
_COMMENT = re.compile(r"\s*(?:#(?!\s*\d)|//)")
_UNMARKED = re.compile(
    r"[\s()]*#?\d{1,3}(?:[\s()]+(?:AND|OR|NOT)[\s()]+#?\d{1,3})+[\s()]*", re.IGNORECASE
)
"""Lines combined as other services write it, "1 OR 2": for PubMed these are the articles with the
PMIDs 1 and 2.
"""
_JOINED = re.compile(r"\s*(AND|OR)\s*/\s*(#?\d{1,3}(?:\s*[-–,]\s*#?\d{1,3})*)\s*", re.IGNORECASE)
"""Ovid's "or/1-3"."""
MAX_LINES = 200
MAX_EXPANDED = 100_000
"""Characters of a line with all it refers to written out; a few lines that double each other would
make more of any text.
"""

MOST_NAMED = 12
"""Lines that a message names one by one."""


@dataclass(frozen=True)
class StrategyLine:
    """A line as typed, and ``expanded`` with every ``#n`` replaced by that line in parentheses."""

    number: int
    text: str
    expanded: str


def read_strategy(text: str) -> tuple[StrategyLine, ...] | None:
    """The lines of a strategy, or None for a text that is a single query.

    Raises UsageError for a number used twice, for a reference to a line that does not stand above
    and for one without ``#``.
    """
    rows = [row for row in text.splitlines() if row.strip() and not _COMMENT.match(row)]
    if not rows or not _NUMBERED.match(rows[0]):
        return None
    typed: dict[int, str] = {}
    for row in rows:
        if begin := _NUMBERED.match(row):
            number = int(begin[1] or begin[2])
            if number in typed:
                raise UsageError(f"the strategy has two lines #{number}")
            typed[number] = row[begin.end() :].strip()
        else:
            typed[number] += f" {row.strip()}"
    if len(typed) > MAX_LINES:
        raise UsageError(f"the strategy has {len(typed):,} lines; at most {MAX_LINES} can be used")
    done: dict[int, StrategyLine] = {}
    for number, line in typed.items():
        if (meant := _with_signs(line)) is not None:
            raise UsageError(f"line #{number} refers to lines without the # sign: write {meant}")
        done[number] = StrategyLine(number, line, _expanded(number, line, done))
    return tuple(done.values())


def _with_signs(text: str) -> str | None:
    """A line that only combines others, some by their bare numbers, as it should be written; None
    for any other line.
    """
    if joined := _JOINED.fullmatch(text):
        parts = [
            part.strip().split("-")
            for part in joined[2].replace("#", "").replace("–", "-").split(",")
        ]
        ends = [sorted((int(part[0]), int(part[-1]))) for part in parts]
        numbers = [number for first, last in ends for number in range(first, last + 1)]
        shown = [f"#{number}" for number in numbers]
        return f" {joined[1].upper()} ".join(
            shown if len(shown) <= MOST_NAMED else [*shown[:2], "…", shown[-1]]
        )
    if not _UNMARKED.fullmatch(text) or not re.search(r"(?<![#\d])\d", text):
        return None
    return re.sub(r"(?<![#\d])(?=\d)", "#", text).upper()


def _expanded(number: int, text: str, above: dict[int, StrategyLine]) -> str:
    pieces, last = [], 0
    for reference in (leaf for leaf in leaves(parse(text).tree) if isinstance(leaf, Line)):
        if reference.number not in above:
            raise UsageError(
                f"line #{number} of the strategy refers to #{reference.number}, which is not above "
                "it"
            )
        pieces += [text[last : reference.start], f"({above[reference.number].expanded})"]
        last = reference.end
    whole = "".join([*pieces, text[last:]])
    if len(whole) > MAX_EXPANDED:
        raise UsageError(
            f"line #{number} of the strategy has more than {MAX_EXPANDED:,} characters when "
            "written out"
        )
    return whole
