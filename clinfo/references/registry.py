"""The formats of references by name. Each is a module of `clinfo.references.formats`; it is found
there and listed nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from clinfo.extras import declared
from clinfo.records.articles import Article
from clinfo.references import formats
from clinfo.references.parts import Marks


@dataclass(frozen=True)
class ReferenceFormat:
    """A format in which articles are written down.

    ``note`` says in a few words who reads it; ``suffix`` is how a file's name ends, without the
    dot. ``records`` makes the articles, each as a record with its marks; ``head`` stands before the
    first. Where ``grows``, further records may be appended to a file.
    """

    name: str
    title: str
    note: str
    suffix: str
    media_type: str
    records: Callable[[Iterable[Article], Marks | None], str]
    head: str = ""
    grows: bool = False
    order: int = 100

    def write(self, articles: Iterable[Article], marks: Marks | None = None) -> str:
        """A whole file."""
        return self.head + self.records(articles, marks)


def specs() -> tuple[ReferenceFormat, ...]:
    """All formats, in the order in which they are offered."""
    return declared(formats, "FORMAT")


def growing() -> dict[str, ReferenceFormat]:
    """The formats in which any number of articles can be written, by name."""
    return {one.name: one for one in specs() if one.grows}
