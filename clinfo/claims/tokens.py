"""The words and numbers of a sentence made comparable, in order, with what names nothing left out.

A word is compared by its stem (British and American spellings alike), a number by its value, a unit
in its normal form, an acronym that the article defines by its long form. Left out are words that
may come and go without changing what is said (articles, auxiliaries, "the authors found that").
Everything else stays, also small words that turn a statement: "not", "all", "only", "may", "than",
and "by", "to" and "from" before a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

from clinfo.records.articles import Article
from clinfo.text.lexicon import words_of
from clinfo.text.numerals import numerals, plain
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import acronyms, fold, stem
from clinfo.text.units import PERCENT, unit_after

THAN = "than"
"""The key of every word before the second arm of a comparison."""
MOST_TOKENS = 240
"""Words of a text that are compared; longer texts are no sentences."""


class Token(NamedTuple):
    """A word, number, unit or sign at [start, end) of its text; ``inside`` says that it stands in
    brackets.
    """

    text: str
    key: str
    start: int
    end: int
    kind: Literal["word", "number", "unit", "sign"]
    inside: bool = False


_DROPPED = frozenset(words_of("function_words", "dropped"))
"""Words that may come and go without changing what a sentence says."""
_COMPARED = anycase(
    r"\b(?:(?:as\s|in\s)?compar(?:ed|ison)\s(?:with|to)\b|relative\sto\b|versus\b|vs?\.(?=\s)|vs\b|"
    r"v(?=\s)|than\b|against\b)"
)
_BEFORE_NUMBER = frozenset(("by", "to", "from"))
_LEANING = frozenset(words_of("function_words", "leaning"))
_PARTS = frozenset(["half", "third", "quarter", "halves", "thirds", "quarters"])
_SPELT = {
    "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year",
    "cannot": "not", "none": "none", "never": "never", "percentage": "percent",
    "throughout": "during", "over": "during",
    "men": "man", "women": "woman", "children": "child", "mice": "mouse", "diseases": "disease",
}  # fmt: skip
"""Words whose stem would part them from their other forms."""
_STATISTICS = {
    "CI": "confidence interval",
    "HR": "hazard ratio",
    "OR": "odds ratio",
    "RR": "relative risk",
    "SD": "standard deviation",
    "SE": "standard error",
    "IQR": "interquartile range",
    "NNT": "number needed to treat",
}
_TOKEN = regex(r"[<>≤≥±%]|(?i:per\s?cent)\b|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_OFTEN = anycase(r"\b(?:twice|thrice|(?:two|three|four)\stimes)\b")
"""Frequency of a dose, which its unit does not say."""
_NON = regex(r"non(?=(?!e|st|d)[a-z]{5})")
_DENIED = regex(r"n['’]t\Z")
_RESULTS = anycase(r"results?\Z")
_SKIPPED = anycase(r"\baccording\sto\b|\bnot\sonly\b|\bbut\salso\b")
_LEADS_TO = anycase(r"\s(?:in|from)\b")


def expansions(article: Article) -> dict[str, str]:
    """The acronyms that an article defines, and those of statistics, with their long forms."""
    return _expansions(article.title, article.abstract)


@lru_cache(maxsize=512)
def _expansions(title: str, abstract: str) -> dict[str, str]:
    return {**_STATISTICS, **acronyms(f"{title}\n{abstract}")}


def tokens(text: str, longer: Mapping[str, str]) -> tuple[Token, ...]:
    """The tokens of ``text`` in order; ``longer`` are the acronyms of the article it is compared
    with (`expansions`).
    """
    return _tokens(text, tuple(longer.items()))


@lru_cache(maxsize=4096)
def _tokens(text: str, longer: tuple[tuple[str, str], ...]) -> tuple[Token, ...]:
    every = list(_every(text, dict(longer)))[:MOST_TOKENS]
    kept: list[Token] = []
    for place, token in enumerate(every):
        if (
            token.kind == "word"
            and token.key in _BEFORE_NUMBER
            and not _leads_number(every, place, kept)
        ):
            continue
        kept.append(token)
    return tuple(kept)


def _leads_number(every: list[Token], place: int, kept: list[Token]) -> bool:
    """Return whether "by", "to" or "from" says how a number is meant: not "to" between two numbers,
    which is a range.
    """
    following = next(
        (token for token in every[place + 1 : place + 5] if token.text.lower() not in _LEANING),
        None,
    )
    if following is None or not (following.kind == "number" or following.text.lower() in _PARTS):
        return False
    return not (
        every[place].key == "to"
        and kept
        and kept[-1].kind in ("number", "unit")
        and kept[-1] is every[place - 1]
    )


def _every(text: str, longer: Mapping[str, str]) -> list[Token]:
    clean = plain(text)
    numbers = {number.start: number for number in numerals(clean)}
    compared = {match.start(): match.end() for match in _COMPARED.finditer(text)}
    skipped = {match.start(): match.end() for match in _SKIPPED.finditer(text)}
    depth = _depths(text)
    found: list[Token] = []
    upto = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if start < upto:
            continue
        within = depth[start] > 0
        signed = start - 1 if start - 1 in numbers else start - 2 if start - 2 in numbers else start
        if (number := numbers.get(signed)) is not None and number.end > start:
            upto = number.end
            found.append(
                Token(
                    text[number.start : upto],
                    format(number.value.normalize(), "f"),
                    number.start,
                    upto,
                    "number",
                    within,
                )
            )
            percent = PERCENT.match(clean, upto)
            measured = None if percent is not None else unit_after(clean, upto)
            if percent is not None:
                key = "% point" if "point" in percent.group().lower() else "%"
                found.append(
                    Token(
                        text[upto : percent.end()].strip(" -"),
                        key,
                        upto,
                        percent.end(),
                        "unit",
                        within,
                    )
                )
                upto = percent.end()
            elif measured is not None:
                unit, stop = measured
                if (often := _OFTEN.search(text[upto:stop])) is not None:
                    unit = f"{unit} {often.group().lower()}"
                found.append(Token(text[upto:stop].strip(" -"), unit, upto, stop, "unit", within))
                upto = stop
            continue
        if start in skipped:
            upto = skipped[start]
            continue
        if start in compared:
            upto = compared[start]
            found.append(Token(text[start:upto], THAN, start, upto, "word", within))
            continue
        written = match.group()
        if written == "%" or (written[:3].lower() == "per" and written[-4:].lower() == "cent"):
            found.append(Token(written, "%", start, end, "unit", within))
            continue
        if written in "<>≤≥±":
            found.append(Token(written, written, start, end, "sign", within))
            continue
        measured = unit_after(clean, start) if _measures(written) else None
        if measured is not None and measured[1] >= end:
            found.append(
                Token(text[start : measured[1]], measured[0], start, measured[1], "unit", within)
            )
            upto = measured[1]
            continue
        found += _word(text, written, start, end, longer, within, found)
    return found


def _word(
    text: str,
    written: str,
    start: int,
    end: int,
    longer: Mapping[str, str],
    within: bool,
    before: list[Token],
) -> list[Token]:
    """The tokens of one word: none for one that may come and go, several for an acronym."""
    short = next((each for each in (written, written.removesuffix("s")) if each in longer), None)
    if short is not None:
        keys = [key for key, _ in _keys(longer[short])]
        if within and [token.key for token in before[-len(keys) :]] == keys:
            return []
        return [Token(written, key, start, end, "word", within) for key in keys]
    if _RESULTS.match(written) and not _LEADS_TO.match(text, end):
        return []
    return [Token(written, key, start, end, "word", within) for key in _kept(written)]


@lru_cache(maxsize=50_000)
def _measures(written: str) -> bool:
    """Return whether a word by itself is a unit of more than one letter: "weeks", "mg"."""
    return len(written) > 1 and written[0].islower() and unit_after(written, 0) is not None


@lru_cache(maxsize=50_000)
def _kept(written: str) -> tuple[str, ...]:
    """The keys of a word; none for one that may come and go."""
    lower = fold(written)
    return () if lower in _DROPPED else _key(lower)


@lru_cache(maxsize=50_000)
def _key(lower: str) -> tuple[str, ...]:
    """The keys of a folded word: its stem, "non" apart."""
    if _DENIED.search(lower):
        return ("not",)
    if (spelt := _SPELT.get(lower)) is not None:
        return (spelt,)
    if _NON.match(lower):
        return ("non", stem(lower[3:]))
    return (stem(lower),)


@lru_cache(maxsize=4096)
def _keys(long: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, word)
        for word in _TOKEN.findall(long)
        if fold(word) not in _DROPPED
        for key in _key(fold(word))
    )


def _depths(text: str) -> list[int]:
    """Return how many brackets are open at each place of a text."""
    if not any(mark in text for mark in "()[]"):
        return [0] * len(text)
    depths, depth = [], 0
    for char in text:
        if char in ")]":
            depth = max(0, depth - 1)
        depths.append(depth)
        if char in "([":
            depth += 1
    return depths
