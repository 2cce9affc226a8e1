"""Differences between two sides of a disagreement, as stated in the rows of the evidence table.

Something is named only when both sides state it and no study of one side states the same as one of
the other; that the difference explains the disagreement is never said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clinfo.evidence.included_studies import IncludedStudy, cite, listed
from clinfo.evidence.stated import OPPOSED_PEOPLE, days, doses, intensity, named, people
from clinfo.text.terms import vocabulary

Side = Sequence[IncludedStudy]

_TIMES_LONGER = 1.5
_TIMES_LARGER = 3
_YEARS_APART = 5
_LONGEST_CELL = 60
_MOST_TOLD = 3


def differences(one: Side, other: Side) -> tuple[str, ...]:
    """Return what differs, in words with the citations: "dose (400 IU [1] against 4,000 IU [2])";
    empty where nothing does.
    """
    found = (
        _population(one, other),
        _dose(one, other),
        _comparator(one, other),
        _follow_up(one, other),
        _design(one, other),
        _sample_size(one, other),
        _year(one, other),
    )
    return tuple(difference for difference in found if difference)


def _population(one: Side, other: Side) -> str:
    cells = (
        _cells(one, lambda study: study.row.population),
        _cells(other, lambda study: study.row.population),
    )
    if not _both(cells):
        return ""
    kinds = [[people(text) for _, text in side] for side in cells]
    opposed = any(
        all(len(kind & pair) == 1 for side in kinds for kind in side)
        and not frozenset[str]().union(*kinds[0]) & frozenset[str]().union(*kinds[1]) & pair
        for pair in OPPOSED_PEOPLE
    )
    one_only = any(
        _only_one_side(kinds, kind)
        for kind in ("animals", "pregnant women", "older people", "healthy volunteers")
    )
    return _against("population", cells) if opposed or one_only or _strangers(cells) else ""


def _only_one_side(kinds: Sequence[Sequence[frozenset[str]]], kind: str) -> bool:
    """Return whether every study of one side names this kind of people and none of the other
    does.
    """
    one, other = kinds
    held = [all(kind in each for each in side) for side in (one, other)]
    free = [all(kind not in each for each in side) for side in (one, other)]
    return (held[0] and free[1]) or (held[1] and free[0])


def _strangers(cells: tuple[list[tuple[int, str]], list[tuple[int, str]]]) -> bool:
    """Return whether no study of one side names anything that one of the other names, in words of
    the same stem or their synonyms.
    """
    read = [[(named(text), vocabulary(text)) for _, text in side] for side in cells]
    return all(
        mine and yours and not any(said.has(each) for each in mine)
        for mine, _ in read[0]
        for yours, said in read[1]
    )


def _dose(one: Side, other: Side) -> str:
    read = [
        [(study.n, found) for study in side if (found := doses(study.row.intervention or ""))]
        for side in (one, other)
    ]
    if not all(read):
        ways = [
            [(study.n, intensity(study.row.intervention or "")) for study in side]
            for side in (one, other)
        ]
        ways = [[(n, words) for n, words in side if len(words) == 1] for side in ways]
        words = [
            frozenset[str]().union(*(each for _, each in side)) if side else frozenset[str]()
            for side in ways
        ]
        if all(words) and not words[0] & words[1]:
            cells = [
                [(n, f"{next(iter(each))} dose or intensity") for n, each in side] for side in ways
            ]
            return _against("dose", (cells[0], cells[1]))
        return ""
    mine, yours = read
    comparable = [
        (first, second)
        for _, left in mine
        for _, right in yours
        for first in left
        for second in right
        if first.comparable(second)
    ]
    if not comparable or any(first.alike(second) for first, second in comparable):
        return ""
    cells = [
        [(n, " and ".join(dict.fromkeys(dose.text for dose in found[:2]))) for n, found in side]
        for side in read
    ]
    return _against("dose", (cells[0], cells[1]))


def _comparator(one: Side, other: Side) -> str:
    cells = (
        _cells(one, lambda study: study.row.comparator),
        _cells(other, lambda study: study.row.comparator),
    )
    if not _both(cells):
        return ""
    kinds = [{_comparator_kind(text) for _, text in side} for side in cells]
    told = all(kinds[0]) and all(kinds[1])
    differ = not kinds[0] & kinds[1] if told else not any(kinds[0] & kinds[1]) and _strangers(cells)
    return _against("comparator", cells) if differ else ""


_COMPARATORS = (
    ("placebo", ("placebo", "sham", "dummy")),
    (
        "nothing",
        (
            "usual care",
            "standard care",
            "standard of care",
            "routine care",
            "no treatment",
            "no intervention",
            "no supplement",
            "waiting list",
            "waitlist",
            "wait-list",
            "untreated",
            "control group",
            "controls",
        ),
    ),
)


def _comparator_kind(text: str) -> str:
    lower = text.lower()
    return next((name for name, words in _COMPARATORS if any(word in lower for word in words)), "")


def _follow_up(one: Side, other: Side) -> str:
    cells = (
        _cells(one, lambda study: study.row.follow_up),
        _cells(other, lambda study: study.row.follow_up),
    )
    read = [[length[1] for _, text in side if (length := days(text)) is not None] for side in cells]
    return _against("follow-up", cells) if _apart(read[0], read[1], _TIMES_LONGER) else ""


def _sample_size(one: Side, other: Side) -> str:
    if len({study.pools for study in (*one, *other)}) > 1:
        return ""  # a review's participants say nothing beside those of one study
    sizes = [
        [(study.n, study.participants) for study in side if study.participants]
        for side in (one, other)
    ]
    if not _apart([size for _, size in sizes[0]], [size for _, size in sizes[1]], _TIMES_LARGER):
        return ""
    cells = [[(n, f"{size:,}") for n, size in side] for side in sizes]
    return _against("number of participants", (cells[0], cells[1]))


def _design(one: Side, other: Side) -> str:
    cells = (
        _cells(one, lambda study: study.row.design),
        _cells(other, lambda study: study.row.design),
    )
    names = [{text for _, text in side} for side in cells]
    return _against("design", cells) if _both(cells) and not names[0] & names[1] else ""


def _year(one: Side, other: Side) -> str:
    years = [
        sorted(study.row.year for study in side if study.row.year is not None)
        for side in (one, other)
    ]
    if not all(years):
        return ""
    gap = max(years[0][0] - years[1][-1], years[1][0] - years[0][-1])
    if gap < _YEARS_APART:
        return ""
    cells = [
        [(study.n, str(study.row.year)) for study in side if study.row.year is not None]
        for side in (one, other)
    ]
    return _against("year", (cells[0], cells[1]))


def _apart(one: Sequence[float], other: Sequence[float], times: float) -> bool:
    """Return whether all of one side are at least so many times as large as all of the other."""
    if not one or not other:
        return False
    return min(one) >= times * max(other) or min(other) >= times * max(one)


def _cells(side: Side, cell: Callable[[IncludedStudy], str | None]) -> list[tuple[int, str]]:
    """Return what the studies of a side state in a cell, one by one, with their numbers."""
    return [
        (study.n, " ".join(text.split()))
        for study in side
        if (text := cell(study)) and text.strip()
    ]


def _both(cells: tuple[list[tuple[int, str]], list[tuple[int, str]]]) -> bool:
    return bool(cells[0]) and bool(cells[1])


def _against(name: str, cells: tuple[list[tuple[int, str]], list[tuple[int, str]]]) -> str:
    return f"{name} ({_told(cells[0])} against {_told(cells[1])})"


def _told(side: Iterable[tuple[int, str]]) -> str:
    """The stated values of a side, each once, with the citations of those who state it."""
    by_value: dict[str, list[int]] = {}
    for n, text in side:
        by_value.setdefault(_short(text), []).append(n)
    told = [f"{text} {cite(numbers)}" for text, numbers in list(by_value.items())[:_MOST_TOLD]]
    if len(by_value) > _MOST_TOLD:
        told.append(
            f"others {cite(n for numbers in list(by_value.values())[_MOST_TOLD:] for n in numbers)}"
        )
    return listed(told)


def _short(text: str) -> str:
    """A cell cut at a word, its brackets turned round so that nothing in it can be taken for a
    citation.
    """
    text = text.replace("[", "(").replace("]", ")")
    if len(text) <= _LONGEST_CELL:
        return text
    return text[:_LONGEST_CELL].rsplit(" ", 1)[0].rstrip(",;: ") + " …"
