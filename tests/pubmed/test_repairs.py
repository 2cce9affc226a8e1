"""What is mended in a generated query, what is left alone, and what becomes of invented
headings.
"""

import gzip
import json
from collections import Counter

import pytest
from hypothesis import given

from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.repairs import (
    NAMES,
    Repaired,
    one_repair,
    repaired,
    with_headings,
)
from clinfo.pubmed.tree import Boolean
from clinfo.records.articles import MeshDescriptor, MeshMatch
from tests.pubmed.query_texts import TEXTS
from tests.shared_data import SHARED, needs_shared

MENDED: list[tuple[str, str, list[str]]] = [
    # operators inside quotation marks
    ('"vitamin D AND asthma"', "vitamin D AND asthma", ["operators-in-quotes"]),
    ('("vitamin D AND asthma")', "(vitamin D AND asthma)", ["operators-in-quotes"]),
    ('"heart AND lung" OR liver', "(heart AND lung) OR liver", ["operators-in-quotes"]),
    (
        '"heart OR lung"[tiab] AND liver',
        '("heart"[tiab] OR "lung"[tiab]) AND liver',
        ["operators-in-quotes"],
    ),
    (
        '"heart AND (lung OR liver)"[tiab]',
        '("heart"[tiab] AND ("lung"[tiab] OR "liver"[tiab]))',
        ["operators-in-quotes"],
    ),
    (
        '"heart* OR (lung* AND cancer)"[tiab]',
        '("heart*"[tiab] OR ("lung*"[tiab] AND "cancer"[tiab]))',
        ["operators-in-quotes"],
    ),
    (
        '"heart AND {lung OR liver}" AND asthma',
        "(heart AND (lung OR liver)) AND asthma",
        ["operators-in-quotes"],
    ),
    (
        '"heart AND [lung OR liver]"[ti]',
        '("heart"[ti] AND ("lung"[ti] OR "liver"[ti]))',
        ["operators-in-quotes"],
    ),
    (
        '"heart[ti] AND (lung OR liver)"[tiab]',
        '(heart[ti] AND ("lung"[tiab] OR "liver"[tiab]))',
        ["operators-in-quotes"],
    ),
    # quotation marks and brackets
    (
        '("vitamin D OR "cholecalciferol") AND malaria',
        '("vitamin D" OR "cholecalciferol") AND malaria',
        ["quotes-balanced"],
    ),
    ('vitamin D" AND asthma', "vitamin D AND asthma", ["quotes-balanced"]),
    ("(aa OR bb) AND (cc OR dd", "(aa OR bb) AND (cc OR dd)", ["left-out"]),
    ("(aa OR bb) AND cc)", "(aa OR bb) AND cc", ["left-out"]),
    ("asthma[tiab AND copd[tiab]", "asthma[tiab] AND copd[tiab]", ["brackets-balanced"]),
    # tags
    ("asthma[foo] AND copd", "asthma AND copd", ["unknown-tags"]),
    (
        "asthma[Abstract] AND copd[Year]",
        "asthma[tiab] AND copd[dp]",
        ["unknown-tags", "unknown-tags"],
    ),
    ('"asthma[tiab]" OR copd', '"asthma"[tiab] OR copd', ["tags-in-quotes"]),
    ('"asthma[tiab] OR copd[ti]"', "asthma[tiab] OR copd[ti]", ["tags-in-quotes"]),
    (
        "(asthma OR copd[ti])[tiab] AND x",
        "(asthma[tiab] OR copd[ti]) AND x",
        ["tags-on-groups"],
    ),
    # operators
    ("aa AND NOT bb", "aa NOT bb", ["left-out"]),
    ("aa OR NOT bb", "aa NOT bb", ["left-out"]),
    ("aa AND OR bb", "aa AND bb", ["left-out"]),
    ('("odds ratio" OR OR) AND aa', '"odds ratio" AND aa', ["left-out"]),
    ('(OR OR "odds ratio") AND aa', '"odds ratio" AND aa', ["left-out"]),
    ("AND aa OR", "aa", ["left-out"]),
    ("(aa OR) AND bb", "aa AND bb", ["left-out"]),
    ("(aa) OR () bb", "aa OR bb", ["left-out"]),
    (
        '"aa" and "bb"[ti] not ("cc")',
        '"aa" AND "bb"[ti] NOT ("cc")',
        ["lower-case-operators", "lower-case-operators"],
    ),
    (
        "aa[mh] not (bb[mh] and cc[mh])",
        "aa[mh] NOT (bb[mh] AND cc[mh])",
        ["lower-case-operators", "lower-case-operators"],
    ),
    # characters and stars
    ("wearable∗[tiab] AND （x）", "wearable*[tiab] AND (x)", ["look-alikes"] * 3),
    ("“hip pain”[ti]", '"hip pain"[ti]', ["look-alikes", "look-alikes"]),
    ("vita\u200bmin", "vitamin", ["invisible-characters"]),
    ("&quot;aa&quot; OR bb", '"aa" OR bb', ["encoded-characters", "encoded-characters"]),
    ("%2522aa bb%22", '"aa bb"', ["encoded-characters", "encoded-characters"]),
    ('cat* OR "ab*"[ti]', 'cat OR "ab"[ti]', ["left-out"]),
]
LEFT_ALONE = [
    "",
    " ",
    "asthma",
    "asthma  AND\n(copd)",
    '"hip pain"[tiab:~2]',
    '"pain AND fear"[tiab:~3]',
    "[18F]FDG AND benzo[a]pyrene",
    '"Wounds AND Injuries"[mh]',
    "(NOT rat) AND mouse",
    "NOT rat",
    '"aa" and bb or not cc',
    "asthma and copd",
    "고혈압 ldl",
    '"OR" AND "odds ratio"',
    "2020:[dp]",
    "hypertension/therapy",
    "the AND asthma",
    "esophag* varic*[all]",
    "aa OR bb AND cc",
]


