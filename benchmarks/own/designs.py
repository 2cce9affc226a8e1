"""Accuracy in telling animal experiments, laboratory studies and protocols from trials on people.

    python -m benchmarks designs [--half even|odd] [--show] [--data FOLDER]

Two figures: how many of the papers that are no study on people with results are given a design (and
so a level) of one, and how many
human studies are taken for an animal experiment, a laboratory study or a protocol.
``designs.jsonl`` labels records by PMID: by MeSH
check tags (Animals without Humans), by titles that say so, and by reading. Rules and weights were
tuned on even PMIDs; the figures of odd ones count. MeSH check tags are taken away before a record
is looked at, so that the words must do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from benchmarks.own.verdict_rates import wilson
from clinfo.records.articles import Article
from clinfo.text.design import study_design

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LABELS = Path(__file__).with_name("designs.jsonl")
FILES = (
    "citations/pmc_trial_citations",
    "citations/drug_class_review_citations",
    "citations/pubmedqa_citations",
    "medline/medline16n0902_part",
    "medline/medsample1_2017",
)
HALVES = {"even": 0, "odd": 1}
OF_PEOPLE = frozenset(
    {
        "randomised controlled trial",
        "randomised crossover trial",
        "cluster randomised trial",
        "non-randomised controlled trial",
        "single-arm trial",
        "before-and-after study",
        "prospective cohort study",
        "retrospective cohort study",
        "cohort study",
    }
)
"""Designs under which a paper ranks as a trial or a cohort of people."""
NOT_OF_PEOPLE = frozenset({"animal study", "laboratory study", "study protocol"})


def labelled(data: Path, half: int) -> list[tuple[Article, str]]:
    """The labelled records of a half with their kind: people, animals, laboratory, not people,
    protocol.
    """
    kinds = {
        row["pmid"]: row["kind"]
        for row in map(json.loads, LABELS.read_text(encoding="utf-8").splitlines())
    }
    first: dict[str, Article] = {}
    for article in _articles(data, half):
        if article.pmid in kinds:
            first.setdefault(article.pmid, article)
    return [(article, kinds[pmid]) for pmid, article in first.items()]


def tagged_humans(data: Path, half: int, most: int) -> list[Article]:
    """Records that MeSH tags as on humans and not on animals, in the order of a hash of their
    PMIDs.
    """
    found = {
        a.pmid or "": a
        for a in _articles(data, half)
        if "Humans" in a.mesh and "Animals" not in a.mesh
    }
    return [
        found[pmid]
        for pmid in sorted(found, key=lambda pmid: hashlib.sha256(pmid.encode()).hexdigest())[:most]
    ]


@lru_cache(maxsize=2)
def _articles(data: Path, half: int) -> tuple[Article, ...]:
    return tuple(article for name in FILES for article in read(data, name, half))


def read(data: Path, name: str, half: int) -> Iterator[Article]:
    """The records of a file that have an abstract, those of one half."""
    from clinfo.pubmed.xml import read_file

    for item in read_file(data / f"{name}.xml.gz"):
        if isinstance(item, Article) and item.pmid and int(item.pmid) % 2 == half and item.sections:
            yield item


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks designs", description="Animals and protocols told from trials."
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared real data")
    parser.add_argument(
        "--half", choices=tuple(HALVES), default="odd", help="PMIDs to use (default %(default)s)"
    )
    parser.add_argument(
        "--show", action="store_true", help="print what is taken for something else"
    )
    options = parser.parse_args(arguments)
    if not options.data.is_dir():
        sys.exit(f"no folder of shared real data at {options.data}")
    cases = [
        (replace(article, mesh=()), kind)
        for article, kind in labelled(options.data, HALVES[options.half])
    ]
    wrong = {"ranked": Counter[str](), "demoted": Counter[str]()}
    unclear = 0
    shown: list[str] = []
    for article, kind in cases:
        design = study_design(article)
        name = "demoted" if kind == "people" else "ranked"
        unclear += kind == "people" and design is None
        if design in (NOT_OF_PEOPLE if kind == "people" else OF_PEOPLE):
            wrong[name][kind] += 1
            shown.append(
                f"  {name}: {article.pmid} {kind}, read as {design}: {article.title[:100]}"
            )
    number = Counter(kind for _, kind in cases)
    print(f"designs, {options.half} PMIDs, MeSH check tags taken away")
    for kind in ("animals", "laboratory", "not people", "protocol"):
        print(
            f"{kind}: {wrong['ranked'][kind]} of {number[kind]} ranked as a trial or cohort of "
            "people"
        )
    every = sum(count for kind, count in number.items() if kind != "people")
    for what, hits, count in (
        (
            "not on people or without results, ranked as human trials",
            wrong["ranked"].total(),
            every,
        ),
        ("human trials demoted", wrong["demoted"].total(), number["people"]),
    ):
        low, high = wilson(hits, count)
        print(f"{what}: {hits} of {count} ({100 * low:.1f} to {100 * high:.1f} %)")
    print(f"human trials whose design is left open: {unclear}")
    if options.show:
        print("\n".join(shown))


if __name__ == "__main__":
    main()
