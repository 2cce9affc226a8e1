"""``clinfo direction``: effect directions for the prompts in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clinfo.cli import json_rows
from clinfo.errors import UsageError

if TYPE_CHECKING:
    from clinfo.evidence.effect_direction import EffectDirection

NEEDED = ("intervention", "comparator", "outcome", "title", "abstract")


def direction(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.jsonl",
            help="The file of prompts; - reads standard input.",
            show_default=False,
        ),
    ],
) -> int:
    """Read effect directions from abstracts, by rules.

    The direction says how an outcome changed with an intervention against a comparator: increased,
    decreased, no difference, mixed or unclear. It needs no network.

    Each line of the file is an object {"id", "intervention", "comparator", "outcome", "title",
    "abstract"}. For each, stdout gets a line {"id", "direction", "span": {"field", "start",
    "end"}}, in the same order. The span is the passage that states the direction, in code points of
    the title or abstract as given; it is null where the direction is unclear.

    Exit status: 0 all read; 2 a line that cannot be used (what came before it is written).
    """
    from clinfo.evidence.effect_direction import effect_direction as read

    for place, form in json_rows.read(file, {"id", *NEEDED}):
        _write(form["id"], read(*_texts(place, form)))
    return 0


def _texts(place: str, form: dict[str, Any]) -> list[str]:
    for name in NEEDED:
        if not isinstance(form[name], str):
            raise UsageError(f"{place}: “{name}” must be text")
    return [form[name] for name in NEEDED]


def _write(id_: object, found: EffectDirection) -> None:
    span = (
        {"field": found.field, "start": found.start, "end": found.end}
        if found.field is not None
        else None
    )
    json_rows.write({"id": id_, "direction": found.direction, "span": span})
