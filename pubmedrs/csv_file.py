"""CSV files, of the data set and of the published scores, as rows of cells, nothing changed in
them.
"""

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from clinfo.errors import UsageError
from clinfo.files import file_errors

LONGEST_FIELD: Final = 10_000_000
"""Characters of a cell; more than that are refused. Without a limit of ours Python refuses more
than 131,072.
"""


@dataclass(frozen=True)
class Table:
    """The header and the records of a CSV file; blank lines between records are not records.

    ``places`` are the rows' numbers in a spreadsheet, in which blank lines count and the header is
    row 1.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises UsageError where it cannot be read."""
    with file_errors(f"the file {path} cannot be opened"):
        return path.read_bytes()


def decode(data: bytes, name: str) -> str:
    """Text in UTF-8, a byte order mark left out. Raises UsageError naming the first byte that is
    none.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{name} is in UTF-16, not UTF-8: save it as “CSV UTF-8”")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line = data.count(b"\n", 0, offset) + 1
        raise UsageError(
            f"{name} is not UTF-8: byte 0x{data[offset]:02x} at position {offset:,} (line {line:,})"
        ) from None


def read_table(text: str, name: str, delimiter: str = ",") -> Table:
    """The records of a CSV text. Raises UsageError where it is not a CSV file, naming record and
    line, and where it holds nothing.
    """
    csv.field_size_limit(LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    rows: list[tuple[int, tuple[str, ...]]] = []
    place = 0
    try:
        for place, row in enumerate(reader, 1):
            if row:
                rows.append((place, tuple(row)))
    except csv.Error as error:
        where = f"record {place:,}, " if place else ""
        raise UsageError(
            f"{name} is not a CSV file, or is cut off: {error} ({where}line {reader.line_num:,})"
        ) from None
    if not rows:
        raise UsageError(f"{name} is empty")
    header, records = rows[0][1], rows[1:]
    return Table(
        tuple(cell.strip() for cell in header),
        tuple(row for _, row in records),
        tuple(place for place, _ in records),
    )
