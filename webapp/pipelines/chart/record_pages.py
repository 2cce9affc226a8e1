"""The pages of the record behind a run: a note, all notes with what each stage did to them, and the
record at a glance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from flask import Blueprint, abort, render_template, request

from clinfo.errors import UsageError
from clinfo.patients import Note, Place, Record
from clinfo.pipelines.chart import build_answer
from clinfo.records import StageTrace
from clinfo.text import day
from webapp.forms import begun
from webapp.patients import looked_at
from webapp.pipelines.chart.asking import reader
from webapp.records import NotFound, StoredRun
from webapp.services import services
from webapp.visitors import visitor, with_page

pages = Blueprint("chart", __name__)

STAGES: Final = {
    "types": "Kinds of things that the question is after",
    "entities": "Things that the question names",
    "dense": "Likest to the question",
    "recovery": "Brought back",
    "rerank": "In order",
    "time": "The time that is asked for",
    "reranker": "In the order of the reranker",
}
AT_ONCE: Final = 100
"""Notes on a page of the timeline."""
DRAWN: Final = 3
"""Values of one measure from which they are drawn."""
_AT: Final = re.compile(r"(\d{1,9})-(\d{1,9})")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def record_of(run: StoredRun) -> Record:
    """The record that the run searched. Where it was erased, the run goes too: NotFound."""
    try:
        return reader(services().chain)(run.request).one()
    except UsageError:
        services().store.delete(run.id)
        raise NotFound("The record of this run was erased, and the run with it.") from None


def notes_of(run: StoredRun) -> tuple[Note, ...]:
    """The notes and texts of coded entries that the run searched, as `record_of`."""
    from clinfo.pipelines.chart import chosen

    return chosen(record_of(run), run.request)


@pages.get("/runs/<run_id>/notes/<int:number>")
def note(run_id: str, number: int) -> str:
    """A note of the record, whole, with what the answer quotes of it marked; ``?at=12-40`` marks
    that place and leads to it.
    """
    run = with_page(run_id, "chart")
    notes = notes_of(run)
    if not 1 <= number <= len(notes):
        abort(404, "The record has no note of this number.")
    one, run_log = notes[number - 1], looked_at(run, visitor(), "view note")
    found = build_answer(run_log).notes if run_log.started else ()
    spans = [(span.start, span.end) for each in found if each.id == one.id for span in each.spans]
    asked = _AT.fullmatch(request.args.get("at", ""))
    here = (int(asked[1]), int(asked[2])) if asked else None
    if here is not None and here[0] < here[1] <= len(one.text):
        spans.append(here)
    return render_template(
        "chart/note.html",
        run=run,
        note=one,
        day=day(one.time) or "no date",
        pieces=_marked(one.text, spans, here[0] if here else min(spans, default=(0, 0))[0]),
        number=number,
        count=len(notes),
    )


def _marked(text: str, spans: Sequence[tuple[int, int]], here: int) -> list[tuple[str, bool, bool]]:
    """A text in pieces, whether each is within one of the spans, and begins at ``here``."""
    cuts = sorted({0, len(text), *(place for span in spans for place in span)})
    return [
        (
            text[a:b],
            marked := any(start <= a and b <= end for start, end in spans),
            marked and a == here,
        )
        for a, b in pairwise(cuts)
    ]


@pages.get("/runs/<run_id>/timeline")
def timeline(run_id: str) -> str:
    """All notes that were searched, with their place in the order and what each stage did."""
    run = with_page(run_id, "chart")
    notes = notes_of(run)
    looked_at(run, visitor(), "view timeline")
    answer = build_answer(begun(run))
    pages_ = max(1, -(-len(notes) // AT_ONCE))
    page = min(max(request.args.get("page", 1, type=int), 1), pages_)
    first = (page - 1) * AT_ONCE
    found = {one.id: place for place, one in enumerate(answer.notes, 1)}
    told = _by_note(run, notes, answer.stages)
    return render_template(
        "chart/timeline.html",
        run=run,
        stages=[STAGES.get(one.name, one.name) for one in answer.stages],
        rows=[
            (place, one, day(one.time) or "no date", found.get(one.id), told.get(one.id, ()))
            for place, one in enumerate(notes[first : first + AT_ONCE], first + 1)
        ],
        page=page,
        pages=pages_,
        count=len(notes),
    )


def _by_note(
    run: StoredRun, notes: Sequence[Note], stages: Sequence[StageTrace]
) -> Mapping[str, list[tuple[bool | None, str]]]:
    """By note, what each stage did to its first passage: kept it or not (None: was not given it),
    and why.
    """
    from clinfo.pipelines.chart import packed

    first: dict[str, str] = {}
    for chunk in packed(notes, across_visits=run.request.across_visits):
        for part in chunk.parts:
            first.setdefault(part.note, chunk.id)
    given = [(set(one.given), set(one.kept), one.reasons) for one in stages]
    return {
        note: [
            (id in kept if id in looked else None, reasons.get(id, ""))
            for looked, kept, reasons in given
        ]
        for note, id in first.items()
    }


@pages.get("/runs/<run_id>/record")
def glance(run_id: str) -> str:
    """The record at a glance: conditions; coded allergies, medicines and results over time."""
    from clinfo.cache import Cache
    from clinfo.patients import Mention, PatientStore, with_terms
    from clinfo.patients import overview_of as overview
    from clinfo.pipelines.chart import read_note

    run = with_page(run_id, "chart")
    record = record_of(run)
    looked_at(run, visitor(), "view record")
    lexicon, known = (
        with_terms(services().chain.patient_terms),
        {note.text for note in record.notes},
    )
    cache: Cache | None = None
    if record.notes and services().chain.cache != "off":
        cache = PatientStore.of(services().chain).cache(record.notes[0].patient)
    try:

        def read(text: str) -> Sequence[Mention]:
            return read_note(text, lexicon, cache if text in known else None).mentions

        shown = overview(record, read)
    finally:
        if cache is not None:
            cache.close()
    number = {note.id: place for place, note in enumerate(notes_of(run), 1)}
    values = [
        (concept, own, _drawn([one.shown for one in reversed(own)]))
        for concept, own in shown.values.items()
    ]
    return render_template(
        "chart/record.html", run=run, shown=shown, number=number, values=values, quoted=_quoted
    )


def _quoted(place: Place) -> str:
    """The words of a place on one line, cut where they are long."""
    plain = " ".join(place.quote.split())
    return plain if len(plain) <= AT_ONCE else f"{plain[: AT_ONCE - 1]}…"


def _drawn(values: Sequence[str]) -> str:
    """The points of a line through values in order, in a box of 100 by 24; "" for too few."""
    numbers = [float(found[0]) for one in values if (found := _NUMBER.search(one))]
    if len(numbers) < DRAWN:
        return ""
    low, span = min(numbers), (max(numbers) - min(numbers)) or 1.0
    return " ".join(_points(numbers, low, span))


def _points(numbers: Sequence[float], low: float, span: float) -> Iterator[str]:
    for place, one in enumerate(numbers):
        yield f"{100 * place / (len(numbers) - 1):.1f},{22 - 20 * (one - low) / span:.1f}"
