"""The index of a cohort: facts, notes and the closure of names in one SQLite file of the owner's.

A patient whose notes are as they were is not read again; patients are written a few at a time, each
wholly or not at all, so that a build that was killed goes on where it was. Until it has closed the
index again nobody can ask it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

from clinfo.errors import RecordError, StaleIndex
from clinfo.patients.reading_version import reading_version
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.pipelines.cohort.age_and_sex import born
from clinfo.pipelines.cohort.coded import coded_facts
from clinfo.pipelines.cohort.facts import Source, consolidate
from clinfo.pipelines.cohort.postings import write_postings
from clinfo.pipelines.cohort.reading import read
from clinfo.terms.closure import closure
from clinfo.terms.hierarchies import Kind, lifted
from clinfo.terms.mesh import Mesh
from clinfo.terms.naming import known

FILE = "cohort.sqlite"
LOCK = "lock"
FORM = "7"
"""Changes with what a table holds; an index of another form or of another reader is made anew."""
_AT_A_TIME = 25
_MAPPED = 4 << 30
"""Bytes of an index that are read as memory, instead of page by page."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS patients (
  number INTEGER PRIMARY KEY, id TEXT UNIQUE, fingerprint TEXT, notes INTEGER, first TEXT,
  last TEXT, born_from TEXT, born_to TEXT, aged INTEGER);