@pytest.mark.parametrize(("text", "mended", "names"), MENDED)
def test_mending(text: str, mended: str, names: list[str]) -> None:
    found = repaired(text)
    assert found.text == mended
    assert [repair.name for repair in found.repairs] == names
    for repair in found.repairs:
        assert repair.text.endswith(".")
        assert "\n" not in repair.text
        assert repair.was != repair.now
    assert len(found.sentences) == len(set(found.sentences))


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_needs_no_mending_comes_back_byte_for_byte(text: str) -> None:
    assert repaired(text) == Repaired(text)


def test_a_rewrite_alone_changes_only_its_own() -> None:
    text = "cat* AND NOT asthma[foo]"
    changed = {name: one_repair(name, text)[0] for name in NAMES}
    assert changed.pop("left-out") == "cat NOT asthma"
    assert changed.pop("unknown-tags") == "cat* AND NOT asthma"
    assert set(changed.values()) == {text}


@given(TEXTS)
def test_any_text_is_mended_once_and_never_to_nothing(text: str) -> None:
    found = repaired(text)
    assert repaired(found.text) == Repaired(found.text)
    assert bool(found.repairs) == (found.text != text)
    if parse(text).tree is not None:
        assert parse(found.text).tree is not None


@needs_shared
def test_published_generated_queries() -> None:
    """Of 230 real ones exactly the 43 with operators in quotation marks, an operator as a word, or
    AND NOT are changed.
    """
    names: Counter[str] = Counter()
    changed = 0
    with gzip.open(SHARED / "llm_pubmed_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            found = repaired(row["query"])
            changed += bool(found.repairs)
            names.update({repair.name for repair in found.repairs})
            serious = {one.code for one in parse(found.text).remarks} - {
                "long-phrase",
                "mixed-operators",
                "no-subheading",
            }
            assert serious <= {"ignored-characters"}
    assert changed == 43
    assert names == {
        "operators-in-quotes": 39,
        "left-out": 4,
    }


# headings

ASTHMA = MeshDescriptor("D001249", "Asthma", ("Bronchial Asthma",))
MIGRAINE = MeshDescriptor("D008881", "Migraine Disorders", ("Migraine",))
BENZOPYRENE = MeshDescriptor("D001564", "Benzo(a)pyrene", ())
MATCHES = {
    "Asthma": MeshMatch("Asthma", "heading", ASTHMA),
    "asthma": MeshMatch("asthma", "heading", ASTHMA),
    "migraine": MeshMatch("migraine", "entry term", MIGRAINE),
    "benzo a pyrene": MeshMatch("benzo a pyrene", "entry term", BENZOPYRENE),
    "cardiac function": MeshMatch(
        "cardiac function", "unknown", None, ("Heart Function Tests", "Cardiac Output")
    ),
    "Infant, Small": MeshMatch("Infant, Small", "unknown"),
    "asthma/efficacy": MeshMatch("asthma/efficacy", "unknown"),
    "neoplas*": MeshMatch("neoplas*", "unknown"),
}


def mended(text: str) -> tuple[str, list[str]]:
    tree = parse(text).tree
    assert tree is not None
    changed, repairs = with_headings(tree, MATCHES)
    return printed(changed), [repair.text for repair in repairs]


@pytest.mark.parametrize(
    ("text", "after", "told"),
    [
        ("asthma[mh]", "asthma[mh]", ""),
        ('"Asthma/therapy"[majr]', '"Asthma/therapy"[majr]', ""),
        (
            "migraine[mh:noexp]",
            '"Migraine Disorders"[mh:noexp]',
            "MeSH calls “migraine” “Migraine Disorders”.",
        ),
        (
            "migraine/therapy[mh]",
            '"Migraine Disorders/therapy"[mh]',
            "MeSH calls “migraine” “Migraine Disorders”.",
        ),
        (
            "benzo a pyrene[mh]",
            '"Benzo(a)pyrene"[mh]',
            "MeSH calls “benzo a pyrene” “Benzo(a)pyrene”.",
        ),
        (
            '"cardiac function"[mh]',
            '"cardiac function"[tw]',
            (
                "MeSH has no heading “cardiac function”; it is searched as words of text and "
                "headings. Near it: “Heart Function Tests”,"
                " “Cardiac Output”."
            ),
        ),
        (
            '"Infant, Small"[majr]',
            '"Small Infant"[tw]',
            "MeSH has no heading “Infant, Small”; it is searched as words of text and headings. "
            "A subheading, [majr] and :noexp do not count there.",
        ),
        (
            "asthma/efficacy[mh]",
            "asthma[mh]",
            "MeSH has no subheading “efficacy”; “asthma” is searched without it.",
        ),
        (
            '"evidence"[sh]',
            '"evidence"[tiab]',
            "MeSH has no subheading “evidence”; it is searched in title and abstract.",
        ),
        ('"drug therapy"[sh]', '"drug therapy"[sh]', ""),
        ("neoplas*[mh]", "neoplas*[mh]", ""),
        ("unasked[mh]", "unasked[mh]", ""),
    ],
)
def test_headings(text: str, after: str, told: str) -> None:
    assert mended(text) == (after, [told] if told else [])


@pytest.mark.slow
def test_headings_deep_inside_a_query() -> None:
    text = "x AND (y OR " * 3000 + "migraine[mh]"
    changed, repairs = mended(text)
    assert '"Migraine Disorders"[mh]' in changed
    assert len(repairs) == 1
    tree = parse("a AND (asthma[mh] OR b)").tree
    assert isinstance(tree, Boolean)
    assert with_headings(tree, MATCHES) == (tree, ())
    assert with_headings(tree, MATCHES)[0] is tree
