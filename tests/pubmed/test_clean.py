"""What is taken out of a model's reply, what is mended, and what is left alone."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pubmed.clean import MAX_LENGTH, STEPS, clean
from tests.shared_data import SHARED, needs_shared

QUERY = '("vitamin D" OR cholecalciferol) AND asthma[tiab]'

GOOD = (
    QUERY,
    "vitamin D asthma children",
    '"bladder cancer in adults with HIV"',
    '"hip pain"[tiab:~2] AND 2020:2021[dp] NOT review[pt]',
    'wearable*[tiab] AND (hypertension/therapy OR "E. coli")',
    '"[18F]FDG"[tiab] AND [11C]choline AND benzo[a]pyrene',
    "pain  AND  children's ward",
    "(NOT rat) AND mouse",
    '"OR" AND "odds ratio"',
)


@pytest.mark.parametrize("query", GOOD)
def test_a_good_query_is_left_alone(query: str) -> None:
    assert clean(query).text == query
    assert clean(query).repairs == ()


@pytest.mark.parametrize(
    "reply",
    [
        "```\n{}\n```",
        "```sql\n{}\n```",
        "PubMed query:\n```\n{}\n```\nLet me know if you need (more) help!",
        "Query: {}",
        "PubMed query: {}",
        "**PubMed Query:** {}",
        "**PubMed query:**\n\n{}\n",
        "### Query\n{}",
        "Search strategy: {}",
        "Final answer: {}",
        "Sure! Here is the query: {}",
        (
            "Here is a query for your question:\n\n{}\n\nThis query uses AND and OR to combine the "
            "concepts."
        ),
        '{}\n\nExplanation:\n- "vitamin D": the intervention\n- asthma[tiab]: the condition',
        "Query: {}\nExplanation: it combines vitamin D AND asthma with brackets.",
        "{}. This query finds the studies on asthma.",
        "You can use `{}` to find them.",
        "`{}`",
        "<query>{}</query>",
        "1. {}",
        "- {}",
        "> {}",
        "**{}**",
        "{}.",
        '"{}"',
        "“{}”",
        "\ufeff{}\x00\x1b",
        '{{"query": "{}"}}',
    ],
)
def test_what_surrounds_the_query_is_removed(reply: str) -> None:
    cleaned = clean(reply.format(QUERY))
    assert cleaned.text == QUERY
    assert cleaned.repairs


@pytest.mark.parametrize(
    "value",
    [
        {"query": QUERY},
        {"PubMed_Query": QUERY, "reason": "asthma AND (more)"},
        {"queries": [QUERY]},
        {"search": QUERY, "concepts": ["a", "b"]},
    ],
)
@pytest.mark.parametrize("frame", ["{}", "```json\n{}\n```", "Here you go: {} Good luck!"])
def test_json(value: dict[str, Any], frame: str) -> None:
    assert clean(frame.format(json.dumps(value))).text == QUERY


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        # quotation marks
        ("“vitamin D” AND “children’s health”", '"vitamin D" AND "children’s health"'),
        ('"vitamin D AND asthma"', "vitamin D AND asthma"),
        ('("vitamin D AND asthma")', "(vitamin D AND asthma)"),
        ('"vitamin D AND asthma', '"vitamin D" AND asthma'),
        ('vitamin D" AND asthma', "vitamin D AND asthma"),
        (
            '("vitamin D OR "cholecalciferol") AND malaria',
            '("vitamin D" OR "cholecalciferol") AND malaria',
        ),
        (
            '("vitamin D OR "cholecalciferol) AND malaria',
            '("vitamin D" OR "cholecalciferol") AND malaria',
        ),
        ('\\"vitamin D\\" AND asthma', '"vitamin D" AND asthma'),
        # brackets; the ones inside quotation marks are text
        ("(a OR b) AND (c OR d", "(a OR b) AND (c OR d)"),
        ("(a OR b) AND c)", "(a OR b) AND c"),
        ('"a (b" AND c', '"a (b" AND c'),
        ("asthma[tiab AND copd[tiab]", "asthma[tiab] AND copd[tiab]"),
        ("asthma[tiab", "asthma[tiab]"),
        ("asthma] AND copd", "asthma AND copd"),
        ("asthma[tiab[mh]", "asthma[tiab][mh]"),
        ("（a OR b） AND c", "(a OR b) AND c"),
        # operators
        ("AND a OR", "a"),
        ("(a OR) AND b", "a AND b"),
        ("(OR a) AND b", "a AND b"),
        ("a AND AND b", "a AND b"),
        ("a AND OR b", "a AND b"),
        ("a AND NOT b", "a NOT b"),
        ("a OR NOT b", "a NOT b"),
        ("(a) AND () AND (b)", "a AND b"),
        ('("odds ratio" OR OR) AND b', '"odds ratio" AND b'),
        ('"a" and "b"[tiab] or ("c") not "d"', '"a" AND "b"[tiab] OR ("c") NOT "d"'),
        ('"a" and b or not c', '"a" and b or not c'),
        # characters
        ("wearable∗[tiab]", "wearable*[tiab]"),
        ("&quot;a&quot; AND b &amp;amp; c", '"a" AND b & c'),
        ("a\u00a0AND\u2009b\u200b", "a AND b"),
        ("a AND \ud800b", "a AND b"),
        ('(\n"a"[mh]\nOR\n"b"\n)\nAND c', '( "a"[mh] OR "b" ) AND c'),
        ("(\nwearable*\nOR phone*\n)\nAND\n sleep*", "( wearable* OR phone* ) AND sleep*"),
        # nothing there
        ("", ""),
        (" \n ", ""),
        ("...", ""),
        ("(((", ""),
        ("I'm sorry, but I can't write a query for that.", ""),
        ("{question}", ""),
        ("<query>", ""),
        ("This query will find the articles about vitamin D and falls for you", ""),
        ('The term "good microbes" is a term used to describe those in the gut', ""),
        ("DOG_POWER_" * 20, ""),
        ('"vitamin D" falls in the elderly', '"vitamin D" falls in the elderly'),
        # plain words that can be searched
        ("question prompt lists oncology", "question prompt lists oncology"),
        (
            "treatment of asthma in the children of smokers",
            "treatment of asthma in the children of smokers",
        ),
    ],
)
def test_mending(reply: str, query: str) -> None:
    assert clean(reply).text == query


def test_every_change_is_told_once_in_a_sentence() -> None:
    cleaned = clean("Query: “a” AND (b OR c.")
    assert cleaned.text == '"a" AND (b OR c)'
    assert cleaned.repairs == (
        "The label or marks around the query were removed.",
        "The punctuation at the end was removed.",
        '“"” replaced a character that only looks like it.',
        "This parenthesis is unpaired; PubMed closes or ignores it.",
    )
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence, _ in STEPS)


def test_a_query_that_never_ends_is_cut_between_terms() -> None:
    text = clean("(" + " OR ".join(f"term{n}[tiab]" for n in range(2000))).text
    assert MAX_LENGTH - 250 < len(text) <= MAX_LENGTH
    assert text.endswith("[tiab]")


MARKS = (
    '"',
    "(",
    ")",
    "[",
    "]",
    "AND",
    "OR",
    "NOT",
    "and",
    "or",
    " ",
    "\n",
    "a",
    "vitamin D",
    '"x y"',
    "[tiab]",
    "[mh",
    ".",
    ":",
)
FRAMES = (
    "Query:",
    "Here is the query:",
    "```",
    "`",
    '{"query": "',
    '"}',
    "{",
    "}",
    "- ",
    "1. ",
    "This query finds",
    "<q>",
    "</q>",
)
TRAPS = (
    '\\"',
    "&quot;",
    "&amp;",
    "“",
    "”",
    "’",
    "*",
    "**",
    "\0",
    "∗",
    "\u200b",
    ". It uses words and more words",
    " OR ",
    " AND ",
)
PIECES = st.sampled_from(MARKS + FRAMES + TRAPS)
REPLIES = st.one_of(
    st.text(), st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=25).map("".join)
)


@given(REPLIES)
def test_any_reply_gives_one_balanced_line_and_cleaning_is_idempotent(reply: str) -> None:
    cleaned = clean(reply)
    assert clean(cleaned.text) == type(cleaned)(cleaned.text)
    assert "\n" not in cleaned.text
    assert cleaned.text == cleaned.text.strip()
    assert len(cleaned.text) <= MAX_LENGTH
    assert cleaned.text.count('"') % 2 == 0
    outside = "".join(cleaned.text.split('"')[::2])
    assert outside.count("[") == outside.count("]")
    assert outside.count("(") == outside.count(")")
    assert cleaned.text or cleaned.repairs or not reply.strip()
    cleaned.text.encode()


WORDS = st.from_regex(r"[a-z]{3,8}( [a-z]{3,8})?", fullmatch=True).filter(
    lambda word: "query" not in word
)
TERMS = st.one_of(
    WORDS, WORDS.map(lambda word: f'"{word}"'), WORDS.map(lambda word: f"{word}[tiab]")
)


@st.composite
def queries(draw: st.DrawFn) -> str:
    groups = [
        " OR ".join(draw(st.lists(TERMS, min_size=1, max_size=3)))
        for _ in range(draw(st.integers(2, 4)))
    ]
    return " AND ".join(f"({group})" for group in groups)


def generated() -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED / "llm_pubmed_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@needs_shared
def test_published_generated_queries() -> None:
    """Of 230 real ones exactly those with operators inside their quotes, an operator as a term, or
    AND NOT are changed.
    """
    told: Counter[str] = Counter()
    for row in generated():
        cleaned = clean(row["query"])
        told.update(cleaned.repairs)
        flags = set(row["flags"])
        assert bool(cleaned.repairs) == bool(
            flags & {"operator_inside_quotes", "operator_as_term_or_dangling", "and_not"}
        )
        if not cleaned.repairs:
            assert cleaned.text == row["query"]
    assert told == {
        "A phrase with operators inside quotation marks was split at the operators.": 39,
        "AND NOT is read as NOT.": 1,
        "OR has no operand here and is ignored.": 1,
        "OR has no operand here and is ignored. PubMed uses only one of several operators in a "
        "row.": 2,
    }
