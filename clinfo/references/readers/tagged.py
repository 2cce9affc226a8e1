"""Tagged text, the common shape of RIS, of MEDLINE's format and of EndNote's own: a tag, a value;
further lines are indented.

Read leniently, because a reader of reference lists must not lose one over a missing space. The tags
mean nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_RIS = re.compile(
    r"((?!ER)[A-Z][A-Z0-9](?=  -)|ER(?=\s{0,4}-\s*$)|(?:TY|A[1-4UBN]|T[1-3I]|N[12]|PY|Y1|J[OFA]|VL"
    r"|IS|[SE]P|D[OAB]|UR|SN|KW|PB|CY|M3)(?=\s{0,4}-))\s{0,4}-(?:\s|$)(.*)"
)
"""A tag of RIS with its two blanks; without them one of those that matter, since abstracts go on
over lines such as "RE - TREATMENT" and "ER - positive tumours".
"""
_ENDNOTE = re.compile(r"(%[0-9A-Z@~!#$*&(>+<^\[\]])(?:\s(.*)|$)")
_MEDLINE = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,3}-(?:\s|$)(.*)")

_HEADS = ("OWN", "STAT", "VI", "IP", "DP", "TI", "BTI")
"""Tags with which a record may begin that has no PMID."""


@dataclass
class Fields:
    """One record: its values by tag, in order, and the line (from 1) where it begins."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def all(self, *tags: str) -> list[str]:
        """The values of these tags, tag by tag."""
        return [value for tag in tags for value in self.values.get(tag, ())]

    def first(self, *tags: str) -> str:
        """The first value of the first of these tags that has one; "" without any."""
        return next((value for value in self.all(*tags) if value), "")


def read_ris(lines: Iterable[str]) -> Iterator[Fields]:
    """The records of an RIS file. One ends at ER, or where a second TY begins the next; some
    programs write the other fields before TY.
    """
    yield from _records(lines, _RIS, "TY", "ER")


def read_medline(lines: Iterable[str]) -> Iterator[Fields]:
    """The records of a file in MEDLINE's format (.nbib too). One begins at PMID; without one, after
    a blank line with what stands before a title or at it.
    """
    yield from _records(lines, _MEDLINE, "PMID", None, _HEADS)


def read_ovid(lines: Iterable[str]) -> Iterator[Fields]:
    """The records of Ovid's tagged export, which has MEDLINE's shape. One begins at VN."""
    yield from _records(lines, _MEDLINE, "VN", None)


def read_endnote(lines: Iterable[str]) -> Iterator[Fields]:
    """The records of a file in EndNote's own format (.enw). One begins at %0."""
    yield from _records(lines, _ENDNOTE, "%0", None)


def _records(
    lines: Iterable[str],
    tagged: re.Pattern[str],
    begins: str,
    ends: str | None,
    apart: tuple[str, ...] = (),
) -> Iterator[Fields]:
    record: Fields | None = None
    tag, text = "", ""
    more: list[str] = []  # the lines of a value so far: adding to a text copies it each time
    for number, line in enumerate(lines, start=1):
        before, text = text, line.lstrip("\ufeff").rstrip()
        found = tagged.match(text)
        if found and record is not None and tag:
            record.values[tag][-1] = "\n".join(filter(None, more))
        titled = record is not None and not {"TI", "BTI"}.isdisjoint(record.values)
        if found and (
            (found[1] in apart and not before and (titled or record is None))
            or (found[1] == begins and (record is None or ends is None or begins in record.values))
        ):
            if record is not None:
                yield record
            record, tag = Fields(number), ""
        if record is None and found and ends not in (None, found[1]):
            record, tag = Fields(number), ""
        if record is None:
            continue
        if found and found[1] == ends:
            yield record
            record, tag = None, ""
        elif found:
            tag = found[1]
            more = [(found[2] or "").strip()]
            record.values.setdefault(tag, []).append(more[0])
        elif tag:
            more.append(text.strip())
    if record is not None:
        if tag:
            record.values[tag][-1] = "\n".join(filter(None, more))
        yield record
