"""Values of two arms set side by side, each with its arm: "12.3 in A and 8.1 in B", "longer with A
than with B (12.3 v 8.1)".

A pair is read only where the sentence itself says whose each value is: beside each value its arm,
or two arms in order and two values in the same order. Values at entry, changes "from … to …", parts
of longer lists and pairs whose words of change say the contrary of their figures are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from clinfo.lazy_dataclass import dataclass
from clinfo.text.arms import Arm, Arms, tokens
from clinfo.text.figures import NumericExpression, find_figures
from clinfo.text.lexicon import either
from clinfo.text.numerals import plain
from clinfo.text.regex import anycase, regex

_VALUES = frozenset({"percent", "spread", "quantity", "number", "proportion", "count", "fold"})
_FAR = 120
"""Most characters between two values that are set side by side."""
_NEAR = 70
"""Most characters between a value and its arm."""
_JOINS = anycase(
    r"\b(?:v|vs|versus|(?:as\s)?compared\s(?:with|to)|compared|against|and|than|whereas|while|but|"
    r"in\scontrast\sto)(?![\w-])\.?|"
    r"[/,]"
)
_HELD_AGAINST = anycase(
    r"\b(?:v|vs|versus|(?:as\s)?compar(?:ed|ing)\s(?:with|to)|in\scomparison\s(?:with|to)|"
    r"relative\sto|against|than|"
    r"over)(?![\w-])\.?"
    r"[\s\w'-]{0,30}\Z"
)
_DIFFERENCE_OF = anycase(r"\bdifferences?\b[^.;]{0,120}\bof\s\Z")
_AGAINST_JOIN = anycase(
    r"\A\W{0,3}(?:v|vs|versus|(?:as\s)?compared\s(?:with|to)|against|than|/)[\s.]*\Z"
)
_AND_JOIN = anycase(r"\A\W{0,3}(?:and|,)\s?\Z")
_TWO_WERE = regex(
    r"[\w-]+(?:\s(?:group|arm))?\sand\s(?:the\s)?[\w-]+(?:\s(?:groups?|arms?|patients))?\s(?:was|"
    r"were)\s\Z"
)
"""Two arms that stand right before their two values: "in tea and water were"."""
_LABEL_GAP = regex(r"\)?;\s(?:and\s)?(?:[^\W\d][\w/+-]*\s?){1,3}[,:=(]?\s?")
"""Between two values of a list that names the arm before each: "tea, 12 %; water, 9 %"."""
_P_BESIDE = anycase(r"[;,]?\s?[(\[]?\bp\s?[<>=≤≥]\s?0?\.\d+[)\]]?")
"""A p value behind a value, which parts it from nothing."""
_LABEL = anycase(r"[^\W\d][\w/+-]*(?:\s(?:group|arm|patients))?\s?[,:=(\[]\s?")
"""An arm's name that stands right before its value, with what joins them."""
_RESPECTIVELY = anycase(r"\bresp\w*ly\b")
_CLAUSE = anycase(
    r";\s|(?<!\bvs)(?<!\bv)[.:?]\s(?=[A-Z])|,?\s\b(?:but|whereas|while|although|though|however)\b|"
    r"\)[,;]\s"
)
_OVER_TIME = anycase(
    r"\b(?:from|to|between|at\sbaseline|before|was\sinitially)\s(?:(?!was\b|were\b)[\w±]+\s){0,3}\Z"
)
_ENTRY = anycase(
    r"(?<!from )(?<!from the )\bbaseline\b|\bpre-?\s?(?:intervention|treatment|test|"
    r"operative\sscores?)\b|"
    r"\bat (?:entry|inclusion|enrol+ment)\b|\bbefore (?:the )?(?:treatment|intervention)\b"
)
_ADDED = regex(r"\s?[(\[](?=[^()\[\]]*\d)[^()\[\]]{1,80}(?:\([^()]{1,40}\))?[^()\[\]]{0,40}[)\]]")
"""Text in brackets behind a value: its spread, its interval, its share, the size of its group."""
_IN_NAME = regex(
    r"\d\s?[-–]\Z|(?:\b(?:[Hh]edge\S*\s?g|[Cc]ohen\S*\s?d|[a-z]?[OR]R|HR|β|r)|ratios?|"
    r"coefficients?|size)\W{0,3}(?:was|were|"
    r"of)?\W{0,3}\Z|"
    r"(?:χ\s?2?|\b[tFzZU])\s?=?\s?\Z|±\s?\Z"
)
"""Text before the end of a span that is part of a name ("AUC(0-240)"), and before a measure of
effect.
"""
_TIME = anycase(
    r"\b(?:at|after|within|during|until|days?|weeks?|months?|years?|hours?|minutes?|day|over|for|"
    r"aged?|ages|grades?|stages?|"
    r"phases?|groups?|"
    r"visits?|"
    r"from|than|least|every|each|by|of the|top|past|last|first|type|scale)\s(?:the\s|about\s|"
    r"approximately\s|"
    r"postoperative\s|a\s)?\Z|\bfollow-?\s?up\s(?:time\s|period\s|duration\s)?(?:of|"
    r"was)\s(?:about\s)?\Z"
)
"""Words before a number that tells when, or which, not how much."""
_LIST = regex(r"\s?(?:,|and|or|to|/|-|–)\s?(?:and\s|or\s)?")
_DAILY = anycase(r"\s?(?:once|twice|daily|b\.?i\.?d|q\.?d|each day|per day|a day)\b")
"""Words after a dose."""
_CONTROL_OF = anycase(
    r"control\b(?!\W{0,2}(?:groups?|arms?|subjects|patients|participants|women|men|children|diet|"
    r"condition|period))"
)
_BEFORE_ARM = anycase(r"(?:\b(?:than|versus|vs|with|to|in|for|the|and|of|from)\.?\s|[(:,]\s?)\Z")
_SHARE = anycase(r"\s?(?:[a-z]+\s)?[(\[]\s?\Z")
_UP = anycase(rf"\b(?:{either('rising', 'arm_values_up')})\b")
_DOWN = anycase(rf"\b(?:{either('falling', 'arm_values_down')})\b")

