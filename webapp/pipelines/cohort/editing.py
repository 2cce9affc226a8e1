"""A logical form as nested boxes, and the form that edited boxes make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clinfo.errors import UsageError
from clinfo.pipelines.cohort import (
    And,
    AtLeast,
    Before,
    Concepts,
    Form,
    Not,
    Or,
    checked,
    joins,
    parse_query,
    parts_of,
)
from clinfo.pipelines.cohort import written_query as query_text


@dataclass(frozen=True)
class Box:
    """A part of a form: its ``path`` (places of parts), what joins its ``parts``, its query, how
    many match it, and what is wrong with it.
    """

    path: str
    joins: str
    text: str
    count: int | str
    asked_back: tuple[str, ...]
    parts: tuple[Box, ...]


def boxes(
    found: Mapping[str, Any], said: Mapping[str, str], faults: Mapping[str, Any], path: str = "0"
) -> Box:
    """The nested boxes of an answer, with what was typed where it was not understood."""
    words = tuple(faults.get(path, ()))
    text = said.get(f"is-{path}", found["text"]) if words else found["text"]
    inner = tuple(
        boxes(part, said, faults, f"{path}.{at}") for at, part in enumerate(found["parts"])
    )
    return Box(path, found["joins"], text, found["count"], words, inner)


@dataclass
class Edited:
    """Reads the boxes that were sent. ``asked_back`` is what is wrong in them, by path."""

    sent: Mapping[str, str]
    concepts: Concepts
    asked_back: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def form(self, form: Form, path: str = "0") -> Form | None:
        """The form as it was edited; None where nothing is left of it."""
        if not (parts := parts_of(form)):
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
                wanted = Or if self.sent.get(f"joins-{path}", joins(form)) == "or" else And
                return wanted(kept) if len(kept) > 1 else kept[0]
            case Not(_, stated):
                return Not(kept[0], stated)
            case Before(_, within) if len(kept) == 2:
                return Before(kept, within)
            case AtLeast(count, _) if len(kept) >= count:
                return AtLeast(count, kept)
        return kept[0] if len(kept) == 1 else And(kept)

    def _leaf(self, form: Form, path: str) -> Form | None:
        said = self.sent.get(f"is-{path}")
        if said is None or said.strip() == query_text(form):
            return form
        if not said.strip():
            return None
        try:
            return checked(self.concepts, parse_query(said))
        except UsageError as error:
            self.asked_back[path] = (str(error),)
            return form
