"""Text from outside in a form that every file format can hold."""

from __future__ import annotations

import re
from typing import Final

_UNPRINTABLE: Final = re.compile(
    # what formats cannot hold
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\u202a-\u202e\u2066-\u2069]"  # what turns the direction of the text that follows
)


def printable(text: str) -> str:
    """The text with what XML, HTML or UTF-8 cannot hold, and what turns the direction of writing,
    replaced by U+FFFD.
    """
    return _UNPRINTABLE.sub("�", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Printable text with every run of white space as one space."""
    return " ".join(printable(text).split())
