"""Follow-up: how long a study watched its participants, as its abstract says it.

Read in this order: what is called follow-up ("followed for a median of 3.2 years", "24-month
follow-up"), the time of the primary outcome, the length that names the study ("a 12-week randomised
trial"), the latest time of assessment ("at 12 weeks"). Ages, times before the study, recruitment
and dosing intervals are none of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from clinfo.records.articles import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.lexicon import either
from clinfo.text.numerals import numerals, plain
from clinfo.text.regex import anycase

_WORDS = either("numerals", "follow_up")
_VALUE = rf"(?:\d{{1,4}}(?:\.\d{{1,2}})?|(?:{_WORDS}))"
_UNIT = rf"(?:{either('times', 'follow_up')})\b"
_TIME = rf"(?<![\w.])(?P<value>(?!0\d){_VALUE})[\s-]?(?P<unit>{_UNIT})"
_EARLIER = rf"(?:{_VALUE}[\s-]?(?:{_UNIT})?(?:,\s|,?\s(?:and|or|to)\s|\s?-\s?|/)){{0,5}}"
_ABOUT = (
    r"(?:(?:a|an|the|at|up|least|to|about|approximately|around|nearly|almost|over|more|than|total|"
    r"period|duration|time|length|of|"
    r"minimum|maximum|additional|further|subsequent|whole|entire|full|another|next|"
    r"following)\s){0,6}"
)
_KIND = r"(?:(?P<kind>median|mean|average|minimum)\s)"
_FOLLOWED = r"follow(?:ed)?[\s-]?up|followed"

_CALLED: tuple[re.Pattern[str], ...] = tuple(
    anycase(pattern)
    for pattern in (
        (
            rf"\b{_KIND}(?:\((?:median|mean|range|IQR|SD)\)\s)?(?:\w+\s){{0,2}}?(?:duration\sof\s|"
            r"length\sof\s|"
            r"period\sof\s)?(?:the\s)?follow[\s-]?up(?:\s(?:time|period|duration|length|"
            r"interval))?(?:\s(?:after|of|in)\s[a-z]+\b)?"
            rf"[\s,:=(]*(?:(?:of|was|for|is|were)\s)?{_ABOUT}{_TIME}"
        ),
        rf"\b(?:{_FOLLOWED})\s(?:for|of|over|during|to|until|was|:|at|after|up|lasted|time|period|"
        rf"duration)\s(?:\w+\s)?{_ABOUT}{_KIND}(?:\w+\s)?(?:of\s)?{_ABOUT}{_TIME}",
        rf"\b{_KIND}of\s{_TIME}\s(?:of\s)?follow[\s-]?up\b",
        rf"\bfollow[\s-]?up\s?[(\[,:]\s?{_KIND}[\s,:=]*{_TIME}",
    )
)
"""Follow-up with its median or mean."""
_PLAIN: tuple[re.Pattern[str], ...] = tuple(
    anycase(pattern)
    for pattern in (
        (
            rf"\b(?:{_FOLLOWED})(?:\s(?:time|period|duration|visits?|assessments?|data|"
            r"examinations?))?(?:\s(?:prospectively|"
            rf"regularly|clinically))?[\s,:(]*"
            r"(?:(?:for|of|over|during|to|until|was|at|after|through|lasted|were|is|"
            rf"up)\s){{1,3}}{_ABOUT}{_EARLIER}{_TIME}"
        ),
        rf"\b{_EARLIER}{_TIME}(?:'s?)?\s?(?:of\s|-\s?)?(?:[\w-]+\s)?follow[\s-]?up\b",
        rf"\bfollow[\s-]?up\s?\(\s?{_TIME}\s?\)",
    )
)
"""Follow-up without."""
_PRIMARY = anycase(r"\b(?:primary|main|principal) (?:\w+ ){0,2}(?:outcomes?|end ?-?points?)\b")
_AT = anycase(
    r"\b(?:at|after|over|through|until|up\sto|from\sbaseline\sto|during)\s(?!more)(?:(?:a|an|the|"
    r"at|least|about|approximately|"
    rf"period|of|"
    rf"total|whole|entire|first|following|another)\s){{0,5}}(?:{_EARLIER}{_TIME}|(?P<label>hour|"
    r"day|week|month|year)s?\s"
    r"(?:\d{1,3}(?:,\s|,?\sand\s|\sor\s)){0,5}(?P<number>\d{1,3})(?!\d|\.\d))"
)
_NAMED = anycase(
    rf"\b{_TIME},?\s(?=(?:[\w-]+[,\s]\s?){{0,7}}?(?:trial|study|rct|intervention|programme|program|"
    r"treatment|supplementation|"
    rf"crossover|cross-over|randomi[sz]ed|"
    r"double-blind|placebo-controlled|open-label|prospective)\b)"
)
_NAMED_ONLY = anycase(
    r"\b(?:trial|study|randomi[sz]ed|double-blind|placebo-controlled|open-label|prospective|"
    r"intervention)\b"
)
_COURSE = anycase(
    r"\b(?:treat(?:ed|ment)|receiv\w*|taken|took|given|daily|administered|therapy|placebo|"
    r"supplement\w*)\b[^.;]{0,80}?\b(?:for|over|"
    rf"during|lasted)\s{_ABOUT}{_TIME}"
)
"""Words for the duration of treatment."""
_NO_TIME_AFTER = anycase(
    r"\s?(?:of\sage|old|aged|(?:immediately\s)?before|prior|earlier|ago|previous|preceding|"
    r"after\s(?:diagnosis|birth)|"
    r"of\s(?:diagnosis|onset|symptoms|disease|illness|"
    r"experience|education|recruitment|birth|gestation|the\sfirst)|gestation|each|apart|"
    r"wash-?\s?out|run-?in|recall|"
    r"period\s(?:before|prior)|study\speriod|"
    r"(?:screening|lead-in|baseline|recruitment|enrol+ment)|(?:[\w-]+\s){0,3}(?:monitoring|"
    r"recordings?|urine|urinary|pH|p\.?H\.?-?metry|"
    r"ambulatory|holter|recall|excretion|acidity))\b|/|\s?%"
)
_NO_TIME_BEFORE = anycase(
    r"\b(?:aged?|ages|every|older|younger|last|previous|past|preceding|prior|history\sof|"
    r"recruit\w*|wash-?out\w*|run-in|"
    r"screening|duration\sof\sdisease|"
    r"lost|conducted|carried\sout|performed|recruited|between|collected)\s(?:[\w-]+\s){0,2}\Z"
)
_REVIEWS = frozenset(
    {
        "systematic review and meta-analysis",
        "meta-analysis",
        "systematic review",
        "narrative review",
    }
)
_TRIALS = frozenset(
    {
        "randomised controlled trial",
        "cluster randomised trial",
        "randomised crossover trial",
        "non-randomised controlled trial",
        "single-arm trial",
        "before-and-after study",
        "study protocol",
    }
)
_TIMED = anycase(rf"\b(?:{either('times', 'timed')})\b|follow")
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.4, "y": 365.25}
_NAMES = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}
LONGEST = 60 * 365.25
"""Days; a longer time is no follow-up of people."""
MEASURED = 2.0
"""Days; so short a time of assessment in a longer course of treatment is that of one
measurement.
"""
LEAST_ASSESSED = 1.0
"""Days; a shorter time of assessment is part of a procedure."""


@lru_cache(maxsize=256)
def follow_up(article: Article, design: str | None = None) -> str | None:
    """Return how long people were followed ("12 weeks", "median 3.2 years"); None where nothing
    says.

    ``design`` (`clinfo.text.design.study_design`) says which readings can be trusted: in a review
    only what is called follow-up counts, as other times are those of single studies, and times of
    assessment count only in a trial.
    """
    sentences = [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]
    own = [
        sentence for sentence in sentences if sentence.role in ("methods", "results", "conclusion")
    ] or sentences
    own = [sentence for sentence in own if _TIMED.search(sentence.text)]
    texts = [plain(sentence.text) for sentence in own]
    called = [time for text in texts for time in _times(_CALLED, text)]
    if called:
        return _words(*called[0])
    course = max(
        (time for text in texts for time in _times((_COURSE,), text)),
        key=lambda time: time[0],
        default=None,
    )
    told = [time for text in [plain(article.title), *texts] for time in _times(_PLAIN, text)]
    if told:
        return _words(*max(told, key=lambda time: time[0]))
    if design in _REVIEWS:
        return None
    primary = [
        time
        for text in texts
        if (at := _PRIMARY.search(text))
        for time in _assessed(text[at.end() :])
    ]
    if primary and not (primary[0][0] <= MEASURED and course is not None and course[0] > MEASURED):
        return _words(*primary[0])
    named = [
        time
        for text in (article.title, *(s.text for s in sentences))
        if _TIMED.search(text)
        for time in _lengths(plain(text))
    ]
    if named:
        return _words(*named[0])
    if design not in _TRIALS:
        return None
    assessed = [
        time
        for sentence in own
        if _tells_outcomes(sentence)
        for time in _assessed(plain(sentence.text))
    ]
    longest = max(assessed, key=lambda time: time[0], default=None)
    if (
        longest is not None
        and longest[0] <= MEASURED
        and course is not None
        and course[0] > longest[0]
    ):
        return _words(*course)
    return _words(*longest) if longest else None


_Time = tuple[float, str, str, str]
"""Days, the figure as written, the unit's letter, and "median" or "mean" where it is one."""


