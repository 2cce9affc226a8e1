"""The answer without a model: the notes found with the passage of each that is nearest to the
question, coded entries as recorded, and what was looked for. Nothing is judged.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

import numpy as np

from clinfo.patients.coded import also_named, meant, measured, recency
from clinfo.patients.quantities import names_in
from clinfo.patients.records import CodedEntry, Note
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.pipelines.chart.note_reading import Item
from clinfo.pipelines.chart.parsed_question import Part, kinds_in, naming_words
from clinfo.pipelines.chart.records import (
    NOT_DOCUMENTED,
    CodedFact,
    FoundNote,
    NotesFound,
    NoteSpan,
)
from clinfo.pipelines.chart.retrieval import GAMMA, Matched, Retrieved, note_order, with_narrower
from clinfo.terms.lexicon import EVERYDAY, flags

QUOTED: Final = 5
"""Notes that the answer quotes; the others are listed with their passages."""
PASSAGES: Final = 3
"""Passages of a note that are quoted."""
LINE: Final = 300
"""Characters up to which the line is quoted that a sentence stands in."""
MOST_CODED: Final = 20
"""Coded entries that are shown."""
CODES: Final = 5
"""Codes without a name that are told."""
_DIGITS: Final = re.compile(r"\d+")
_KIND: Final = {"immunization": "vaccine", "allergy": "allergy"}
"""What entries of a kind are, which their names leave out."""
_OF_KIND: Final = {
    "allergy": {"allergies"}, "condition": {"past", "disease", "mental disorder"},
    "immunization": {"immunizations"}, "medication": {"medications", "drug or substance"},
    "procedure": {"procedures", "surgery"},
}  # fmt: skip
"""Kinds of sections and of names by the kinds of things that a question may ask for as a whole."""
LISTED: Final = frozenset(("medication", "allergy", "condition", "procedure"))
"""Kinds of entries that a question may ask for as a whole."""


def notes_found(asked: Matched, found: Retrieved, count: int) -> NotesFound:
    """The first ``count`` notes and what is told of them where no model answers."""
    notes, coded = found_notes(asked, found, count), coded_facts(asked)
    established, bearing = looked_for(asked)
    shown = {one.note for one in coded}
    own = [
        one
        for one in notes
        if one.spans and one.id not in shown and (bearing is None or one.id in bearing)
    ]
    newer = False
    if any(True for _ in names_in(asked.question.text)):  # a value is asked for: the newest first
        own.sort(key=lambda one: one.date, reverse=True)
        newer = bool(coded and own) and coded[0].start[:10] > own[0].date[:10]
    quoted, recorded = lines(own[:QUOTED], ()), lines((), coded)
    told = [*recorded, *quoted] if newer else [*quoted, *recorded]
    return NotesFound(
        notes=notes,
        trace=found.trace,
        told="\n".join(told) or NOT_DOCUMENTED,
        coded=coded,
        established=established,
    )


def found_notes(asked: Matched, found: Retrieved, count: int) -> tuple[FoundNote, ...]:
    """The first ``count`` notes, best first, each with the passages that name what is asked, those
    nearest to the question first; with the nearest one where none names it, none where nothing of
    the question is in it.
    """
    index, scores = asked.index, dict[str, float]()
    for place in found.order:
        for part in index.chunks[place].parts:
            scores.setdefault(part.note, round(found.scores.get(place, 0.0), 6))
    known = [part for part in asked.question.parts if part.concepts]
    ids = note_order(index, found.order)[:count]
    bearing: dict[str, list[tuple[float, tuple[int, int], list[int]]]] = {id: [] for id in ids}
    for one, told, listed in zip(index.occurrences, asked.told, _listed(asked), strict=True):
        if one.note not in ids:
            continue
        at = one.at
        named = [n for n, p in enumerate(known) if _named_in(index, one.note, p, at.start, at.end)]
        worth = round(float(asked.cover[one.item] + told + bool(named) + listed), 6)
        if worth > 0:
            bearing[one.note].append((-worth, at.whole, named))

    def given(note: Note) -> FoundNote:
        ranked = sorted(bearing[note.id])
        naming = [one for one in ranked if one[2]]
        firsts = [next((one for one in naming if n in one[2]), None) for n in range(len(known))]
        chosen = dict.fromkeys(
            _passage(note.text, *whole)
            for _, whole, _ in (*ranked[:1], *filter(None, firsts), *naming)
        )
        quoted = tuple(NoteSpan(a, b, note.text[a:b]) for a, b in [*chosen][:PASSAGES])
        return FoundNote(note.id, note.time, quoted, note.category, note.visit, scores[note.id])

    return tuple(given(index.notes[id]) for id in ids)


def _listed(asked: Matched) -> list[bool]:
    """For each item of the notes, whether it is of a kind of things that a question asks for as a
    whole ("Which operations?"), by its section or what it names; coded entries have their kind.
    """
    index = asked.index
    own = [one for one in asked.parts if not one.faint and not kinds_in(one.said)]
    particular = any(one.concepts or not flags(one.said) & EVERYDAY for one in own)
    kinds = frozenset() if particular else kinds_in(asked.question.text)
    wanted = {name for kind in kinds for name in _OF_KIND.get(kind, ())}

    def of_kind(note: str, item: Item) -> bool:
        within = (m for m in index.mentions[note] if item.start <= m.start < item.end)
        return item.section in wanted or any(wanted.intersection(m.types) for m in within)

    return [
        bool(wanted) and one.note not in index.coded.lines and of_kind(one.note, one.at)
        for one in index.occurrences
    ]


def _passage(text: str, start: int, end: int) -> tuple[int, int]:
    """The line that a sentence stands in, where it is short, with the rows of numbers below it:
    what they say belongs together.
    """
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = last if last >= 0 else len(text)
    rows = takewhile(
        lambda row: row.strip() and row.upper() == row.lower(), text[last + 1 :].split("\n")
    )
    line = text[first : last + sum(len(row) + 1 for row in rows)].rstrip()
    own = line.lstrip(" \t-*•")
    return (first + len(line) - len(own), first + len(line)) if len(own) <= LINE else (start, end)


def coded_facts(asked: Matched) -> tuple[CodedFact, ...]:
    """The coded entries that a question names, without any those of the kinds that it asks for, the
    newest first.
    """
    index, telling = asked.index, [part for part in asked.parts if not part.faint]
    kinds = kinds_in(asked.question.text) & LISTED
    every = [line for own in index.coded.lines.values() for line in own]
    own = [
        line
        for line in every
        if any(
            _names_entry(part, line.entry)
            or _named_in(index, line.note, part, line.start, line.end)
            for part in telling
        )
    ] or [line for line in every if line.entry.kind in kinds]
    meant_by = {quantity for quantity, _ in names_in(asked.question.text)}
    if any(measured(line.entry) in meant_by for line in own):  # diastolic is no systolic pressure
        own = [one for one in own if measured(one.entry) in (*meant_by, None)]
    if not own and telling:  # a code without a name may be of what is asked
        drugs = ["drug" in one for one in asked.question.types] or [True, False]
        left = {"condition"} if all(drugs) else {"medication"} if not any(drugs) else {""}
        own = [one for one in every if not one.entry.named and one.entry.kind not in left]
    return tuple(
        CodedFact(
            one.kind,
            one.name,
            one.shown,
            one.unit,
            one.start,
            one.end,
            line.note,
            meant(one),
        )
        for line in sorted(own, key=lambda line: recency(line.entry), reverse=True)[:MOST_CODED]
        if (one := line.entry)
    )


def _names_entry(part: Part, entry: CodedEntry) -> bool:
    """Return whether an entry has a name of a part and its numbers: CA 19-9 is no CA 125."""
    more = (also_named(entry), entry.also, entry.interpretation, _KIND.get(entry.kind, ""))
    name = " ".join((entry.text, *more))
    same = {*_DIGITS.findall(part.said)} <= {*_DIGITS.findall(name)}
    return same and _names(part, naming_words(name))


def _names(part: Part, words: frozenset[str]) -> bool:
    """Return whether words hold a name of a part; what the dictionary knows it finds itself."""
    names = part.names[:1] if part.concepts else part.names
    return any(name <= words for name in names if name)


def _named_in(index: ChartIndex, note: str, part: Part, start: int, end: int) -> bool:
    """Return whether [start, end) of a note names a concept of a part or a narrower one."""
    concepts = with_narrower(part.concepts)
    return any(m.concept in concepts and start <= m.start < end for m in index.mentions[note])


def looked_for(asked: Matched) -> tuple[str, frozenset[str] | None]:
    """(what was looked for and how many notes name it, a line each; the ids of the notes and texts
    of coded entries that name any of it or of the kind asked for, or that the recovery takes for
    ones that answer).

    None for the ids of a question that names nothing in particular ("What was found?").
    """
    index = asked.index
    telling = [part for part in asked.parts if not part.faint and not part.everyday]
    known = [part for part in telling if part.concepts or not flags(part.said)]
    told, found = list[str](), set[str]()
    for part in known or ([] if kinds_in(asked.question.text) else telling):
        ids = {one.note for one in index.occurrences if _names(part, index.words[one.item])}
        ids |= {
            id for id, note in index.notes.items() if _named_in(index, id, part, 0, len(note.text))
        }
        found |= ids
        told.append(_told(index, part, ids))
    listed = zip(index.occurrences, _listed(asked), strict=True)
    found |= {one.note for one, of_kind in listed if of_kind}
    answers = asked.chance("recovery") >= GAMMA
    found |= {part.note for place in np.flatnonzero(answers) for part in index.chunks[place].parts}
    return "\n".join(told), frozenset(found) if found or told else None


def _told(index: ChartIndex, part: Part, ids: set[str]) -> str:
    coded = ids & index.coded.lines.keys()
    notes = [index.notes[id] for id in ids - coded]
    name = f"“{part.said}”"
    if part.concepts:
        narrower = with_narrower(part.concepts) > part.concepts
        name += " (or another name of it" + (" or of something narrower)" if narrower else ")")
    count = len(index.notes) - len(index.coded.lines)
    days = f"{len(coded):,} day{'s' * (len(coded) != 1)}"
    entries = f"; coded entries of {days} do" if coded else "; no coded entry does"
    codes = sorted({one.code for one in index.coded.entries if not one.named and one.code})
    if codes and not coded:
        have = "code has" if len(codes) == 1 else "codes have"
        entries += f" by name, and {len(codes):,} {have} none ({', '.join(codes[:CODES])})"
    if not notes:
        return f"None of {count:,} notes names {name}{entries}."
    dated = sorted({note.time[:10] for note in notes if note.time})
    when = f", {' to '.join(dict.fromkeys((dated[0], dated[-1])))}" if dated else ""
    return f"{len(notes):,} of {count:,} notes name{'s' * (len(notes) == 1)} {name}{when}{entries}."


def lines(notes: Sequence[FoundNote], coded: Sequence[CodedFact]) -> Iterator[str]:
    """Yield the quotations of notes and the coded entries, a line each."""
    for note in notes:
        where = ", ".join(filter(None, (note.date[:10] or "undated", note.category)))
        for span in note.spans:
            yield f'{where}: "{" / ".join(span.text.splitlines())}" [{note.id}]'
    for fact in coded:
        none = "no value recorded" if fact.kind == "observation" else ""
        value = " ".join(filter(None, (fact.value, fact.unit))) or none
        told = ", ".join(filter(None, (fact.text, value, fact.interpretation)))
        told += f" until {fact.end[:10]}" if fact.end else ""
        # Of values of one day the time tells which is newer, in whichever zone it was written.
        when = fact.start.replace("T", " ") if fact.kind == "observation" else fact.start[:10]
        yield f"{when or 'undated'}, coded {fact.kind}: {told} [{fact.note}]"
