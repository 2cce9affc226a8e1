"""Quotation marks and brackets in pairs again, where a query was left with one too many or too
few.
"""

import re
from collections.abc import Iterator

from clinfo.pubmed.query import parse

_OPERATORS = ("AND", "OR", "NOT")
_PIECE = re.compile(
    r"""(?P<quoted>"[^"]*")|(?P<tag>\[[^\[\]"]*\])|(?P<open>\()|(?P<close>\))|(?P<word>[^\s()\[\]"]+)|(?P<stray>["\[\]])"""
)


def pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each piece: quoted, tag, open, close, operator, word, stray (a mark
    without its partner).
    """
    for match in _PIECE.finditer(text):
        kind = "operator" if match[0] in _OPERATORS else str(match.lastgroup)
        yield kind, match.start(), match.end()


def mispaired(text: str) -> bool:
    """Return whether pairing the quotation marks from left to right puts operators at the edge of a
    phrase, or leaves one over.
    """
    parts = text.split('"')
    if len(parts) % 2 == 0:
        return True
    for phrase in parts[1::2]:
        words = phrase.split()
        if (
            words
            and phrase not in _OPERATORS
            and (words[0] in _OPERATORS or words[-1] in _OPERATORS)
        ):
            return True
        if phrase.count("(") != phrase.count(")"):
            return True
    return False


def quotes_balanced(text: str) -> str:
    """Quotation marks in pairs: one that closes nothing is removed, one that is not closed is
    closed where its phrase ends.

    Which of the two a mark is shows in its neighbours: an opening one stands before a word, a
    closing one after it.
    """
    if not mispaired(text):
        return text
    out: list[str] = []
    opened: int | None = None  # place of the mark that waits for its partner
    last = 0
    for mark in re.finditer('"', text):
        place = mark.start()
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        opening = bool(after) and not after.isspace() and not before.isalnum()
        closing = bool(before) and not before.isspace() and not after.isalnum()
        if opened is None:
            out.append(text[last:place])
            opened = place if opening or not closing else None
        elif closing or not opening:
            out.append(text[opened : place + 1])
            opened = None
        else:
            out.append(_phrase_closed(text[opened + 1 : place]))
            opened = place
        last = place + 1
    out.append(text[last:] if opened is None else _phrase_closed(text[opened + 1 :]))
    return "".join(out)


def _phrase_closed(rest: str) -> str:
    """Return what follows an opening mark, its phrase closed before the next operator or bracket,
    or left unquoted.
    """
    end = re.search(r"\s+(?:AND|OR|NOT)\b|\s*[()\[\]]|\s*$", rest)
    length = end.start() if end else len(rest)
    phrase = rest[:length].strip()
    return (f'"{phrase}"' if phrase else "") + rest[length:]


def tags_closed(text: str) -> str:
    """Square brackets outside quotation marks closed at the end of their word."""
    return re.sub(r'("[^"]*")|\[([^\]"]*)(\]|(?="|$))', _square_closed, text)


def _square_closed(match: re.Match[str]) -> str:
    """A quoted phrase as it is; a bracket that takes in operators or other brackets closed before
    the first of them.
    """
    if match[1]:
        return match[1]
    body: str = match[2]
    if (
        match[3]
        and body.count("(") == body.count(")")
        and not re.search(r"\[|\s(?:AND|OR|NOT)\s", body)
    ):
        return match[0]
    end = re.search(r"\s+(?:AND|OR|NOT)\b|\s*[()\[]|\s*$", body)
    length = end.start() if end else len(body)
    return (f"[{body[:length]}]" if body[:length].strip() else "") + body[length:] + match[3]


def unbalanced(text: str) -> str:
    """Return what is left open, or closed without having been opened, in a query as PubMed reads
    it; "" where nothing is.
    """
    told = (one for one in parse(text).remarks if one.code.startswith("unbalanced-"))
    return next((f"its {text[one.start : one.end]} has no partner" for one in told), "")
