"""A logical form as nested boxes, and the form that edited boxes make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clinfo.pipelines.cohort.concepts import Concepts
from clinfo.pipelines.cohort.form import (
    And,
    AtLeast,
    Before,
    Form,
    Not,
    Or,
)
from clinfo.pipelines.cohort.parsing import NotUnderstood, parse
from clinfo.pipelines.cohort.wording import text_of


@dataclass(frozen=True)
class Box:
    """A part of a form: its ``path`` (names of fields), what joins its ``parts``, its words, how
    many match it, and the words in it that are not understood.
    """

    path: str
    joins: str
    text: str
    count: str = ""
    asked_back: tuple[str, ...] = ()
    parts: tuple[Box, ...] = ()


def boxes(form: Form, counted: Callable[[Form], str], path: str = "0") -> Box:
    """The nested boxes of a form."""
    joins, parts = _taken_apart(form)
    inner = tuple(boxes(part, counted, f"{path}.{at}") for at, part in enumerate(parts))
    return Box(path, joins, text_of(form), counted(form), (), inner)


def _taken_apart(form: Form) -> tuple[str, tuple[Form, ...]]:
    match form:
        case And(parts):
            return "and", parts
        case Or(parts):
            return "or", parts
        case Not(part, stated):
            return "documented absence of" if stated else "not", (part,)
        case Before(first, second, within):
            return f"before, within {within} days" if within is not None else "before", (
                first,
                second,
            )
        case AtLeast(count, parts):
            return f"at least {count} of", parts
    return "", ()


@dataclass
class Edited:
    """Reads the boxes that were sent. ``asked_back`` are words not understood, by path."""

    sent: Mapping[str, str]
    concepts: Concepts
    asked_back: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def form(self, form: Form, path: str = "0") -> Form | None:
        """The form as it was edited; None where nothing is left of it."""
        joins, parts = _taken_apart(form)
        if not parts:
            return self._leaf(form, path)
        kept = tuple(
            edited
            for at, part in enumerate(parts)
            if (edited := self.form(part, f"{path}.{at}")) is not None
        )
        if not kept:
            return None
        match form:
            case And() | Or():
                wanted = Or if self.sent.get(f"joins-{path}", joins) == "or" else And
                return wanted(kept) if len(kept) > 1 else kept[0]
            case Not(_, stated):
                return Not(kept[0], stated)
            case Before(_, _, within) if len(kept) == 2:
                return Before(kept[0], kept[1], within)
            case AtLeast(count, _) if len(kept) >= count:
                return AtLeast(count, kept)
        return kept[0] if len(kept) == 1 else And(kept)

    def _leaf(self, form: Form, path: str) -> Form | None:
        said = self.sent.get(f"is-{path}")
        if said is None or said.strip() == text_of(form):
            return form
        if not said.strip():
            return None
        read = parse(said, self.concepts)
        if isinstance(read, NotUnderstood):
            self.asked_back[path] = read.words
            return form
        return read


def with_faults(box: Box, said: Mapping[str, str], faults: Mapping[str, Any]) -> Box:
    """The boxes with what was typed where it was not understood."""
    parts = tuple(with_faults(part, said, faults) for part in box.parts)
    words = tuple(faults.get(box.path, ()))
    text = said.get(f"is-{box.path}", box.text) if words else box.text
    return Box(box.path, box.joins, text, box.count, words, parts)
