"""Asks questions of physicians about trials by another name of their outcome, one that the paper's
results never use, and counts right conclusions.

    python -m benchmarks.trials.other_names --data FOLDER

Names are MeSH's; of several the first by alphabet that does not begin as the paper's own does.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.trials.data import papers, questions
from clinfo.lazy_dataclass import replace
from clinfo.pipelines.trials.concluding import concluded
from clinfo.pipelines.trials.outcome_names import names_in, other_names
from clinfo.pipelines.trials.selecting import uniform
from clinfo.records.trials import Direction
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.chunking import by_section, sentences_of
from clinfo.retrieval.documents import Document
from clinfo.retrieval.rerankers.results import ResultReranker
from clinfo.terms.naming import synonyms


def direction(paper: Document, asked: Asked) -> Direction:
    """What the extractive model concludes from ten passages of a paper."""
    chosen = uniform(asked, {paper.id: by_section(paper)}, ResultReranker(), 10)
    return concluded(asked, [one for part, _ in chosen for one in sentences_of(part)]).direction


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    held = papers(folder)
    asked = found = 0
    right = {"the paper's own name": 0, "another name": 0, "another name, looked up": 0}
    for one in questions(folder):
        paper, own = held[one.paper], one.asked.outcome
        others = sorted(name for name in synonyms(own) if own[:4].lower() not in name.lower())
        other = next((name for name in others if other_names([paper], name)), None)
        if other is None or not one.gold:
            continue
        names = names_in([paper], other)
        asked += 1
        found += names[0] != other
        for way, outcome in zip(right, (own, other, names[0]), strict=True):
            right[way] += direction(paper, replace(one.asked, outcome=outcome)) == one.gold
    print(f"{asked} questions, the paper's name found for {found}; right conclusions:")
    for way, count in right.items():
        print(f"{way:26}{count:4}")


if __name__ == "__main__":
    main()
