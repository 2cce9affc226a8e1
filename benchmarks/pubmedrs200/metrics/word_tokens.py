"""The word tokens that METEOR compares: nltk's ``word_tokenize``, with an untrained sentence
splitter.

nltk 3.9 and 3.10 changed a few rules of 3.8.1, by which the published scores were made; here those
are put back, over whatever nltk is installed: apostrophes at a word's start, dashes, and closing
quotation marks in typographic form.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, Literal

Rules = Literal["3.8.1", "installed"]
ABBREVIATIONS: Final = frozenset({"vs", "u.s", "t", "st", "ct"})
SENTENCE_STARTERS: Final = frozenset({"the"})

# nltk 3.8.1, nltk/tokenize/destructive.py and punkt.py (Apache License 2.0).
_APOSTROPHE: Final = r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b"
_APOSTROPHE_NOW: Final = r"(?<!\w)(\')"
_LATER: Final = (r"\s+", r"[\u2012-\u2015]")
_CLOSING: Final = r'["\')\]}]+?(?:\s+|(?=--)|$)'
_NO_WORD: Final = r"(?:[)\";}\]\*:@\'\({\[!?])"


def word_tokens(text: str, rules: Rules = "3.8.1") -> list[str]:
    """The tokens of a text, its sentences one after the other."""
    splitter, tokenizer = sentence_splitter(rules), _tokenizer(rules)
    return [
        str(token) for sentence in splitter.tokenize(text) for token in tokenizer.tokenize(sentence)
    ]


@cache
def sentence_splitter(rules: Rules = "3.8.1") -> Any:
    """nltk's Punkt splitter, untrained; its ``tokenize`` gives the sentences of a text."""
    from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer

    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    parameters.sent_starters = set(SENTENCE_STARTERS)
    if rules == "installed":
        return PunktSentenceTokenizer(parameters)

    class Marks(PunktLanguageVars):  # type: ignore[misc]  # nltk has no types
        re_boundary_realignment = re.compile(_CLOSING, re.MULTILINE)
        _re_non_word_chars = _NO_WORD

    return PunktSentenceTokenizer(parameters, lang_vars=Marks())


@cache
def _tokenizer(rules: Rules) -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    tokenizer = NLTKWordTokenizer()
    if rules == "installed":
        return tokenizer
    for name in ("STARTING_QUOTES", "PUNCTUATION", "ENDING_QUOTES"):
        setattr(
            tokenizer,
            name,
            [
                _as_in_3_8(rule)
                for rule in getattr(tokenizer, name)
                if rule[0].pattern not in _LATER
            ],
        )
    return tokenizer


def _as_in_3_8(rule: tuple[Any, str]) -> tuple[re.Pattern[str], str]:
    pattern, replacement = rule
    if _APOSTROPHE_NOW in pattern.pattern:
        return re.compile(_APOSTROPHE), r"\1 \2"
    # By the standard library: nltk 3.10 gives each match five seconds of real time, which a busy
    # machine may exceed.
    return re.compile(pattern.pattern), replacement
