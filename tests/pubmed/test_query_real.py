"""Real queries: 230 that a language model wrote, 57 of systematic reviewers with their edited
forms, PubMed's own filter.

What stands here of 60 of them was read by hand, text beside tree and remarks: the first operator
with the number of its parts, and the remarks. Places in the files stand for the texts, which are
not part of the project.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from clinfo.pubmed.query import parse, printed
from tests.shared_data import SHARED, needs_shared


def generated() -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED / "llm_pubmed_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def reviewers() -> Iterator[dict[str, Any]]:
    with gzip.open(
        SHARED / "queries" / "human_pubmed_queries.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        yield from map(json.loads, lines)


def every_query() -> Iterator[tuple[str, str]]:
    for row in generated():
        yield f"{row['row']}.{row['query_index']}", row["query"]
    for row in reviewers():
        yield row["id"], row["query"]
        if row.get("edited_query"):
            yield f"{row['id']} edited", row["edited_query"]
    yield (
        "systematic subset",
        (SHARED / "queries" / "systematic_subset_query.txt").read_text(encoding="utf-8"),
    )


@needs_shared
def test_every_real_query_is_read_and_printing_is_the_identity() -> None:
    count = 0
    for name, text in every_query():
        tree = parse(text).tree
        assert tree is not None, name
        assert parse(printed(tree)).tree == tree, name
        assert printed(parse(printed(tree)).tree) == printed(tree), name
        count += 1
    assert count == 230 + 57 + 20 + 1


@needs_shared
def test_generated_queries_are_remarked_on_as_their_flags_say() -> None:
    """The flags were counted by other means than this parser (the data's README)."""
    told: Counter[str] = Counter()
    for row in generated():
        found = {one.code for one in parse(row["query"]).remarks}
        told.update(found)
        flags = set(row["flags"])
        assert ("operator-in-quotes" in found) == ("operator_inside_quotes" in flags)
        assert ("mixed-operators" in found) == ("mixed_and_or_same_level" in flags)
        assert ("dangling-operator" in found) == ("operator_as_term_or_dangling" in flags)
        assert ("and-not" in found) == ("and_not" in flags)
    assert told == {
        "operator-in-quotes": 39,
        "long-phrase": 22,
        "dangling-operator": 3,
        "repeated-operator": 2,
        "mixed-operators": 2,
        "no-subheading": 2,
        "and-not": 1,
        "ignored-characters": 1,
    }
