"""Recall of the studies that seven drug-class reviews included, retrieved from all their candidates together.

    python -m benchmarks.retrieval [--data FOLDER]

Two ways to search the 7,052 records, held in one in-memory source: plain BM25 on the review's title, and the extractive
model's three seeded queries on that title, their rankings fused as the chain fuses them. Recall at 100 and at 200 is the
share of a review's included studies among the first so many articles; the mean is over reviews with included studies.
A study whose record is not among the candidates counts as not found.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import ClinfoError
from clinfo.llm.extractive import ExtractiveModel
from clinfo.prompts import default_prompts, parse
from clinfo.protocols import ModelReply, ModelRequest
from clinfo.question2query import same_as_earlier, write_query
from clinfo.records import Query, SearchRequest
from clinfo.retrieve import fuse
from clinfo.sources.memory import Memory

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REVIEWS = "clusters/drug_class_reviews.jsonl.gz"
RECORDS = "citations/drug_class_review_citations.xml.gz"
SEEDS = (0, 1, 2)
CUTOFFS = (100, 200)


@dataclass(frozen=True)
class Review:
    """A review with the ids of the studies it included."""

    name: str
    title: str
    included: frozenset[str]


@dataclass(frozen=True)
class Row:
    """Recall (0 to 1) of one review at each of `CUTOFFS`, None where it included nothing; ``absent`` had no record."""

    review: Review
    absent: int
    plain: tuple[float, ...] | None
    fused: tuple[float, ...] | None
    queries: tuple[tuple[str, int], ...]


def read_reviews(path: Path) -> list[Review]:
    """The reviews of a file of clusters."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        clusters = [json.loads(line) for line in lines]
    return [
        Review(one["cluster"], one["title"], frozenset(f"pmid:{study['pmid']}" for study in one["included"])) for one in clusters
    ]


def recall(ranking: Sequence[str], included: frozenset[str]) -> tuple[float, ...] | None:
    """Share of ``included`` among the first of ``ranking``, for each cut-off; None where nothing was included."""
    if not included:
        return None
    return tuple(len(included.intersection(ranking[:cutoff])) / len(included) for cutoff in CUTOFFS)


async def seeded_queries(title: str, model: ExtractiveModel) -> list[Query]:
    """The queries the chain would make of the title: one a seed, one that is the same as another asked for again, then dropped."""

    async def ask(call: str, request: ModelRequest) -> ModelReply:
        return await model.complete(request)

    prompt = parse("question2query", default_prompts()["question2query"])
    queries: list[Query] = []
    for index, seed in enumerate(SEEDS):
        query = await write_query(title, index, seed, prompt, ask)
        if same_as_earlier(query, queries) is not None:
            query = await write_query(title, index, seed, prompt, ask, previous=[other.text for other in queries])
        if same_as_earlier(query, queries) is None:
            queries.append(query)
    return queries


async def measure(source: Memory, reviews: Sequence[Review]) -> list[Row]:
    """One row a review, in the order given."""
    rows = []
    model = ExtractiveModel()
    for review in reviews:
        queries = await seeded_queries(review.title, model)
        results = [await source.search(SearchRequest(query.text, max(CUTOFFS))) for query in queries]
        known = (await source.fetch(sorted(review.included))).articles
        rows.append(
            Row(
                review,
                absent=len(review.included) - len(known),
                plain=recall(source.rank(review.title, max(CUTOFFS)), review.included),
                fused=recall(fuse([result.ids for result in results]), review.included),
                queries=tuple((query.text, result.count) for query, result in zip(queries, results, strict=True)),
            )
        )
    return rows


def report(rows: Sequence[Row], articles: int) -> str:
    """The rows as a table, with means, what was left out of them, and the queries."""
    lines = [
        f"{articles} articles; {len(rows)} reviews; queries of seeds {', '.join(map(str, SEEDS))}, those that differ fused",
        "",
        f"{'review':<26}{'included':>9}{'absent':>8}{'BM25 @100':>12}{'@200':>8}{'queries @100':>15}{'@200':>8}",
    ]
    for row in rows:
        counts = f"{row.review.name:<26}{len(row.review.included):>9}{row.absent:>8}"
        if row.plain is None or row.fused is None:
            lines.append(f"{counts}  no included study: left out of the mean")
        else:
            lines.append(counts + _figures((*row.plain, *row.fused)))
    counted = [(*row.plain, *row.fused) for row in rows if row.plain is not None and row.fused is not None]
    if counted:
        means = tuple(statistics.fmean(column) for column in zip(*counted, strict=True))
        lines.append(f"{f'mean of {len(counted)}':<43}" + _figures(means))
    lines.append("")
    for row in rows:
        lines += [f"{row.review.name}: {text}  ({count} hits)" for text, count in row.queries]
    return "\n".join(lines)


def _figures(values: Sequence[float]) -> str:
    return "".join(f"{value:>{width}.3f}" for value, width in zip(values, (12, 8, 15, 8), strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Exit status 2 where the data are not there, else that of the error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder with clusters/ and citations/ (default: %(default)s)")
    folder = parser.parse_args(arguments).data
    missing = [name for name in (REVIEWS, RECORDS) if not (folder / name).is_file()]
    if missing:
        print(f"{folder} lacks {' and '.join(missing)}", file=sys.stderr)
        return 2
    try:
        source = Memory.from_files([folder / RECORDS])
        print(report(asyncio.run(measure(source, read_reviews(folder / REVIEWS))), len(source)))
    except ClinfoError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
