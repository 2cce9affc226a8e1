"""The forty query tests of the facts about PubMed, over hand-made records and real MeSH.

Where NLM's own tables of plurals, journals or phrases would be needed, what is expected is what
docs/pubmed-language.md says.
"""

import pytest

from clinfo.pubmed.query import parse
from clinfo.pubmed.search import Found, search
from clinfo.pubmed.translate import translate
from tests.pubmed.small_collection import TODAY, engine, mesh
from tests.shared_data import needs_shared

ASTHMA = (
    '"asthma"[MeSH Terms] OR "asthma"[All Fields] OR "asthmas"[All Fields] OR "asthma s"[All '
    "Fields]"
)
COPD = (
    '"pulmonary disease, chronic obstructive"[MeSH Terms] OR ("chronic"[All Fields] AND '
    '"obstructive"[All Fields] AND '
    '"pulmonary"[All Fields] AND "disease"[All Fields]) OR "chronic obstructive pulmonary '
    'disease"[All Fields] OR '
    '"copd"[All Fields]'
)


def ask(query: str) -> Found:
    return search(query, engine(), mesh(), 99, today=TODAY)


def hits(query: str) -> set[str]:
    return {id.removeprefix("pmid:") for id in ask(query).ids}


FORTY = [
    (1, "asthma", "1 2 3 15", ASTHMA),
    (
        2,
        "odontalgia",
        "4 5",
        '"toothache"[MeSH Terms] OR "toothache"[All Fields] OR "odontalgia"[All Fields] OR '
        '"odontalgias"[All Fields]',
    ),
    (
        3,
        "child rearing",
        "6 7",
        '"child rearing"[MeSH Terms] OR ("child"[All Fields] AND "rearing"[All Fields]) OR '
        '"child rearing"[All Fields]',
    ),
    (
        4,
        "endocrine pathology",
        "8 9",
        (
            '"endocrine pathology"[Journal] OR ("endocrine"[All Fields] AND "pathology"[All '
            "Fields]) OR "
            '"endocrine pathology"[All Fields]'
        ),
    ),
    (5, "Protein C", "10", '"protein c"[MeSH Terms] OR "protein c"[All Fields]'),
    (
        6,
        "vitamin c common cold",
        "12 13",
        (
            '("ascorbic acid"[MeSH Terms] OR ("ascorbic"[All Fields] AND "acid"[All Fields]) OR '
            '"ascorbic acid"[All Fields] OR "vitamin c"[All Fields]) AND ("common cold"[MeSH '
            "Terms] OR "
            '("common"[All Fields] AND '
            '"cold"[All Fields]) OR "common cold"[All Fields])'
        ),
    ),
    (7, "air bladder fistula", "14", None),
    (8, "asthma [TIAB]", "1 3 15", '"asthma"[Title/Abstract]'),
    (9, "asthma[foo]", "1 2 3 15", ASTHMA),
    (10, "(asthma OR copd)[tiab]", "1 2 3 15", f"({ASTHMA}) OR ({COPD})"),
    (11, "covid-19[ti] vaccine[ti]", "16", '"covid 19"[Title] AND "vaccine"[Title]'),
    (12, '"health planning"', "18", '"health planning"[All Fields]'),
    (13, 'garmin[tiab] OR "body battery"[tiab]', "20", '"garmin"[Title/Abstract]'),
    (
        14,
        '"Atherosclerotic Cardiovascular Disease"[Mesh]',
        "",
        '"Atherosclerotic Cardiovascular Disease"[Mesh]',
    ),
    (15, "psittacine flight[tw]", "21", '"psittacine"[All Fields] AND "flight"[Text Word]'),
    (16, "kidney-allograft", "23", '"kidney allograft"[All Fields]'),
    (17, '"[18F]FDG"[tiab]', "25", '"18f fdg"[Title/Abstract]'),
    (18, "the[tiab] AND asthma[tiab]", "", None),
    (19, "wearable*[tiab]", "26", '"wearable*"[Title/Abstract]'),
    (20, "cat*", "27", '"cats"[MeSH Terms] OR "cats"[All Fields] OR "cat"[All Fields]'),
    (21, '"breast feed*"', "29", '"breast feed*"[All Fields]'),
    (22, "intervent∗[ti]", "31", '"intervent"[Title]'),
    (23, '"hip pain"[tiab:~2]', "32", '"hip pain"[Title/Abstract:~2]'),
    (24, '"hip pain*"[tiab:~2]', "", None),
    (25, "asthma[mh:~3]", "1", '"asthma"[MeSH Terms]'),
    (26, "neoplasms[mh]", "34 35", '"neoplasms"[MeSH Terms]'),
    (26, "neoplasms[mh:noexp]", "34", '"neoplasms"[MeSH Terms:noexp]'),
    (27, "hypertension/therapy", "36 37", '"hypertension/therapy"[MeSH Terms]'),
    (27, "hypertension/therapy[mh:noexp]", "36", '"hypertension/therapy"[MeSH Terms:noexp]'),
    (28, "neoplasms/dh", "34", '"neoplasms/diet therapy"[MeSH Terms]'),
    (28, "neoplasms/diet therapy", "34", '"neoplasms/diet therapy"[MeSH Terms]'),
    (29, "benzo a pyrene[mh]", "39", '"benzo(a)pyrene"[MeSH Terms]'),
    (30, "migraine[mh]", "40", '"migraine disorders"[MeSH Terms]'),
    (
        31,
        "lyme disease AND systematic[sb]",
        "41",
        '("lyme disease"[MeSH Terms] OR ("lyme"[All Fields] AND "disease"[All Fields]) '
        'OR "lyme disease"[All Fields]) AND "systematic"[Filter]',
    ),
    (32, "1804[dp]", "", "1804/01/01:1804/12/31[Date - Publication]"),
    (33, "2000[dp]", "43", "2000/01/01:2000/12/31[Date - Publication]"),
    (33, "2000:2000[dp]", "43 44", "2000/01/01:2000/12/31[Date - Publication]"),
    (34, '"last 5 years"[dp]', "45", "2021/11/21:3000/12/31[Date - Publication]"),
    (
        35,
        "asthma[ti] OR copd[ti] AND adults[ti]",
        "1",
        '("asthma"[Title] OR "copd"[Title]) AND "adults"[Title]',
    ),
    (
        36,
        "asthma[tiab] AND NOT adults[tiab]",
        "3 15",
        '"asthma"[Title/Abstract] NOT "adults"[Title/Abstract]',
    ),
    (37, '("odds ratio" OR OR)', "46", '"odds ratio"[All Fields]'),
    (38, '"Biceps Tenotomy OR Tenodesis AND Surgery"', "47", None),
    (39, "melanoma AND (", "46", '"melanoma"[MeSH Terms] OR "melanoma"[All Fields]'),
    (39, "", "", ""),
    (40, "17170002 16381840", "17170002 16381840", "17170002[UID] OR 16381840[UID]"),
]


