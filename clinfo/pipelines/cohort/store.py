"""The index of a cohort: facts, notes and the closure of names in one SQLite file of the owner's.

A patient whose notes are as they were is not read again; patients are written a few at a time, each
wholly or not at all, so that a build that was killed goes on where it was. Until it has closed the
index again nobody can ask it.
"""

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

from clinfo.errors import RecordError, StaleIndex, UsageError
from clinfo.patients.reading_version import reading_version
from clinfo.patients.records import Record
from clinfo.pipelines.cohort.age_and_sex import born, day_of
from clinfo.pipelines.cohort.coded import coded_facts
from clinfo.pipelines.cohort.facts import consolidate
from clinfo.pipelines.cohort.reading import read
from clinfo.terms.closure import Kind, closure, lifted
from clinfo.terms.naming import known

FILE = "cohort.sqlite"
LOCK = "lock"
_AT_A_TIME = 25
_MAPPED = 4 << 30
"""Bytes of an index that are read as memory, instead of page by page."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS patients (
  number INTEGER PRIMARY KEY, id TEXT UNIQUE, fingerprint TEXT, notes INTEGER, first TEXT,
  last TEXT, last_day INTEGER, born_from TEXT, born_to TEXT);
CREATE TABLE IF NOT EXISTS notes (
  patient INTEGER, number INTEGER, id TEXT, time TEXT, text BLOB, PRIMARY KEY (patient, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (
  fact INTEGER PRIMARY KEY, patient INTEGER, kind TEXT, name TEXT, concept TEXT, value REAL,
  said TEXT, certainty TEXT, negated INTEGER, subject TEXT, first TEXT);
CREATE INDEX IF NOT EXISTS facts_by_name ON facts (kind, name);
CREATE INDEX IF NOT EXISTS facts_by_patient ON facts (patient);
CREATE TABLE IF NOT EXISTS stated (
  fact INTEGER, place INTEGER, time TEXT, day INTEGER, note INTEGER, start INTEGER, stop INTEGER,
  PRIMARY KEY (fact, place)) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS statements AS
  SELECT facts.*, place, time, day, note, start, stop, last_day
  FROM facts JOIN stated USING (fact) JOIN patients ON patients.number = facts.patient;
CREATE TABLE IF NOT EXISTS below (
  above TEXT, name TEXT, PRIMARY KEY (above, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kinds (child TEXT, parent TEXT, source TEXT);
"""


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
    unread = 0
    with _written(folder) as base:
        with base:
            _begin(base)
        had = dict(base.execute("SELECT id, fingerprint FROM patients"))
        wanted = {record.patient: _fingerprint(record) for record in records}
        changed = [one for one in records if had.get(one.patient) != wanted[one.patient]]
        gone = had.keys() - wanted.keys()
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
            _close(base)
    notes, entries = sum(len(one.notes) for one in changed), sum(len(o.entries) for o in changed)
    kept = len(wanted) - len(changed)
    return Built(len(wanted), len(changed), kept, len(gone), notes, entries, unread)


@contextmanager
def _written(folder: Path) -> Iterator[sqlite3.Connection]:
    """The index in ``folder``, to write, while nobody else does; what is deleted is overwritten.
    Raises RecordError where somebody else writes it.
    """
    with index_errors(folder):
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            with suppress(OSError):  # a network disk without locks
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    told = f"another program is writing the cohort index in {folder}"
                    raise RecordError(told) from None
            with closing(sqlite3.connect(folder / FILE, timeout=60)) as base:
                base.execute("PRAGMA secure_delete = ON")
                yield base
        finally:
            os.close(lock)


def _made_by() -> str:
    """Return what tells the reader of notes, and the tables of this file, from those of other
    versions: an index of another is made anew.
    """
    return reading_version("cohort")


def _begin(base: sqlite3.Connection) -> None:
    """Make the tables that are not there; of another version none is kept."""
    mesh = known()
    form = f"{_made_by()} {mesh.name} {mesh.edition.sha256}"
    base.execute("CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT)")
    if dict(base.execute("SELECT name, value FROM about")).get("form") != form:
        _drop(base)
    for statement in _SCHEMA.split(";"):
        base.execute(statement)
    base.execute("INSERT OR REPLACE INTO about VALUES ('form', ?)", (form,))


def _drop(base: sqlite3.Connection, *but: str) -> None:
    """Drop every table and view of an index, whatever its version, ``but`` some."""
    kinds = (
        "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table') ORDER BY type DESC"
    )
    for kind, name in base.execute(kinds).fetchall():
        if name not in but:
            base.execute(f"DROP {kind} {name}")


