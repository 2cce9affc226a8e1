"""Tokenises text, in the same way for an index, in memory and in a query.

Words are runs of letters and digits: every other character, the hyphen and the apostrophe among
them, separates, as PubMed's user guide says. Case, accents and the styles of letters (superscripts,
ligatures) are folded away.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from clinfo.text.lexicon import words_of

# The words that PubMed does not index, from the list in its user guide (April 2024).
STOPWORDS = frozenset(words_of("function_words", "pubmed"))
_SEPARATOR = re.compile(r"[\W_]")
_LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
_ASCII_WORDS = bytes(
    _LOWER[byte] if byte > 127 or chr(byte).isalnum() or byte == 10 else 32 for byte in range(256)
)
"""ASCII in lower case, every separator but the line's end a space; the bytes of other characters
stay.
"""


def folded(text: str) -> str:
    """``text`` in lower case, compatibility forms replaced by plain ones, accents and other
    combining marks gone.

    Characters outside ASCII are folded by Unicode's case folding (ß is ss), run by run, so what
    stands beside them is no matter.
    """
    if text.isascii():
        return text.lower()
    return _with_foreign(text, "clinfo.folded", _LOWER)


def words(text: str) -> list[str]:
    """The words of ``text`` in order, folded."""
    return _spaced(text).split()


def key(text: str) -> str:
    """The form in which headings, types, journals and names are compared: the words with one space
    between them.
    """
    return " ".join(_spaced(text).split())


def keys(texts: Sequence[str]) -> list[str]:
    """`key` of each text; quicker than one by one."""
    lines = _spaced("\n".join(texts)).split("\n")
    if len(lines) != len(texts):
        return [key(text) for text in texts]
    return [" ".join(line.split()) if line else "" for line in lines]


def _spaced(text: str) -> str:
    """``text`` folded, its separators as white space; a line's end stays one."""
    if text.isascii():
        return text.encode().translate(_ASCII_WORDS).decode("ascii")
    return _with_foreign(text, "clinfo.words", _ASCII_WORDS)


def _with_foreign(text: str, errors: str, table: bytes) -> str:
    """``text`` by ``table``, and what is not ASCII by the handler that is registered as ``errors``:
    the encoder finds it several times as quickly as a pattern.
    """
    return text.encode("ascii", errors).translate(table).decode("utf-8", "surrogatepass")


def _handler(plain: Callable[[str], str]) -> Callable[[UnicodeError], tuple[bytes, int]]:
    """A codec's error handler that puts ``plain`` of a run of foreign characters in its place."""

    def handle(error: UnicodeError) -> tuple[bytes, int]:
        assert isinstance(error, UnicodeEncodeError)
        run = error.object[error.start : error.end]
        return plain(run).encode("utf-8", "surrogatepass"), error.end

    return handle


@lru_cache(maxsize=1 << 14)
def _plain(run: str) -> str:
    apart = unicodedata.normalize("NFKD", run)
    kept = "".join(char for char in apart if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", kept).casefold()


@lru_cache(maxsize=1 << 14)
def _plain_words(run: str) -> str:
    return _SEPARATOR.sub(" ", _plain(run))


codecs.register_error("clinfo.folded", _handler(_plain))
codecs.register_error("clinfo.words", _handler(_plain_words))
