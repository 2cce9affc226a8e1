"""Words that readers of text know, one kind a file: abbreviations, function words, people, …

A line of a file is a word and, after ``=``, the groups that hold it; who reads them names the
group, so a word stands in one place. Spaces in a word stand for any white space, and signs of
regular expressions are kept. Lines that begin with ``#`` tell what the file holds, its source and
licence.
"""

from functools import cache
from pathlib import Path

from clinfo.errors import RecordError

_FOLDER = Path(__file__).parent


def entries(path: Path) -> list[str]:
    """The lines of a file of words but for those that tell of it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@cache
def groups(kind: str) -> dict[str, tuple[str, ...]]:
    """The words of a kind by group, in the order of its file. FileNotFoundError where there is no
    such kind."""
    found: dict[str, list[str]] = {}
    for line in entries(_FOLDER / f"{kind}.txt"):
        word, _, names = line.rpartition(" = ")
        for name in names.split():
            found.setdefault(name, []).append(word)
    return {name: tuple(words) for name, words in found.items()}


def words_of(kind: str, group: str) -> tuple[str, ...]:
    """The words of one group. KeyError where the kind has no such group."""
    return groups(kind)[group]


def read_rows(path: Path, columns: int) -> list[tuple[str, ...]]:
    """The rows of a table with tabs between its columns; lines that begin with # and empty ones are
    left out.

    Raises RecordError where the file cannot be read or a row has another number of columns.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise RecordError(f"the table {path} cannot be read: {error}") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        row = tuple(part.strip() for part in line.split("\t"))
        if len(row) != columns or not row[0]:
            raise RecordError(f"{path}, line {number}: {columns} columns are wanted, not {line!r}")
        rows.append(row)
    return rows
