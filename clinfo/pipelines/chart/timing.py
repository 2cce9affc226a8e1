"""The time that a question asks about, laid over what was found: notes of its days come first, and
of those that answer the earliest or the newest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from clinfo.patients.asked_time import asked_time
from clinfo.patients.contradictions import contradictions
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.records import Record
from clinfo.patients.times import newest_day
from clinfo.patients.windows import Window, window
from clinfo.pipelines.chart.asked import ChartQuestion
from clinfo.pipelines.chart.index import ChartIndex

_CACHE = "_record"


def asked_window(text: str, index: ChartIndex, lexicon: Lexicon) -> Window:
    """The days that a question means, counted from the newest note's day ("two years ago")."""
    record = record_of(index)
    times = [note.time for note in record.notes] + [one.start for one in record.entries]
    as_of = newest_day(times, date.max)
    if as_of is None:
        return Window()
    return window(
        asked_time(text, as_of), record, index.mentions, lambda one: find_mentions(one, lexicon)
    )


def in_time(
    order: Sequence[int], index: ChartIndex, asked: Window, answers: Any
) -> tuple[list[int], dict[int, str]]:
    """Chunks in the order that a window asks for, none left out, and why each stands where it does.

    ``answers`` says of each chunk whether it is likely to answer.
    """

    def within(place: int) -> bool:
        notes = {part.note for part in index.chunks[place].parts}
        return any(asked.holds(note, index.notes[note].time) for note in notes)

    inside = [place for place in order if within(place)]
    if asked.order:
        told = [p for p in inside if answers[p] and index.chunks[p].since]
        told.sort(key=lambda p: index.chunks[p].since, reverse=asked.order == "last")
        first = set(told)
        inside = [*told, *(place for place in inside if place not in first)]
    those = set(inside)
    outside = [place for place in order if place not in those]
    reasons = dict.fromkeys(inside, "of these days") | dict.fromkeys(outside, "other days: last")
    return [*inside, *outside], reasons


def says_when(asked: Window) -> bool:
    """Return whether a window asks for any time at all."""
    return bool(asked.start or asked.end or asked.order or asked.notes is not None)


def disagreements(question: ChartQuestion, index: ChartIndex) -> list[str]:
    """What the record says in one note and denies in another of what is asked, a line each."""
    return [
        f"Notes disagree on {one.concept}: {one.said.day or 'undated'} “{one.said.quote}” "
        f"[{one.said.note}], but {one.denied.day or 'undated'} “{one.denied.quote}” "
        f"[{one.denied.note}]"
        for one in contradictions(record_of(index), index.mentions)
        if one.concept in question.concepts
    ]


def record_of(index: ChartIndex) -> Record:
    """The record of an index, its notes by time and id, those without a time last, and its coded
    entries.
    """
    known: Record | None = index.__dict__.get(_CACHE)
    if known is None:
        notes = [one for one in index.notes.values() if one.id not in index.coded.lines]
        notes.sort(key=lambda one: (not one.time, one.time, one.id))
        patient = next(iter(index.notes.values())).patient if index.notes else ""
        known = Record(patient, tuple(notes), index.coded.entries)
        object.__setattr__(index, _CACHE, known)
    return known
