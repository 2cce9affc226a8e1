"""Real queries: 230 that a language model wrote, 57 of systematic reviewers with their edited
forms, PubMed's own filter.

What stands here of 60 of them was read by hand, text beside tree and remarks: the first operator
with the number of its parts, and the remarks. Places in the files stand for the texts, which are
not part of the project.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from clinfo.pubmed.lexer import readable
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.tree import Boolean, Line, Node, Pmids, Range, Term
from clinfo.text.words import words
from tests.shared_data import SHARED, needs_shared

TERM = ("Term", 1)
GENERATED: dict[tuple[int, int], tuple[tuple[str, int], tuple[str, ...]]] = {
    (0, 0): (("AND", 4), ()),
    (1, 0): (("AND", 4), ()),
    (1, 1): (TERM, ("operator-in-quotes",)),
    (2, 2): (("AND", 3), ()),
    (3, 1): (("AND", 6), ()),
    (5, 0): (("AND", 3), ("no-subheading",)),
    (5, 1): (("AND", 3), ()),
    (6, 1): (("AND", 3), ()),
    (10, 2): (("AND", 6), ()),
    (11, 1): (("AND", 4), ()),
    (13, 2): (("AND", 4), ()),
    (14, 0): (("AND", 3), ()),
    (17, 0): (TERM, ("long-phrase", "operator-in-quotes")),
    (18, 1): (("AND", 3), ()),
    (20, 0): (TERM, ("operator-in-quotes",)),
    (22, 0): (TERM, ("long-phrase", "operator-in-quotes")),
    (24, 1): (("AND", 3), ()),
    (27, 0): (("AND", 2), ()),
    (30, 0): (TERM, ()),
    (30, 1): (("AND", 4), ()),
    (30, 2): (("AND", 4), ("mixed-operators",)),
    (31, 0): (TERM, ("long-phrase",)),
    (33, 0): (("AND", 2), ()),
    (47, 1): (TERM, ("long-phrase", "operator-in-quotes")),
    (48, 0): (("AND", 5), ("ignored-characters", "long-phrase")),
    (48, 2): (("AND", 7), ("mixed-operators",)),
    (59, 1): (TERM, ("long-phrase",)),
    (63, 0): (TERM, ("operator-in-quotes",)),
    (68, 0): (("AND", 6), ("dangling-operator", "repeated-operator")),
    (68, 1): (("AND", 6), ("dangling-operator", "repeated-operator")),
    (68, 2): (("AND", 6), ("dangling-operator",)),
    (70, 1): (("AND", 6), ()),
    (71, 2): (("AND", 5), ()),
    (75, 1): (("AND", 3), ()),
    (78, 2): (("AND", 3), ()),
    (79, 0): (("NOT", 2), ("and-not",)),
    (80, 2): (("AND", 3), ("no-subheading",)),
    (87, 1): (("AND", 3), ()),
    (91, 0): (("AND", 3), ()),
    (97, 0): (("AND", 3), ()),
}
REVIEWERS: dict[str, tuple[tuple[str, int], dict[str, int]]] = {
    "seed-103": (("AND", 2), {"curly-quotes": 28, "lower-case-operator": 2}),
    "seed-12": (("NOT", 2), {"curly-quotes": 6, "lower-case-operator": 2}),
    "seed-14": (("AND", 2), {"curly-quotes": 22}),
    "seed-3": (("NOT", 3), {"curly-quotes": 22, "lower-case-operator": 2}),
    "seed-16": (("NOT", 2), {"curly-quotes": 1}),
    "seed-51": (
        ("AND", 3),
        {"curly-quotes": 4, "repeated-operator": 1, "star-inside": 1, "unbalanced-parenthesis": 1},
    ),
    "seed-96": (("AND", 4), {}),
    "CD009593": (("OR", 6), {}),
    "CD009944": (("AND", 2), {"star-inside": 2}),
    "CD009925": (("AND", 2), {"star-inside": 2}),
    "CD010542": (("AND", 4), {"mixed-operators": 1}),
    "CD012083": (("AND", 3), {"mixed-operators": 1}),
    "CD009263": (("AND", 2), {"mixed-operators": 4, "unbalanced-parenthesis": 1}),
    "CD008122": (("AND", 2), {"unbalanced-parenthesis": 1, "star-inside": 2}),
    "CD008081": (("AND", 3), {"mixed-operators": 1}),
    "CD009135": (("AND", 2), {"lower-case-operator": 1}),
    "CD010632": (("AND", 3), {"short-star": 1, "star-inside": 1}),
    "CD010633": (("AND", 2), {"short-star": 1}),
    "CD009591": (("AND", 2), {}),
    "CD008782": (("AND", 3), {"short-star": 1}),
}


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


def shape(tree: Node | None) -> tuple[str, int]:
    return (
        (tree.operator, len(tree.parts)) if isinstance(tree, Boolean) else (type(tree).__name__, 1)
    )


@needs_shared
def test_every_real_query_is_read_and_printing_is_the_identity() -> None:
    count = 0
    for name, text in every_query():
        tree = parse(text).tree
        assert tree is not None, name
        for canonical in (printed(tree), printed(tree, "long")):
            assert parse(canonical).tree == tree, name
        assert printed(parse(printed(tree)).tree) == printed(tree), name
        count += 1
    assert count == 230 + 57 + 20 + 1


_TAG = re.compile(
    (
        r"\[(?:tiab|text word|all fields|title/abstract|mesh(?::noexp)?|ti|pt|sh|mesh terms|crdt|"
        r"tw|dcom|mhda|supplementary concept|mh"
        r"|ta|all|majr|title|subheading|rn|sb)\]"
    ),
    re.IGNORECASE,
)


@needs_shared
def test_no_word_of_a_real_query_is_lost_or_moved() -> None:
    """Against a second way of taking the words: tags and operators cut out of the text."""
    for name, text in every_query():
        parts = re.split(r'("[^"]*")', _TAG.sub(" ", readable(text)))
        bare = [
            part
            if part.startswith('"')
            else re.sub(r"(?<![^\s()])(?:AND|OR|NOT)(?![^\s()])", " ", part)
            for part in parts
        ]
        assert list(words_of(parse(text).tree)) == words(" ".join(bare)), name


def words_of(tree: Node | None) -> Iterator[str]:
    pending = [] if tree is None else [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean):
            pending += reversed(node.parts)
        elif isinstance(node, Term):
            yield from words(f"{node.text} {node.subheading or ''}")
        elif isinstance(node, Range):
            yield from words(f"{node.low} {node.high}")
        elif isinstance(node, Pmids):
            yield from node.pmids
        elif isinstance(node, Line):
            yield str(node.number)


@needs_shared
def test_what_was_read_by_hand_in_generated_queries() -> None:
    assert len(GENERATED) == 40
    for row in generated():
        if (expected := GENERATED.get((row["row"], row["query_index"]))) is not None:
            parsed = parse(row["query"])
            told = tuple(sorted({one.code for one in parsed.remarks}))
            assert (shape(parsed.tree), told) == expected, (row["row"], row["query_index"])


@needs_shared
def test_what_was_read_by_hand_in_reviewers_queries() -> None:
    assert len(REVIEWERS) == 20
    for row in reviewers():
        if (expected := REVIEWERS.get(row["id"])) is not None:
            parsed = parse(row["query"])
            assert (
                shape(parsed.tree),
                dict(Counter(one.code for one in parsed.remarks)),
            ) == expected, row["id"]


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


@needs_shared
@pytest.mark.parametrize(
    ("code", "queries"),
    [("curly-quotes", 19), ("lower-case-operator", 10), ("unbalanced-parenthesis", 3)],
)
def test_reviewers_queries_by_fault(code: str, queries: int) -> None:
    """Curly quotes in 19 and parentheses out of balance in 3, as the data's README counts."""
    assert (
        sum(any(one.code == code for one in parse(row["query"]).remarks) for row in reviewers())
        == queries
    )
