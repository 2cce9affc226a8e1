"""The formats of references by name. Each is a module of `clinfo.references.formats`; it is found there and listed nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from clinfo.extras import declared
from clinfo.records.articles import Article
from clinfo.references import formats
from clinfo.references.parts import Marks


@dataclass(frozen=True)
class ReferenceFormat:
    """A format in which articles are written down."""

    name: str
    title: str
    note: str
    """Who reads it, in a few words."""
    suffix: str
    """How a file's name ends, without the dot."""
    media_type: str
    records: Callable[[Iterable[Article], Marks | None], str]
    """The articles, each as a record, with the marks of each by its id."""
    head: str = ""
    """What stands before the first record."""
    grows: bool = False
    """Whether further records may be appended to a file."""
    order: int = 100

    def write(self, articles: Iterable[Article], marks: Marks | None = None) -> str:
        """A whole file."""
        return self.head + self.records(articles, marks)


@cache
def specs() -> tuple[ReferenceFormat, ...]:
    """All formats, in the order in which they are offered."""
    found: list[ReferenceFormat] = declared(formats, "FORMAT")
    return tuple(sorted(found, key=lambda one: (one.order, one.name)))


def growing() -> dict[str, ReferenceFormat]:
    """The formats in which any number of articles can be written, by name."""
    return {one.name: one for one in specs() if one.grows}
