"""The same sets by postings, by SQL in SQLite and by SQL in DuckDB, over one index.

For ``python -m benchmarks.cohort.speed --stores``. SQL has a row a fact, in SQLite with a covering
index, in DuckDB sorted as its column store likes it; it says single criteria, and, or, not, before.
Each store gets the facts from memory and is asked each form three times; every set must be the same
in all of them. DuckDB is no dependency: where it is not installed, it is left out and that is said.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from clinfo.pipelines.cohort.form import And, Before, Form, Has, Not, Or, Sex
from clinfo.pipelines.cohort.matching import _KINDS, Index
from clinfo.pipelines.cohort.postings import write_postings

ROUNDS = 3
_TABLES = """
CREATE TABLE facts (name TEXT, kind TEXT, subject TEXT, said TEXT, negated BOOLEAN,
  suspected BOOLEAN, patient INTEGER, first TEXT);
CREATE TABLE below (above TEXT, name TEXT);
CREATE TABLE patients (number INTEGER);
"""
_INDEXES = """
CREATE INDEX by_name ON facts (name, kind, subject, negated, suspected, patient, first, said);
CREATE INDEX by_above ON below (above, name);
"""
_READ = {
    "facts": "SELECT name, kind, subject, said, negated, certainty = 'suspected', patient, first "
    "FROM held ORDER BY name, kind, patient",
    "below": "SELECT above, name FROM below ORDER BY above, name",
    "patients": "SELECT number FROM patients",
}
Ask = Callable[[str, Sequence[Any]], list[int]]


class _Unsaid(Exception):
    """A form that this SQL does not say."""


def compared(index: Index, forms: Sequence[Form]) -> None:
    """Print what each store takes for those of the forms that SQL says. Raises ValueError where a
    set differs.
    """
    asked = []
    for form in forms:
        try:
            asked.append((form, *_sql(form, index)))
        except _Unsaid:
            continue
    print(f"{len(asked)} of {len(forms)} forms; each {ROUNDS} times, form to set")
    expected = [_by_postings(index, form) for form, _, _ in asked]
    _told("postings", [lambda form=form: _by_postings(index, form) for form, _, _ in asked])  # type: ignore[misc]
    rows = {table: index.base.execute(sql).fetchall() for table, sql in _READ.items()}
    print(f"postings: written in {_postings_written(index):.1f} s")
    with tempfile.TemporaryDirectory() as place:
        opened = {"SQLite": _sqlite(Path(place) / "facts.sqlite", rows)}
        if find_spec("duckdb") is None:
            print("DuckDB: not installed (python -m pip install duckdb==2.0.0), left out")
        else:
            opened["DuckDB"] = _duckdb(Path(place) / "facts.duckdb", rows)
        for name, ask in opened.items():
            for (form, sql, given), wanted in zip(asked, expected, strict=True):
                if sorted(ask(sql, given)) != wanted:
                    raise ValueError(f"{name} finds another set: {form}")
            _told(name, [lambda s=sql, g=given, a=ask: a(s, g) for _, sql, given in asked])  # type: ignore[misc]


def _by_postings(index: Index, form: Form) -> list[int]:
    index.match.cache_clear()
    found: list[int] = np.flatnonzero(index.match(form).yes & index.patients.there).tolist()
    return found


def _postings_written(index: Index) -> float:
    """Seconds that postings take, in a copy of the facts."""
    with sqlite3.connect(":memory:") as copy:
        index.base.backup(copy)
        began = time.perf_counter()
        write_postings(copy)
    return time.perf_counter() - began


def _told(name: str, asks: Sequence[Callable[[], object]]) -> None:
    times = []
    for _ in range(ROUNDS):
        for ask in asks:
            began = time.perf_counter()
            ask()
            times.append(1_000 * (time.perf_counter() - began))
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"{name}: ms by the clock: median {statistics.median(times):.1f}, 95 in 100 {p95:.1f}, "
        f"most {max(times):.1f}"
    )


def _sqlite(path: Path, rows: dict[str, list[Any]]) -> Ask:
    began = time.perf_counter()
    base = sqlite3.connect(path)
    base.executescript(_TABLES)
    for table, some in rows.items():
        marks = ", ".join("?" * len(some[0]))
        base.executemany(f"INSERT INTO {table} VALUES ({marks})", some)
    base.executescript(_INDEXES)
    base.execute("ANALYZE")
    base.commit()
    _built("SQLite", rows, began, path)
    return lambda sql, given: [number for (number,) in base.execute(sql, given)]


def _duckdb(path: Path, rows: dict[str, list[Any]]) -> Ask:
    duckdb: Any = import_module("duckdb")
    began = time.perf_counter()
    base = duckdb.connect(str(path))
    base.execute(_TABLES)
    for table, some in rows.items():
        columns = [np.array(column) for column in zip(*some, strict=True)]  # it reads arrays whole
        given = {f"c{at}": column for at, column in enumerate(columns)}
        base.register("given", given)
        base.execute(f"INSERT INTO {table} SELECT * FROM given")
        base.unregister("given")
    base.execute("CHECKPOINT")
    _built("DuckDB", rows, began, path)
    return lambda sql, given: [number for (number,) in base.execute(sql, given).fetchall()]


def _built(name: str, rows: dict[str, list[Any]], began: float, path: Path) -> None:
    wall, size = time.perf_counter() - began, path.stat().st_size
    print(f"{name}: {len(rows['facts']):,} facts in {wall:.1f} s, {size / 1e6:.1f} MB")


def _sql(form: Form, index: Index) -> tuple[str, list[Any]]:
    """A query for the numbers of those who match. Raises _Unsaid."""
    match form:
        case Has() | Sex():
            sql, given = _first(form, index)
            return f"SELECT patient FROM ({sql})", given
        case And(parts):
            return _joined(" INTERSECT ", parts, index)
        case Or(parts):
            return _joined(" UNION ", parts, index)
        case Not(part, False):
            sql, given = _sql(part, index)
            return f"SELECT number FROM patients EXCEPT SELECT * FROM ({sql})", given
        case Before(first, second, None):
            one, given = _first(first, index)
            other, more = _first(second, index)
            return (
                f"SELECT a.patient FROM ({one}) a JOIN ({other}) b ON a.patient = b.patient "
                "WHERE a.first < b.first AND a.first != '' AND b.first != ''",
                given + more,
            )
    raise _Unsaid


def _joined(by: str, parts: Sequence[Form], index: Index) -> tuple[str, list[Any]]:
    made = [_sql(part, index) for part in parts]
    given = [one for _, some in made for one in some]
    return by.join(f"SELECT * FROM ({sql})" for sql, _ in made), given


def _first(form: Form, index: Index) -> tuple[str, list[Any]]:
    """A query for those who match and when it is first seen of them. Raises _Unsaid."""
    head = (
        "SELECT patient, min(first) AS first FROM facts WHERE subject = 'patient' AND NOT negated"
    )
    if isinstance(form, Sex):
        return f"{head} AND kind = 'sex' AND said = ? GROUP BY patient", [form.sex]
    plain = isinstance(form, Has) and form == Has(form.concept, form.kind, form.certainty)
    concept = index.concepts.named(form.concept) if isinstance(form, Has) and plain else None
    if concept is None or not isinstance(form, Has):
        raise _Unsaid
    kinds = _KINDS.get(form.kind or concept.kind, (form.kind or concept.kind,))
    names = f"SELECT name FROM below WHERE above IN ({_marks(concept.above)})"
    if concept.without:
        names += f" EXCEPT SELECT name FROM below WHERE above IN ({_marks(concept.without)})"
    sql = (
        f"{head} AND name IN ({names}) AND kind IN ({_marks(kinds)}) AND suspected = ? "
        "GROUP BY patient"
    )
    return sql, [*concept.above, *concept.without, *kinds, form.certainty == "suspected"]


def _marks(given: Sequence[Any]) -> str:
    return ", ".join("?" * len(given))