@needs_shared
@pytest.mark.parametrize(
    ("number", "query", "expected", "text"), FORTY, ids=[f"{one[0]} {one[1]}" for one in FORTY]
)
def test_the_forty_queries(number: int, query: str, expected: str, text: str | None) -> None:
    found = ask(query)
    assert {id.removeprefix("pmid:") for id in found.ids} == set(expected.split())
    assert found.count == len(expected.split())
    if text is not None:
        assert found.translation.text == text


@needs_shared
def test_translation_set_holds_what_was_mapped() -> None:
    assert [*ask("asthma").translation.translation_set] == [("asthma", ASTHMA)]
    assert [pair[0] for pair in ask("vitamin c common cold").translation.translation_set] == [
        "vitamin c",
        "common cold",
    ]
    assert not ask("asthma[tiab]").translation.translation_set


@needs_shared
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("asthma[majr]", "1"),
        ("hypertension[majr]", ""),
        ("therapy[sh]", "34 36 37"),  # diet and drug therapy are narrower
        ("therapy[sh:noexp]", "36"),
        ("dh[sh]", "34"),
        ("clinical trial[pt]", "16"),  # the narrower type
        ("clinical trial[pt:noexp]", ""),
        ("randomized controlled trial", "16"),
        ("smith j[au]", "47"),
        ("smith[au]", "47"),  # and not Smithson
        ('"smith j"[au]', ""),
        ('"smith ja"[au]', "47"),
        ("o'brien j[au]", "48"),
        ("smith john[au]", "47"),
        ("smithson j", "48"),
        ("obrien[au]", ""),
        ("tenodesis smithson j[au]", "48"),
        ("surgery german[la]", "47"),
        ("ger[la]", "47"),
        ("english[la]", ""),
        ("endocr pathol[ta]", "8"),
        ("hasabstract AND psittacine", "21 22"),
        ("flight AND hasabstract", "21"),
        ("Therapy/Narrow[filter]", "16"),
        ("all[sb] AND psittacine", "21 22"),
        ("20:22[pmid]", "20 21 22"),
        ("22[pmid]", "22"),
        ("2000/06:2001/01[dp]", "43 44"),
        ("2030:3000[dp]", "45"),
        ("2030:[dp]", "45"),
        ("2001/06[dp]", "44"),
        ("nonsense[dp]", ""),
        ("2001:2000[dp]", ""),
        ("neoplasm*[mh]", "34"),
        ("breast feed*", "29"),
        ("crohn's disease OR asthma's", "1 2 3 15"),
        ("#9 AND asthma", ""),
    ],
)
def test_fields(query: str, expected: str) -> None:
    assert hits(query) == set(expected.split())


@needs_shared
def test_words_are_taken_as_they_are_where_mapping_finds_nothing() -> None:
    plain = translate(parse("vitamin colds"), engine(), mesh(), TODAY, automatic=False)
    assert plain.text == '"vitamin"[All Fields] AND "colds"[All Fields]'
    assert not plain.mapped


def test_the_filters_of_pubmeds_side_bar_mean_their_headings_types_and_languages() -> None:
    for written, means in (
        ("humans[Filter]", "humans[mh]"),
        ("female[filter]", "female[mh]"),
        ("english[filter]", "english[la]"),
        ("review[sb]", "review[pt]"),
        ("randomizedcontrolledtrial[Filter]", '"randomized controlled trial"[pt]'),
        ("meta-analysis[filter]", '"meta-analysis"[pt]'),
        ("y_5[Filter]", '"last 5 years"[dp]'),
        ("allchild[filter]", "infant[mh] OR child[mh] OR adolescent[mh]"),
    ):
        assert hits(written) == hits(means), written
    assert any(map(hits, ("humans[filter]", "review[sb]", "female[filter]", "y_5[Filter]")))


@pytest.mark.parametrize("query", ["long chen[au]", "smithson jz[au]", "asthma smithson[1au]"])
def test_a_name_that_nobody_bears_is_not_taken_apart(query: str) -> None:
    found = ask(query)
    assert (found.count, found.outcome) == (0, "zero")
    assert found.dropped


def test_a_tagged_phrase_that_is_taken_apart_is_told() -> None:
    assert any(
        'only "flight" was searched there' in remark
        for remark in ask("psittacine flight[tw]").translation.remarks
    )
