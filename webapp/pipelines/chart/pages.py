"""The pages of the chart pipeline: the form for a record and a question; a run that has ended (its
answer leading into the notes, the notes found on a line of time, what each stage kept); the record
behind it (a note, all notes, at a glance); exports, and erasing.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from itertools import pairwise
from typing import Any, Final

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.cache import Cache
from clinfo.errors import UsageError
from clinfo.patients import Mention, Note, PatientStore, Place, Record, overview_of, with_terms
from clinfo.pipelines.chart import (
    NOT_DOCUMENTED,
    ChartRequest,
    StageTrace,
    build_answer,
    chosen,
    packed,
    read_note,
    trace_text,
)
from clinfo.render import chart_page as written_page
from clinfo.text import day, one_line
from clinfo.views import VERDICTS
from webapp.forms import begun, export_page, files_of, form_page
from webapp.patients import audit, looked_at
from webapp.pipelines import declared
from webapp.pipelines.chart.declared import MOST_BYTES, Kept, offered_models, reader
from webapp.records import NotFound, Refused, StoredRun
from webapp.services import services
from webapp.visitors import changeable, may_change, visitor, with_page

pages = Blueprint("chart", __name__)
EXPORTS: Final = files_of("chart", lambda run_log: written_page(build_answer(run_log)), trace_text)
_OVERHEAD: Final = 2_000_000
"""Bytes of a form besides its files."""
_TEXTS: Final = ("question", "patient", "visit", "category", "from", "to", "model", "stage")

QUOTED: Final = 10
"""Notes that are quoted."""
_CITED: Final = re.compile(r'(?:"(?P<quote>[^"\n]{2,400})"(?P<between>\s?))?\[(?P<id>[^\]\n]+)\]')
STAGES: Final = {
    "types": "Of the kind asked for",
    "entities": "Names what is asked about",
    "dense": "Closest in words and meaning",
    "recovery": "Restored",
    "rerank": "Ranked",
    "time": "Of the days asked for",
    "reranker": "Ranked again",
}
AT_ONCE: Final = 100
"""Notes on a page of the timeline."""
DRAWN: Final = 3
"""Values of one measure from which they are drawn."""
_AT: Final = re.compile(r"(\d{1,9})-(\d{1,9})")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
Piece = tuple[str, int | None, str]
"""Words, the number of the note that they name (None: none), and the place there as "12-40"."""


def _fields(before: StoredRun | None) -> dict[str, Any]:
    """The fields typed and files handed over; without files, the record of the run ``before``."""
    sent = {name: request.form.get(name, "").strip() for name in _TEXTS}
    fields: dict[str, Any] = {name: value for name, value in sent.items() if value}
    files: dict[str, bytes] = {}
    for upload in (*request.files.getlist("record"), *request.files.getlist("folder")):
        if name := one_line(upload.filename or ""):
            files[name if name not in files else f"{len(files)}-{name}"] = upload.stream.read()
    if files:
        fields["record"] = files
    elif before is not None:
        fields["record"] = Kept(before.request.patient, before.request.record[0])
        fields.pop("patient", None)
    return fields


def _typed_before(run: StoredRun) -> dict[str, Any]:
    asked: ChartRequest = run.request
    return {
        "question": asked.question,
        "visit": ", ".join(asked.visits),
        "category": ", ".join(asked.categories),
        "from": asked.since,
        "to": asked.until,
        "stage": asked.stage,
        "model": next(iter(asked.models.values()), ""),
    }


def _values(before: StoredRun | None) -> dict[str, Any]:
    models = offered_models(services().web, services().chain)
    return {"models": models, "most_mb": MOST_BYTES // 1_000_000}


form_page(pages, "chart", _fields, _typed_before, _values, MOST_BYTES + _OVERHEAD)


def ended(run: StoredRun, values: dict[str, Any]) -> str:
    """The page of a run that has ended; that it was looked at is logged."""
    notes = notes_of(run)
    run_log = looked_at(run, visitor(), "view")
    if run_log.started is None:
        return render_template("chart/answer.html", **values, answer=None)
    answer = build_answer(run_log)
    number = {note.id: place for place, note in enumerate(notes, 1)}
    found = {one.id: place for place, one in enumerate(answer.notes, 1)}
    quoted = [one for one in answer.notes if one.spans][:QUOTED]
    values |= {
        "answer": answer,
        "lines": [_linked(line, notes, number) for line in answer.answer.splitlines()],
        "established": [_linked(line, notes, number) for line in answer.established.splitlines()],
        "documented": answer.answer not in ("", NOT_DOCUMENTED),
        "claims": [
            {
                "claim": one,
                "verdict": VERDICTS[one.verdict],
                "quoted": [
                    {
                        "text": each.quotation.text,
                        "note": number.get(each.note),
                        "day": day(each.date) or "no date",
                        "at": f"{each.quotation.start}-{each.quotation.end}",
                    }
                    for each in one.quoted
                ],
            }
            for one in answer.claims
        ],
        "quoted": [(one, number[one.id], day(one.date)) for one in quoted if one.id in number],
        "timeline": _timeline(notes, found),
        "found": len(found),
        "exports": EXPORTS,
        "count": len(notes),
        "stages": [
            f"{STAGES.get(one.name, one.name)}: {len(one.kept):,} of {len(one.given):,} passages"
            for one in answer.stages
        ],
    }
    return render_template("chart/answer.html", **values)


def _linked(line: str, notes: Sequence[Note], number: dict[str, int]) -> list[Piece]:
    """A line of an answer in pieces: a quotation leads to its place in the note that is cited."""
    pieces, at = list[Piece](), 0
    for match in _CITED.finditer(line):
        place = number.get(match["id"])
        if place is None:
            continue
        if match.start() > at:
            pieces.append((line[at : match.start()], None, ""))
        span = _place(match["quote"] or "", notes[place - 1].text)
        if match["quote"]:
            pieces.append((f"“{match['quote']}”", place if span else None, span))
            pieces.append((match["between"] or " ", None, ""))
        pieces.append((f"note {place}", place, span))
        at = match.end()
    return [*pieces, (line[at:], None, "")] if at < len(line) else pieces


def _place(quote: str, text: str) -> str:
    """The place of a quotation in a note, whatever its white space; "" for none."""
    words = quote.removesuffix("…").split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return f"{found.start()}-{found.end()}" if found else ""


def _timeline(notes: Sequence[Note], found: dict[str, int]) -> list[dict[str, Any]]:
    """The notes that were found in order of time, and how many others lie between them."""
    places = [0, *(n for n, note in enumerate(notes, 1) if note.id in found)]
    rows: list[dict[str, Any]] = [
        {
            "between": n - before - 1,
            "number": n,
            "note": notes[n - 1],
            "date": day(notes[n - 1].time) or "no date",
            "place": found[notes[n - 1].id],
        }
        for before, n in pairwise(places)
    ]
    rest = len(notes) - places[-1]
    return [*rows, {"between": rest, "number": None}] if rest else rows


@pages.post("/runs/<run_id>/erase")
def erase(run_id: str) -> BaseResponse:
    """Take away all that is kept of the patient of this run: record, caches, every run. Raises
    Refused where one of the runs is another's, who may have handed over another record.
    """
    run = changeable(run_id)
    if run.pipeline != "chart":
        raise NotFound("This run has no patient.")
    who, patient, runs = visitor(), run.request.patient, services().store.of_pipeline("chart")
    runs = [one for one in runs if one.request.patient == patient]
    if not all(may_change(who, one) for one in runs):
        raise Refused(
            "Others have asked about this patient too, so the page does not erase the record. "
            "Delete your runs; the operator can erase the patient with: clinfo chart erase PATIENT"
        )
    store = PatientStore.of(services().chain)
    audit(declared("chart"), run.request, who, services().chain, "erase", run.id)
    store.erase(patient)
    for one in runs:
        services().store.delete(one.id)
    return redirect(url_for("chart.form", erased=1), 303)


def record_of(run: StoredRun) -> Record:
    """The record that the run searched. Where it was erased, the run goes too: NotFound."""
    try:
        return reader(services().chain)(run.request).one()
    except UsageError:
        services().store.delete(run.id)
        raise NotFound("The record of this run was erased, and the run with it.") from None


def notes_of(run: StoredRun) -> tuple[Note, ...]:
    """The notes and texts of coded entries that the run searched, as `record_of`."""
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
        rows=[
            (place, one, day(one.time) or "no date", found.get(one.id), told.get(one.id))
            for place, one in enumerate(notes[first : first + AT_ONCE], first + 1)
        ],
        page=page,
        pages=pages_,
        count=len(notes),
    )


def _by_note(
    run: StoredRun, notes: Sequence[Note], stages: Sequence[StageTrace]
) -> Mapping[str, str]:
    """By note, what the stages that were given its first passage did with it, and why."""
    first: dict[str, str] = {}
    for chunk in packed(notes):
        for part in chunk.parts:
            first.setdefault(part.note, chunk.id)
    told: dict[str, list[str]] = {}
    for one in stages:
        name, kept = STAGES.get(one.name, one.name), set(one.kept)
        for id in one.given:
            why = one.reasons.get(id)
            said = f"{name}: {'yes' if id in kept else 'no'}" + (f" ({why})" if why else "")
            told.setdefault(id, []).append(said)
    return {note: " · ".join(told.get(id, ())) for note, id in first.items()}


@pages.get("/runs/<run_id>/record")
def glance(run_id: str) -> str:
    """The record at a glance: conditions; coded allergies, medicines and results over time."""
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

    def read(text: str) -> Sequence[Mention]:
        return read_note(text, lexicon, cache if text in known else None).mentions

    with closing(cache) if cache is not None else nullcontext():
        shown = overview_of(record, read)
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
    across = 100 / (len(numbers) - 1)
    return " ".join(
        f"{place * across:.1f},{22 - 20 * (one - low) / span:.1f}"
        for place, one in enumerate(numbers)
    )


export_page(pages, "chart", f"<any({', '.join(map(repr, EXPORTS))}):name>", EXPORTS, notes_of)
