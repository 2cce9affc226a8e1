"""Packs a patient's notes into chunks of 900 to 1,500 characters (Algorithm 1 of the paper).

Notes of one visit and one category go in time order into a buffer of at most L_max characters. What
the algorithm leaves open is settled so: a note longer than L_max is cut first, into as few pieces
of like length as fit, at the last blank line, line, sentence or word that leaves a piece of at
least L_min; a shorter note is never cut; there is no overlap.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.patients.records import Note

L_MIN: Final = 900
L_MAX: Final = 1500
_CUTS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"(?<=[.!?])\s", r"\s")))


@dataclass(frozen=True)
class Part:
    """Code points [start, end) of a note."""

    note: str
    start: int
    end: int


@dataclass(frozen=True)
class Chunk:
    """Notes, or a piece of one, that are found as one; ``text`` is theirs, apart by blank lines.

    ``since`` and ``until`` are the times of its first and last note, as recorded.
    """

    id: str
    parts: tuple[Part, ...]
    text: str
    visit: str = ""
    category: str = ""
    since: str = ""
    until: str = ""


def packed(notes: Iterable[Note], least: int = L_MIN, most: int = L_MAX) -> tuple[Chunk, ...]:
    """The chunks of one patient's notes, in the order of their first notes.

    Notes of different categories never mix; ``least`` is at least 1 and ``most`` no less.
    """
    ordered = sorted(notes, key=lambda note: (note.time, note.id))
    groups: dict[tuple[str, str], list[Note]] = {}
    for note in ordered:
        groups.setdefault((note.visit, note.category), []).append(note)
    place = {note.id: number for number, note in enumerate(ordered)}
    chunks = [chunk for group in groups.values() for chunk in _filled(group, least, most)]
    return tuple(sorted(chunks, key=lambda one: (place[one.parts[0].note], one.parts[0].start)))


def _filled(notes: Sequence[Note], least: int, most: int) -> Iterator[Chunk]:
    buffer: list[tuple[Note, int, int]] = []
    for note in notes:
        for start, end in pieces(note.text, least, most):
            if buffer and sum(b - a for _, a, b in buffer) + end - start > most:
                yield _chunk(buffer)
                buffer = []
            buffer.append((note, start, end))
    if buffer:
        yield _chunk(buffer)


def pieces(text: str, least: int = L_MIN, most: int = L_MAX) -> list[tuple[int, int]]:
    """A text as spans of at most ``most`` characters that cover it; one where it is not longer."""
    found, start = [], 0
    while len(text) - start > most:
        share = -(-(len(text) - start) // -(-(len(text) - start) // most))
        past = start + min(most, max(share, least))
        low = start + min(least, share // 2)
        cuts = ([one.end() for one in pattern.finditer(text, low, past)] for pattern in _CUTS)
        cut = next((ends[-1] for ends in cuts if ends), past)
        found.append((start, cut))
        start = cut
    return [*found, (start, len(text))]


def _chunk(buffer: Sequence[tuple[Note, int, int]]) -> Chunk:
    first, last = buffer[0][0], buffer[-1][0]
    parts = tuple(Part(note.id, start, end) for note, start, end in buffer)
    return Chunk(
        id=f"{first.id}:{parts[0].start}-{parts[-1].note}:{parts[-1].end}",
        parts=parts,
        text="\n\n".join(note.text[start:end] for note, start, end in buffer),
        visit=first.visit,
        category=first.category,
        since=first.time,
        until=last.time,
    )
