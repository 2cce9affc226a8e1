"""The notes that an answer gives, with what it rests on in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from clinfo.pipelines.chart.evidence import Place
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.pipelines.chart.stages import Retrieved, note_order
from clinfo.records.chart import NOT_DOCUMENTED, FoundNote, NoteSpan

QUOTED: Final = 3
"""Places quoted of a note."""


def found_notes(
    index: ChartIndex,
    found: Retrieved,
    count: int,
    places: Sequence[Place] = (),
    quoting: str = "",
) -> tuple[FoundNote, ...]:
    """The first ``count`` notes, best first, with the ``places`` that the answer rests on in them,
    then the others that ``quoting``, the text of the answer, names.
    """
    spans: dict[str, dict[tuple[int, int], None]] = {}
    for one in places:
        if len(own := spans.setdefault(one.note.id, {})) < QUOTED:
            own[one.start, one.end] = None
    scores: dict[str, float] = {}
    for place in found.order:
        for part in index.chunks[place].parts:
            scores.setdefault(part.note, round(found.scores.get(place, 0.0), 6))
    quoted = (id for id in spans if f"[{id}]" in quoting)
    ids = dict.fromkeys((*note_order(index, found.order)[:count], *quoted))
    return tuple(
        FoundNote(
            id,
            (note := index.notes[id]).time,
            tuple(NoteSpan(a, b, note.text[a:b]) for a, b in sorted(spans.get(id, ()))),
            note.category,
            note.visit,
            scores.get(id, 0.0),
        )
        for id in ids
    )


def quoted_answer(notes: Sequence[FoundNote]) -> str:
    """The quotations of notes, each with its date and note, a line each; `NOT_DOCUMENTED` where
    none says anything.
    """
    lines = [
        f'{note.date[:10] or "undated"}: "{span.text}" [{note.id}]'
        for note in notes
        for span in note.spans
    ]
    return "\n".join(lines) or NOT_DOCUMENTED
