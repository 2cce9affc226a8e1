"""Reads notes of a table: CSV, or divided by semicolons, tabs or bars, with a row of headers.

MIMIC's NOTEEVENTS is one of them, as it is: rows marked ISERROR are skipped.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import PurePath

from clinfo.errors import RecordError
from clinfo.patients.collecting import Collection
from clinfo.patients.readers.files import MOST_LINE, Source, lines
from clinfo.patients.records import Note
from clinfo.patients.times import first_number_is_day, iso

HEADERS = {
    "patient": "patient patientid subjectid subject person personid pid mrn patientnumber",
    "visit": "visit visitid hadmid admission admissionid encounter encounterid stay stayid csn",
    "moment": "charttime datetime timestamp notetime notedatetime time",
    "day": "chartdate date notedate servicedate reportdate",
    "category": "category notecategory type notetype doctype documenttype",
    "text": "text note notetext content body report document",
    "id": "rowid noteid id documentid docid reportid",
    "error": "iserror error enteredinerror",
}
"""Headers in lower case without marks, by what they hold; the first that a table has is taken."""
_BY_HEADER = {name: what for what, names in HEADERS.items() for name in names.split()}


_NO_ERROR = ("", "0", "0.0", "false", "f", "n", "no")


def columns(header: str) -> tuple[dict[str, int], str]:
    """The place of each thing in a table with this line of headers, and what divides its cells.

    Nothing where it is no table of notes: one has at least a text and another known column.
    """
    mark = max(",;\t|", key=header.count)
    try:
        row = next(csv.reader([header], delimiter=mark), [])
    except csv.Error:
        return {}, mark
    places = {re.sub(r"[\W_]", "", cell.lower()): place for place, cell in enumerate(row)}
    found: dict[str, int] = {}
    for name, what in _BY_HEADER.items():
        if name in places:
            found.setdefault(what, places[name])
    return (found if "text" in found and len(found) > 1 else {}), mark


def read_table(source: Source, collection: Collection) -> None:
    """Read a table of notes; rows without patient are of one named after the file."""
    with source.open() as file:
        header = next((line for _, line in lines(file, lambda _: None) if line.strip()), "")
    where, mark = columns(header)
    if not where:
        raise RecordError(f"{source.name}: its first line names no column of notes")
    unnamed = f"{source.folder}/{PurePath(source.name.rpartition(': ')[2]).name.partition('.')[0]}"
    day_first = _day_first(source, where, mark)
    unread = short = 0
    for number, row in _rows(source, mark, collection):
        if len(row) <= where["text"]:
            short += 1
            continue
        cells = {what: row[at].strip() for what, at in where.items() if at < len(row)}
        if cells.get("error", "").lower() not in _NO_ERROR:
            collection.skipped["marked as an error"] += 1
            continue
        written = cells.get("moment") or cells.get("day", "")
        time = iso(written, day_first)
        if written and not time and cells.get("day"):
            time = iso(cells["day"], day_first)
        unread += bool(written) and not time
        note = Note(
            id=cells.get("id", ""),
            patient=cells.get("patient") or collection.unnamed_patient(unnamed),
            text=row[where["text"]],
            time=time,
            category=cells.get("category", ""),
            visit=cells.get("visit", "").removesuffix(".0"),
        )
        collection.note(note, f"{source.name}, line {number}")
    if short:
        collection.problem(f"{source.name}: {short} rows are too short to hold a text")
    if unread:
        collection.problem(
            f"{source.name}: {unread} dates could not be read for sure; write them as 2020-04-03"
        )


def _rows(source: Source, mark: str, collection: Collection) -> Iterator[tuple[int, list[str]]]:
    """The rows after the headers, with the numbers of the lines on which they end."""
    csv.field_size_limit(max(csv.field_size_limit(), MOST_LINE))
    with source.open() as file:
        told = collection.problem
        text = lines(file, lambda line: told(f"{source.name}, {line}"))
        before = next((number for number, line in text if line.strip()), 0)
        reader = csv.reader((line for _, line in text), delimiter=mark)
        try:
            for row in reader:
                if row:
                    yield before + reader.line_num, row
        except csv.Error as error:
            told(f"{source.name}, line {before + reader.line_num}: {error}; not read on")


def _day_first(source: Source, where: dict[str, int], mark: str) -> bool | None:
    """Return whether the table writes 13/04/2020: by its own dates, None where none shows it or
    they differ.
    """
    at = [where[what] for what in ("moment", "day") if what in where]
    shown: set[bool] = set()
    for _, row in _rows(source, mark, Collection()):
        for place in at:
            order = first_number_is_day(row[place]) if place < len(row) else None
            if order is not None:
                shown.add(order)
    return shown.pop() if len(shown) == 1 else None
