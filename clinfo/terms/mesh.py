"""A table of MeSH: the descriptor of a name, narrower descriptors, near headings.

Names are compared by `clinfo.text.words.key`, so that a heading's brackets, commas and hyphens
count as spaces. A table is one SQLite file that nobody writes to once it is there
(`clinfo.terms.mesh_files` puts a new one in its place), so opening it costs a millisecond and a
lookup reads a few pages. The one that comes with the program (`mesh.sqlite.xz`
beside this file, made by ``python -m benchmarks.own.pack_mesh``) is unpacked into memory.
"""

import lzma
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Literal

from clinfo.errors import RecordError
from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.text.words import STOPWORDS, key, words

SUGGESTIONS = 3
"""Nearest headings that come with a text that is none."""
ACTIONS = "D27."
"""The branch of MeSH for what drugs do and are used for ("Chemical Actions and Uses"): the headings
of classes of drugs.
"""
FILE_NAME = "mesh.sqlite"
"""Name of the table's file in the folder of data (`clinfo.settings.Settings.data_dir`)."""
FORM = 1
"""Counted up when the table's columns change; a table of another form has to be loaded again."""
_MOST_EXPLODED = 512
LONGEST = 250
"""Characters of the longest text that can be a name: NLM's longest entry terms have about 200."""
_CANDIDATES = 100
_FAR = 75.0
"""Likeness of 100 below which a name is not like the text, unless it stands whole in it."""
Kind = Literal["heading", "entry term"]


@dataclass(frozen=True)
class Edition:
    """The edition of MeSH in a table: the year (None where the file does not tell), the file's name
    and SHA-256, numbers, loading time.

    ``loaded_at`` is ISO 8601, UTC.
    """

    year: int | None
    source: str
    sha256: str
    descriptors: int
    entry_terms: int
    loaded_at: str


def table_path(data_dir: Path) -> Path:
    """Return where the table lies in the folder of data."""
    return data_dir / FILE_NAME


