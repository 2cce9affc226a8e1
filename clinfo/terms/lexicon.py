"""Classes of a word: a given name, a surname, a word of medicine, a word of everyday English;
several, or none of them.

``lexicon.txt.gz`` beside this file has a line for each mixture of the four: its number and the
words, folded. It is read at the first lookup; `benchmarks.own.pack_names` writes it, and README.md
here says where the words are from.
"""

import gzip
import unicodedata
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("lexicon.txt.gz")
GIVEN, SURNAME, MEDICAL, EVERYDAY = 1, 2, 4, 8
"""The kinds of a word; the flags of a word are their sum."""
_LETTERS = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ı": "i",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "’": "'",
    }
)
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "er", "ers", "'s", "'t", "'ve", "'ll")


def folded(word: str) -> str:
    """A word in small letters; Latin, Greek and Cyrillic ones without accents."""
    if word.isascii():
        return word.lower()
    plain = word.lower().translate(_LETTERS)
    if plain[:1] > "\u058f":  # scripts whose marks are letters of their own
        return plain
    return "".join(
        sign for sign in unicodedata.normalize("NFD", plain) if not unicodedata.combining(sign)
    )


def flags(word: str) -> int:
    """Return what a word, in any case, may be; 0 where it is not listed, nor a listed English word
    with an ending.
    """
    known, plain = _lexicon(), folded(word)
    if (found := known.get(plain)) is not None:
        return found
    for ending in _ENDINGS:
        if len(plain) > len(ending) + 2 and plain.endswith(ending):
            stem = plain[: -len(ending)]
            for form in (stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem):
                if (found := known.get(form, 0) & (MEDICAL | EVERYDAY)) != 0:
                    return found
    return 0


def listed(flag: int) -> list[str]:
    """The words, folded, that may be what ``flag`` says."""
    return [word for word, found in _lexicon().items() if found & flag]


@cache
def _lexicon() -> dict[str, int]:
    held: dict[str, int] = {}
    for line in gzip.decompress(FILE.read_bytes()).decode().splitlines():
        number, *words = line.split(" ")
        held |= dict.fromkeys(words, int(number))
    return held
