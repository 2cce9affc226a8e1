"""Queries in the languages of other services: named, with PubMed's form; PubMed's own pass."""

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.literature.request import checked
from clinfo.pubmed.other_syntax import other_syntax


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            "exp Gout/ or podagr$.ti,ab.",
            'Ovid * for exp Gout/ write "Gout"[mh]; for $ write *; for .ti,ab. ',
        ),
        ("Gout/ and wom?n.ti.", 'Ovid * for Gout/ write "Gout"[mh]; for wom?n write each spelling'),
        ("smith j.au. and 2019.yr.", "Ovid * for .au. write smith j[au]; for .yr. write 2015"),
        ("(gout adj3 colchicine).mp.", 'Ovid * for adj3 write "two words"[tiab:~3]; for .mp. '),
        ("'gout'/exp AND colchicine:ab,ti", "Embase * for 'gout'/exp write \"gout\"[mh]; "),
        ("gout AND [humans]/lim", "Embase * for [humans]/lim write a tag, as humans[mh]"),
        ("MeSH descriptor: [Gout] explode all trees", 'the Cochrane Library * write "Gout"[mh]'),
        ('[mh "Gout"] or podagra:ti,ab,kw', "the Cochrane Library * for :ti,ab,kw write [tiab]"),
        ("(gout NEAR/4 flare*)", 'another service * for NEAR/4 write "two words"[tiab:~4]'),
        ("TS=(gout NEAR/4 flare) AND PY=2015", "Web of Science * for PY= write 2015:2024[dp]"),
        ('(MH "Gout+") AND TI podagra', 'EBSCO * for MH "Gout+" write "Gout"[mh]; for TI '),
        ('MESH.EXACT("Gout") OR ti(gout)', "ProQuest * for ti write [ti] behind each word"),
        ("gout site:nih.gov", "Google * for site: write words alone"),
        ("gout -acute", "Google * for - write NOT"),
        (
            '"gout" -(acute flare) intitle:podagra',
            "Google * for - write NOT; for intitle: write [ti] behind",
        ),
        ("gout 2015..2020 after:2019", "Google * for 2015..2020 write 2015:2024[dp]; for after: "),
        ("x AND gout[mh]/drug therapy OR y", "another service * write gout/drug therapy[mh]"),
        ('("Gout, Acute"[MeSH Terms]/diet)', "another service * write Gout, Acute/diet[mh]"),
        ("title:gout AND tw:(gout)", "Europe PMC or LILACS * for title: write [ti] behind"),
        (
            'AUTH:"Roe J" AND PUB_YEAR:2019',
            "LILACS * for AUTH: write smith j[au]; for PUB_YEAR: write 20",
        ),
        ("all:(gout) ANDNOT cat:x", "Europe PMC or LILACS * for ANDNOT write NOT"),
        (
            "abs:gout AND mj:(x)",
            'LILACS * for abs: write [tiab] behind each word; for mj: write "…"[mh]',
        ),
        ("gout AND [2010-2020]/py", "Embase * for [2010-2020]/py write 2015:2024[dp]"),
        (
            'TITLE ( "gout" ) AND LIMIT-TO ( DOCTYPE , "ar" )',
            "Scopus * ( DOCTYPE write a tag, as letter[pt]",
        ),
        ("TI=gout AND LA=(English)", "Web of Science * for LA= write a tag, as english[la]"),
        ("https://a.gov/?term=gout%5Bti%5D+AND+x&y=1", "An address * write gout[ti] AND x"),
        ("EXPAND[Concept] gout", "ClinicalTrials.gov * for EXPAND[Concept] write words alone"),
        ('"gout flare"~3', 'Lucene * for ~3 write "two words"[tiab:~3]'),
        ("1 and 2", "Ovid or EBSCO * for 1 and 2 write the searches of these lines"),
        ("limit 3 to english language", "Ovid * for limit 3 to write a tag, as english[la]"),
        ("TITLE-ABS-KEY(gout) AND PUBYEAR > 2014", "Scopus * for PUBYEAR write 2015:2024[dp]"),
        ("title-abs(gout)", "Scopus * for title-abs write [tiab] behind each word"),
    ],
)
def test_another_services_marks_are_named_with_pubmeds_form(query: str, told: str) -> None:
    service, _, form = told.partition(" * ")
    assert f"{service} writes it so, PubMed otherwise: " in other_syntax(query)
    assert form in other_syntax(query)


@pytest.mark.parametrize(
    "query",
    [
        'gout[mh] AND "colchicine dose"[tiab:~3] AND 2015:2020[dp]', "gout/drug therapy[majr]",
        "J Exp Med[ta] AND exp", "gout[mh:noexp] OR #2", "IL-2:receptor AND 3:1", "Smith W[au]",
        "p = 0.05 AND TB/HIV", "vs. ab. initio AND (TI OR AB)", "near 3 weeks",
        "gout - acute -RADS (AB blood group)", "zinc:copper, 1 and 2 year",
        "Ti(IV) AND Au(III) AND/OR gout/therapy",
        "doi:10.1000/x OR https://a.org/pubmed/5?from=b", 'de novo "gout"',
        "serum Cu:Zn ratio", "Au:Ag nanoparticles, cat:dog bite, su:dose", "!Kung people",
        "gout NOT (acute NOT old) OR NOT", "gout/diet[mh] NOT x/y",
    ],
)  # fmt: skip
def test_pubmeds_own_language_is_no_other(query: str) -> None:
    assert other_syntax(query) == ""


def test_a_request_is_refused_with_the_hint() -> None:
    for query in ("NOT iron[ti]", "zinc AND (NOT (iron OR tin))"):
        with pytest.raises(UsageError, match="cannot begin with NOT"):
            checked(question="gout", query=query)
    with pytest.raises(UsageError, match=r"Ovid writes it so.*\"Gout\"\[mh\]"):
        checked(question="gout", query="exp Gout/")
