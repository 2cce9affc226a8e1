"""Reads a note of plain text, whose date and category stand in the file's name."""

import re
from pathlib import PurePath

from clinfo.patients.collecting import MOST_CHARACTERS, Collection
from clinfo.patients.readers.files import Source, lines
from clinfo.patients.records import Note
from clinfo.patients.times import iso

_DATE = re.compile(
    r"(?<!\d)((?:19|20|21|22)\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])"
    r"(?:[T_ -]([01]\d|2[0-3])[-:.]?([0-5]\d)(?!\d))?(?!\d)"
)


def read_plain_note(source: Source, collection: Collection) -> None:
    """Read ``2020-04-03_nursing.txt``: a note of that day, of the category ``nursing``, of the
    patient after whom its folder is named, below the one that is read.
    """
    stem = PurePath(source.name.rpartition(": ")[2].removesuffix(".gz")).stem
    time, category = "", stem
    if found := _DATE.search(stem):
        day = iso("-".join(found.groups()[:3]))
        time = f"{day}T{found[4]}:{found[5]}" if day and found[4] else day
        category = stem[: found.start()] + " " + stem[found.end() :]
    parts: list[str] = []
    left = MOST_CHARACTERS + 1
    with source.open() as file:
        for _, line in lines(file, lambda told: collection.problem(f"{source.name}, {told}")):
            parts.append(line[:left])
            left -= len(parts[-1])
    note = Note(
        id="",
        patient=collection.unnamed_patient(source.folder),
        text="".join(parts),
        time=time,
        category=" ".join(re.sub(r"[\W\d_]+", " ", category).split()),
    )
    collection.note(note, source.name)
