"""The numbers that stand in a text, as values: what a figure that a model gives is held against."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final
from unicodedata import normalize, numeric

from clinfo.text.lexicon import words_of
from clinfo.text.markup import without_tags
from clinfo.text.quotes import is_negative, numbers

_POWER: Final = re.compile(
    r"(?:(\d{1,9}(?:\.\d{1,9})?)\s?[x×·*]\s?)?\b10(?:\s?\^\s?\(?|(?=[⁻⁰¹²³⁴-⁹]))"
    r"([-−–⁻]?)([\d⁰¹²³⁴-⁹]{1,2})(?!\w)"
)
_COMMA: Final = re.compile(r"(?<![\d.,])(\d{1,9}),(\d{1,2}|(?<=\b0,)\d{3,9})(?!\d|,\d)")
_POINTS: Final = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?:,\d{1,9})?(?![\d.,])")
_EXPONENT: Final = re.compile(
    r"(?<![\w.])(\d{1,9}(?:\.\d{1,9})?)e([-−+]?0{0,2}\d{1,2})\b", re.IGNORECASE
)
_ROMAN: Final = "_ I II III IV V VI VII VIII IX X"
_ORDER: Final = "none first second third fourth fifth sixth seventh eighth ninth tenth"
_FRACTION: Final = re.compile(r"(\d{1,3})?\s?([¼½¾])")

_TEENS: Final = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES: Final = words_of("numerals", "to_twelve")
_VALUES: Final = dict(
    zip((*_ONES, *_TEENS.split(), *_TENS.split()), (*range(20), *range(20, 100, 10)), strict=True)
)
_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ANY: Final = "|".join(sorted((*_VALUES, *_SCALES), key=len, reverse=True))
_WORDED: Final = re.compile(
    rf"(?<!\d\s)\b(?:{_ANY})(?:(?:\s|-|\sand\s)(?:{_ANY}))*(?:\sand\sa\shalf|-?fold)?\b",
    re.IGNORECASE,
)
_SCALED: Final = re.compile(
    rf"([$£€¥]\s?)?(\d{{1,9}}(?:\.\d{{1,9}})?)\s?({'|'.join(_SCALES)}|(?(1)(?:k|mn?|bn?)|(?!)))\b",
    re.IGNORECASE,
)
_SHORT: Final = {"k": "thousand", "m": "million", "b": "billion"}
"""Scales of sums of money by their first letter."""
_YEARS: Final = re.compile(r"\b(19|20)\d\d\s?[-–/]\s?(\d\d)(?!\d|[-–/]\d)")


def numbers_in(text: str) -> list[Decimal]:
    """The numbers that a text gives in digits, in order; a dash that joins two is no sign."""
    return [
        -value if negative else value
        for written, start, _ in numbers(text)
        if written.count(".") < 2
        for value, negative in ((Decimal(written), is_negative(text, start)),)
    ]


def stated_numbers(text: str) -> frozenset[Decimal]:
    """Every number that a text may be said to state: in digits, in words, with blanks for
    thousands or not ("grade 3 120 patients"), with a comma for a point, as a power of ten.
    """
    text = without_tags(text)[0]
    apart = (
        Decimal(part)
        for written, start, end in numbers(text)
        if " " in text[start:end] or written.count(".") > 1  # a date
        for part in text[start:end].split("." if written.count(".") > 1 else " ")
        if part.isdecimal()
    )
    in_words = (value for value, _, _ in worded_numbers(text))
    composed = (value for value, _, _ in composed_numbers(text))
    return frozenset((*numbers_in(text), *in_words, *composed, *apart))


def composed_numbers(text: str) -> Iterator[tuple[Decimal, int, int]]:
    """The numbers that several signs make, and where they stand: powers of ten, "1.2 million", 1½,
    1e-5, the 2019 of "2015-19", "1,5", "0,048" and "10.000,5" of other languages.
    """
    for found in _POWER.finditer(text):
        power = int(normalize("NFKC", found[3])) * (-1 if found[2] else 1)
        yield Decimal(found[1] or 1) * Decimal(10) ** power, *found.span()
    for found in _SCALED.finditer(text):
        scale = found[3].lower()
        value = Decimal(found[2]) * _SCALES[scale if len(scale) > 2 else _SHORT[scale[0]]]
        yield value, found.start(2), found.end()
    for found in _YEARS.finditer(text):
        if found[2] > found[0][2:4]:  # else of the next century, or a month
            yield Decimal(found[1] + found[2]), *found.span(2)
    for found in _COMMA.finditer(text):
        yield Decimal(f"{found[1]}.{found[2]}"), *found.span()
    for found in _POINTS.finditer(text):
        yield Decimal(found[0].replace(".", "").replace(",", ".")), *found.span()
    for found in _EXPONENT.finditer(text):
        power = int(found[2].replace("−", "-"))
        yield Decimal(found[1]) * Decimal(10) ** power, *found.span()
    for found in _FRACTION.finditer(text):
        yield Decimal(found[1] or 0) + Decimal(str(numeric(found[2]))), *found.span()


def worded_numbers(text: str) -> Iterator[tuple[Decimal, int, int]]:
    """The numbers that a text gives in words, and where the run of words stands."""
    for found in _WORDED.finditer(text):
        for value in _worded(found[0]):
            yield value, *found.span()


@lru_cache(maxsize=512)
def written_numbers(text: str) -> frozenset[str]:
    """The numbers that a text states, in digits or in words, as `clinfo.text.quotes.numbers` writes
    them.
    """
    in_words = [f"{abs(value):f}" for value in stated_numbers(text)]
    said = set(re.findall(r"[^\W\d_]+", text))
    for names in (_ROMAN, _ORDER, _ORDER.title()):  # a phase, a grade, an order
        in_words += [str(n) for n, name in enumerate(names.split()) if name in said]
    in_words += [one.rstrip("0").rstrip(".") for one in in_words if "." in one]
    return frozenset((*(written for written, _, _ in numbers(text)), *in_words))


def _worded(words: str) -> Iterator[Decimal]:
    """The numbers that a run of number words makes: "two hundred and five", "two and a half"; "two
    three" are two.
    """
    total = part = 0
    for word in re.findall(r"[a-z]+", words.lower().removesuffix("fold")):
        if word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if word != "hundred":
                total, part = total + part, 0
        elif word == "half":
            yield total + part + Decimal("0.5")
            return
        elif word in _VALUES:
            if part % (100 if _VALUES[word] > 9 else 10) or (part % 100 == 10 and _VALUES[word]):
                yield Decimal(total + part)
                total = part = 0
            part += _VALUES[word]
    yield Decimal(total + part)
