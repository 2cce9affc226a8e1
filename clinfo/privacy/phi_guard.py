"""Detects patient identifiers in a question before it leaves the machine: found offline, by rules
and a small fitted score.

Names, record numbers, national ids, telephone numbers, e-mail and street addresses and full dates
of birth. Ages, years, wards and clinicians' names are none: they do not single out a patient by
themselves. A name that nothing beside it gives away, and that is none of those listed, may pass
unseen.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import takewhile

from clinfo.errors import IdentifiersFound
from clinfo.privacy.contacts import contacts, study_numbers
from clinfo.privacy.national_ids import national_ids
from clinfo.privacy.person_names import person_names, tagged_persons
from clinfo.records.articles import Identifier, RunRequest

HOW_TO_GO_ON = "Nothing was sent. Remove it and ask again, or allow it (--allow-identifiers)."

_STRENGTH = (
    "e-mail",
    "date of birth",
    "national id",
    "record number",
    "telephone",
    "address",
    "name",
)
"""The kinds by certainty, for a stretch that several rules found; the surest first."""


def identifiers(text: str) -> tuple[Identifier, ...]:
    """Return what seems to identify a patient in ``text``, as code points, in order, never
    overlapping.
    """
    found = [*national_ids(text), *contacts(text), *person_names(text)]
    if not found:
        return ()
    studies, authors = study_numbers(text), tagged_persons(text)
    harmless = {"name": authors, "date of birth": (), "e-mail": ()}
    kept = [one for one in found if not _within(text, one, harmless.get(one.kind, studies))]
    return tuple(_joined(kept))


_OF_A_PATIENT = ("date of birth", "national id", "record number")


def in_paper(text: str) -> tuple[Identifier, ...]:
    """Return what in the text of a paper can only be a patient's, as `identifiers` does: papers
    name people, places and addresses of their own.
    """
    studies = study_numbers(text)
    found = [
        one
        for one in (*national_ids(text), *contacts(text))
        if one.kind in _OF_A_PATIENT
        and not _within(text, one, () if one.kind == "date of birth" else studies)
    ]
    return tuple(_joined(found))


def _within(text: str, one: Identifier, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a find is explained by the first of ``spans`` that it overlaps: fewer than
    five digits of it stand outside. The spans are in order and apart from each other.
    """
    place = bisect_right(spans, one.start, key=lambda span: span[1])
    if place == len(spans) or spans[place][0] >= one.end:
        return False
    start, end = spans[place]
    outside = text[one.start : max(one.start, start)] + text[min(end, one.end) : one.end]
    return sum(sign.isdigit() for sign in outside) < 5


def _joined(found: Sequence[Identifier]) -> list[Identifier]:
    """Overlapping finds as one stretch, which has the surest kind among them."""
    joined: list[Identifier] = []
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if joined and one.start < joined[-1].end:
            last = joined[-1]
            kind = min(last.kind, one.kind, key=_STRENGTH.index)
            joined[-1] = Identifier(last.start, max(last.end, one.end), kind)
        else:
            joined.append(one)
    return joined


LEFT_OUT = "…"
"""The mark in a text for what identified somebody."""


def without(text: str, found: Sequence[Identifier]) -> str:
    """``text`` with `LEFT_OUT` for the stretches ``found``, and for what seems to identify
    somebody in what is then left, so that nothing does in the end.
    """
    while found:
        edges = [0, *(edge for one in found for edge in (one.start, one.end)), len(text)]
        pieces = (text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
        text = LEFT_OUT.join(pieces)
        found = identifiers(text)
    return text


def told(found: Sequence[Identifier], where: str = "question") -> str:
    """One line that names the kinds found and where they stand, never what they say; "" where
    nothing was found.
    """
    if not found:
        return ""
    places = ", ".join(
        f"{'an' if one.kind[0] in 'aeiou' else 'a'} {one.kind} "
        f"(characters {one.start + 1} to {one.end})"
        for one in found
    )
    return f"The {where} seems to identify a patient: {places}."


def of_request(request: RunRequest) -> dict[str, str]:
    """Return what a person wrote and a run would send, by name: the question, "query 1" …, the
    question that it follows up, the filter, "prompt synthesis" …
    """
    texts = {"question": request.question} | {
        f"query {place}": text for place, text in enumerate(request.own_queries, 1)
    }
    texts |= {name: text for name in ("follows", "filter") if (text := getattr(request, name))}
    return texts | {f"prompt {name}": _sent(text) for name, text in request.prompts.items()}


def in_request(request: RunRequest) -> dict[str, tuple[Identifier, ...]]:
    """Return what identifies a patient in the texts `of_request`; texts without any are left
    out.
    """
    return {
        where: found for where, text in of_request(request).items() if (found := identifiers(text))
    }


def refuse(request: RunRequest) -> None:
    """Raise IdentifiersFound for the first text of a request that seems to identify a patient,
    unless the request allows it.
    """
    if not request.allow_identifiers:
        refuse_texts(of_request(request))


def refuse_texts(texts: Mapping[str, str], how_to_go_on: str = HOW_TO_GO_ON) -> None:
    """Raise IdentifiersFound for the first of some texts, by what they are, that seems to identify
    a patient.
    """
    for where, text in texts.items():
        if found := identifiers(text):
            raise IdentifiersFound(
                f"{told(found, where)} {how_to_go_on}",
                where=where,
                spans=[(one.start, one.end) for one in found],
                kinds=[one.kind for one in found],
            )


def _sent(prompt: str) -> str:
    """A prompt's text with blanks for its leading comments, which no model is shown."""
    lines = prompt.splitlines(keepends=True)
    leading = takewhile(lambda line: line.startswith("#") or not line.strip(), lines)
    blank = sum(map(len, leading))
    return " " * blank + prompt[blank:]
