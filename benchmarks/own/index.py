"""Build and queries of a local index over made-up citations: rate, memory, size, milliseconds.

    python -m benchmarks index --folder FOLDER [--citations 100000] [--repeats 3] [--data FOLDER]

FOLDER keeps the corpus and the index. A made-up citation is a real one with a new PMID and year, in
which other citations' sentences stand in the place of half of its own. Queries are those that a
language model wrote and the Boolean strategies of published reviews: the best 100 by relevance,
reading and translation included.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from benchmarks import flags
from benchmarks.own.scores import DATA
from clinfo.errors import ClinfoError
from clinfo.pubmed.index import LocalIndex, build

FILES = (
    "citations/pmc_trial_citations.xml.gz",
    "citations/pubmedqa_citations.xml.gz",
    "medline/medline16n0902_part.xml.gz",
    "medline/medsample1_2017.xml.gz",
)
PER_FILE = 30_000
QUERIES = {
    "language model": ("llm_pubmed_queries.jsonl.gz", 30.0),
    "human Boolean": ("queries/human_pubmed_queries.jsonl.gz", 150.0),
}
"""The file of each kind, and its target: milliseconds at the 95th percentile."""
RATE, MEMORY, SIZE = 4_000.0, 1_500.0, 0.8
"""Targets: citations a second on two cores, megabytes of all processes, index with records against
the XML."""


def made_up(data: Path, n: int, seed: int = 0) -> Iterator[bytes]:
    """``n`` citations as XML, the same for the same seed."""
    real: list[bytes] = []
    texts: list[list[str]] = []
    for name in FILES:
        with gzip.open(data / name) as stream:
            for _, article in etree.iterparse(stream, tag="PubmedArticle", recover=True):
                abstract = article.findall(".//AbstractText")
                told = " ".join("".join(node.itertext()) for node in abstract)
                if len(sentences := told.split(". ")) > 2 and article.find(".//PMID") is not None:
                    article.find(".//PMID").text = "@PMID@"
                    for node in article.iterfind(".//PubDate/Year"):
                        node.text = "@YEAR@"
                    for node in abstract[1:]:
                        node.getparent().remove(node)
                    tail = abstract[0].tail
                    abstract[0].clear()
                    abstract[0].text, abstract[0].tail = "@TEXT@", tail
                    real.append(etree.tostring(article, encoding="utf-8"))
                    texts.append(sentences)
    draw = random.Random(seed)
    for pmid in range(1_000_001, 1_000_001 + n):
        at = draw.randrange(len(real))
        own = texts[at]
        others = [draw.choice(draw.choice(texts)) for _ in own[::2]]
        text = ". ".join([*own[1::2], *others])
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").encode()
        year = str(1970 + draw.randrange(55)).encode()
        whole = real[at].replace(b"@PMID@", str(pmid).encode(), 1).replace(b"@YEAR@", year)
        yield whole.replace(b"@TEXT@", escaped)


def corpus(folder: Path, n: int, data: Path) -> list[Path]:
    """The files of ``n`` citations, made where they are not there."""
    place = folder / f"citations-{n}"
    if not (place / "complete").exists():
        place.mkdir(parents=True, exist_ok=True)
        citations = made_up(data, n)
        for start in range(0, n, PER_FILE):
            path = place / f"made{start // PER_FILE:04}.xml.gz"
            with gzip.open(path, "wb", compresslevel=3) as out:
                out.write(b"<PubmedArticleSet>\n")
                for _ in range(min(PER_FILE, n - start)):
                    out.write(next(citations) + b"\n")
                out.write(b"</PubmedArticleSet>\n")
        (place / "complete").touch()
    return sorted(place.glob("*.xml.gz"))


class Memory(threading.Thread):
    """The most megabytes that this process and those below it had at a time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0.0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.1):
            self.most = max(self.most, sum(map(_resident, _family(os.getpid()))))


def _family(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        below = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:
        return [pid]
    return [pid, *(one for child in below for one in _family(child))]


def _resident(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4_096 / 1e6
    except OSError:
        return 0.0


def built(folder: Path, n: int, data: Path) -> LocalIndex:
    """The index of ``n`` citations; what building it took is printed."""
    files, out = corpus(folder, n, data), folder / f"index-{n}"
    if out.exists():
        return LocalIndex.open(out)
    memory = Memory()
    memory.start()
    made = build(files, out)
    memory.ended.set()
    index = LocalIndex.open(out)
    info = index.info()
    print(
        f"{made.citations:,} citations: {made.citations / made.seconds:,.0f} /s (target "
        f"{RATE:,.0f} on two cores), {memory.most:,.0f} MB at most (target {MEMORY:,.0f}), "
        f"{info.bytes / info.xml_bytes:.2f} of the XML (target {SIZE})"
    )
    return index


def asked(index: LocalIndex, queries: Sequence[str], repeats: int) -> list[float]:
    """Milliseconds of each query that can be answered, sorted, the quickest of its repeats."""
    found = []
    for query in queries:
        times = []
        try:
            for _ in range(repeats):
                began = time.perf_counter()
                index.search(query, limit=100)
                times.append(1_000 * (time.perf_counter() - began))
        except ClinfoError:
            continue
        found.append(min(times))
    return sorted(found)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks index", description=__doc__)
    flags.add(
        parser,
        {
            "--folder": {"type": Path, "required": True, "help": "keeps corpus and index"},
            "--citations": {"type": int, "default": 100_000},
            "--repeats": {"type": int, "default": 3},
            "--data": {"type": Path, "default": DATA},
        },
    )
    options = parser.parse_args(arguments)
    index = built(options.folder, options.citations, options.data)
    for kind, (name, target) in QUERIES.items():
        with gzip.open(options.data / name, "rt", encoding="utf-8") as lines:
            times = asked(index, [json.loads(line)["query"] for line in lines], options.repeats)
        p95 = times[int(0.95 * (len(times) - 1))]
        print(
            f"{kind}: {len(times)} queries, median {statistics.median(times):.1f} ms, p95 "
            f"{p95:.1f} (target {target:.0f}), slowest {times[-1]:.1f}"
        )
