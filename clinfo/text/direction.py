"""Direction: what a sentence of medical prose says an outcome did, aware of negation."""

from __future__ import annotations

import re

from clinfo.records.articles import Direction
from clinfo.text.lexicon import either
from clinfo.text.regex import regex

_UP = regex(
    rf"\b(?:{either('rising', 'direction_up')}|{either('better', 'direction_up')}|worsen\w*|"
    r"more (?:effective|likely|frequent|often|\w+ful))\b"
)
_DOWN = regex(
    rf"\b(?:{either('falling', 'direction_down')}|{either('better', 'direction_down')}|"
    rf"{either('worse', 'direction_down')})\b"
)
_SAME = regex(
    rf"\b(?:{either('alike', 'direction_same')}|p\s?[>=]\s?0?\.[1-9]\d*|"
    rf"(?:{either('negators', 'direction')}|fail\w* to)\b(?:[\s-]+(?!but\b|however\b|"
    rf"only\b)[\w'%/-]+){{0,7}}?[\s-]+(?:differ\w*|effects?|affect\w*|associat\w*|correlat\w*|"
    r"relat\w+|impact\w*|influenc\w*|benefi\w+|improv\w*|reduc\w*|increas\w*|decreas\w*|"
    r"chang\w*|advantage\w*|evidence|significan\w*|predict\w*|prevent\w*|lower\w*|higher|"
    r"superior\w*|better|enhanc\w*|alter\w*|worsen\w*|greater|longer|shorter|role))\b"
)
_BUT = regex(r"\b(?:but|however|although|though|whereas|while|except|despite|nevertheless)\b")


def direction(text: str) -> Direction:
    """The direction that ``text`` (a conclusion) states; "mixed" where its clauses disagree,
    "unclear" where none says.

    A negated rise or fall ("did not reduce") is "no difference".
    """
    lower = text.lower()
    same = [match.span() for match in _SAME.finditer(lower)]
    up = sum(1 for match in _UP.finditer(lower) if not _within(match, same))
    down = sum(1 for match in _DOWN.finditer(lower) if not _within(match, same))
    if same and (up or down):
        return "mixed" if _BUT.search(lower) or up + down > 1 else "no difference"
    if same:
        return "no difference"
    if up and down:
        return (
            "mixed"
            if max(up, down) < 2 * min(up, down) + 1
            else ("increased" if up > down else "decreased")
        )
    if up or down:
        return "increased" if up else "decreased"
    return "unclear"


def _within(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in spans)
