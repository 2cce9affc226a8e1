"""Direction: what a sentence of medical prose says an outcome did, aware of negation."""

from __future__ import annotations

import re

from clinfo.records.articles import Direction
from clinfo.text.regex import regex

_UP = regex(
    r"\b(?:increas\w+|higher|greater|longer|elevat\w+|rais(?:e[sd]?|ing)|rose|improv\w+|enhanc\w+|"
    r"better|superior|"
    r"more (?:effective|likely|frequent|often|\w+ful)|"
    r"larger|gain(?:s|ed)?|promot\w+|accelerat\w+|stronger|worsen\w*|doubl(?:e[sd]?|ing)|"
    r"positive(?:ly)? (?:effect|"
    r"impact|associat\w+|correlat\w+|relat\w+))\b"
)
_DOWN = regex(
    r"\b(?:decreas\w+|reduc\w+|lower(?:s|ed|ing)?|fewer|less(?:en\w*)?|shorter|shorten\w*|"
    r"declin\w+|diminish\w*|fell|"
    r"drop(?:ped|s)?|prevent\w*|protect\w*|attenuat\w+|"
    r"alleviat\w+|reliev\w+|suppress\w*|inhibit\w*|inferior|smaller|weaker|impair\w*|loss|"
    r"inverse(?:ly)?|"
    r"negative(?:ly)? (?:effect|impact|associat\w+|correlat\w+|relat\w+))\b"
)
_SAME = regex(
    r"\b(?:similar\w*|comparable|equivalent|equal(?:ly)?|identical|unchanged|unaffected|"
    r"non-?inferior\w*|not inferior|"
    r"as (?:effective|safe|good|well|accurate) as|the same|"
    r"non-?significant\w*|insignificant|not (?:statistically )?significant\w*|"
    r"p\s?[>=]\s?0?\.[1-9]\d*|independent of|"
    r"(?:no|not|nor|neither|without|lack of|little|absence of|fail\w* to|unable to|never|"
    r"did\s?n[o']?t|does\s?n[o']?t|"
    r"cannot)\b(?:[\s-]+(?!but\b|however\b|only\b)[\w'%/-]+){0,7}?[\s-]+"
    r"(?:differ\w*|effects?|affect\w*|associat\w*|correlat\w*|relat\w+|impact\w*|influenc\w*|"
    r"benefi\w+|improv\w*|"
    r"reduc\w*|increas\w*|decreas\w*|chang\w*|advantage\w*|"
    r"evidence|significan\w*|predict\w*|prevent\w*|lower\w*|higher|superior\w*|better|enhanc\w*|"
    r"alter\w*|worsen\w*|"
    r"greater|longer|shorter|role))\b"
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
