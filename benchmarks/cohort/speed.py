"""How fast a cohort is found, how large the index is and how fast it is built.

python -m benchmarks.cohort.speed [--data FOLDER] [--patients 10000] [--notes 35]

The patients of the benchmark are repeated under other names, each with the same number of notes
(a patient's own, again from the first where there are fewer), one after the other with a day more.
Each query is asked once, as `clinfo cohort find` asks it but for the sentences: query to a form,
the form to the sets. The load of the machine is told, as other programs slow all of it down.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import cycle, islice
from pathlib import Path

from benchmarks.cohort.given import form_of
from clinfo.patients.reading import read_records
from clinfo.patients.records import Note, Record
from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.query import parse_query
from clinfo.pipelines.cohort.query_text import query_text
from clinfo.pipelines.cohort.store import FILE, build, opened
from clinfo.terms.naming import known


def repeated(records: Sequence[Record], patients: int, notes: int) -> Iterator[Record]:
    """So many patients with so many notes each, made of these records; a round later the days are
    one later, so that no two patients are alike.
    """
    for number, record in enumerate(islice(cycle(records), patients)):
        later = number // len(records)
        name = f"{record.patient}-{later}"
        own = tuple(
            replace(note, id=f"{name}-{place}", patient=name, time=_later(note, later))
            for place, note in enumerate(islice(cycle(record.notes), notes))
        )
        yield Record(name, own, ())


def _later(note: Note, days: int) -> str:
    if not note.time:
        return ""
    moved = date.fromisoformat(note.time[:10]) + timedelta(days % 365)
    return moved.isoformat() + note.time[10:]


def main(arguments: list[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cohort.speed", description=__doc__)
    given = os.environ.get("CLINFO_BENCH_DATA")
    parser.add_argument("--data", type=Path, default=given, required=given is None)
    parser.add_argument("--patients", type=int, default=10_000)
    parser.add_argument("--notes", type=int, default=35)
    parser.add_argument("--index", type=Path, help="keep the index here, and use it if it is there")
    options = parser.parse_args(arguments)
    folder = Path(options.data)
    folder = folder / "cohort" if (folder / "cohort").is_dir() else folder
    queries = json.loads((folder / "cohort_queries.json").read_text(encoding="utf-8"))
    known_records = read_records([folder / "patients_notes.jsonl.gz"]).records
    records = list(repeated(known_records, options.patients, options.notes))
    text = sum(len(note.text.encode()) for record in records for note in record.notes)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as place:
        index = options.index or Path(place) / "repeated"
        if not options.index:
            _built("first", known_records, Path(place) / "first")
        _built("repeated", records, index)
        size = (index / FILE).stat().st_size
        print(f"index: {size / 1e6:.1f} MB, {size / text:.2f} times the text")
        with opened(index) as base:
            asked = [query_text(form_of(query["logical_form"])) for query in queries]
            _queries(Index(base, known()), asked)
    print(f"load {os.getloadavg()[0]:.1f}")


def _built(name: str, records: Sequence[Record], folder: Path) -> None:
    """Build and tell the rate. Texts that were read before are read faster, so that of the records
    as they are comes first.
    """
    began, used = time.perf_counter(), time.process_time()
    notes = build(records, folder).notes
    wall, spent = time.perf_counter() - began, time.process_time() - used
    if notes:
        print(
            f"build, {name}: {notes:,} notes in {wall:.1f} s ({notes / wall:.0f} a second; "
            f"{notes / spent:.0f} a second of the processor)"
        )


def _queries(index: Index, texts: Sequence[str]) -> None:
    walls, spent = [], []
    slowest: list[tuple[float, str]] = []
    for text in ("condition fever", *texts):  # the first opens tables and is not counted
        began, used = time.perf_counter(), time.process_time()
        index.match(parse_query(text))
        walls.append(1000 * (time.perf_counter() - began))
        spent.append(1000 * (time.process_time() - used))
        slowest.append((walls[-1], text))
    for name, times in (("by the clock", walls[1:]), ("of the processor", spent[1:])):
        p95 = statistics.quantiles(times, n=20)[-1]
        print(
            f"query, ms {name}: median {statistics.median(times):.1f}, 95 in 100 {p95:.1f}, "
            f"most {max(times):.1f}"
        )
    for wall, text in sorted(slowest[1:], reverse=True)[:5]:
        print(f"  {wall:.1f} ms: {text}")


if __name__ == "__main__":
    main()
