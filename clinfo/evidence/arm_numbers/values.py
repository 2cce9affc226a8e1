"""The numbers of both arms from what stands for them, with how each was derived."""

from __future__ import annotations

import math

from clinfo.evidence.arm_numbers.grids import Entry
from clinfo.evidence.arm_numbers.pairing import Reported
from clinfo.evidence.arm_numbers.paper import Paper
from clinfo.evidence.arm_numbers.reading import NORMAL, Read
from clinfo.evidence.arm_numbers.sizes import SURE
from clinfo.records.trials import ArmNumbers, Number, NumbersKind

OTHER_GROUP = 10.0
"""Points that a percentage differs at least from that of a count, where its whole is another."""


def both_arms(
    paper: Paper, told: Reported, reads: tuple[Read, Read], kind: NumbersKind
) -> tuple[ArmNumbers, ArmNumbers]:
    """The numbers of the intervention's and the comparator's arm."""
    found: list[ArmNumbers] = []
    for side, read in enumerate(reads):
        total, size = _number(paper, read.total), None
        sure = total is not None
        if total is None and (size := paper.size(told, side)) is not None:
            sure = size.rank >= SURE
            text = paper.document.text[size.start : size.end]
            derived = "from the whole and the number of groups" if size is paper.equal else ""
            total = Number(size.value, text, paper.document.id, size.start, size.end, derived)
        if total is not None and _contradicts(read, total.value):
            total = None
        known = total if sure else None
        if kind == "binary":
            own = read.total is not None or (size is not None and paper.beside(told, size))
            events = _events(paper, read, known if own else None)
            found.append(ArmNumbers(events=events, total=total if events or own else None))
        else:
            mean = _number(paper, read.value) if read.kind != "median" else None
            found.append(ArmNumbers(total=total, mean=mean, sd=_sd(paper, read, known)))
    return found[0], found[1]


def _contradicts(read: Read, size: float) -> bool:
    """Return whether a count and its percentage speak of a group of quite another size."""
    if read.events is None or read.percent is None:
        return False
    return abs(100 * read.events[0] / size - read.percent[0]) > OTHER_GROUP


def _events(paper: Paper, read: Read, total: Number | None) -> Number | None:
    """The events as written, else from the percentage or the share."""
    if read.events is not None:
        return _number(paper, read.events)
    if total is None:
        return None
    if read.percent is not None:
        share, entry = read.percent[0] / 100, read.percent[1]
        how = "from the percentage and the group's size"
    elif read.value is not None:
        share, entry = read.value
        how = "from the share and the group's size"
    else:
        return None
    events = float(math.floor(share * total.value + 0.5))
    return Number(events, entry.text, paper.document.id, entry.start, entry.end, how)


def _sd(paper: Paper, read: Read, total: Number | None) -> Number | None:
    """The standard deviation as written, else from the standard error or the interval."""
    if read.kind == "median":
        return None
    root = math.sqrt(total.value) if total is not None and total.value > 0 else None
    if read.limits is not None and read.spread is None:
        low, high, entry = read.limits
        if root is None or read.kind != "interval":
            return None
        value = (high - low) / (2 * NORMAL) * root
        how = "from the 95 % interval and the group's size"
    elif read.spread is not None:
        value, entry = read.spread
        how = ""
        if read.kind == "se":
            if root is None:
                return None
            value, how = value * root, "from the standard error and the group's size"
        elif read.kind == "interval":
            return None
    else:
        return None
    if how:
        value = round(value, 4)
    return Number(value, entry.text, paper.document.id, entry.start, entry.end, how)


def _number(paper: Paper, read: tuple[float, Entry] | None) -> Number | None:
    if read is None:
        return None
    value, entry = read
    return Number(value, entry.text, paper.document.id, entry.start, entry.end)
