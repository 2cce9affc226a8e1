"""Speed, memory and size of building a local index from citation files.

    python -m benchmarks index-build [--citations 100000] [--folder FOLDER] [--data FOLDER] [--readers N]

The corpus is made up of real sentences (`benchmarks.own.citations`) in FOLDER, where it is not
there yet. Beside the index, in the same run, SQLite FTS5 loads the same texts (title, abstract,
headings), already parsed: its rate is that of its writing alone, while the index's holds reading,
parsing, sorting into stores, packing and storing the records as well.
"""  # noqa: E501

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.own.citations import DATA, write_citations
from clinfo.pubmed.index import LocalIndex, build
from clinfo.pubmed.plan import Everything
from clinfo.pubmed.xml import read_article

TARGET_RATE = 4_000.0
"""Citations a second on two cores."""
TARGET_MEMORY = 1_500.0
"""Megabytes, all processes together."""
TARGET_SIZE = 0.8
"""Index with records, of the XML."""
FTS5_CITATIONS = 30_000


class Memory(threading.Thread):
    """Samples the memory of this process and those below it: the peak of all resident pages, and of
    those not backed by files.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.resident = self.anonymous = 0.0
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.1):
            found = [_memory(pid) for pid in _family(os.getpid())]
            self.resident = max(self.resident, sum(one[0] for one in found))
            self.anonymous = max(self.anonymous, sum(one[1] for one in found))

    def end(self) -> None:
        self._ended.set()
        self.join()


def _family(pid: int) -> list[int]:
    try:
        below = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        below = []
    return [pid, *(one for child in below for one in _family(child))]


def _memory(pid: int) -> tuple[float, float]:
    """(all resident, anonymous) megabytes."""
    try:
        lines = dict(
            line.split(":", 1)
            for line in Path(f"/proc/{pid}/status").read_text().splitlines()
            if ":" in line
        )
        return tuple(int(lines[name].split()[0]) / 1000 for name in ("VmRSS", "RssAnon"))  # type: ignore[return-value]
    except (OSError, KeyError):
        return 0.0, 0.0


def corpus(folder: Path, citations: int, data: Path) -> list[Path]:
    """The files of a corpus of this size, made where they are not there yet."""
    place = folder / f"citations-{citations}"
    done = place / "complete"
    if not done.exists():
        print(f"making {citations:,} citations in {place}", file=sys.stderr)
        write_citations(citations, place, data=data)
        done.touch()
    return sorted(place.glob("*.xml.gz"))


def fts5_rate(index: LocalIndex, folder: Path) -> float:
    """Citations a second that SQLite FTS5 loads, parsed beforehand."""
    ids = index.ids(Everything())[:FTS5_CITATIONS]
    rows = []
    for xml in index.records(id.removeprefix("pmid:") for id in ids).values():
        article = read_article(xml)
        rows.append((article.title, article.abstract, "\n".join(article.mesh)))
    path = folder / "fts5.sqlite"
    connection = sqlite3.connect(path)
    try:
        began = time.perf_counter()
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5(title, abstract, mesh)")
        with connection:
            connection.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)
        return len(rows) / (time.perf_counter() - began)
    finally:
        connection.close()
        path.unlink()


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks index-build", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument("--citations", type=int, default=100_000)
    parser.add_argument(
        "--folder",
        type=Path,
        help="where corpora are kept (default: a folder that is removed at the end)",
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared data")
    parser.add_argument(
        "--readers", type=int, help="processes that parse (default: one for each processor)"
    )
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        files = corpus(folder, asked.citations, asked.data)
        out = folder / "index-build"
        shutil.rmtree(out, ignore_errors=True)
        memory = Memory()
        memory.start()
        before = _processor()
        load = os.getloadavg()[0]
        made = build(files, out, readers=asked.readers)
        memory.end()
        spent = _processor() - before
        index = LocalIndex.open(out)
        info = index.info()
        rate, size = made.citations / made.seconds, info.bytes / info.xml_bytes
        other = fts5_rate(index, folder)
        cores = len(os.sched_getaffinity(0))
        print(
            f"{made.citations:,} citations, {info.xml_bytes / made.citations / 1e3:.1f} KB of XML "
            f"each, {cores} cores"
        )
        print(
            f"rate     {rate:8,.0f} /s in {made.seconds:,.1f} s (target {TARGET_RATE:,.0f} on two "
            f"cores; load {load:.1f})"
        )
        print(
            f"         {spent / made.citations * 1e6:8,.0f} µs of processor a citation, all "
            "processes: two cores "
            f"give {2 * made.citations / spent:,.0f} /s"
        )
        print(
            f"memory   {memory.resident:8,.0f} MB at most, {memory.anonymous:,.0f} of them not "
            "pages of files "
            f"(target {TARGET_MEMORY:,.0f})"
        )
        print(f"size     {size:8.2f} of the XML ({info.bytes / 1e6:,.0f} MB; target {TARGET_SIZE})")
        print(
            f"FTS5     {other:8,.0f} /s for the writing of {min(FTS5_CITATIONS, made.citations):,} "
            "alone: "
            f"the whole build here is {rate / other:.2f} × as fast"
        )
        index.close()
        shutil.rmtree(out, ignore_errors=True)


def _processor() -> float:
    """Seconds of processor time of this process and of those below it that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