_PARTS = regex(r",|\band\b")
_BRACKETS = regex(r"[(\[][^()\[\]]*[)\]]")
_OTHER_HELD = anycase(r"\b(?:than|versus|vs|compar\w+|relative\sto|against)\b")
_MORE = anycase(r"\b(?:higher|greater|longer|larger|more|later|slower)\b")
_LESS = anycase(r"\b(?:lower|less|fewer|shorter|smaller|earlier|faster)\b")
"""Words that set one group beside another: where one arm alone is named, the other value is that of
the other arm.
"""


@dataclass(frozen=True)
class ArmValues:
    """Two values set side by side at code points [start, end) of their sentence, and the arm of the
    first, None where unknown.

    ``begins`` is where the words begin that may say what they are values of: behind the pair
    before.
    """

    first: NumericExpression
    second: NumericExpression
    arm: Arm | None
    begins: int
    start: int
    end: int

    @property
    def own(self) -> NumericExpression:
        """The value of the intervention's arm."""
        return self.first if self.arm == "intervention" else self.second

    @property
    def other(self) -> NumericExpression:
        """The value of the comparator's arm."""
        return self.second if self.arm == "intervention" else self.first


@dataclass(frozen=True)
class _Value:
    """A value with what is added to it in brackets, at [start, end)."""

    figure: NumericExpression
    start: int
    end: int


@lru_cache(maxsize=2048)
def arm_values(sentence: str, sides: Arms, told_arms: int = 2) -> tuple[ArmValues, ...]:
    """The pairs of a sentence in order; ``told_arms`` is how many arms the study says it has."""
    return tuple(_read(sentence, sides, told_arms))


def _read(sentence: str, sides: Arms, told_arms: int) -> Iterator[ArmValues]:
    clean = plain(sentence)
    values = list(
        _values(clean, find_figures(sentence), sides.intervention_doses | sides.comparator_doses)
    )
    if len(values) < 2:
        return
    words = tokens(sentence)
    mentions = [
        (words.starts[place], arm)
        for place, arm in sides.named(sentence)
        if not _is_noun(clean, words.starts[place])
    ]
    since = 0
    place = 0
    while place + 1 < len(values):
        first, second = values[place], values[place + 1]
        if not _set_beside(clean, first, second):
            place += 1
            continue
        last = place + 1
        while last + 1 < len(values) and _goes_on(clean, values[last], values[last + 1]):
            last += 1
        many = last - place + 1
        step = 2 if many % 2 == 0 and (many == 2 or told_arms < 3) else many
        stop = min(
            [
                values[place + step].start if place + step < len(values) else len(clean),
                *[match.start() for match in _CLAUSE.finditer(clean, second.end)][:1],
            ]
        )
        start = max(
            [since, *(match.end() for match in _CLAUSE.finditer(clean, since, first.start))]
        )
        told = None
        if step == 2 and not _ENTRY.search(clean, start, stop):
            near = [each for each in mentions if start <= each[0] < stop]
            told = _assigned(clean, first, second, near, start, stop, told_arms)
            if told is None and not near:
                told = _by_sentence(clean, first, second, mentions, start, stop)
        yield ArmValues(first.figure, second.figure, told, since, first.start, second.end)
        since = values[place + step - 1].end
        place += step