CREATE TABLE IF NOT EXISTS notes (
  patient INTEGER, number INTEGER, id TEXT, time TEXT, text BLOB, PRIMARY KEY (patient, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, concept TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
  number INTEGER PRIMARY KEY, patient INTEGER, kind TEXT, name TEXT, value REAL, unit TEXT,
  said TEXT, certainty TEXT, negated INTEGER, subject TEXT, times TEXT, sources TEXT);
CREATE INDEX IF NOT EXISTS held_by_patient ON held (patient);
CREATE TABLE IF NOT EXISTS below (
  above TEXT, name TEXT, relation TEXT, source TEXT, PRIMARY KEY (above, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS postings (
  kind TEXT, name TEXT, subject TEXT, said TEXT, facts BLOB,
  PRIMARY KEY (kind, name, subject, said));
CREATE TABLE IF NOT EXISTS kinds (child TEXT, parent TEXT, source TEXT);
"""
_TABLES = ("patients", "notes", "names", "held", "below", "postings", "kinds", "about")


@dataclass(frozen=True, slots=True)
class Built:
    """Patients in the index; those read now, left as they were, and taken out; notes and coded
    entries read, and of these how many state nothing that criteria ask for.
    """

    patients: int
    read: int
    kept: int
    removed: int
    notes: int
    entries: int = 0
    unread: int = 0


def build(
    records: Sequence[Record],
    folder: Path,
    progress: Callable[[int, int], None] = lambda done, of: None,
    kinds: Sequence[Kind] = (),
) -> Built:
    """Bring the index in ``folder`` to the state of ``records`` and of the users' own ``kinds``.
    ``progress`` is called with patients done and their number. Raises RecordError where it cannot
    be written.
    """
    with index_errors(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / FILE
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        os.chmod(path, 0o600)
        with _alone(folder), closing(_connected(path)) as base:
            return _build(base, records, progress, kinds)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While nobody else builds or erases there. Raises RecordError where somebody does."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        with suppress(OSError):  # a network disk without locks
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                told = f"another program is writing the cohort index in {folder}"
                raise RecordError(told) from None
        yield
    finally:
        os.close(lock)


def _build(
    base: sqlite3.Connection,
    records: Sequence[Record],
    progress: Callable[[int, int], None],
    kinds: Sequence[Kind],
) -> Built:
    mesh = known()
    form = f"{_made_by()} {mesh.name} {mesh.edition.sha256}"
    base.executescript(_SCHEMA)
    about = dict(base.execute("SELECT name, value FROM about"))
    if about.get("form", form) != form:
        with base:
            for table in _TABLES:  # of another form its columns may be others
                base.execute(f"DROP TABLE {table}")
        base.executescript(_SCHEMA)
    with base:
        base.execute("INSERT OR REPLACE INTO about VALUES ('form', ?)", (form,))
    unread = 0
    had = dict(base.execute("SELECT id, fingerprint FROM patients"))
    wanted = {record.patient: fingerprint(record) for record in records}
    changed = [record for record in records if had.get(record.patient) != wanted[record.patient]]
    gone = [patient for patient in had if patient not in wanted]
    if changed or gone:
        with base:
            base.execute("DELETE FROM about WHERE name = 'closed_at'")
    for start in range(0, len(changed), _AT_A_TIME):
        some = changed[start : start + _AT_A_TIME]
        with base:
            for record in some:
                _remove(base, record.patient)
                unread += _add(base, record, wanted[record.patient])
        progress(start + len(some), len(changed))
    with base:
        for patient in gone:
            _remove(base, patient)
        base.execute("DELETE FROM kinds")
        base.executemany("INSERT INTO kinds VALUES (?, ?, ?)", map(astuple, kinds))
        _close(base, mesh)
    notes = sum(len(record.notes) for record in changed)
    entries = sum(len(record.entries) for record in changed)
    kept = len(wanted) - len(changed)
    return Built(len(wanted), len(changed), kept, len(gone), notes, entries, unread)


def _made_by() -> str:
    return f"{FORM} {reading_version('cohort')}"


def _close(base: sqlite3.Connection, mesh: Mesh) -> None:
    """Make what is asked of the facts as they are now: the closure of names, and the postings."""
    base.execute("DELETE FROM names WHERE name NOT IN (SELECT name FROM held)")
    names = dict(base.execute("SELECT name, concept FROM names"))
    kinds = [Kind(*row) for row in base.execute("SELECT child, parent, source FROM kinds")]
    base.execute("DELETE FROM below")
    base.executemany(
        "INSERT OR IGNORE INTO below VALUES (?, ?, ?, ?)",
        (
            (row.above, row.name, row.relation, row.source)
            for row in lifted(closure(names, mesh), kinds, mesh)
        ),
    )
    write_postings(base)
    base.executemany(
        "INSERT OR REPLACE INTO about VALUES (?, ?)",
        (
            ("mesh", mesh.name),
            ("hierarchies", "; ".join(sorted({kind.source for kind in kinds}))),
            ("closed_at", datetime.now(UTC).isoformat(timespec="microseconds")),
        ),
    )


def erase(folder: Path, patient: str) -> int:
    """Take a patient out of the index in ``folder`` at once, and overwrite what stood there; how
    many notes that were. Raises RecordError where there is no index.
    """
    with opened(folder, stale=True):
        pass  # that there is one; an older reader's is no reason to keep a patient in it
    with index_errors(folder), _alone(folder), closing(_connected(folder / FILE)) as base, base:
        (count,) = base.execute(
            "SELECT count(*) FROM notes JOIN patients ON patients.number = notes.patient "
            "WHERE patients.id = ?",
            (patient,),
        ).fetchone()
        if base.execute("SELECT 1 FROM patients WHERE id = ?", (patient,)).fetchone():
            _remove(base, patient)
            (form,) = base.execute("SELECT value FROM about WHERE name = 'form'").fetchone()
            if form.startswith(f"{FORM} "):
                _close(base, known())
            else:  # other columns; nobody asks it before it is built anew, so nothing is lost
                for table in ("names", "below", "postings"):
                    base.execute(f"DELETE FROM {table}")
    return int(count)


def _connected(path: Path) -> sqlite3.Connection:
    """To write; what is deleted is overwritten."""
    base = sqlite3.connect(path, timeout=60)
    base.execute("PRAGMA secure_delete = ON")
    return base


def fingerprint(record: Record) -> str:
    """Return what tells whether a record's notes and coded entries are as they were."""
    held: list[Note | CodedEntry] = [*record.notes, *record.entries]
    whole = json.dumps([astuple(one) for one in held], ensure_ascii=True)
    return hashlib.sha256(whole.encode()).hexdigest()


def _remove(base: sqlite3.Connection, patient: str) -> None:
    for (number,) in base.execute(
        "SELECT number FROM patients WHERE id = ?", (patient,)
    ).fetchall():
        for table, column in (("held", "patient"), ("notes", "patient"), ("patients", "number")):
            base.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))


def _add(base: sqlite3.Connection, record: Record, mark: str) -> int:
    """Put a patient in; how many coded entries state nothing that criteria ask for."""
    coded = coded_facts(record)
    notes = (*record.notes, *coded.notes)
    facts = [*read(record), *coded.facts]
    span = born(facts)
    times = [note.time for note in notes if note.time]
    number = base.execute(
        "INSERT INTO patients (id, fingerprint, notes, first, last, born_from, born_to) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (record.patient, mark, len(notes), min(times, default=""), max(times, default=""),
         span.first, span.last),
    ).lastrowid  # fmt: skip
    base.executemany(
        "INSERT INTO notes VALUES (?, ?, ?, ?, ?)",
        (
            (
                number,
                at,
                note.id,
                note.time,
                zlib.compress(note.text.encode("utf-8", "surrogatepass")),
            )
            for at, note in enumerate(notes)
        ),
    )
    places = {note.id: at for at, note in enumerate(notes)}
    held = consolidate(facts)
    base.executemany(
        "INSERT OR REPLACE INTO names VALUES (?, ?)",
        {(one.fact.name, one.fact.concept) for one in held},
    )
    base.executemany(
        "INSERT INTO held (patient, kind, name, value, unit, said, certainty, negated, subject, "
        "times, sources) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (number, fact.kind, fact.name, fact.value, fact.unit, fact.said, fact.certainty,
             fact.negated, fact.subject, _times(one.sources), _packed(one.sources, places))
            for one in held for fact in (one.fact,)
        ),
    )  # fmt: skip
    base.execute(
        "UPDATE patients SET aged = (SELECT max(number) FROM held WHERE patient = ? AND "
        "kind = 'age') WHERE number = ?",
        (number, number),
    )
    return coded.unread


