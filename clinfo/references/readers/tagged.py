"""Tagged text, the common shape of RIS, of MEDLINE's format and of EndNote's own: a tag, a value;
further lines are indented.

Read leniently, because a reader of reference lists must not lose one over a missing space. The tags
mean nothing here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


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


@dataclass(frozen=True)
class Shape:
    """How a form is laid out: a line of it as ``tag`` and value, the tag that ``begins`` a record,
    the one that ``ends`` it, and those that begin one after a blank line where the record before
    has a title.
    """

    tag: str
    begins: str
    ends: str = ""
    apart: tuple[str, ...] = ()

    def records(self, lines: Iterable[str]) -> Iterator[Fields]:
        """The records of a text; where they have an end, one may begin with any tag."""
        begun, held, blank = 0, dict[str, list[list[str]]](), True
        value: list[str] = []
        for number, line in enumerate((*lines, None), start=1):
            text = "" if line is None else line.lstrip("\ufeff").rstrip()
            found = re.match(self.tag, text)
            tag = found[1] if found else ""
            apart = blank and tag in self.apart and (not begun or {"TI", "BTI"} & held.keys())
            first = tag == self.begins and (not (begun and self.ends) or tag in held)
            other = not begun and self.ends and tag not in ("", self.ends)
            if begun and (line is None or apart or first or tag == self.ends != ""):
                joined = {name: ["\n".join(filter(None, one)) for one in every]
                          for name, every in held.items()}  # fmt: skip
                yield Fields(begun, joined)
                begun = 0
            if apart or first or other:
                begun, held, value = number, {}, []
            if begun and found:
                value = [(found[2] or "").strip()]
                held.setdefault(tag, []).append(value)
            elif begun:
                value.append(text.strip())
            blank = not text
