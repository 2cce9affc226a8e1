"""The formats of references by name. Each is a module of `clinfo.references.formats`; it is found
there and listed nowhere else.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from clinfo.extras import declared
from clinfo.records.articles import Article
from clinfo.references import formats
from clinfo.references.parts import Marks

IEEE = "ieee"
"""The style in which references are written unless another is asked for."""


@dataclass(frozen=True)
class ReferenceFormat:
    """A format in which articles are written down.

    ``note`` says in a few words who reads it; ``suffix`` is how a file's name ends, without the
    dot. ``records`` makes the articles, each as a record with its marks; ``head`` stands before the
    first. Where ``grows``, further records may be appended to a file. ``line`` is an article's
    reference in a citation style, of a format that is a list in one.
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
    line: Callable[[Article], str] | None = None

    def write(self, articles: Iterable[Article], marks: Marks | None = None) -> str:
        """A whole file."""
        return self.head + self.records(articles, marks)


def specs() -> tuple[ReferenceFormat, ...]:
    """All formats, in the order in which they are offered."""
    return declared(formats, "FORMAT")


def styled(
    name: str, title: str, note: str, line: Callable[[Article], str], number: str, order: int
) -> ReferenceFormat:
    """A citation style as a format: the references as a numbered list, ``number`` as in "{}."."""

    def records(articles: Iterable[Article], marks: Marks | None) -> str:
        return "".join(f"{number.format(n)} {line(one)}\n" for n, one in enumerate(articles, 1))

    media_type = "text/plain; charset=utf-8"
    return ReferenceFormat(
        name, title, note, f"{name}.txt", media_type, records, order=order, line=line
    )


def styles() -> dict[str, Callable[[Article], str]]:
    """The citation styles by name, each as what writes the reference of an article."""
    return {one.name: one.line for one in specs() if one.line is not None}


def growing() -> dict[str, ReferenceFormat]:
    """The formats in which any number of articles can be written, by name."""
    return {one.name: one for one in specs() if one.grows}
