"""How query texts are read: the forty tests of the fact sheet, every tolerance, any text at all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pubmed.limits import MAX_STARS
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.tree import SENTENCES, Boolean, Node, Pmids, Range, Term
from tests.pubmed.query_texts import TEXTS


def codes(text: str) -> list[str]:
    return [one.code for one in parse(text).remarks]


def both(operator: str, *parts: Node) -> Boolean:
    return Boolean(operator, parts)  # type: ignore[arg-type]


FORTY: list[tuple[int, str, Node | None, list[str]]] = [
    (1, "asthma", Term("asthma"), []),
    (2, "odontalgia", Term("odontalgia"), []),
    (3, "child rearing", Term("child rearing"), []),
    (4, "endocrine pathology", Term("endocrine pathology"), []),
    (5, "Protein C", Term("Protein C"), []),
    (6, "vitamin c common cold", Term("vitamin c common cold"), []),
    (7, "air bladder fistula", Term("air bladder fistula"), []),
    (8, "asthma [TIAB]", Term("asthma", "tiab"), []),
    (8, "asthma[‘Title’]", Term("asthma", "ti"), ["ignored-characters"]),
    (8, 'asthma["ti|ab"]', Term("asthma", "tiab"), ["ignored-characters"]),
    (9, "asthma[foo]", Term("asthma"), ["unknown-tag"]),
    (10, "(asthma OR copd)[tiab]", both("OR", Term("asthma"), Term("copd")), ["tag-on-group"]),
    (
        11,
        "covid-19[ti] vaccine[ti]",
        both("AND", Term("covid-19", "ti"), Term("vaccine", "ti")),
        [],
    ),
    (12, '"health planning"', Term("health planning", quoted=True), []),
    (
        13,
        'garmin[tiab] OR "body battery"[tiab]',
        both("OR", Term("garmin", "tiab"), Term("body battery", "tiab", quoted=True)),
        [],
    ),
    (
        14,
        '"Atherosclerotic Cardiovascular Disease"[Mesh]',
        Term("Atherosclerotic Cardiovascular Disease", "mh", quoted=True),
        [],
    ),
    (15, "psittacine flight[tw]", Term("psittacine flight", "tw"), []),
    (16, "kidney-allograft", Term("kidney-allograft"), []),
    (17, '"[18F]FDG"[tiab]', Term("[18F]FDG", "tiab", quoted=True), []),
    (
        18,
        "the[tiab] AND asthma[tiab]",
        both("AND", Term("the", "tiab"), Term("asthma", "tiab")),
        ["stopword"],
    ),
    (19, "wearable*[tiab]", Term("wearable*", "tiab"), []),
    (20, "cat*", Term("cat"), ["short-star"]),
    (21, '"breast feed*"', Term("breast feed*", quoted=True), []),
    (22, "intervent∗[ti]", Term("intervent", "ti"), ["look-alike"]),
    (23, '"hip pain"[tiab:~2]', Term("hip pain", "tiab", quoted=True, within=2), []),
    (24, '"hip pain*"[tiab:~2]', Term("hip pain*", "tiab", quoted=True), ["proximity-cancelled"]),
    (25, "asthma[mh:~3]", Term("asthma", "mh"), ["proximity-field"]),
    (26, "neoplasms[mh:noexp]", Term("neoplasms", "mh", explode=False), []),
    (27, "hypertension/therapy", Term("hypertension", subheading="therapy"), []),
    (28, "neoplasms/dh", Term("neoplasms", subheading="dh"), []),
    (29, "benzo a pyrene[mh]", Term("benzo a pyrene", "mh"), []),
    (30, "migraine[mh]", Term("migraine", "mh"), []),
    (
        31,
        "lyme disease AND systematic[sb]",
        both("AND", Term("lyme disease"), Term("systematic", "sb")),
        [],
    ),
    (32, "1804[dp]", Term("1804", "dp"), []),
    (33, "2000:2000[dp]", Range("2000", "2000", "dp"), []),
    (34, '"last 5 years"[dp]', Term("last 5 years", "dp", quoted=True), []),
    (
        35,
        "aa OR bb AND cc",
        both("AND", both("OR", Term("aa"), Term("bb")), Term("cc")),
        ["mixed-operators"],
    ),
    (36, "x AND NOT surgery", both("NOT", Term("x"), Term("surgery")), ["and-not"]),
    (
        37,
        '("odds ratio" OR OR)',
        Term("odds ratio", quoted=True),
        ["dangling-operator", "repeated-operator"],
    ),
    (
        38,
        '"Biceps Tenotomy OR Tenodesis AND Surgery"',
        Term("Biceps Tenotomy OR Tenodesis AND Surgery", quoted=True),
        ["operator-in-quotes"],
    ),
    (39, "melanoma AND (", Term("melanoma"), ["dangling-operator", "unbalanced-parenthesis"]),
    (40, "17170002 16381840", Pmids(("17170002", "16381840")), []),
]


@pytest.mark.parametrize(("number", "text", "tree", "told"), FORTY)
def test_the_forty_queries(number: int, text: str, tree: Node, told: list[str]) -> None:
    parsed = parse(text)
    assert parsed.tree == tree
    assert [one.code for one in parsed.remarks] == told
    assert parsed.text == text


def test_an_empty_query() -> None:
    for text in ("", "   ", "()", '""', "AND", "...", "[tiab]", "고혈압"):
        parsed = parse(text)
        assert parsed.tree is None
        assert "empty-query" in codes(text)
        assert printed(parsed.tree) == ""


TOLERANCES: list[tuple[str, str, list[str]]] = [
    # characters
    ("“hip pain”[ti]", '"hip pain"[ti]', ["curly-quotes", "curly-quotes"]),
    ("asthma （child）", "asthma child", ["look-alike", "look-alike"]),
    ("p<0.05 asthma", "p<0.05 asthma", ["ignored-characters"]),
    ("asthma\u200bcopd", "asthma copd", ["invisible-characters"]),
    ("asthma\x00 \ud800copd", "asthma copd", ["invisible-characters"]),
    ("고혈압 ldl 치료", "ldl", ["other-script", "other-script"]),
    ("TGF-β in Sjögren", "TGF-β in Sjögren", []),
    ("heart&amp;lung", "heart AND amp;lung", ["html-entity", "ignored-characters"]),
    (
        "%22heart%22",
        "%22heart%22",
        ["ignored-characters", "percent-encoding", "ignored-characters", "percent-encoding"],
    ),
    ("asthma & copd", "asthma AND copd", ["symbol-operator"]),
    ("asthma | copd", "asthma OR copd", ["symbol-operator"]),
    ("asthma: two trials", "asthma two trials", ["colon-as-space"]),
    ("o'brien j[au]", "o'brien j[au]", []),
    # quotation marks and brackets
    ('"asthma', "asthma", ["unbalanced-quote"]),
    ('asthma "" copd', "asthma AND copd", ["empty-phrase"]),
    ("asthma[tiab AND copd", "asthma tiab AND copd", ["unbalanced-bracket"]),
    ("[18F]FDG PET", "18F FDG PET", ["bracket-as-text"]),
    ("benzo[a]pyrene[tiab]", "benzo a pyrene[tiab]", ["bracket-as-text"]),
    ("asthma [not AND tag] copd", "asthma not AND tag copd", ["bracket-as-text"]),
    ("(asthma OR copd", "asthma OR copd", ["unbalanced-parenthesis"]),
    ("asthma) OR copd", "asthma OR copd", ["unbalanced-parenthesis"]),
    ("asthma AND () AND copd", "asthma AND copd", ["repeated-operator", "empty-group"]),
    ('"asthma[tiab]"', '"asthma[tiab]"', ["tag-in-quotes"]),
    ('"a1 b2 c3 d4 e5 f6 g7 h8 i9 j10"', '"a1 b2 c3 d4 e5 f6 g7 h8 i9 j10"', ["long-phrase"]),
    # tags
    ("asthma[Abstract] child", "asthma AND child", ["unknown-tag"]),
    ("asthma[ti][mh]", "asthma[ti]", ["tag-without-term"]),
    ("[ti] asthma", "asthma", ["tag-without-term"]),
    ("asthma[ti:exp]", "asthma[ti]", ["unknown-modifier"]),
    ("asthma[ti:noexp]", "asthma[ti]", ["unknown-modifier"]),
    ("#1[ti]", "#1", ["tag-on-group"]),
    ("hip pain[tiab:~2]", "hip pain[tiab]", ["proximity-cancelled"]),
    ('"hip"[tiab:~2]', '"hip"[tiab]', ["proximity-cancelled"]),
    ("asthma/efficacy[mh]", "asthma/efficacy[mh]", ["unknown-subheading"]),
    ('"evidence"[sh]', '"evidence"[sh]', ["no-subheading"]),
    # operators
    ("asthma[ti] and copd[ti]", "asthma[ti] AND and AND copd[ti]", ["lower-case-operator"]),
    ('"asthma" or (copd)', '"asthma" AND or AND copd', ["lower-case-operator"]),
    ("asthma Or copd[ti]", "asthma Or copd[ti]", ["lower-case-operator"]),
    ("asthma and copd", "asthma and copd", []),
    ("AND asthma", "asthma", ["dangling-operator"]),
    ("NOT asthma", "asthma", ["dangling-operator"]),
    ("(asthma OR) copd", "asthma AND copd", ["dangling-operator"]),
    ("asthma AND OR copd", "asthma AND copd", ["repeated-operator"]),
    ("asthma OR NOT copd", "asthma NOT copd", ["repeated-operator"]),
    ('"heart" "lung" OR "liver"', '("heart" AND "lung") OR "liver"', ["mixed-operators"]),
    ("aa OR bb NOT cc", "(aa OR bb) NOT cc", []),
    # stars
    ("esophag* varic*[all]", "esophag varic*[all]", ["star-inside"]),
    ("*asthma[mh]", "asthma[mh]", ["star-inside"]),
    ('"tolu* blue"[all]', '"tolu blue"[all]', ["star-inside"]),
    ('"school age*"[tw]', '"school age*"[tw]', []),
    ('"ab*"[tw]', '"ab"[tw]', ["short-star"]),
    ("asthma ***", "asthma", ["star-inside"]),
    # stopwords
    ("asthma AND the", "asthma AND the", ["stopword"]),
    ("do[au]", "do[au]", []),
    # ranges
    ("2020/01:2020/06[dp]", "2020/01:2020/06[dp]", []),
    ('"2000/01/01"[dp] : "2001"[dp]', "2000/01/01:2001[dp]", []),
    ("2020:3000[dp]", "2020:3000[dp]", []),
    ("2020:[dp]", "2020:[dp]", ["open-range"]),
    (":2020[dp]", ":2020[dp]", ["open-range"]),
    ("2000[dp]:2001[edat]", "2000:2001[edat]", ["two-fields"]),
    ("2020 Jan:2020 Mar[dp]", '"2020 Jan":"2020 Mar"[dp]', []),
    ("asthma 2000:2005 child", "asthma AND 2000:2005 AND child", []),
    ("asthma 2000:2005[dp]", "asthma AND 2000:2005[dp]", []),
    ("100:200[uid]", "100:200[pmid]", []),
    ("2022/05:2018[dp]", "2022/05:2018[dp]", ["backward-range"]),
    ("300:200[uid]", "300:200[pmid]", ["backward-range"]),
    # identifiers as they are pasted
    ("doi: 10.1000/A(1)2. AND xx", '"10.1000/a(1)2"[aid] AND xx', ["identifier"]),
    ("(https://doi.org/10.1000%2F182)", '"10.1000/182"[aid]', ["identifier"]),
    ("10.1000/A[1:b]<2>;3 [doi]", '"10.1000/a[1:b]<2>;3"[aid]', []),
    ("https://pubmed.ncbi.nlm.nih.gov/17170002/", "17170002[pmid]", ["identifier"]),
    ("PMIDs: 17170002, 16381840", "17170002 16381840", ["identifier"]),
    ("PMCID: 7300003 OR pmid 5 trials", "PMC7300003 OR pmid 5 trials", ["identifier"]),
    # subheadings
    ('"Masks/adverse effects"[MAJR]', '"Masks/adverse effects"[majr]', []),
    ("hypertension / drug therapy[mh:noexp]", "hypertension/drug therapy[mh:noexp]", []),
    ("PET/CT", "PET/CT", []),
    ("and/or", "and/or", []),
    # numbers
    ("17170002, 16381840", "17170002 16381840", []),
    ("17170002,16381840", "17170002,16381840[pmid]", []),
    ("mice 17170002,16381840.5", "mice 17170002,16381840.5", []),
    ("2019 2020", "2019 2020", []),
    ("17170002[pmid]", "17170002[pmid]", []),
    ("17170002 16381840[uid]", "17170002 16381840", []),
    ("#1 AND #12 NOT #3", "(#1 AND #12) NOT #3", []),
    ("C#5 asthma", "C#5 asthma", ["ignored-characters"]),
]


@pytest.mark.parametrize(("text", "canonical", "told"), TOLERANCES)
def test_tolerances(text: str, canonical: str, told: list[str]) -> None:
    assert printed(parse(text).tree) == canonical
    assert codes(text) == told


def test_places_are_code_points_of_the_typed_text() -> None:
    text = "“hip pain”[foo] AND cat* OR 고 x"
    found = {text[one.start : one.end]: one.code for one in parse(text).remarks}
    assert found == {
        "“": "curly-quotes",
        "”": "curly-quotes",
        "[foo]": "unknown-tag",
        "*": "short-star",
        "OR": "mixed-operators",
        "고": "other-script",
    }


def test_too_many_stars() -> None:
    assert codes(" OR ".join(f"asthma{n}*" for n in range(MAX_STARS))) == []
    assert codes(" OR ".join(f"asthma{n}*" for n in range(MAX_STARS + 1))) == ["too-many-stars"]


def test_a_tree_made_by_hand_is_quoted_where_it_has_to_be() -> None:
    for text in (
        "benzo(a)pyrene",
        "heart AND lung",
        "a: b",
        "17170002",
        "black & white",
        "#1",
        "x [y]",
    ):
        tree = parse(printed(Term(text))).tree
        assert isinstance(tree, Term)
        assert tree.text == text
        assert tree.quoted


@given(TEXTS)
def test_any_text_is_read_and_printing_is_the_identity(text: str) -> None:
    parsed = parse(text)
    assert parsed.text == text
    places = [(one.start, one.end) for one in parsed.remarks]
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert [start for start, _ in places] == sorted(start for start, _ in places)
    assert all(one.code in SENTENCES for one in parsed.remarks)
    canonical = printed(parsed.tree)
    again = parse(canonical)
    assert again.tree == parsed.tree
    assert printed(again.tree) == canonical
    assert_shape(parsed.tree, len(text))


def assert_shape(tree: Node | None, length: int) -> None:
    pending = [] if tree is None else [tree]
    while pending:
        node = pending.pop()
        assert 0 <= node.start <= node.end <= length
        if isinstance(node, Boolean):
            assert len(node.parts) >= 2
            for place, part in enumerate(node.parts):
                assert node.start <= part.start
                assert part.end <= node.end
                if isinstance(part, Boolean) and part.operator == node.operator:
                    assert node.operator == "NOT"
                    assert place > 0
                pending.append(part)


@st.composite
def boolean_texts(draw: st.DrawFn, depth: int = 0) -> str:
    """Letters joined by operators or by nothing but parentheses, without telling what binds."""
    items = []
    for _ in range(draw(st.integers(1, 4))):
        nested = depth < 4 and draw(st.booleans())
        items.append(
            f"({draw(boolean_texts(depth=depth + 1))})"
            if nested
            else draw(st.sampled_from("ABCDEF")) + "[ti]"
        )
    text = items[0]
    for item in items[1:]:
        text += draw(st.sampled_from((" AND ", " OR ", " NOT ", " "))) + item
    return text


def value_by_hand(text: str, true: set[str]) -> bool:
    """The value of a query by rewriting its text: innermost parentheses first, in them from left to
    right.
    """
    text = re.sub(r"([A-F])\[ti\]", lambda match: "1" if match[1] in true else "0", text)
    while "(" in text:
        text = re.sub(r"\(([^()]*)\)", lambda match: left_to_right(match[1]), text)
    return left_to_right(text) == "1"


def left_to_right(text: str) -> str:
    now, operator = None, "AND"
    for word in text.split():
        if word in ("AND", "OR", "NOT"):
            operator = word
            continue
        this = word == "1"
        joined = {"AND": bool(now) and this, "OR": bool(now) or this, "NOT": bool(now) and not this}
        now, operator = this if now is None else joined[operator], "AND"
    return "1" if now else "0"


def value(node: Node, true: set[str]) -> bool:
    if not isinstance(node, Boolean):
        assert isinstance(node, Term)
        return node.text in true
    first, *rest = [value(part, true) for part in node.parts]
    return {"AND": first and all(rest), "OR": first or any(rest), "NOT": first and not any(rest)}[
        node.operator
    ]


@given(boolean_texts(), st.sets(st.sampled_from("ABCDEF")))
def test_operators_mean_what_left_to_right_says(text: str, true: set[str]) -> None:
    tree = parse(text).tree
    assert tree is not None
    assert value(tree, true) == value_by_hand(text, true)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1000, 5000])
@pytest.mark.parametrize("piece", ["(", "(a OR (b AND ", "(a NOT ", "a AND (", "((b) OR "])
def test_nesting_of_any_depth(depth: int, piece: str) -> None:
    text = piece * depth + "c"
    closed = text + ")" * text.count("(")
    one, two = parse(text), parse(closed)
    assert one.tree == two.tree
    assert one.tree == parse(printed(two.tree)).tree
    assert "unbalanced-parenthesis" in [one.code for one in one.remarks]
    assert hash(one.tree) == hash(two.tree)
    assert (one.tree == parse(closed.replace("c", "d")).tree) is False
