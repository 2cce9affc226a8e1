"""One character for each expression of criteria that has been read, so that what is left can be
read around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from clinfo.pipelines.cohort.form import Form

_FIRST, _LAST = 0xE000, 0xF8FF


@dataclass(frozen=True, slots=True)
class Window:
    """Days between which something was stated, as in `Has`; ``""`` is no bound."""

    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Near:
    """The most days from one thing to a later one; ``order`` is "either" where any may be it."""

    days: int
    order: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """The fewest days on which something was stated; ``said`` how it was asked for where only what
    happens can be counted so: "at least 2 falls", but not "at least 2 drugs".
    """

    count: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class OneOf:
    """How many of what follows are wanted; 0 is all."""

    count: int


@dataclass(frozen=True, slots=True)
class AgeThen:
    """The years reached when something was first stated, as in `Has`; None is no bound."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Quoted:
    """A name in quotation marks."""

    name: str


Mark = Window | Near | Times | OneOf | AgeThen | Quoted


@dataclass
class Signs:
    """What the signs of a text stand for."""

    held: list[Form | Mark] = field(default_factory=list)

    pattern = f"([{chr(_FIRST)}-{chr(_LAST)}])"

    def sign(self, one: Form | Mark) -> str:
        """The sign of a form or mark."""
        self.held.append(one)
        return chr(_FIRST + len(self.held) - 1)

    def of(self, text: str) -> Form | Mark:
        """What a sign stands for."""
        return self.held[ord(text) - _FIRST]

    def form(self, text: str) -> Form | None:
        """The form that a sign stands for; None of a mark."""
        one = self.of(text)
        return None if isinstance(one, Mark) else one

    @property
    def forms(self) -> list[Form]:
        """All forms in the order in which they were read."""
        return [one for one in self.held if not isinstance(one, Mark)]

    def is_sign(self, text: str) -> bool:
        """Whether a text is a sign of a form or a mark, and no quoted name."""
        return self._is(text) and not isinstance(self.of(text), Quoted)

    def quoted(self, text: str) -> str | None:
        """The name that a sign stands for; None of other text."""
        one = self.of(text) if self._is(text) else None
        return one.name if isinstance(one, Quoted) else None

    def _is(self, text: str) -> bool:
        return len(text) == 1 and _FIRST <= ord(text) < _FIRST + len(self.held)
