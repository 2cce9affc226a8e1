"""The word tokens that METEOR compares: nltk's ``word_tokenize``, with an untrained sentence
splitter.

nltk 3.9 and 3.10 changed a few rules of 3.8.1, by which the published scores were made; here those
are put back, over whatever nltk is installed: apostrophes at a word's start, dashes, and closing
quotation marks in typographic form.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

ABBREVIATIONS: Final = frozenset({"vs", "u.s", "t", "st", "ct"})
SENTENCE_STARTERS: Final = frozenset({"the"})

# nltk 3.8.1, nltk/tokenize/destructive.py and punkt.py (Apache License 2.0).
_APOSTROPHE: Final = r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b"
_APOSTROPHE_NOW: Final = r"(?<!\w)(\')"
_LATER: Final = (r"\s+", r"[\u2012-\u2015]")
_CLOSING: Final = r'["\')\]}]+?(?:\s+|(?=--)|$)'
_NO_WORD: Final = r"(?:[)\";}\]\*:@\'\({\[!?])"


SENTENCES: Final = (
    f"sentences:punkt-3.8.1({','.join(sorted(ABBREVIATIONS))};"
    f"{','.join(sorted(SENTENCE_STARTERS))})"
)
"""As a signature has it."""


def word_tokens(text: str) -> list[str]:
    """The tokens of a text, its sentences one after the other."""
    tokenizer = _tokenizer()
    found = _splitter().tokenize(text)
    return [str(token) for sentence in found for token in tokenizer.tokenize(sentence)]


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, without the space around them; none where there is nothing
    but space. On the published texts they are those of NLTK's English model, which UniEval's
    authors split with.
    """
    return list(map(str, _splitter().tokenize(text))) if text.strip() else []


@cache
def _splitter() -> Any:
    from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(SENTENCE_STARTERS)

    class Marks(PunktLanguageVars):  # type: ignore[misc]  # nltk has no types
        re_boundary_realignment = re.compile(_CLOSING, re.MULTILINE)
        _re_non_word_chars = _NO_WORD

    return PunktSentenceTokenizer(parameters, lang_vars=Marks())


@cache
def _tokenizer() -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
        rules = getattr(tokenizer, name)
        kept = [_as_in_3_8(rule) for rule in rules if rule[0].pattern not in _LATER]
        setattr(tokenizer, name, kept)
    return tokenizer


def _as_in_3_8(rule: tuple[Any, str]) -> tuple[re.Pattern[str], str]:
    pattern, replacement = rule
    if _APOSTROPHE_NOW in pattern.pattern:
        return re.compile(_APOSTROPHE), r"\1 \2"
    # By the standard library: nltk 3.10 gives each match five seconds of real time, which a busy
    # machine may exceed.
    return re.compile(pattern.pattern), replacement
