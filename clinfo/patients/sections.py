"""The sections of a note, by its headings."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from clinfo.text.lexicon import read_rows
from clinfo.text.sentences import sentence_spans

LONGEST = 1000
"""Characters on either side of a place in which its sentence is looked for."""
NAMES = Path(__file__).with_name("section_names.tsv")
_WIDE = 55
"""Characters of the longest line of a block from which on, with most lines full, it is wrapped."""
_GOES_ON = re.compile(
    r"(?i)(?:.*\s)?(?:an?|the|and|n?or|of|for|from|in|on|at|by|to|with(?:out)?|as|that|which|who|his|"
    r"her|their|is|was|were|ha[sd]|have|been?|any)|.*,"
)
"""Lines that end so that the next one goes on."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a note: where its heading begins, its body [start, end), and its kind, of those in
    `NAMES`; "" before the first heading, "other" under one that is not listed.
    """

    heading: int
    start: int
    end: int
    kind: str


def sections(text: str) -> list[Section]:
    """The sections of a note in order; together they are the whole of it. A line in capitals with
    nothing under it is no heading but text.
    """
    kinds, pattern = _headings()
    every = [*pattern.finditer(text)]
    heads = [(0, 0, "")]
    for match, stop in zip(every, [*(one.start() for one in every[1:]), len(text)], strict=False):
        kind = kinds.get(" ".join((match["name"] or "").lower().split()), "other")
        if kind != "other" or text[match.end() : stop].strip():
            heads.append((*match.span(), kind))
    ends = [*(heading for heading, _, _ in heads[1:]), len(text)]
    return [
        Section(*head[:2], end, head[2])
        for head, end in zip(heads, ends, strict=True)
        if end > head[0]
    ]


def unwrapped(text: str) -> str:
    """A text with spaces for the ends of lines that only a page's width made: two of three hold,
    that the line is full, that its last word wants another, that a small letter goes on.
    """
    parts = list[str]()
    for block in re.split(r"(?<=\n)(?=[^\S\n]*\n)", text):
        lines = block.split("\n")
        after = [*((line.split(maxsplit=1) or [""])[0] for line in lines[1:]), ""]
        widths = [len(line.rstrip()) + len(word) for line, word in zip(lines, after, strict=True)]
        width = max(len(line.rstrip()) for line in lines)
        wide = width >= _WIDE and 2 * sum(one >= width for one in widths[:-1]) >= len(lines) - 1
        for line, word, long in zip(lines, after, widths, strict=True):
            wants = _GOES_ON.fullmatch(line.rstrip()) is not None
            signs = (wide and long >= width) + wants + word[:1].islower()
            goes_on = signs > 1 and word[:1].isalnum() and line.rstrip()[-1:] not in ".:;!?-"
            parts.append(line + (" " if goes_on else "\n"))
        parts[-1] = parts[-1][:-1]
    return "".join(parts)


def sentence_at(text: str, at: int) -> tuple[int, int]:
    """The sentence [start, end) around a place; of a line of more than `LONGEST` characters on
    either side that much is looked at.
    """
    block = at // LONGEST
    low, high = max(block - 1, 0) * LONGEST, min((block + 2) * LONGEST, len(text))
    begin = max(text.rfind("\n", low, at) + 1, low)
    end = text.find("\n", at, high)
    spans = _spans(text[begin : end if end >= 0 else high])
    return next(
        ((begin + a, begin + b) for a, b in spans if begin + a <= at < begin + b), (at, at + 1)
    )


_spans = lru_cache(256)(sentence_spans)  # of one line for each value in it


@cache
def _headings() -> tuple[dict[str, str], re.Pattern[str]]:
    kinds = {row[0]: row[1] for row in read_rows(NAMES, 2)}
    names = "|".join(
        re.escape(name).replace(r"\ ", r"[ \t]+") for name in sorted(kinds, key=len, reverse=True)
    )
    known = rf"(?P<name>(?i:{names}))"
    return kinds, re.compile(
        rf"(?m)(?:^[ \t#*•-]*|(?<=[.;])[ \t]+){known}[ \t]*(?::\**|\**:?[ \t]*[-–]?[ \t]*$)"
        rf"|^[ \t]*#+[ \t]+[^\n]*$|^[ \t]*[A-Z][A-Z&/ -]{{3,40}}:?[ \t]*$"
    )
