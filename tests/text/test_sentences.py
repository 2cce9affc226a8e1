"""Sentences of medical prose: the text is ours, the shapes are those met in abstracts and in
models' answers.
"""

import gzip
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clinfo.text.sentences import sentence_spans, sentences
from tests.shared_data import SHARED, needs_shared

CASES = {
    "abbreviations": (
        "Aspirin vs. Placebo was tried, e.g. In Leeds, by Dr. Grey. It failed.",
        ["Aspirin vs. Placebo was tried, e.g. In Leeds, by Dr. Grey.", "It failed."],
    ),
    "et al inside": (
        "Brown et al. Reported this. So did others.",
        ["Brown et al. Reported this.", "So did others."],
    ),
    "et al at the end": (
        "This was seen by Brown et al. The dose differed.",
        ["This was seen by Brown et al.", "The dose differed."],
    ),
    "et al with citation": (
        "Brown et al. [3] saw none. We did.",
        ["Brown et al. [3] saw none.", "We did."],
    ),
    "country": (
        "In the U.S. Army it rose. In the U.S. The rate fell.",
        ["In the U.S. Army it rose.", "In the U.S.", "The rate fell."],
    ),
    "number": (
        "No. 3 worked. Did it? No. 3 of 5 did.",
        ["No. 3 worked.", "Did it?", "No. 3 of 5 did."],
    ),
    "registry": ("Registration No. NCT00000000. Done.", ["Registration No. NCT00000000.", "Done."]),
    "figure": (
        "See Fig. 2 and St. John's wort. Next.",
        ["See Fig. 2 and St. John's wort.", "Next."],
    ),
    "initials": (
        "J. Smith and A. B. Jones agreed. Others did not.",
        ["J. Smith and A. B. Jones agreed.", "Others did not."],
    ),
    "species": (
        "Growth of E. coli and S. Aureus fell. Good.",
        ["Growth of E. coli and S. Aureus fell.", "Good."],
    ),
    "vitamin": (
        "They took vitamin D. Adults did not.",
        ["They took vitamin D.", "Adults did not."],
    ),
    "decimals": (
        "0.75 was found (p < .001). .5 was not.",
        ["0.75 was found (p < .001).", ".5 was not."],
    ),
    "p value": (
        "It fell, P = 0.03. The rest did not.",
        ["It fell, P = 0.03.", "The rest did not."],
    ),
    "broken decimal": ("It fell, p = 0. 03, as hoped.", ["It fell, p = 0. 03, as hoped."]),
    "ratio before stop": (
        "The odds were 27:1. Authors agreed.",
        ["The odds were 27:1.", "Authors agreed."],
    ),
    "list of weeks": (
        "Seen at weeks 0, 4, 8. Adults came.",
        ["Seen at weeks 0, 4, 8.", "Adults came."],
    ),
    "citation after stop": (
        "It cut deaths. [3] It cost more.[3,4] It was safe.[1–3]",
        ["It cut deaths. [3]", "It cost more.[3,4]", "It was safe.[1–3]"],
    ),
    "citation glued to the next": (
        "It cut deaths.[3]The cost rose.",
        ["It cut deaths.[3]", "The cost rose."],
    ),
    "citation as subject": (
        "It cut deaths. [3] found the reverse.",
        ["It cut deaths.", "[3] found the reverse."],
    ),
    "citation before stop": (
        "It cut deaths [1]. [2] and [3] disagreed.",
        ["It cut deaths [1].", "[2] and [3] disagreed."],
    ),
    "sections": (
        "METHODS: We asked 5\nRESULTS: They said no\r\n\r\nEnd",
        ["METHODS: We asked 5", "RESULTS: They said no", "End"],
    ),
    "bullets": ("- One thing. Two\n• Three\n* Four", ["One thing.", "Two", "Three", "Four"]),
    "numbered": ("1. First\n2) Second. More\n(3) Third", ["First", "Second.", "More", "Third"]),
    "numbered inside": (
        "It was: 1. Safe; 2. Cheap. Good.",
        ["It was: 1. Safe; 2. Cheap.", "Good."],
    ),
    "quotation": (
        '"Was it safe?" they asked. "It was." Then all left.',
        ['"Was it safe?" they asked.', '"It was."', "Then all left."],
    ),
    "question and call": (
        "Does it work? Yes! It does… Perhaps.",
        ["Does it work?", "Yes!", "It does…", "Perhaps."],
    ),
    "brackets": (
        "It fell (P = 0.03. The test was exact). Next.",
        ["It fell (P = 0.03. The test was exact).", "Next."],
    ),
    "sentence in brackets": (
        "It fell. (So did that.) Next.",
        ["It fell.", "(So did that.)", "Next."],
    ),
    "small letters": (
        "It rose. mRNA fell. approx. 5 mg was used.",
        ["It rose.", "mRNA fell. approx. 5 mg was used."],
    ),
    "greek": ("It rose. β-blockers did not.", ["It rose.", "β-blockers did not."]),
    "no space": (
        "It was the outcome.The trial ended.",
        ["It was the outcome.", "The trial ended."],
    ),
    "address": ("See www.Example.Org for it. Done.", ["See www.Example.Org for it.", "Done."]),
    "number starts": (
        "It ended in 2010. 25 patients stayed.",
        ["It ended in 2010.", "25 patients stayed."],
    ),
    "version": (
        "We used version 5.3. Random effects were taken.",
        ["We used version 5.3.", "Random effects were taken."],
    ),
    "only marks": ("...", ["..."]),
    "list mark alone": ("1.", ["1."]),
    "nothing": (" \n ", []),
}


@pytest.mark.parametrize("name", CASES)
def test_sentences(name: str) -> None:
    text, expected = CASES[name]
    assert sentences(text) == expected


prose = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "e.g.",
                "vs.",
                "The",
                "et al.",
                "J.",
                "0.5",
                ".5",
                "[3]",
                "[1,2]",
                ".",
                "?",
                "\n",
                "\r\n",
                "- ",
                "1. ",
                "(",
                ")",
            ]
        ),
        st.text(max_size=6),
    )
).map(" ".join)


@given(st.one_of(st.text(), prose))
@example("\u2028- \x85x")
@example("[" * 400 + "." + "]" * 400)
def test_spans_lose_nothing(text: str) -> None:
    spans = sentence_spans(text)
    previous = 0
    for start, end in spans:
        assert previous <= start < end
        assert text[start:end].strip() == text[start:end]
        assert_only_space_or_marks(text[previous:start])
        previous = end
    assert_only_space_or_marks(text[previous:])
    assert sentence_spans(text) == spans


def assert_only_space_or_marks(between: str) -> None:
    assert all(
        re.fullmatch(r"[-–—*+•◦▪●·‣>]|#{1,6}|\d{1,3}[.)]|\(\d{1,3}\)|[a-z]\)", word)
        for word in between.split()
    )


@needs_shared
def test_real_abstracts_give_plausible_sentences() -> None:
    with gzip.open(SHARED / "citations" / "pubmedqa_citations.xml.gz") as file:
        tree = ET.parse(file)
    found = [sentences("".join(part.itertext())) for part in tree.iter("AbstractText")]
    every = [sentence for part in found for sentence in part]
    assert len(every) > 5000
    begins_small = sum(sentence[0].islower() for sentence in every)
    very_long = sum(len(sentence) > 700 for sentence in every)
    assert begins_small / len(every) < 0.01
    assert very_long / len(every) < 0.005
