"""What is shown without a model: the notes found with the passage of each that is nearest to the
question, coded entries as recorded, and what was looked for. Nothing is judged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np

from clinfo.pipelines.chart.asked import Part
from clinfo.pipelines.chart.features import Matched
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.pipelines.chart.items import kinds_in, naming_words
from clinfo.pipelines.chart.retrieval import GAMMA, Retrieved, note_order, with_narrower
from clinfo.records.chart import NOT_DOCUMENTED, CodedFact, FoundNote, NoteSpan
from clinfo.terms.lexicon import flags

QUOTED: Final = 5
"""Notes that the answer quotes; the others are listed with their passages."""
MOST_CODED: Final = 20
"""Coded entries that are shown."""
LISTED: Final = frozenset(("medication", "allergy", "condition", "procedure"))
"""Kinds of entries that a question may ask for as a whole."""


def found_notes(asked: Matched, found: Retrieved, count: int) -> tuple[FoundNote, ...]:
    """The first ``count`` notes, best first, each with the sentence that is nearest to the
    question, none where nothing of the question is in it.
    """
    index, scores = asked.index, dict[str, float]()
    for place in found.order:
        for part in index.chunks[place].parts:
            scores.setdefault(part.note, round(found.scores.get(place, 0.0), 6))
    ids = note_order(index, found.order)[:count]
    spans, notes = _nearest(asked, frozenset(ids)), (index.notes[id] for id in ids)
    return tuple(
        FoundNote(
            note.id,
            note.time,
            tuple(NoteSpan(a, b, note.text[a:b]) for a, b in spans.get(note.id, ())),
            note.category,
            note.visit,
            scores[note.id],
        )
        for note in notes
    )


def _nearest(asked: Matched, ids: Collection[str]) -> dict[str, list[tuple[int, int]]]:
    index = asked.index
    places = [place for place, one in enumerate(index.occurrences) if one.note in ids]
    own = [index.occurrences[place] for place in places]
    item = index.columns.item[places]
    known = [part for part in asked.question.parts if part.concepts]
    named = [
        any(_named_in(index, one.note, part, one.at.start, one.at.end) for part in known)
        for one in own
    ]
    worth = asked.cover[item] + asked.near[0][item] + asked.told[places] + np.array(named, float)
    best: dict[str, tuple[float, int, tuple[int, int]]] = {}
    for one, value in zip(own, np.round(worth, 6), strict=True):
        mine = (float(value), -one.at.whole[0], one.at.whole)
        if value > 0 and (one.note not in best or mine > best[one.note]):
            best[one.note] = mine
    return {note: [span] for note, (_, _, span) in best.items()}


def coded_facts(asked: Matched) -> tuple[CodedFact, ...]:
    """The coded entries that a question names, without any those of the kinds that it asks for, the
    newest first.
    """
    index, telling = asked.index, telling_parts(asked)
    kinds = kinds_in(asked.question.text) & LISTED
    lines = [line for own in index.coded.lines.values() for line in own]
    own = [
        line
        for line in lines
        if any(_names(part, naming_words(line.entry.text)) for part in telling)
        or any(_named_in(index, line.note, part, line.start, line.end) for part in telling)
    ] or [line for line in lines if line.entry.kind in kinds]
    own.sort(key=lambda line: (line.entry.start, line.entry.text), reverse=True)
    return tuple(
        CodedFact(
            line.entry.kind,
            line.entry.text,
            line.entry.shown,
            line.entry.unit,
            line.entry.start,
            line.entry.end,
            line.note,
        )
        for line in own[:MOST_CODED]
    )


def _names(part: Part, words: frozenset[str]) -> bool:
    """Return whether words hold a name of a part; what the dictionary knows it finds itself."""
    names = part.names[:1] if part.concepts else part.names
    return any(name <= words for name in names if name)


def _named_in(index: ChartIndex, note: str, part: Part, start: int, end: int) -> bool:
    """Return whether [start, end) of a note names a concept of a part or a narrower one."""
    concepts = with_narrower(part.concepts)
    return any(m.concept in concepts and start <= m.start < end for m in index.mentions[note])


def telling_parts(asked: Matched) -> list[Part]:
    """The parts of a question that name something, rather than ask."""
    return [part for part in asked.parts if not part.faint]


def looked_for(asked: Matched) -> tuple[str, frozenset[str] | None]:
    """(what was looked for and how many notes name it, a line each; the ids of the notes and texts
    of coded entries that name any of it, or that the recovery takes for ones that answer).

    None for the ids of a question that names nothing in particular ("What was found?").
    """
    index = asked.index
    telling = [part for part in telling_parts(asked) if not part.everyday]
    known = [part for part in telling if part.concepts or not flags(part.said)]
    lines, found = [], set[str]()
    for part in known or ([] if kinds_in(asked.question.text) else telling):
        ids = _naming(index, part)
        found |= ids
        lines.append(_told(index, part, ids))
    answers = asked.chance("recovery") >= GAMMA
    found |= {part.note for place in np.flatnonzero(answers) for part in index.chunks[place].parts}
    return "\n".join(lines), frozenset(found) if found or lines else None


def _naming(index: ChartIndex, part: Part) -> set[str]:
    items = {place for place, words in enumerate(index.words) if _names(part, words)}
    ids = {one.note for one in index.occurrences if one.item in items}
    every = index.notes.items()
    return ids | {id for id, note in every if _named_in(index, id, part, 0, len(note.text))}


def _told(index: ChartIndex, part: Part, ids: Collection[str]) -> str:
    coded = sum(id in index.coded.lines for id in ids)
    notes = [index.notes[id] for id in ids if id not in index.coded.lines]
    name = f"“{part.said}”"
    if part.concepts:
        narrower = with_narrower(part.concepts) > part.concepts
        name += " (or another name of it" + (" or of something narrower)" if narrower else ")")
    count = len(index.notes) - len(index.coded.lines)
    entries = f"; coded entries of {coded:,} days do" if coded else "; no coded entry does"
    if not notes:
        return f"None of {count:,} notes names {name}{entries}."
    days = sorted({note.time[:10] for note in notes if note.time})
    when = f", {' to '.join(dict.fromkeys((days[0], days[-1])))}" if days else ""
    return f"{len(notes):,} of {count:,} notes name{'s' * (len(notes) == 1)} {name}{when}{entries}."


def shown(
    notes: Sequence[FoundNote], coded: Sequence[CodedFact], bearing: Collection[str] | None
) -> str:
    """The quotations of the best notes among those ``bearing`` on the question (None: any) and the
    coded entries, a line each; `NOT_DOCUMENTED` where there are none.
    """
    own = [one for one in notes if one.spans and (bearing is None or one.id in bearing)]
    return "\n".join(_lines(own[:QUOTED], coded)) or NOT_DOCUMENTED


def _lines(notes: Sequence[FoundNote], coded: Sequence[CodedFact]) -> Iterator[str]:
    for note in notes:
        where = ", ".join(filter(None, (note.date[:10] or "undated", note.category)))
        for span in note.spans:
            yield f'{where}: "{span.text}" [{note.id}]'
    for fact in coded:
        value = " ".join(filter(None, (fact.value, fact.unit)))
        until = f" until {fact.end[:10]}" if fact.end else ""
        told = f"{fact.text}{', ' if value else ''}{value}{until}"
        yield f"{fact.start[:10] or 'undated'}, coded {fact.kind}: {told} [{fact.note}]"
