"""Plain key words: what a model may write instead of them, and what is left of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pubmed.clean import Cleaned
from clinfo.pubmed.keywords import MAX_LENGTH, keywords, remarks

PLAIN = [
    "melatonin insomnia children",
    '"vitamin D" falls',
    "Parkinson's disease CD4+ 1.5%",
    "statins and stroke",
    "癌症 therapy",
]


@pytest.mark.parametrize(
    ("reply", "text", "repair"),
    [
        ("melatonin AND insomnia", "melatonin insomnia", "All but plain words"),
        ("melatonin & insomnia", "melatonin insomnia", "All but plain words"),
        (
            "melatonin AND (insomnia OR sleeplessness)",
            "melatonin insomnia",
            "Of alternatives only the first",
        ),
        (
            "(2020[dp] OR insomnia) AND melatonin",
            "insomnia melatonin",
            "Of alternatives only the first",
        ),
        ("melatonin NOT (rats OR mice)", "melatonin", "Of alternatives only"),
        ("melatonin[tiab] insomnia[mh:noexp]", "melatonin insomnia", "All but plain words"),
        (
            "melatonin AND english[la] AND 2010:2020[dp]",
            "melatonin",
            "Of alternatives only the first",
        ),
        ('"hip pain"[tiab:~2]', '"hip pain"', "All but plain words"),
        ("(melatonin) (insomnia)", "melatonin insomnia", "All but plain words"),
        ("melatonin insomni*", "melatonin insomni", "All but plain words"),
        ("diabet* diabetes", "diabetes", "All but plain words"),
        ('"melatonin" insomnia', "melatonin insomnia", "All but plain words"),
        (
            '"melatonin for insomnia in young children"',
            "melatonin for insomnia in young children",
            "All but plain words",
        ),
        ("low-dose aspirin", "low dose aspirin", "All but plain words"),
        ('"low-dose aspirin" stroke', '"low dose aspirin" stroke', "All but plain words"),
        ("melatonin, insomnia; children", "melatonin insomnia children", "All but plain words"),
        ("melatonin insomnia Melatonin", "melatonin insomnia", "All but plain words"),
        ("Keywords: melatonin insomnia", "melatonin insomnia", "label or marks"),
        ("**Keywords:** melatonin insomnia", "melatonin insomnia", "label or marks"),
        ("- melatonin\n- insomnia", "melatonin insomnia", "All but plain words"),
        (
            "Here you are:\n1. melatonin\n2. sleep onset",
            "melatonin sleep onset",
            "All but plain words",
        ),
        ("```\nmelatonin insomnia\n```", "melatonin insomnia", "extracted from its code block"),
        ('{"query": "melatonin insomnia"}', "melatonin insomnia", "extracted from its JSON object"),
        ("“vitamin D” falls", '"vitamin D" falls', "only looks like it"),
        (
            " AND ".join(f"word{n}" for n in range(99)),
            " ".join(f"word{n}" for n in range(12)),
            "All but plain words",
        ),
    ],
)
def test_what_is_left_and_what_is_said_of_it(reply: str, text: str, repair: str) -> None:
    cleaned = keywords(reply)
    assert cleaned.text == text
    assert any(repair in sentence for sentence in cleaned.repairs), cleaned.repairs


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  ",
        "*",
        "[tiab]",
        "2020[dp]",
        "I'm sorry, I cannot help with that.",
        "AND OR NOT",
        "«»",
    ],
)
def test_nothing_is_left_of_nothing(reply: str) -> None:
    cleaned = keywords(reply)
    assert cleaned.text == ""
    assert not reply.strip() or cleaned.repairs[-1] == "The reply contains nothing to search for."


def test_a_query_of_ones_own_is_only_remarked_on() -> None:
    assert remarks('low-dose AND (aspirin[tiab] OR "x y"[ti:~3]) statin*') == (
        "Semantic Scholar reads plain words only; operators, field tags, brackets and truncated "
        "words have no meaning there.",
        "Semantic Scholar finds nothing for a word with a hyphen; write a space instead.",
    )
    assert len(remarks("aspirin OR stroke")) == 1


_SIGNS = [
    *"\"()[]{}~*-_.,:;/#%&|'`\n\\ ",
    " AND ",
    " OR ",
    " NOT ",
    "[tiab]",
    "[la]",
    "[mh:noexp]",
    "[ti:~3]",
    "2020:2021[dp]",
]
_WORDS = [
    "aspirin",
    "low-dose",
    "Keywords: ",
    "1. ",
    "- ",
    "sorry",
    "é",
    "癌",
    "```",
    " or ",
    " the ",
]
_PIECES = st.lists(st.sampled_from(_SIGNS + _WORDS), max_size=25).map("".join)


@given(st.one_of(_PIECES, st.text()))
def test_any_text_becomes_words_and_stays_so(text: str) -> None:
    cleaned = keywords(text)
    assert keywords(cleaned.text) == Cleaned(cleaned.text)
    assert len(cleaned.text) <= MAX_LENGTH
    assert remarks(cleaned.text) == ()
    assert not set("()[]{}*-") & set(cleaned.text)
    assert not {"AND", "OR", "NOT"} & set(cleaned.text.replace('"', " ").split())
    remarks(text)
