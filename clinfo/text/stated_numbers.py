"""The numbers that stand in a text, as values: what a figure that a model gives is held against."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_SIGNS: Final = str.maketrans("−﹣－–", "----")
_NUMBER: Final = re.compile(
    r"(?P<sign>(?<![\w.%)\]-])(?<![\d%]\s)-\s?(?=[.\d]))?(?<![\d.])"
    r"(?P<body>\d{1,3}(?:[,'\u2009\u202f\u00a0\u2007]\d{3})+(?!\d)(?:[.·∙]\d+)?|\d+(?:[.·∙]\d+)?"
    r"|[.·]\d+)"
)
_WITH_BLANKS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.,])")
_PARTS: Final = re.compile(r"[,'\s\u2009\u202f\u00a0\u2007]")


def numbers_in(text: str) -> list[Decimal]:
    """The numbers that a text gives in digits, in order; a dash that joins two is no sign."""
    return [
        -value if found["sign"] else value
        for found in _NUMBER.finditer(text.translate(_SIGNS))
        for value in (_value(found["body"]),)
    ]


def stated_numbers(text: str) -> frozenset[Decimal]:
    """Every number that a text may be said to state: in digits, in words, with blanks for
    thousands.
    """
    from clinfo.text.numerals import numerals, plain

    in_words = {one.value for one in numerals(plain(text))}
    blanks = {_value(found[0]) for found in _WITH_BLANKS.finditer(text)}
    return frozenset({*numbers_in(text), *in_words, *blanks})


def _value(body: str) -> Decimal:
    return Decimal(_PARTS.sub("", body).replace("·", ".").replace("∙", "."))
