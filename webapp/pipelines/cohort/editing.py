"""A logical form as nested boxes, and the form that edited boxes make. A box is known by its path:
the places of parts.
"""

from collections.abc import Mapping
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


def boxes(
    found: Mapping[str, Any], said: Mapping[str, str], faults: Mapping[str, str], path: str = "0"
) -> dict[str, Any]:
    """The nested boxes of an answer with their paths, and where one was not understood with its
    fault and what was typed.
    """
    inner = [boxes(part, said, faults, f"{path}.{at}") for at, part in enumerate(found["parts"])]
    made = {**found, "path": path, "parts": inner, "fault": faults.get(path, "")}
    return made | {"text": said.get(f"is-{path}", found["text"])} if made["fault"] else made


def edited(
    form: Form, sent: Mapping[str, str], concepts: Concepts, faults: dict[str, str], path: str = "0"
) -> Form | None:
    """The form as its boxes were sent; None where nothing is left of it. What is wrong in them goes
    to ``faults``, by path.
    """
    if not (parts := parts_of(form)):
        return _leaf(form, sent, concepts, faults, path)
    each = (edited(one, sent, concepts, faults, f"{path}.{at}") for at, one in enumerate(parts))
    kept = tuple(one for one in each if one is not None)
    match form:
        case _ if not kept:
            return None
        case And() | Or():
            wanted = Or if sent.get(f"joins-{path}", joins(form)) == "or" else And
            return wanted(kept) if len(kept) > 1 else kept[0]
        case Not(_, stated):
            return Not(kept[0], stated)
        case Before(_, within) if len(kept) == 2:
            return Before(kept, within)
        case AtLeast(count, _) if len(kept) >= count:
            return AtLeast(count, kept)
    return kept[0] if len(kept) == 1 else And(kept)


def _leaf(
    form: Form, sent: Mapping[str, str], concepts: Concepts, faults: dict[str, str], path: str
) -> Form | None:
    said = sent.get(f"is-{path}")
    if said is None or said.strip() == query_text(form):
        return form
    if not said.strip():
        return None
    try:
        return checked(concepts, parse_query(said))
    except UsageError as error:
        faults[path] = str(error)
        return form
