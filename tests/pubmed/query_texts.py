"""Query texts and trees for hypothesis: pieces that the language is made of, in any order, and
whole well-formed trees.
"""

from hypothesis import strategies as st

from clinfo.pubmed.tree import Boolean, Leaf, Line, Node, Pmids, Range, Term

WORDS = (
    "AND",
    "OR",
    "NOT",
    "and",
    "or",
    "not",
    "a",
    "the",
    "asthma",
    "feed",
    "therapy",
    "dh",
    "Jan",
    *"β고²ͺ",
    "CT",
    "PET",
)
TAGS = (
    "[tiab]",
    "[mh]",
    "[dp]",
    "[mh:noexp]",
    "[tiab:~2]",
    "[mh:~3]",
    "[foo]",
    "[pmid]",
    "[18F]",
    "[]",
    "[sh]",
    "[ti:exp]",
)
MARKS = (" ", "\n", "#1", "&amp;", "%22", *"()\"[]*:/#&|-.,'“”∗（_")
NUMBERS = ("2020", "2020/01", "17170002", "16381840", "12", "3000")
PIECES = st.sampled_from((*WORDS, *TAGS, *MARKS, *NUMBERS, "\x00", "\ud800", "\u200b"))
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.one_of(PIECES, st.text(max_size=2)), max_size=25).map("".join),
    st.lists(PIECES, max_size=25).map(" ".join),
)

_word = st.from_regex(r"[a-z]{4,8}", fullmatch=True).filter(
    lambda word: word not in ("and", "or", "not")
)
_phrase = st.lists(_word, min_size=2, max_size=4).map(" ".join)
_star = st.sampled_from(("", "*"))
_terms: st.SearchStrategy[Leaf] = st.one_of(
    st.builds(
        lambda text, star, tag: Term(text + star, tag),
        _phrase | _word,
        _star,
        st.sampled_from((None, "ti", "tiab", "au")),
    ),
    st.builds(
        lambda text, star, tag: Term(text + star, tag, quoted=True),
        _phrase,
        _star,
        st.sampled_from((None, "tw", "pt")),
    ),
    st.builds(
        lambda text, within: Term(text, "tiab", quoted=True, within=within),
        _phrase,
        st.integers(0, 50),
    ),
    st.builds(
        lambda text, field, explode, sub: Term(
            text, field, quoted=True, explode=explode, subheading=sub
        ),
        _phrase,
        st.sampled_from(("mh", "majr")),
        st.booleans(),
        st.sampled_from((None, "therapy", "dh", "drug therapy")),
    ),
    st.builds(
        lambda low, high, field: Range(str(low), str(high), field),
        st.integers(1800, 2030),
        st.integers(1800, 3000),
        st.sampled_from((None, "dp", "edat")),
    ),
    st.builds(Line, st.integers(1, 200)),
    st.builds(
        lambda numbers: Pmids(tuple(map(str, numbers))),
        st.lists(st.integers(10_000, 40_000_000), min_size=1, max_size=3),
    ),
)


def _combined(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(
        _boolean, st.sampled_from(("AND", "OR", "NOT")), st.lists(parts, min_size=2, max_size=4)
    )


def _boolean(operator: str, parts: list[Node]) -> Node:
    """A Boolean of the shape that `clinfo.pubmed.tree` promises: no part that could be joined with
    its parent.
    """
    flat: list[Node] = []
    for place, part in enumerate(parts):
        joins = (
            isinstance(part, Boolean)
            and part.operator == operator
            and (operator != "NOT" or place == 0)
        )
        flat += part.parts if joins and isinstance(part, Boolean) else [part]
    return Boolean(operator, tuple(flat))  # type: ignore[arg-type]


TREES: st.SearchStrategy[Node] = st.recursive(_terms, _combined, max_leaves=15)
