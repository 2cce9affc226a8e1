"""What criteria say of times and counts: "since 2015", "in the last 2 years", "within 30 days
before", "at least 2 episodes of", "one of the following:", and names in quotation marks.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from clinfo.pipelines.cohort.signs import Near, OneOf, Quoted, Signs, Times, Window

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10,
    "twelve": 12,
}  # fmt: skip
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_UNIT = r"(?P<unit>days?|d|weeks?|wks?|w|months?|mths?|mos?|years?|yrs?|y)\b"
_COUNT = rf"(?P<n>\d+|{'|'.join(_NUMBERS)})"
_DAY = r"(?:19|20)\d\d(?:-\d\d(?:-\d\d)?)?(?![\d-]|\s*(?:years|patients|mg))"
_QUOTED = re.compile(r"[\"“]([^\"“”]{1,200})[\"”]")
_ONE_OF = re.compile(
    r"(?i)\s*,?\s*(?:and\s+|with\s+)*\b(?P<count>at least (?:one|two|three|four|\d+)|one|any|two|"
    r"three|either|all)(?: or more)? of(?: the following| these)?(?: [a-z]+){0,3}?\s*:\s*"
)
_ONE_OF_LIST = re.compile(
    r"(?i)\b(?P<count>at least (?:two|three|four|\d))(?: or more)? of (?=[^:;.]*,[^:;.]*$)"
)
"""The same before a list without a colon."""
_NEAR = re.compile(
    rf"(?i)\b(?:with)?in\s+{_COUNT}\s*{_UNIT}\s+"
    r"(?:(?P<of>of)\b|(?=(?:before|prior|preceding|after|following|ahead)\b))"
)
_EPISODES = r"(?:episodes?|occurrences|records|attacks|bouts|instances|spells|mentions)"
_TIMES = re.compile(
    r"(?i)\bat least (?:(?P<least>\d+|two|three|four|five)\s+(?:(?:separate|different)\s+)?"
    rf"(?:times\b|{_EPISODES} of\b)|twice\b)|"
    rf"\b(?P<more>\d+|two|three|four|five) or more\s+(?:(?:separate|different)\s+)?{_EPISODES} "
    r"of\b|"
    rf"\bmore than (?P<over>\d|two|three|four|five) (?:(?:separate|different) )?(?:times\b|"
    rf"occasions\b|{_EPISODES} of\b)|"
    rf"\b(?:multiple|repeated|several) {_EPISODES} of\b|\bmore than (?:once|one {_EPISODES} of)\b|"
    r"\b(?<!than )(?<!most )(?<!up to )(?<!exactly )(?<!only )(?:(?:on|at) )?(?:at least )?"
    r"(?P<later>two|three|four|five|\d)(?: or more)? (?:(?:separate|"
    r"different) )?(?:times|occasions)\b|(?:≥|>=)\s*(?P<sign>[2-9])(?=\s*(?:$|[,;]|before|after|"
    r"since|in|within|\ue000))|(?<=\w )twice\b(?! (?:a|per|daily))|"
    r"(?<=[a-z] )x ?(?P<x>[2-9])\b(?! ?(?:ULN|the upper|upper|daily|a))"
)
_SMALL = "[2-9]|10|two|three|four|five|six"
_COUNTED = re.compile(
    rf"(?i)(?<![\w.,/-])(?:(?:at least|≥|>=)\s*(?P<least>{_SMALL})|(?P<more>{_SMALL}) or more|"
    rf"more than (?P<over>{_SMALL}|one))\s+(?!of\b|times\b|years?\b|yrs?\b|months?\b|weeks?\b|"
    r"days?\b|hours?\b|occasions?\b|rings\b)(?=(?:[a-z][\w-]* ){0,3}?[\w-]*[a-z]s\b)"
)
"""How many of what follows there were at least: "two or more falls"."""
_SINCE = re.compile(rf"(?i)\b(?:since|from)\s+(?P<day>{_DAY})(?:\s+(?:on|onwards?|until now)\b)?")
_BETWEEN = re.compile(
    rf"(?i)\b(?:between|from|in)\s+(?P<low>{_DAY})\s*(?:and|to|-|–|until)\s*(?P<high>{_DAY})"
)
_UNTIL = re.compile(rf"(?i)\b(?:until|up to|by(?: the end of)?)\s+(?P<day>{_DAY})")
_AGO = re.compile(rf"(?i)\b(?:more than|over|at least|>)\s*{_COUNT}\s*{_UNIT}\s+ago\b")
_EARLIER = re.compile(rf"(?i)\b(?:before|prior to|earlier than)\s+(?P<day>{_DAY})")
_LATER = re.compile(rf"(?i)\b(?:after|later than)\s+(?P<day>{_DAY})")
_DURING = re.compile(rf"(?i)\b(?:in|during|throughout|on)\s+(?P<day>{_DAY})")
_LAST = re.compile(
    rf"(?i)\b(?:(?:in|within|over|during)\s+(?:the\s+)?(?:last|past|previous)\s+"
    rf"(?:{_COUNT}\s*)?|(?:the\s+)?(?:last|past)\s+{_COUNT.replace('<n>', '<n2>')}\s*){_UNIT}"
)


def with_quotes(text: str, held: Signs) -> str:
    """A text with its quoted names as signs."""
    return _QUOTED.sub(lambda match: f" {held.sign(Quoted(match[1]))} ", text)


def with_marks(text: str, held: Signs) -> str:
    """A text with what it says of counts and of spans of time as signs."""
    text = _ONE_OF.sub(lambda match: f" {held.sign(OneOf(_wanted(match['count'])))} ", text)
    text = _ONE_OF_LIST.sub(lambda match: f" {held.sign(OneOf(_wanted(match['count'])))} ", text)
    text = _NEAR.sub(lambda match: f" {held.sign(_near(match))} ", text)
    text = _TIMES.sub(lambda match: f" {held.sign(Times(_times(match)))} ", text)
    text = _COUNTED.sub(lambda match: f" {held.sign(_counted(match))} ", text)
    text = _AGO.sub(lambda match: f" {held.sign(_ago(match))} ", text)
    return _LAST.sub(lambda match: f" {held.sign(_last(match))} ", text)


def with_windows(text: str, held: Signs) -> str:
    """A text with what is left of years and days as signs."""
    for pattern, window in (
        (_BETWEEN, lambda match: Window(match["low"], match["high"])),
        (_SINCE, lambda match: Window(since=match["day"])),
        (_UNTIL, lambda match: Window(until=match["day"])),
        (_EARLIER, lambda match: Window(until=_beside(match["day"], -1))),
        (_LATER, lambda match: Window(since=_beside(match["day"], 1))),
        (_DURING, lambda match: Window(match["day"], match["day"])),
    ):
        text = pattern.sub(
            lambda match, window=window: f" {held.sign(window(match))} ",  # type: ignore[misc]
            text,
        )
    return text


def said_window(since: str, until: str) -> str:
    """The words that `with_windows` and `with_marks` read as these bounds; "" without one."""
    first = f"in the last {since}" if " " in since else f"since {since}" if since else ""
    last = f"at least {until} ago" if " " in until else f"until {until}" if until else ""
    return " ".join(filter(None, (first, last)))


def bound_day(said: str, today: date) -> str:
    """A bound of a window: as given, or so many days, weeks, months or years before today."""
    number, space, unit = said.partition(" ")
    if not space:
        return said
    return (today - timedelta(days=int(number) * _DAYS[unit.rstrip("s")])).isoformat()


def _beside(day: str, by: int) -> str:
    """The year, month or day before or after one."""
    parts = [int(part) for part in day.split("-")]
    if len(parts) == 1:
        return str(parts[0] + by)
    if len(parts) == 2:
        months = parts[0] * 12 + parts[1] - 1 + by
        return f"{months // 12:04}-{months % 12 + 1:02}"
    try:
        return (date(*parts) + timedelta(days=by)).isoformat()
    except ValueError:
        return day


def _ago(match: re.Match[str]) -> Window:
    return Window(until=f"{_number(match['n'])} {_unit(match)}s")


def _last(match: re.Match[str]) -> Window:
    return Window(since=f"{_number(match['n'] or match['n2'] or '1')} {_unit(match)}s")


def _unit(match: re.Match[str]) -> str:
    """The unit of a time, however it was shortened."""
    return next(unit for unit in _DAYS if unit[0] == match["unit"][0].lower())


def _number(said: str) -> int:
    return int(said) if said.isdigit() else _NUMBERS[said.lower()]


def _near(match: re.Match[str]) -> Near:
    days = _number(match["n"]) * _DAYS[_unit(match)]
    return Near(days, "either" if match["of"] else "")


def _wanted(said: str) -> int:
    last = said.lower().split()[-1]
    return 0 if last == "all" else 1 if last in ("any", "either") else _number(last)


def _times(match: re.Match[str]) -> int:
    if match["over"]:
        return _number(match["over"]) + 1
    groups = ("least", "more", "later", "sign", "x")
    return _number(next((match[one] for one in groups if match[one]), "two"))


def _counted(match: re.Match[str]) -> Times:
    count = (
        _number(match["over"]) + 1 if match["over"] else _number(match["least"] or match["more"])
    )
    return Times(count, match[0].strip())
