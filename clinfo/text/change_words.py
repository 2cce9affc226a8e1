"""Words of change: what a sentence says went up or down, got better or worse, or stayed alike, and
where it says so.

A word under a negator ("did not increase", "no higher") says "alike". A word of size before a word
of change makes one ("greater reduction" is down, "smaller increase" too). "But not B" excludes B
and denies nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.text.lexicon import either
from clinfo.text.polarity import inside, negated_spans
from clinfo.text.regex import anycase, regex

Change = Literal["up", "down", "better", "worse", "alike", "significant", "trend"]
_UP = (
    rf"{either('rising', 'change')}|more(?!\s(?:than\s\d|effective|favou?rable|pronounced|"
    r"severe))|most(?!\s(?:of|patients|common))"
)
_DOWN = (
    rf"{either('falling', 'change')}|lower(?:s|ed|ing)?(?!\s(?:limb|leg|extremit|back|abdom|"
    r"urinary|respirator|body|dose|third))"
)
_BETTER = either("better", "change")
_WORSE = either("worse", "change")
_ALIKE = either("alike", "change")
_PATTERNS: tuple[tuple[Change, str], ...] = (
    ("alike", _ALIKE),
    ("worse", _WORSE),
    ("better", _BETTER),
    ("up", _UP),
    ("down", _DOWN),
)
_CHANGES = anycase(
    "|".join(rf"(?<![\w-])(?P<{change}>{pattern})(?!\w)" for change, pattern in _PATTERNS)
)
_SIGNIFICANT = anycase(
    r"\b(?P<word>(?:statistical(?:ly)?\s)?significan\w+|differ(?:s|ed|ent|ence|ences|ently)?|"
    r"effects?|affect\w*|influenc\w*|"
    r"impact\w*|associat\w+|evidence|chang(?:e[sd]?|ing)|alter\w*|correlat\w*)\b"
)
_TREND = anycase(rf"\b(?:{either('hedges', 'trend')})\b")
_FIRM = anycase(r"significan")
_BUT_NOT = anycase(
    r",?\s?\b(?:but\snot|and\snot|unlike|in\scontrast\s(?:to|with)|"
    r"not\sonly)\b[^,;.()]{0,60}[,;.)]?"
)
_SIZES = {"up": 1, "down": -1}
_AFTER_SIZE = anycase(
    rf"[\s-]{{1,2}}(?:\w+\s){{0,2}}?(?:(?P<down>{either('falling', 'nouns')})|"
    rf"(?P<up>{either('rising', 'nouns')})|(?P<better>{either('better', 'nouns')})|"
    rf"(?P<worse>{either('worse', 'nouns')}))\b"
)
_NOUN_BEFORE = anycase(
    rf"\b(?:(?P<down>{either('falling', 'nouns_before')})|"
    rf"(?P<better>{either('better', 'nouns_before')})|"
    rf"(?P<worse>worsening))\b[^,;.]{{0,70}}\b(?:was|were|is|are|being)\s(?:\w{{1,20}}\s"
    rf"){{0,2}}$"
)
_SIZE_WORD = anycase(r"(?:great|high|larg|long|small|low|less|short)\w*$|more$")
_AFTER_VERB = anycase(rf"\b(?:{either('falling', 'after_verb')}|improved|increased)\s$")
_NITRIC = regex(r"\bNO\b")
"""Nitric oxide, which denies nothing."""
_BREAKS = anycase(
    r"[;:]\s|,?\s?\b(?:but|whereas|while|however|although|though|except|yet)\b|,\s(?:and|with)\s|"
    r"(?<!\d),\s"
)
_HARD = anycase(r"[;:]|but|whereas|while|however|although|though|except|yet")


@dataclass(frozen=True)
class Cue:
    """A word of change at ``start`` of its sentence; ``denied`` where "alike" comes of a
    negation.
    """

    start: int
    change: Change
    denied: bool = False


@lru_cache(maxsize=4096)
def cues(sentence: str) -> tuple[Cue, ...]:
    """The words of change of a sentence, in order."""
    return tuple(sorted(_cues(sentence), key=lambda cue: cue.start))


def _cues(sentence: str) -> Iterator[Cue]:
    clear = _BUT_NOT.sub(lambda match: " " * len(match.group()), sentence)
    if not sentence.isupper():
        clear = _NITRIC.sub("--", clear)
    denied = negated_spans(clear)
    taken = 0
    for match in _CHANGES.finditer(sentence):
        if match.start() < taken:
            continue
        change: Change = next(name for name, _ in _PATTERNS if match[name])
        under = inside(match.start(), denied)
        if change in _SIZES and (after := _AFTER_SIZE.match(sentence, match.end())):
            taken = after.end()
            second: Change = next(name for name in ("down", "up", "better", "worse") if after[name])
            change = second if change == "up" else OPPOSITE[second]
        elif change in _SIZES and _SIZE_WORD.match(match.group()):
            if match.group().lower() == "more" and _AFTER_VERB.search(
                sentence, max(0, match.start() - 16), match.start()
            ):
                continue
            noun = _NOUN_BEFORE.search(sentence, max(0, match.start() - 110), match.start())
            if noun is not None:
                second = next(name for name in ("down", "better", "worse") if noun[name])
                change = second if change == "up" else OPPOSITE[second]
        if change == "alike":
            if not under:
                yield Cue(match.start(), "alike")
        elif under:
            yield Cue(match.start(), "alike", denied=True)
        else:
            yield Cue(match.start(), change)
    for match in _TREND.finditer(sentence):
        yield Cue(match.start(), "trend")
    for match in _SIGNIFICANT.finditer(sentence):
        if inside(match.start(), denied):
            yield Cue(match.start(), "alike", denied=True)
        elif _FIRM.search(match.group()):
            yield Cue(match.start(), "significant")


OPPOSITE: dict[Change, Change] = {"up": "down", "down": "up", "better": "worse", "worse": "better"}


@lru_cache(maxsize=4096)
def breaks(sentence: str) -> tuple[tuple[int, bool], ...]:
    """Return where a clause of a sentence ends and another begins, and whether for certain (not at
    a mere comma).
    """
    return tuple(
        (match.start(), _HARD.search(match.group()) is not None)
        for match in _BREAKS.finditer(sentence)
    )