def _close(base: sqlite3.Connection) -> None:
    """Make the closure of names for the facts as they are now."""
    mesh = known()
    names = dict(base.execute("SELECT name, max(concept) FROM facts GROUP BY name"))
    kinds = [Kind(*row) for row in base.execute("SELECT child, parent, source FROM kinds")]
    base.execute("DELETE FROM below")
    base.executemany(
        "INSERT OR IGNORE INTO below VALUES (?, ?)",
        ((row.above, row.name) for row in lifted(closure(names, mesh), kinds, mesh)),
    )
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    tables = "; ".join(sorted({kind.source for kind in kinds}))
    about = {"mesh": mesh.name, "hierarchies": tables, "closed_at": now}
    base.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about.items())


def erase(folder: Path, patient: str) -> int:
    """Take a patient out of the index in ``folder`` at once, and overwrite what stood there; how
    many notes that were. Raises UsageError where there is no index.
    """
    with opened(folder, stale=True):
        pass  # that there is one; an older reader's is no reason to keep a patient in it
    with _written(folder) as base, base:
        about = dict(base.execute("SELECT name, value FROM about"))
        number = base.execute("SELECT number FROM patients WHERE id = ?", (patient,)).fetchone()
        if number is None:
            return 0
        (count,) = base.execute("SELECT count(*) FROM notes WHERE patient = ?", number).fetchone()
        if about.get("form", "").startswith(f"{_made_by()} "):
            _remove(base, patient)
            _close(base)
        else:  # other tables; nobody asks it before it is built anew, so nothing is lost
            _drop(base, "about", "patients", "notes")
            base.execute("DELETE FROM notes WHERE patient = ?", number)
            base.execute("DELETE FROM patients WHERE number = ?", number)
        return int(count)


def _fingerprint(record: Record) -> str:
    """Return what tells whether a record's notes and coded entries are as they were."""
    whole = json.dumps([*map(astuple, record.notes), *map(astuple, record.entries)])
    return hashlib.sha256(whole.encode()).hexdigest()


def _remove(base: sqlite3.Connection, patient: str) -> None:
    for (number,) in base.execute(
        "SELECT number FROM patients WHERE id = ?", (patient,)
    ).fetchall():
        own = "fact IN (SELECT fact FROM facts WHERE patient = ?)"
        for where in (f"stated WHERE {own}", "facts WHERE patient = ?", "notes WHERE patient = ?",
                      "patients WHERE number = ?"):  # fmt: skip
            base.execute(f"DELETE FROM {where}", (number,))


def _add(base: sqlite3.Connection, record: Record, mark: str) -> int:
    """Put a patient in; how many coded entries state nothing that criteria ask for."""
    more, coded, unread = coded_facts(record)
    notes, facts = (*record.notes, *more), [*read(record), *coded]
    times = [note.time for note in notes if note.time]
    last = max(times, default="")
    number = base.execute(
        "INSERT INTO patients (id, fingerprint, notes, first, last, last_day, born_from, born_to) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (record.patient, mark, len(notes), min(times, default=""), last, _day(last), *born(facts)),
    ).lastrowid
    base.executemany(
        "INSERT INTO notes VALUES (?, ?, ?, ?, ?)",
        (
            (number, at, note.id, note.time,
             zlib.compress(note.text.encode("utf-8", "surrogatepass")))
            for at, note in enumerate(notes)
        ),
    )  # fmt: skip
    place = {note.id: at for at, note in enumerate(notes)}
    for fact, sources in consolidate(facts).items():
        held = base.execute(
            "INSERT INTO facts (patient, kind, name, concept, value, said, certainty, negated, "
            "subject, first) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, fact.kind, fact.name, fact.concept, fact.value, fact.said, fact.certainty,
             fact.negated, fact.subject, sources[0].time),
        ).lastrowid  # fmt: skip
        base.executemany(
            "INSERT INTO stated VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                (held, at, one.time, _day(one.time), place[one.note], one.start, one.end)
                for at, one in enumerate(sources)
            ),
        )
    return unread


def _day(time: str) -> int | None:
    """The day of a recorded time as a number, None where no whole day is known."""
    found = day_of(time)
    return found.toordinal() if found is not None else None


def note_text(packed: bytes) -> str:
    """The text of a note as the index holds it."""
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


@contextmanager
def opened(folder: Path, stale: bool = False) -> Iterator[sqlite3.Connection]:
    """The index in ``folder``, to read. Raises UsageError where there is none, and, but with
    ``stale``, StaleIndex where another version of the reader of notes made it.
    """
    path = folder / FILE
    again = f"clinfo cohort build RECORDS --out {folder}"
    if not path.is_file():
        raise UsageError(f"there is no cohort index in {folder}: make one with {again}")
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
                f"notes: build it anew with {again}"
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
