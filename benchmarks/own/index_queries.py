"""Speed of the local index on real queries, beside SQLite FTS5 on the same plans.

    python -m benchmarks index-queries --folder FOLDER [--citations 1000000] [--repeats 3] [--data FOLDER] [--no-fts5]

In FOLDER it makes, where they are not there yet, a corpus of made-up citations
(`benchmarks.own.citations`), a local index of it and an FTS5 table of the same documents. Then it
asks for the best 100 by relevance of: the queries that a language model wrote, the Boolean
strategies of published reviews, and queries of single kinds drawn from the corpus (Boolean, phrase,
prefix, date, exploded heading). Times are of the whole search (reading, translation, phrase
look-ups, evaluation), best of the repeats, with what the index remembers of earlier searches; the
last column is of the very first one. For the comparison they are of the evaluation of one and the
same plan in both engines.
"""  # noqa: E501

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.own.citations import DATA, write_citations
from benchmarks.own.fts5 import Fts5, NotAskable
from clinfo.errors import ClinfoError
from clinfo.pubmed.document import Document, document
from clinfo.pubmed.index import LocalIndex, build
from clinfo.pubmed.plan import Plan
from clinfo.pubmed.xml import read_citation
from clinfo.terms.mesh_files import load

LIMIT = 100
QUERIES = {
    "language model": "llm_pubmed_queries.jsonl.gz",
    "human Boolean": "queries/human_pubmed_queries.jsonl.gz",
}
TARGETS = {"language model": 30.0, "human Boolean": 150.0}
"""Milliseconds at the 95th percentile."""
RATIO = 5.0
"""By how much the index is to be ahead of FTS5 at the median."""
_KIND_QUERIES = 60


@dataclass(frozen=True)
class Timed:
    """One query: its class, hits, and milliseconds of its first search, of the whole search, of its
    plan here and in FTS5.
    """

    kind: str
    text: str
    count: int
    first: float
    whole: float
    plan: float
    fts5: float | None


def real_queries(data: Path) -> Iterator[tuple[str, str]]:
    """(class, query) of the shared real queries."""
    for kind, name in QUERIES.items():
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield kind, json.loads(line)["query"]


def kind_queries(index: LocalIndex, seed: int = 0) -> Iterator[tuple[str, str]]:
    """(class, query) of single kinds, drawn from records of the index."""
    drawn = random.Random(seed)
    ids = index.search("patients", limit=2_000, sort="pub_date").ids
    pmids = [id.removeprefix("pmid:") for id in drawn.sample(ids, min(len(ids), 5 * _KIND_QUERIES))]
    articles = [one for one in index.articles(pmids) if one.sections and one.mesh]
    for number, article in enumerate(articles[: 5 * _KIND_QUERIES]):
        words = [word.strip(".,;:()").lower() for word in article.abstract.split()]
        words = [word for word in words if word.isalpha() and len(word) > 4] or [
            "patients",
            "treatment",
            "effect",
            "group",
        ]
        place = drawn.randrange(max(len(words) - 4, 1))
        some = (words[place : place + 4] * 4)[:4]
        year = drawn.randrange(1990, 2020)
        yield [
            (
                "Boolean",
                f"({some[0]}[tiab] OR {some[1]}[tiab]) AND {some[2]}[tiab] NOT {some[3]}[ti]",
            ),
            (
                "phrase",
                f'"{" ".join(article.title.lower().replace(chr(34), " ").split()[1:3])}"[tiab]',
            ),
            ("prefix", f"{some[0][:5]}*[tiab] AND {some[1][:6]}*[tiab]"),
            ("date", f"{some[0]}[tiab] AND {year}:{year + 4}[dp]"),
            ("exploded heading", f'"{drawn.choice(article.mesh)}"[mh] AND {some[0]}[tiab]'),
        ][number % 5]


def measure(
    index: LocalIndex, fts5: Fts5 | None, queries: Sequence[tuple[str, str]], repeats: int
) -> list[Timed]:
    """One row a query that can be answered, in order."""
    rows = []
    for kind, text in queries:
        began = time.perf_counter()
        try:
            found = index.search(text, limit=LIMIT)
        except ClinfoError as error:
            print(f"not answered ({error}): {text[:80]}", file=sys.stderr)
            continue
        first = 1_000 * (time.perf_counter() - began)
        whole = _best(lambda text=text: index.search(text, limit=LIMIT), repeats)  # type: ignore[misc]
        plan = _best(lambda found=found: index.best(found.plan, LIMIT), repeats)  # type: ignore[misc]
        rows.append(
            Timed(kind, text, found.count, first, whole, plan, _beside(fts5, found.plan, repeats))
        )
    return rows


def _beside(fts5: Fts5 | None, plan: Plan, repeats: int) -> float | None:
    if fts5 is None:
        return None
    try:
        return _best(lambda: fts5.best(plan, LIMIT), min(repeats, 2))
    except NotAskable:
        return None


