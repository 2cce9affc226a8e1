"""Article text as a language model reads it: fenced, so that it can be told from what the program
asks.

    <abstract 3fa9c0ff>In 50 adults …</abstract 3fa9c0ff>

The token is taken from the text itself, and no text holds its own token: nobody who writes an
abstract can write its end. What shows nothing on paper (control, zero-width and tag characters) is
dropped, so the model reads what the reader of the page is shown.
"""

import hashlib
import re

TOKEN_DIGITS = 8
"""Hexadecimal digits of the token: the first of the text's SHA-256."""
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    r"\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe0e\ufe0f\ufeff\uffa0"
    r"\U000e0000-\U000e01ff]"
)
"""Controls but line ends and tabs, and Unicode's Default_Ignorable: zero-width, direction marks,
variation selectors, tags.
"""


def fenced(text: str, what: str) -> str:
    """``text`` between a begin and an end mark that name ``what`` it is; each on a line of its own
    where the text has lines. The same text always gives the same fence.
    """
    body = plain(text)
    token = _token(body)
    line = "\n" if "\n" in body else ""
    return f"<{what} {token}>{line}{body}{line}</{what} {token}>"


def plain(text: str) -> str:
    """``text`` without characters that show nothing; every kind of line end is ``\\n``."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _token(text: str) -> str:
    """The first digits of the text's SHA-256, of the digest hashed again for as long as the text
    holds them.
    """
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
    while digest[:TOKEN_DIGITS] in text.lower():
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest[:TOKEN_DIGITS]
