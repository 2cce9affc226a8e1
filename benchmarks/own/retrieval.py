"""Recall of the studies that seven drug-class reviews included, retrieved from all their candidates
together.

    python -m benchmarks retrieval [--data FOLDER]

Two ways to search the 7,052 records, held in one in-memory source with a table of MeSH: plain
BM25 on the review's title, and the extractive model's queries on that title by the strategy pico,
checked as the chain checks them, 200 articles asked of each, their rankings fused as the chain
fuses them. Recall at 100 and at 200 is the share of a review's included studies among the
first so many articles; a mean is over reviews with included studies. A study whose record is not
among the candidates counts as not found.

The rules of the strategy pico were chosen while looking at four of the reviews (`TUNED`); the other
three are held out.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import flags
from benchmarks.own.scores import DATA
from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.literature.search import question2query
from clinfo.pipelines.literature.search.question2query import check
from clinfo.pipelines.literature.stages import LITERATURE, PROMPTS
from clinfo.records.articles import Query, SearchRequest
from clinfo.retrieval.fusion import fused
from clinfo.runs.protocols import ModelReply, ModelRequest
from clinfo.sources.memory import Memory
from clinfo.terms.mesh import Mesh, table_path
from clinfo.terms.mesh_files import load

REVIEWS = "clusters/drug_class_reviews.jsonl.gz"
RECORDS = "citations/drug_class_review_citations.xml.gz"
MESH = "mesh/mesh_descriptors.jsonl.gz"
CUTOFFS = (100, 200)
WAYS = ("BM25", "pico")
TUNED = frozenset(("ADHD", "Opiods", "NSAIDS", "Antihistamines"))

Recall = tuple[float, ...]
"""Recall (0 to 1) at each of `CUTOFFS`."""


@dataclass(frozen=True)
class Review:
    """A review with the ids of the studies it included."""

    name: str
    title: str
    included: frozenset[str]


@dataclass(frozen=True)
class Row:
    """The recall of each of `WAYS` for one review, None where it included nothing; ``absent``
    included studies had no record.

    ``queries`` holds each query of pico with the number of its hits.
    """

    review: Review
    absent: int
    recall: Mapping[str, Recall] | None
    queries: tuple[tuple[str, int], ...]


def read_reviews(path: Path) -> list[Review]:
    """The reviews of a file of clusters."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        clusters = [json.loads(line) for line in lines]
    return [
        Review(
            one["cluster"],
            one["title"],
            frozenset(f"pmid:{study['pmid']}" for study in one["included"]),
        )
        for one in clusters
    ]


def recall(ranking: Sequence[str], included: frozenset[str]) -> Recall:
    """Share of ``included`` among the first of ``ranking``, for each cut-off."""
    return tuple(len(included.intersection(ranking[:cutoff])) / len(included) for cutoff in CUTOFFS)


async def _ask(call: str, request: ModelRequest) -> ModelReply:
    return await ExtractiveModel(LITERATURE.stages).complete(request)


async def pico_queries(title: str, mesh: Mesh) -> list[Query]:
    """The queries of the strategy pico."""
    understood = await question2query.understand(
        title, 0, PROMPTS.parse("pico", PROMPTS.defaults()["pico"]), _ask
    )
    return [
        await check(query, mesh, repair=True) for query in question2query.write_queries(understood)
    ]


async def measure(source: Memory, reviews: Sequence[Review], mesh: Mesh) -> list[Row]:
    """One row a review, in the order given."""
    return [await _row(source, review, mesh) for review in reviews]


async def _row(source: Memory, review: Review, mesh: Mesh) -> Row:
    rankings: dict[str, list[str]] = {"BM25": source.rank(review.title, max(CUTOFFS))}
    queries = await pico_queries(review.title, mesh)
    results = [await source.search(SearchRequest(query.text, max(CUTOFFS))) for query in queries]
    rankings["pico"] = list(fused(result.ids for result in results))
    shown = tuple(
        (query.text, result.count) for query, result in zip(queries, results, strict=True)
    )
    known = (await source.fetch(sorted(review.included))).articles
    reached = (
        {way: recall(rankings[way], review.included) for way in WAYS} if review.included else None
    )
    return Row(review, len(review.included) - len(known), reached, shown)


def report(rows: Sequence[Row], articles: int) -> str:
    """The rows as a table, with means, what was left out of them, and the queries."""
    heads = "".join(f"{f'{way} @{cutoff}':>12}" for way in WAYS for cutoff in CUTOFFS)
    lines = [
        f"{articles} articles; {len(rows)} reviews; {max(CUTOFFS)} articles a query",
        "",
        f"{'review':<36}{'included':>9}{'absent':>8}{heads}",
    ]
    for row in rows:
        name = row.review.name if row.review.name in TUNED else f"{row.review.name} (held out)"
        counts = f"{name:<36}{len(row.review.included):>9}{row.absent:>8}"
        lines.append(
            counts
            + (_figures(row.recall) if row.recall else "  no included study: left out of the mean")
        )
    counted = [(row.review.name in TUNED, row.recall) for row in rows if row.recall]
    for name, chosen in (
        ("mean", [reached for _, reached in counted]),
        ("mean, tuned on", [reached for tuned, reached in counted if tuned]),
        ("mean, held out", [reached for tuned, reached in counted if not tuned]),
    ):
        if chosen:
            lines.append(f"{f'{name} ({len(chosen)})':<53}" + _figures(_mean(chosen)))
    lines.append("")
    for row in rows:
        lines += [f"{row.review.name}: {text}  ({count} hits)" for text, count in row.queries]
    return "\n".join(lines)


def _mean(rows: Sequence[Mapping[str, Recall]]) -> dict[str, Recall]:
    return {
        way: tuple(map(statistics.fmean, zip(*(row[way] for row in rows), strict=True)))
        for way in WAYS
    }


def _figures(reached: Mapping[str, Recall]) -> str:
    return "".join(f"{value:>12.3f}" for way in WAYS for value in reached[way])


def rows(folder: Path) -> tuple[list[Row], int]:
    """The rows for the data in ``folder``, and the number of articles that were searched. Raises
    ClinfoError.
    """
    with tempfile.TemporaryDirectory() as beside:
        table = table_path(Path(beside))
        load(folder / MESH, table)
        mesh = Mesh(table)
        source = Memory.from_files([folder / RECORDS], mesh=mesh)
        try:
            return asyncio.run(measure(source, read_reviews(folder / REVIEWS), mesh)), len(source)
        finally:
            mesh.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point."""
    about = __doc__.split("\n\n")[0]
    _, options = flags.read("retrieval", about, REVIEWS, arguments, {}, DATA)
    print(report(*rows(options.data)))