def _is_noun(clean: str, at: int) -> bool:
    """Return whether "control" at a place is what is controlled ("glucose control"), not an arm."""
    return (
        _CONTROL_OF.match(clean, at) is not None
        and _BEFORE_ARM.search(clean, max(0, at - 20), at) is None
    )


def _values(
    clean: str, figures: Sequence[NumericExpression], doses: frozenset[str]
) -> Iterator[_Value]:
    """The values of a sentence without doses that name an arm; "12/50 (24 %)" is one, its share,
    and what else stands in brackets behind one belongs to it."""
    end = passed = -1
    for place, figure in enumerate(figures):
        if figure.start < end or figure.kind not in _VALUES or figure.comparator not in ("=", "≈"):
            continue
        cut = re.match(
            r"[\d\ue001]", clean[figure.start - 1 : figure.start]
        )  # the rest of a number whose start was taken for a name
        if cut or clean[figure.start : figure.end].lower() in doses:
            continue
        if _DAILY.match(clean, figure.end):
            continue
        listed = (
            passed >= 0
            and figure.kind != "percent"
            and _LIST.fullmatch(clean[passed : figure.start])
        )
        if (
            listed
            or _TIME.search(clean, 0, figure.start)
            or _IN_NAME.search(clean[max(0, figure.start - 30) : figure.start])
        ):
            passed = figure.end
            continue
        added = _ADDED.match(clean, figure.end)
        follows = figures[place + 1] if place + 1 < len(figures) else None
        if figure.worded and not (
            follows
            and follows.kind == "percent"
            and _SHARE.fullmatch(clean[figure.end : follows.start])
        ):
            continue
        stop = added.end() if added is not None else figure.end
        shown = figure
        if (
            follows is not None
            and follows.kind == "percent"
            and _SHARE.fullmatch(clean[figure.end : follows.start])
        ):
            shown = follows if figure.kind in ("number", "count", "proportion") else figure
            stop = max(
                stop, clean.find((clean[follows.start - 1] == "(" and ")") or "]", follows.end) + 1
            )
        end = stop
        yield _Value(shown, figure.start, stop)


def _set_beside(clean: str, first: _Value, second: _Value) -> bool:
    one, other = first.figure, second.figure
    gap = _P_BESIDE.sub("", clean[first.end : second.start])
    if (
        len(gap) > _FAR
        or (_JOINS.search(gap) is None and not _LABEL_GAP.fullmatch(gap))
        or re.search(r"(?<!\bvs)(?<!\bv)\.\s|;\s", "" if _LABEL_GAP.fullmatch(gap) else gap)
    ):
        return False
    if (
        one.unit != other.unit
        and (one.unit is not None or first.end != one.end)
        and other.unit is not None
        and one.unit is not None
    ):
        return False
    if (one.unit == "%") != (other.unit == "%") and not (one.unit is None and one.kind == "number"):
        return False
    return not (
        _OVER_TIME.search(clean[max(0, first.start - 40) : first.start])
        and re.fullmatch(r"\W*(?:to|and)\W*", gap)
    )


def _goes_on(clean: str, last: _Value, value: _Value) -> bool:
    """Return whether a value goes on the list of the one before it, of other arms or of the same
    arms another time.
    """
    gap = clean[last.end : value.start]
    alike = last.figure.kind == value.figure.kind and last.figure.unit == value.figure.unit
    return (
        alike
        and len(gap) < _NEAR
        and _JOINS.search(gap) is not None
        and _CLAUSE.search(gap) is None
    )


def _assigned(
    clean: str,
    first: _Value,
    second: _Value,
    mentions: Sequence[tuple[int, Arm]],
    start: int,
    stop: int,
    told_arms: int,
) -> Arm | None:
    """The arm of the first value; None where that is not said."""
    before = [(at, arm) for at, arm in mentions if at < first.start]
    between = [(at, arm) for at, arm in mentions if first.end <= at < second.start]
    behind = [(at, arm) for at, arm in mentions if second.end <= at]
    gap = clean[first.end : second.start]
    if _DIFFERENCE_OF.search(clean, start, first.start):
        return None
    first_label, second_label = (_labelled(clean, value, mentions) for value in (first, second))
    if first_label is not None and second_label is not None and first_label != second_label:
        return first_label
    if between:
        return _beside(clean, first, second, before, between, behind)
    if not (_AGAINST_JOIN.match(gap) or _AND_JOIN.match(gap)):
        return None
    after, ahead = _in_order(clean, behind), _in_order(clean, before)
    if after is not None and ahead is None and behind[0][0] - second.end <= _NEAR:
        return after
    listed = len(before) == 2 and _TWO_WERE.match(clean[before[0][0] : first.start]) is not None
    if not (_AGAINST_JOIN.match(gap) or listed or _RESPECTIVELY.search(clean, start, stop)):
        return None
    if (
        told_arms == 2
        and ahead is None
        and not behind
        and _AGAINST_JOIN.match(gap)
        and len({arm for _, arm in before}) == 1
    ):
        told = clean[start : first.start]
        way = None if _OTHER_HELD.search(told) else _more(told)
        if (
            way is None
            or way != (abs(size(first.figure)) > abs(size(second.figure)))
            or size(first.figure) == size(second.figure)
        ):
            return None
        return before[0][1]
    if ahead is not None:
        return ahead if _agrees(clean, start, first, second, True) else None
    return None