def _times(sources: Sequence[Source]) -> str:
    """When the notes were written that state a fact, each time once, apart by tabs."""
    return "\t".join(dict.fromkeys(source.time for source in sources))


def _packed(sources: Sequence[Source], places: dict[str, int]) -> str:
    """Note, start and end of each source, numbers apart by spaces."""
    return " ".join(f"{places[one.note]} {one.start} {one.end}" for one in sources)


def unpacked(sources: str) -> Iterator[tuple[int, int, int]]:
    """The note's number, start and end of each source of a row of ``held``."""
    numbers = iter(map(int, sources.split()))
    return zip(numbers, numbers, numbers, strict=True)


@contextmanager
def opened(folder: Path, stale: bool = False) -> Iterator[sqlite3.Connection]:
    """The index in ``folder``, to read. Raises RecordError where there is none, and, but with
    ``stale``, StaleIndex where another version of the reader of notes made it.
    """
    path = folder / FILE
    if not path.is_file():
        raise RecordError(
            f"there is no cohort index in {folder}: make one with clinfo cohort build RECORDS "
            f"--out {folder}"
        )
    with (
        index_errors(folder),
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base,
    ):
        base.execute(f"PRAGMA mmap_size = {_MAPPED}")
        about = dict(base.execute("SELECT name, value FROM about"))
        if "closed_at" not in about:
            raise RecordError(
                f"the cohort index in {folder} is not finished: run clinfo cohort build again"
            )
        if not stale and not about.get("form", "").startswith(f"{_made_by()} "):
            raise StaleIndex(
                f"the cohort index in {folder} is stale, made by another version of the reader of "
                f"notes: build it anew with clinfo cohort build RECORDS --out {folder}"
            )
        yield base


@contextmanager
def index_errors(folder: Path) -> Iterator[None]:
    """Raise RecordError for what SQLite or the disk says of the index in ``folder``."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"the cohort index in {folder} is unusable: {reason}") from None