def _times(patterns: tuple[re.Pattern[str], ...], text: str) -> Iterator[_Time]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            if (time := _read(match, text)) is not None:
                yield time


def _assessed(text: str) -> Iterator[_Time]:
    for match in _AT.finditer(text):
        time = _read(match, text)
        if time is not None and time[0] >= LEAST_ASSESSED:
            yield time


def _lengths(text: str) -> Iterator[_Time]:
    """Times that name the study itself ("a 12-week randomised trial"), not a course of treatment on
    the way.
    """
    for match in _NAMED.finditer(text):
        ranged = re.search(r"\d\s?-\s?\Z", text[max(0, match.start() - 4) : match.start()])
        if (
            ranged
            or match["unit"][-1] == "s"
            or not _NAMED_ONLY.search(text, match.end(), match.end() + 60)
        ):
            continue
        if (time := _read(match, text)) is not None and time[0] >= LEAST_ASSESSED:
            yield time


def _tells_outcomes(sentence: AbstractSentence) -> bool:
    return sentence.role in ("methods", "results", "conclusion")


def _read(match: re.Match[str], text: str) -> _Time | None:
    groups = match.groupdict()
    at = match.start("value") if groups.get("value") else match.start("label")
    if _NO_TIME_AFTER.match(text, match.end()) or _NO_TIME_BEFORE.search(text, max(0, at - 40), at):
        return None
    written, unit = (
        (groups["value"], groups["unit"])
        if groups.get("value")
        else (groups["number"], groups["label"])
    )
    figure = _figure(written)
    letter = unit[0].lower()
    if (
        figure is None
        or letter not in _DAYS
        or (days := float(figure) * _DAYS[letter]) > LONGEST
        or days <= 0
    ):
        return None
    kind = (groups.get("kind") or "").lower().replace("average", "mean")
    return days, figure, letter, kind


def _figure(written: str) -> str | None:
    """The number in digits."""
    if written[0].isdigit():
        return written
    found = numerals(written.lower())
    return f"{found[0].value:f}" if found else None


def _words(_: float, figure: str, letter: str, kind: str) -> str:
    plural = "" if figure == "1" else "s"
    return f"{kind} {figure} {_NAMES[letter]}{plural}".strip()