def _by_sentence(
    clean: str,
    first: _Value,
    second: _Value,
    mentions: Sequence[tuple[int, Arm]],
    start: int,
    stop: int,
) -> Arm | None:
    """The arm of the first value where a sentence names two arms once, in order, and the clause of
    the values neither.
    """
    gap = clean[first.end : second.start]
    paired = _AGAINST_JOIN.match(gap) or (
        _AND_JOIN.match(gap) and _RESPECTIVELY.search(clean, second.end, stop)
    )
    arm = _in_order(clean, mentions)
    return (
        arm if paired and arm is not None and _agrees(clean, start, first, second, True) else None
    )


def _labelled(clean: str, value: _Value, mentions: Sequence[tuple[int, Arm]]) -> Arm | None:
    """The arm whose name stands right before a value; None where none does."""
    before = [(at, arm) for at, arm in mentions if at < value.start]
    return before[-1][1] if before and _LABEL.fullmatch(clean, before[-1][0], value.start) else None


def _beside(
    clean: str,
    first: _Value,
    second: _Value,
    before: Sequence[tuple[int, Arm]],
    between: Sequence[tuple[int, Arm]],
    behind: Sequence[tuple[int, Arm]],
) -> Arm | None:
    """The arm of the first value where an arm is named between the two."""
    joins = list(_JOINS.finditer(clean, first.end, second.start))
    first_of = any(join.start() > at for join in joins for at, _ in between)
    second_of = {arm for at, arm in between if any(join.end() <= at for join in joins)}
    own = {arm for at, arm in between if not any(join.end() <= at for join in joins)}
    late = {arm for at, arm in between if not any(join.start() > at for join in joins)}
    if own and len(own) == 1 and first_of:
        arm = next(iter(own))
        rest = {each for each in second_of if each != arm} or {
            each for at, each in behind[:1] if at - second.end <= _NEAR
        }
        return arm if rest and arm not in rest else None
    if late and len(late) == 1 and not own and before:
        arm = before[-1][1]
        return arm if arm not in late and first.start - before[-1][0] <= 2 * _NEAR else None
    return None


def _in_order(clean: str, mentions: Sequence[tuple[int, Arm]]) -> Arm | None:
    """Return which of two arms stands first where both are named: the one that is compared with the
    other; None where unclear.
    """
    order: list[tuple[int, Arm]] = []
    for at, arm in mentions:
        if not order or order[-1][1] != arm:
            order.append((at, arm))
    if len(order) != 2:
        return None
    (one, arm), (_, other) = order
    return other if _HELD_AGAINST.search(clean[max(0, one - 50) : one]) else arm


def _agrees(clean: str, start: int, first: _Value, second: _Value, silent: bool) -> bool:
    """Return whether words of change before two values say what the values do; ``silent`` where
    there is no such word.
    """
    rises = change_told(clean[start : first.start])
    if rises is None:
        return silent
    one, other = (abs(size(each.figure)) for each in (first, second))
    return one > other if rises else one < other


def _more(text: str) -> bool | None:
    """Return whether words that compare two groups, not two times, tell more for the one that is
    named, or less; None where unclear.
    """
    for part in reversed(_PARTS.split(_BRACKETS.sub(" ", text))):
        up, down = (len(pattern.findall(part)) for pattern in (_MORE, _LESS))
        if up + down:
            return up > down if up + down == 1 else None
    return None


def change_told(text: str) -> bool | None:
    """Return whether the words of a text tell a higher value, or a lower one; None where they tell
    neither or both.
    """
    up, down = (pattern.search(text) is not None for pattern in (_UP, _DOWN))
    return up if up != down else None


def size(figure: NumericExpression) -> float:
    """The value of a figure; of a proportion its per cent, to one decimal place."""
    if figure.kind == "proportion" and figure.values[1]:
        return round(100 * float(figure.values[0] / figure.values[1]), 1)
    return float(figure.values[0])
