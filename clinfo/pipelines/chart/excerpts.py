"""What a model reads of a record: all of it in order of time where it fits the model's window, else
the notes found with the newest one and the current lists of medicines, problems and allergies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from clinfo.llm.delimiting import fenced
from clinfo.patients.coded_texts import PREFIX, is_coded
from clinfo.patients.records import CodedEntry, Note
from clinfo.patients.sections import sections
from clinfo.patients.times import day_span, newest_day
from clinfo.records.chart import FoundNote

SHOWN: Final = 6_000
"""Characters shown of a note where the record is not read whole."""
REPLY_TOKENS: Final = 2_500
"""Tokens left free for the instructions and the reply."""
LISTS: Final = ("medications", "allergies", "past", "plan")
"""Kinds of sections (`clinfo.patients.sections`) that hold the current lists."""
CODED_LISTS: Final = tuple(PREFIX + kind for kind in ("medication", "allergy", "condition"))
BIRTH, SEX = "21112-8", "46098-0"
"""Codes of LOINC for the date of birth and the sex."""


@dataclass(frozen=True)
class Excerpt:
    """A note as a model reads it: [start, end) of its text."""

    note: Note
    start: int
    end: int

    @property
    def whole(self) -> bool:
        return self.end - self.start == len(self.note.text)

    def shown(self, number: int) -> str:
        """The excerpt under its number, day and category, delimited."""
        text = self.note.text[self.start : self.end].strip()
        return fenced(f"[{number}] {self.head}\n{text}", "note", by_line=True)

    @property
    def head(self) -> str:
        """Day and category of the note, and whether more stands in it."""
        cut = "" if self.whole else " (only a part of this note is shown)"
        return f"{self.note.time[:10] or 'undated'} {self.note.category}".rstrip() + cut


def in_order(excerpts: Iterable[Excerpt]) -> tuple[Excerpt, ...]:
    """Excerpts in order of time, those without a day last."""
    return tuple(
        sorted(excerpts, key=lambda one: (not one.note.time, one.note.time, one.note.id, one.start))
    )


def whole_record(
    notes: Sequence[Note], count_tokens: Callable[[str], int], window: int
) -> tuple[Excerpt, ...] | None:
    """All notes and coded entries in order of time; None where they do not fit the window."""
    every = in_order(Excerpt(note, 0, len(note.text)) for note in notes)
    room = window - REPLY_TOKENS
    if sum(len(one.note.text) for one in every) > 8 * max(room, 0):  # no tokens are that long
        return None
    text = "\n\n".join(one.shown(number) for number, one in enumerate(every, 1))
    return every if count_tokens(text) <= room else None


def chosen_excerpts(
    notes: Sequence[Note],
    found: Sequence[FoundNote],
    count_tokens: Callable[[str], int],
    window: int,
) -> tuple[Excerpt, ...]:
    """As much as fits of: the newest note, the newest section of each of the `LISTS`, the coded
    entries of such kinds, the notes found, best first, then the others from the newest back; in
    order of time.
    """
    known = {note.id: note for note in notes}
    dated = sorted(
        (note for note in notes if note.time and not is_coded(note)),
        key=lambda note: (note.time, note.id),
        reverse=True,
    )
    wanted = [_around(note, 0) for note in dated[:1]]
    for kind in LISTS:
        wanted += next(
            (
                [Excerpt(note, part.heading, min(part.end, part.heading + SHOWN))]
                for note in dated
                for part in sections(note.text)
                if part.kind == kind and note.text[part.start : part.end].strip()
            ),
            [],
        )
    coded = [note for note in notes if note.category in CODED_LISTS]
    wanted += [_around(note, 0) for note in sorted(coded, key=lambda note: note.time, reverse=True)]
    wanted += [
        _around(known[one.id], one.spans[0].start if one.spans else 0)
        for one in found
        if one.id in known
    ]
    wanted += [_around(note, 0) for note in dated]
    room = window - REPLY_TOKENS
    taken: dict[str, list[Excerpt]] = {}
    for one in wanted:
        own = taken.get(one.note.id, [])
        if any(each.start <= one.start and one.end <= each.end for each in own):
            continue
        cost = count_tokens(one.shown(100))
        if cost <= room:
            room -= cost
            inside = [each for each in own if not (one.start <= each.start and each.end <= one.end)]
            taken[one.note.id] = [*inside, one]
    return in_order(one for own in taken.values() for one in own)


def _around(note: Note, at: int) -> Excerpt:
    """The note, or `SHOWN` characters of it around a place."""
    start = max(0, min(at - SHOWN // 2, len(note.text) - SHOWN))
    return Excerpt(note, start, min(len(note.text), start + SHOWN))


def what_was_read(excerpts: Sequence[Excerpt], notes: Sequence[Note]) -> str:
    """How much of the record a model read, in words."""
    ids = {one.note.id for one in excerpts if not is_coded(one.note)}
    whole = {one.note.id for one in excerpts if one.whole} & ids
    every = sum(not is_coded(note) for note in notes)
    if len(whole) == every:
        return f"The model read all {every:,} notes and the coded entries."
    part = f", {len(ids - whole):,} of them in part" if ids - whole else ""
    return (
        f"The model read {len(ids):,} of {every:,} notes{part}; what stands in the others it has "
        "not seen."
    )


def patient_facts(entries: Sequence[CodedEntry], notes: Sequence[Note]) -> str:
    """Age, sex and the last day of a record, as far as coded entries and the days of notes say."""
    by_code = {one.code: one.value for one in entries if one.kind == "observation"}
    last = newest_day((note.time for note in notes), date.max)
    born = day_span(by_code.get(BIRTH, ""))
    day = f"last day of the record: {last}" if last else "no day is known of the record"
    told = [day]
    if born and last:
        years = last.year - born[0].year - ((last.month, last.day) < (born[0].month, born[0].day))
        told.append(f"{years} years old on that day (born {by_code[BIRTH]})")
    if sex := by_code.get(SEX, ""):
        told.append(f"sex: {sex}")
    return "; ".join(told if told[1:] else (*told, "age and sex: as the notes say"))