def _best(work: Callable[[], object], repeats: int) -> float:
    """Milliseconds of the quickest of some runs."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1_000 * min(times)


def report(rows: Sequence[Timed]) -> str:
    """Medians, 95th percentiles and slowest by class, then the comparison with FTS5."""
    head = (
        f"{'class':<18}{'queries':>8}{'median ms':>11}{'p95 ms':>9}{'max ms':>9}{'target p95':>12}"
    )
    lines = [f"{head}{'p95 when first asked':>22}"]
    for kind in dict.fromkeys(row.kind for row in rows):
        times = sorted(row.whole for row in rows if row.kind == kind)
        target = TARGETS.get(kind)
        verdict = (
            ""
            if target is None
            else f"{target:>9.0f} {'ok' if percentile(times) <= target else 'NO'}"
        )
        figures = f"{statistics.median(times):>11.2f}{percentile(times):>9.2f}{times[-1]:>9.2f}"
        first = percentile(sorted(row.first for row in rows if row.kind == kind))
        lines.append(f"{kind:<18}{len(times):>8}{figures}{verdict:>12}{first:>22.2f}")
    both = [(row.kind, row.plan, row.fts5) for row in rows if row.fts5 is not None]
    if both:
        head = f"{'the same plan':<18}{'queries':>8}{'index ms':>11}{'FTS5 ms':>9}{'ratio of medians':>18}{'median ratio':>14}"  # noqa: E501
        lines += ["", head]
        for kind in (*dict.fromkeys(kind for kind, *_ in both), "all"):
            ours = [plan for one, plan, _ in both if kind in (one, "all")]
            theirs = [fts5 for one, _, fts5 in both if kind in (one, "all")]
            ratio = statistics.median(theirs) / statistics.median(ours)
            each = statistics.median(two / one for one, two in zip(ours, theirs, strict=True))
            lines.append(
                f"{kind:<18}{len(ours):>8}{statistics.median(ours):>11.2f}{statistics.median(theirs):>9.2f}{ratio:>18.1f}{each:>14.1f}"
            )
        lines.append(
            f"asked: {RATIO:g} at the median; {len(rows) - len(both)} queries cannot be said in "
            "FTS5's language"
        )
    return "\n".join(lines)


def percentile(times: Sequence[float], share: float = 0.95) -> float:
    """The smallest time that at least this share of the sorted ``times`` does not exceed."""
    return times[max(0, math.ceil(len(times) * share) - 1)]


def _prepared(
    folder: Path, citations: int, data: Path, with_fts5: bool
) -> tuple[LocalIndex, Fts5 | None]:
    """Return what is measured, made where it is not there."""
    corpus, target, table = folder / "corpus", folder / "index", folder / "fts5.sqlite"
    if not corpus.exists():
        began = time.perf_counter()
        write_citations(citations, corpus, 0, data)
        print(
            f"corpus of {citations:,} citations written in {time.perf_counter() - began:.0f} s",
            file=sys.stderr,
        )
    files = sorted(corpus.glob("*.xml.gz"))
    if not target.exists():
        mesh = folder / "mesh.sqlite"
        load(data / "mesh/mesh_descriptors.jsonl.gz", mesh)
        built = build(files, target, mesh=mesh)
        print(
            (
                f"index built in {built.seconds:.0f} s ({built.citations / built.seconds:,.0f} "
                "citations/s)"
            ),
            file=sys.stderr,
        )
    index = LocalIndex.open(target)
    if not with_fts5:
        return index, None
    fresh = not table.exists()
    fts5 = Fts5(table)
    if fresh:
        began = time.perf_counter()
        count = fts5.load(_documents(index))
        print(f"FTS5 loaded with {count:,} in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return index, fts5


def _documents(index: LocalIndex) -> Iterator[Document]:
    from clinfo.pubmed.plan import Everything

    ids = index.ids(Everything())
    for start in range(0, len(ids), 1_000):
        for xml in index.records(
            id.removeprefix("pmid:") for id in ids[start : start + 1_000]
        ).values():
            yield document(read_citation(xml))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Exit status 2 where the data are not there."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks index-queries", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="where corpus, index and table are kept (some 10 GB a million)",
    )
    parser.add_argument("--citations", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--no-fts5", action="store_true", help="leave FTS5 out")
    parser.add_argument(
        "--prepare", action="store_true", help="make what is needed and measure nothing"
    )
    parser.add_argument(
        "--slowest",
        type=int,
        default=0,
        metavar="N",
        help="print the N slowest queries of each class too",
    )
    asked = parser.parse_args(arguments)
    if not (asked.data / "llm_pubmed_queries.jsonl.gz").is_file():
        print(f"{asked.data} holds no queries", file=sys.stderr)
        return 2
    index, fts5 = _prepared(asked.folder, asked.citations, asked.data, not asked.no_fts5)
    if asked.prepare:
        return 0
    rows = measure(index, fts5, [*real_queries(asked.data), *kind_queries(index)], asked.repeats)
    print(f"{len(index):,} citations; best {LIMIT} by relevance; best of {asked.repeats}\n")
    print(report(rows))
    for kind in dict.fromkeys(row.kind for row in rows) if asked.slowest else ():
        for row in sorted((row for row in rows if row.kind == kind), key=lambda row: -row.whole)[
            : asked.slowest
        ]:
            print(
                f"\n{row.whole:8.1f} ms  plan {row.plan:8.1f} ms  {row.count:,} hits  {kind}: "
                f"{row.text[:300]}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
