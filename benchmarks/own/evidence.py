"""The evidence table on real articles: how often a field is read, how long a row takes, which
papers are one study.

    python -m benchmarks.own.evidence [--data FOLDER] [--sample N] [--parity even|odd|both] [--groups]

Coverage is not correctness: it counts abstracts of which a field was read, whether or not rightly.
Rules were tuned on even PMIDs; the figures of odd ones count.
"""  # noqa: E501

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.own.citations import DATA
from clinfo.evidence.studies import groups, overlaps, own_numbers
from clinfo.evidence.table import rows
from clinfo.pubmed.xml import read_file
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Article, Study
from clinfo.text.registry import registrations

FILES = (
    "pmc_trial_citations",
    "drug_class_review_citations",
    "pubmedqa_citations",
    "pubmedrs200_source_reviews",
)
FIELDS = (
    "design",
    "level",
    "sample_size",
    "population",
    "intervention",
    "comparator",
    "outcome",
    "effect",
    "follow_up",
)
LONGEST_MS = 5.0
"""Milliseconds a row may take."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.evidence",
        description="Coverage and speed of the evidence table.",
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared real data")
    parser.add_argument(
        "--sample", type=int, default=400, help="articles of each file (default %(default)s)"
    )
    parser.add_argument(
        "--parity",
        choices=("even", "odd", "both"),
        default="odd",
        help="PMIDs to use (default %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--groups",
        action="store_true",
        help="also the studies among the trials, by registry number and otherwise",
    )
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        sys.exit(f"no folder of shared real data at {options.data}")
    every = {
        name: _articles(options.data / "citations" / f"{name}.xml.gz", options.parity)
        for name in FILES
    }
    drawn = {
        name: random.Random(options.seed).sample(held, min(options.sample, len(held)))
        for name, held in every.items()
    }
    print(
        f"{options.parity} PMIDs with an abstract, {options.sample} of each file at most, seed "
        f"{options.seed}; per cent of rows"
    )
    print(
        f"{'':30}{'rows':>6}"
        + "".join(f"{field.replace('_', ' '):>13}" for field in FIELDS)
        + f"{'+ interval':>12}{'CPU ms a row':>14}"
    )
    for name, articles in drawn.items():
        print(_line(name, articles))
    if options.groups:
        _studies(every["pmc_trial_citations"])


def _articles(path: Path, parity: str) -> list[Article]:
    wanted = {"even": (0,), "odd": (1,), "both": (0, 1)}[parity]
    found = (item for item in read_file(path) if isinstance(item, Article))
    return [
        article
        for article in found
        if article.pmid and int(article.pmid) % 2 in wanted and article.sections
    ]


def _line(name: str, articles: Sequence[Article]) -> str:
    """Share of rows with each field; every row is made alone, for a question that only its title
    asks.
    """
    started = time.process_time()
    made: list[EvidenceRow] = [
        rows(article.title, [Study(1, article, None)], ())[0] for article in articles
    ]
    each = 1000 * (time.process_time() - started) / max(len(made), 1)
    counts = Counter(field for row in made for field in FIELDS if getattr(row, field) is not None)
    bounded = sum(1 for row in made if row.effect is not None and row.effect.low is not None)
    shares = "".join(f"{100 * counts[field] / max(len(made), 1):13.1f}" for field in FIELDS)
    late = "" if each <= LONGEST_MS else f"  over {LONGEST_MS:g} ms"
    return (
        f"{name:30}{len(made):6}{shares}{100 * bounded / max(len(made), 1):12.1f}{each:14.2f}{late}"
    )


def _studies(articles: Sequence[Article]) -> None:
    named = [article for article in articles if registrations(article.abstract)]
    owned = [article for article in articles if own_numbers(article)]
    found = [group for group in groups(articles) if len(group.ids) > 1]
    numbered = [group for group in found if group.registry_numbers]
    print(f"\n{len(articles)} trials: {len(named)} name a registry number, {len(owned)} their own")
    print(
        f"{len(found)} studies with several papers, {len(numbered)} by registry number, "
        f"{len(found) - len(numbered)} otherwise"
    )
    titles = {article.id: article.title for article in articles}
    for group in found[:20]:
        print(f"  {group.reason}")
        for id in group.ids:
            print(f"    {id} {titles[id][:110]}")
    held = overlaps(articles)
    print(
        f"{len(held)} reviews list {sum(len(overlap.studies) for overlap in held)} others of them"
    )


if __name__ == "__main__":
    main()
