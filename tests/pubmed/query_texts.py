"""Query texts for hypothesis: pieces that the language is made of, in any order."""

from hypothesis import strategies as st

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
