"""HTML tags in titles and abstracts, as PubMed's records hold them, taken out of the text."""

from __future__ import annotations

import re

_NAMES = "a|b|br|em|i|p|small|span|strong|sub|sup|u"
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s[^<>]{{0,200}})?\s?/?>", re.IGNORECASE)
_EXPONENT = re.compile(r"(?<=[0-9])<sup>(?=\s?[-+−–]\s?[0-9])", re.IGNORECASE)
_NEIGHBOURS = re.compile(r"(?<=\w)</(i|b|em|strong|u)><\1>(?=\w)", re.IGNORECASE)


def strip(text: str) -> tuple[str, int]:
    """The text without tags, and how many there were.

    Only tags of inline text are taken for tags: ``<`` stands in many an abstract for "less than",
    and in some DOIs. A signed exponent after a digit keeps its meaning as ``10^-5``; two words of
    which each stood in tags of its own stay two words.
    """
    count = len(_TAG.findall(text))
    if not count:
        return text, 0
    text = _NEIGHBOURS.sub(" ", _EXPONENT.sub("^", text))
    return _TAG.sub("", text), count