class Mesh:
    """A table of MeSH in one file, opened at the first lookup; to be used from any number of
    threads. Every method raises RecordError where the file is missing, damaged or of another form.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened_by: int | None = None
        self._longest_name = 0
        self._edition: Edition | None = None

    def __eq__(self, other: object) -> bool:
        """Two are the same where their editions are, and so is what was worked out with them."""
        return isinstance(other, Mesh) and self.edition == other.edition

    def __hash__(self) -> int:
        return hash(self.edition)

    @property
    def edition(self) -> Edition:
        """Return which MeSH this is."""
        with self._lock:
            self._open()
            assert self._edition is not None
            return self._edition

    @property
    def name(self) -> str:
        """The edition for a reader: "MeSH 2020", or "MeSH" where the year is not known."""
        return f"MeSH {self.edition.year}" if self.edition.year else "MeSH"

    def descriptor(self, name: str) -> MeshDescriptor | None:
        """The descriptor with this unique identifier (``D001249``), heading or entry term."""
        ui = name.strip().upper()
        identified = "SELECT * FROM descriptors WHERE ui = ?"
        if ui.isascii() and (rows := self._rows(identified, (ui,))):
            return _descriptor(rows[0])
        return self.match_exactly(name)

    def match_exactly(self, text: str) -> MeshDescriptor | None:
        """The descriptor with this heading or entry term, without looking for near ones."""
        found = self._meant(text)
        return found[1] if found is not None else None

    def match(self, text: str) -> MeshMatch:
        """Return what MeSH holds for ``text``; where it holds nothing, with the nearest
        headings.
        """
        if (found := self._meant(text)) is not None:
            return MeshMatch(text, *found, year=self.edition.year)
        return MeshMatch(text, "unknown", None, self.near(text), self.edition.year)

    def matches(self, texts: Iterable[str]) -> dict[str, MeshMatch]:
        """Return what MeSH holds for each text."""
        return {text: self.match(text) for text in texts}

    def longest(self, words: Sequence[str], start: int = 0) -> tuple[int, MeshDescriptor] | None:
        """The longest run of ``words`` (as of `clinfo.text.words.words`) from ``start`` on that is
        a heading or an entry term.

        Gives the number of words and the descriptor, None where no run is one.
        """
        with self._lock:
            self._open()
            runs = list(accumulate(words[start : start + self._longest_name], "{} {}".format))
        marks = ",".join("?" * len(runs))
        named = self._rows(f"SELECT DISTINCT key FROM names WHERE key IN ({marks})", runs)
        longest = max((name for (name,) in named), key=len, default="")
        found = self._meant(longest) if longest else None
        return (longest.count(" ") + 1, found[1]) if found is not None else None

    @lru_cache(maxsize=_MOST_EXPLODED)  # noqa: B019  two of one edition say the same
    def explode(self, name: str) -> frozenset[str]:
        """The heading of ``name`` (identifier, heading or entry term) and all narrower ones, as
        keys; empty if there is none.

        What was asked for last is remembered, because queries come back to the same headings.
        """
        descriptor = self.descriptor(name)
        if descriptor is None:
            return frozenset()
        return frozenset(
            (key(descriptor.heading), *(key(heading) for heading in self.narrower(descriptor)))
        )

    def narrower(self, descriptor: MeshDescriptor) -> list[str]:
        """The headings below ``descriptor`` at any of its places in the tree, in alphabetical
        order.
        """
        # "/" is the character after ".", so this is all that begins with the number and a dot.
        below = "SELECT descriptor FROM trees WHERE tree_number > ? AND tree_number < ?"
        spans = [(f"{place}.", f"{place}/") for place in descriptor.tree_numbers]
        headings = self._headings(
            {number for span in spans for (number,) in self._rows(below, span)}
        )
        return [one for one in headings if one != descriptor.heading]

    def _headings(self, numbers: Collection[int]) -> list[str]:
        headings = {one.heading for one in self.numbered(sorted(numbers)).values()}
        return sorted(headings, key=str.lower)

    def members(self, descriptor: MeshDescriptor) -> list[str]:
        """The headings of substances that have ``descriptor`` or a narrower one as a
        pharmacological action, in alphabetical order.

        Empty where the table does not hold actions.
        """
        actions = (key(heading) for heading in (descriptor.heading, *self.narrower(descriptor)))
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'actions'", ()):
            return []  # made before actions were kept
        acting = "SELECT descriptor FROM actions WHERE action = ?"
        return self._headings(
            {number for one in actions for (number,) in self._rows(acting, (one,))}
        )

    def near(self, text: str, limit: int = SUGGESTIONS) -> tuple[str, ...]:
        """The headings that themselves or by an entry term come nearest to ``text``, nearest first;
        none that is far.
        """
        from rapidfuzz import fuzz, process

        own = list(dict.fromkeys(words(text[:LONGEST])))
        asked = " ".join([word for word in own if word not in STOPWORDS] or own)
        if not asked or limit < 1:
            return ()
        bearers = self.names
        likeness: dict[str, float] = {}
        for scorer in (fuzz.token_sort_ratio, fuzz.token_set_ratio):
            for name, _, _ in process.extract(
                asked, bearers.keys(), scorer=scorer, limit=_CANDIDATES, score_cutoff=_FAR
            ):
                held = fuzz.token_set_ratio(asked, name)
                like = (held + fuzz.token_sort_ratio(asked, name)) / 2
                if like >= _FAR or (held == 100 and len(name) > 3):
                    likeness[name] = like
        best = sorted(likeness, key=lambda name: (-likeness[name], bearers[name]))
        numbers = list(dict.fromkeys(map(bearers.__getitem__, best)))[:limit]
        found = self.numbered(numbers)
        return tuple(found[number].heading for number in numbers)

    def close(self) -> None:
        """Close the file; the next lookup opens it again."""
        with self._lock:
            if self._connection is not None and self._opened_by == os.getpid():
                self._connection.close()
            self._connection = None

    def _meant(self, name: str) -> tuple[Kind, MeshDescriptor] | None:
        rows = self._rows("SELECT descriptor FROM names WHERE key = ?", (key(name),))
        return meant(name, list(self.numbered([number for (number,) in rows]).values()))

    @cached_property
    def names(self) -> Mapping[str, int]:
        """All names as keys, each with the number of the first descriptor that bears it."""
        return dict(self._rows("SELECT key, min(descriptor) FROM names GROUP BY key", ()))  # type: ignore[arg-type]

    def numbered(self, numbers: Sequence[int]) -> dict[int, MeshDescriptor]:
        """The descriptors with these numbers of this table."""
        rows: dict[int, MeshDescriptor] = {}
        for start in range(0, len(numbers), 500):
            some = numbers[start : start + 500]
            marks = ",".join("?" * len(some))
            found = self._rows(
                f"SELECT * FROM descriptors WHERE number IN ({marks}) ORDER BY number", some
            )
            rows.update((row["number"], _descriptor(row)) for row in found)
        return rows

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The number of the descriptor at each tree number."""
        return dict(self._rows("SELECT tree_number, descriptor FROM trees", ()))  # type: ignore[arg-type]

    def _rows(self, sql: str, values: Sequence[object]) -> list[sqlite3.Row]:
        with self._lock:
            try:
                return self._open().execute(sql, values).fetchall()
            except (sqlite3.Error, OverflowError) as error:
                raise self._unusable(f"is damaged ({error})") from None

    def _open(self) -> sqlite3.Connection:
        # A connection must not be used across fork(), so a child process opens its own.
        if self._connection is not None and self._opened_by == os.getpid():
            return self._connection
        connection = self._connect()
        try:
            connection.row_factory = sqlite3.Row
            facts = dict(
                connection.execute(
                    "SELECT name, value FROM facts WHERE name != 'vocabulary'"
                ).fetchall()
            )
            if facts["form"] != FORM:
                raise self._unusable(
                    f"was written by another version (form {facts['form']}, not {FORM})"
                )
            self._edition = Edition(**{field.name: facts[field.name] for field in fields(Edition)})
            self._longest_name = facts["most_words"]
        except (sqlite3.Error, KeyError, RecordError) as error:
            connection.close()
            raise (
                error if isinstance(error, RecordError) else self._unusable("cannot be read")
            ) from None
        self._connection, self._opened_by = connection, os.getpid()
        return connection

    def _connect(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise RecordError(
                f"there is no MeSH table at {self.path}: load NLM's file with clinfo mesh load FILE"
            )
        place = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(place, uri=True, check_same_thread=False)

    def _unusable(self, why: str) -> RecordError:
        return RecordError(
            f"the MeSH table {self.path} {why}: load NLM's file again with clinfo mesh load FILE"
        )


def meant(name: str, descriptors: Sequence[MeshDescriptor]) -> tuple[Kind, MeshDescriptor] | None:
    """Return which of ``descriptors`` is called ``name``, None if none is.

    A heading wins over an entry term. Where several bear a name that `clinfo.text.words.key` takes
    for the same, the one that is spelt exactly so (but for case and spaces) wins, then the one with
    the lowest number, which is the oldest.
    """
    compared, exact = key(name), plain(name)
    called: list[tuple[bool, bool, int, Kind, MeshDescriptor]] = []
    for one in descriptors:
        is_heading = key(one.heading) == compared
        if is_heading or any(key(term) == compared for term in one.entry_terms):
            spelt = exact in map(plain, (one.heading, *one.entry_terms))
            called.append(
                (
                    not is_heading,
                    not spelt,
                    number_of(one),
                    "heading" if is_heading else "entry term",
                    one,
                )
            )
    if not called:
        return None
    *_, kind, descriptor = min(called, key=lambda found: found[:3])
    return kind, descriptor


def plain(name: str) -> str:
    """``name`` in lower case with single spaces: two spellings that differ in nothing else are the
    same.
    """
    return " ".join(name.casefold().split())


def number_of(descriptor: MeshDescriptor) -> int:
    """The number in a descriptor's identifier, by which tables are in order."""
    return int(descriptor.ui[1:])


def _descriptor(row: sqlite3.Row) -> MeshDescriptor:
    entry_terms, tree_numbers = (
        tuple(row[name].split("\n")) if row[name] else ()
        for name in ("entry_terms", "tree_numbers")
    )
    return MeshDescriptor(row["ui"], row["heading"], entry_terms, tree_numbers)


FILE = Path(__file__).with_name("mesh.sqlite.xz")


class BundledMesh(Mesh):
    """The table that comes with the program. Raises OSError where its file is missing: the program
    is incomplete then.
    """

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.deserialize(lzma.decompress(self.path.read_bytes()))
        return connection


@cache
def bundled_mesh() -> BundledMesh:
    """The one of this process."""
    return BundledMesh(FILE)


def mesh_table(data_dir: Path) -> Mesh:
    """MeSH as it was loaded into a folder of data, else as it comes with the program."""
    path = table_path(data_dir)
    return Mesh(path) if path.exists() else bundled_mesh()
