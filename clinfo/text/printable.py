"""Text from outside made safe to print: titles, abstracts and model replies are data, never
terminal commands.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# CSI sequences (colours, cursor), OSC sequences (titles, links) and other escapes, in their 7 and 8
# bit forms.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ "
    r"-/]*[0-~]?"
)
# Marks that turn the direction of what follows, with which text can be made to look like other
# text, and the mark of a byte order.
_UNSHOWN = re.compile("[\u202a-\u202e\u2066-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""These, control characters but line ends and tabs, and stray surrogates."""
_STEERING = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")


def unescaped(text: str) -> str:
    """``text`` without the signs by which a terminal is steered; all others stay."""
    return _STEERING.sub("", _ESCAPES.sub("", text))


def printable(text: str) -> str:
    """``text`` without escape sequences, control characters (line ends and tabs stay), bidi
    overrides, marks of byte order, stray surrogates.
    """
    return _UNSHOWN.sub("", _LINE_ENDS.sub("\n", _ESCAPES.sub("", text)))


def one_line(text: str) -> str:
    """`printable` text with every run of white space made one blank."""
    return " ".join(printable(text).split())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint, to follow what was wrong, at the known word that looks most like ``word``; "" where
    none does.
    """
    close = get_close_matches(word.lower(), list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
