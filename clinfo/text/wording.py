"""Counts, times, money and days in words, and text from outside made safe to print: titles,
abstracts and model replies are data, never terminal commands.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from difflib import get_close_matches

from clinfo.text.lexicon import words_of


def number(count: int, one: str, many: str | None = None) -> str:
    """``1 article``, ``1,200 articles``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def left_out(reasons: Mapping[str, int]) -> str:
    """``3 hits left out: 2 for one reason; 1 for another.``; nothing where nothing was left out."""
    why = "; ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    return f"{number(sum(reasons.values()), 'hit')} left out: {why}." if reasons else ""


def seconds(value: float) -> str:
    """``under 0.1 s``, ``3.2 s``, ``75 s``, ``12 min``."""
    if value < 0.1:
        return "under 0.1 s"
    if value < 10:
        return f"{value:.1f} s"
    return f"{value:.0f} s" if value < 600 else f"{value / 60:.0f} min"


def cost(usd: float | None) -> str:
    """``$0.0123``; an unknown price is never shown as nothing."""
    if usd is None:
        return "cost unknown"
    if usd == 0:
        return "no cost"
    if usd < 0.0001:
        return "under $0.0001"
    return f"${usd:,.4f}" if usd < 1 else f"${usd:,.2f}"


def listed(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


MONTHS = words_of("months", "names")


def day(iso: str) -> str:
    """``2026-11-20`` as ``20 November 2026``; what is no such date stays as it is."""
    try:
        value = date.fromisoformat(iso[:10])
    except ValueError:
        return iso
    return f"{value.day} {MONTHS[value.month - 1]} {value.year}"


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
