"""Kinds of faults that users of other tools reported, each with the thread, an input of our own,
and what is right.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clinfo.mcp_server.tools import verify
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.reading import read_records
from clinfo.pipelines.copilot.evidence_items import Fields, selected
from clinfo.pipelines.copilot.kinds import GENE_DRUGS
from clinfo.pipelines.tools import OpenTool, ToolDeclared
from clinfo.pubmed.dates import read_days
from clinfo.pubmed.xml import read_citations as read_xml
from clinfo.records.articles import Article, Author, DateInterval, SearchRequest, SearchResult
from clinfo.references.reading import read_citations
from clinfo.references.registry import specs
from clinfo.retrieval.silos.readers import civic
from clinfo.runs.given import as_given
from clinfo.sources.memory import of_texts
from clinfo.text.identifiers import find_doi
from clinfo.text.quotes import locate
from clinfo.text.stated_numbers import stated_numbers
from clinfo.text.structured import json_values
from tests.retrieval.silos import rows

GITHUB = "https://github.com/"
MULLER = Author("M\u00fcller", "Ann", "A")
OF_P = {"subject": {"reference": "Patient/p"}}


def articles(text: str) -> list[Article]:
    return [*read_citations(text).articles]


def of_pubmed(inside: str, ids: str = "", title: str = "Zinclozine", issue: str = "") -> Article:
    (found,) = (
        one
        for one in read_xml(
            "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><Journal>"
            f"<JournalIssue><PubDate>{issue}</PubDate></JournalIssue><Title>Made-up J</Title>"
            f"</Journal><ArticleTitle>{title}</ArticleTitle>"
            f"{inside}</Article></MedlineCitation><PubmedData><ArticleIdList>{ids}</ArticleIdList>"
            "</PubmedData></PubmedArticle></PubmedArticleSet>".encode()
        )
        if isinstance(one, Article)
    )
    return found


def said(text: str) -> dict[str, str]:
    return {one.text.lower(): one.assertion for one in find_mentions(text, standard())}


def entries(folder: Path, *given: dict[str, Any], address: str = "") -> list[tuple[str, ...]]:
    path = folder / "bundle.json"
    entry = [{"fullUrl": address if one.get("id") == "p" else "", "resource": one} for one in given]
    path.write_text(json.dumps({"resourceType": "Bundle", "entry": entry}))
    return [
        (record.patient, one.text, one.start, one.standing, one.value)
        for record in read_records([path]).records
        for one in record.entries
    ]


def ris(*lines: str) -> str:
    return "\n".join(("TY  - JOUR", "TI  - Zinclozine", *lines, "ER  - ", ""))


def dated(*inside: tuple[str, str]) -> str:
    return "".join(f"<{name}>{value}</{name}>" for name, value in inside)


KINDS: dict[str, Callable[[Path], bool]] = {
    "titipata/pubmed_parser/issues/68": lambda _: (
        of_pubmed('<ELocationID EIdType="pii">S9</ELocationID>',
                  '<ArticleId IdType="doi">10.1000/only</ArticleId>').doi == "10.1000/only"
    ),
    "langchain-ai/langchain/pull/10245": lambda _: (
        of_pubmed("<Abstract><AbstractText>No label here.</AbstractText></Abstract>").abstract
        == "No label here."
    ),
    "opentrials/opentrials/issues/222": lambda _: (
        of_pubmed('<Abstract><AbstractText Label="AIM"/><AbstractText Label="RESULTS">It fell.'
                  "</AbstractText></Abstract>").abstract == "RESULTS: It fell."
    ),
    "JabRef/jabref/issues/8414": lambda _: (
        of_pubmed("<Pagination><MedlinePgn>e0193</MedlinePgn></Pagination>").pages == "e0193"
        and articles(ris("C7  - e0193"))[0].pages == "e0193"
    ),
    "MrTango/rispy/issues/61": lambda _: (
        [one.title for one in articles(
            "1. \n" + ris() + "\nLink to it: x\n\nC1  - Database: Made up\n\nSearch Strategy:\n"
            "1 exp Zinc/\n\n2. \n" + ris("AB  - Two."))] == ["Zinclozine", "Zinclozine"]
    ),
    "MrTango/rispy/issues/62": lambda _: (
        (articles(ris("IS  - 9", "SP  -", "PB  - Press"))[0].issue) == "9"
    ),
    "mjwestgate/synthesisr/issues/16": lambda _: (
        articles(ris("AB  - In 40 women", "ER - positive tumours shrank."))[0].abstract
        == "In 40 women ER - positive tumours shrank."
    ),
    "mjwestgate/revtools/issues/30": lambda _: (
        [one.label for one in articles(
            "PMID- 12\nTI  - Zinclozine\nAB  - AIMS: Itch.\n      CONC - looked at.\n"
            "      CONCLUSIONS: It helped.\nFAU - Roe, R\n")[0].sections] == ["AIMS", "CONCLUSIONS"]
    ),
    "ropensci/handlr/issues/35": lambda _: (
        articles(ris("AB  - In English.", "AB  - En français."))[0].abstract == "In English."
    ),
    "larsgw/citation.js/issues/191": lambda _: (
        articles(ris("A1  - Roe, Ann", "Y1  - 2009").replace("\n", "\r"))[0].year == 2009
    ),
    "JabRef/jabref/issues/6530": lambda _: (
        {articles(ris(one))[0].doi for one in (
            "DO  - doi:10.1000/X", "DO  - https://doi.org/10.1000/x", "M3  - 10.1000/x")}
        == {"10.1000/x"}
    ),
    "JabRef/jabref/issues/7943": lambda _: (
        articles(ris("PY  - 2021", "DA  - 2020/02/07"))[0].year == 2021
    ),
    "JabRef/jabref/issues/1267": lambda _: (
        len(articles("PMID- 1\nTI  - Zinclozine\nPMID- 2\nTI  - Again\n")) == 2
    ),
    "ms609/citation-bot/issues/19": lambda _: (
        [(one.last, one.suffix) for one in articles(ris("AU  - McVay, John W., Jr."))[0].authors]
        == [("McVay", "Jr.")]
    ),
    "jupyter-book/mystmd/issues/1173": lambda _: (
        find_doi("https://www.medrxiv.org/content/10.1101/2021.03.04.654321v3.full.pdf")
        == "10.1101/2021.03.04.654321"
    ),
    "jenojp/negspacy/issues/44": lambda _: (
        said("Blood transfusion: No. Diabetes: yes.")
        == {"blood transfusion": "negated", "diabetes": "present"}
    ),
    "jenojp/negspacy/issues/14": lambda _: (
        said("Hypertension with no headache and fever.")
        == {"hypertension": "present", "headache": "negated", "fever": "negated"}
    ),
    "ClarityNLP/ClarityNLP/issues/37": lambda _: (
        set(said("She denies chest pain, cough, dyspnea or nausea.All else is well.").values())
        == {"negated"}
    ),
    "nlpie/biomedicus/issues/100": lambda _: (
        said("No asthma but gout; no fever, however cough.")
        == {"asthma": "negated", "gout": "present", "fever": "negated", "cough": "present"}
    ),
    "onc-healthit/inferno-program/issues/206": lambda folder: (
        entries(folder, {"resourceType": "Observation", "status": "final", **OF_P,
                         "code": {"text": "Pulse"}, "valueInteger": 70,
                         "effectivePeriod": {"start": "2024-02-01", "end": "2024-02-02"}})
        == [("p", "Pulse", "2024-02-01", "present", "70")]
    ),
    "synthetichealth/synthea/pull/1572": lambda folder: (
        entries(folder, {"resourceType": "MedicationRequest", "status": "stopped", **OF_P,
                         "intent": "order", "medicationCodeableConcept": {"text": "Zinclozine"}})
        == [("p", "Zinclozine", "", "past", "stopped")]
    ),
    "aehrc/pathling/issues/1434": lambda folder: (
        {patient for patient, *_ in entries(
            folder, {"resourceType": "Patient", "id": "p", "gender": "male"},
            {"resourceType": "Condition", "subject": {"reference": "urn:uuid:77-a"},
             "code": {"text": "GOUT"}}, address="urn:uuid:77-a")} == {"p"}
    ),
    "hugheylab/pmparser/issues/50": lambda _: (
        of_pubmed("", issue=dated(("MedlineDate", "Winter 1978-1979"))).year == 1978
    ),
    "titipata/pubmed_parser/issues/112": lambda _: (
        of_pubmed(f"<ArticleDate>{dated(('Year', '2019'), ('Month', '05'), ('Day', '31'))}"
                  "</ArticleDate>", issue=dated(("Year", "2019"), ("Month", "Sep"))).published
        == DateInterval(date(2019, 9, 1), date(2019, 9, 30), "2019 Sep")
    ),
    "metapub/metapub/pull/166": lambda _: (
        {of_pubmed("<VernacularTitle>Zink hilft.</VernacularTitle>", title=title).title
         for title in ("", "[Not Available].")} == {"Zink hilft."}
    ),
    "wcmc-its/ReCiter-PubMed-Retrieval-Tool/issues/15": lambda _: (
        [(one.last, one.collective) for one in of_pubmed(
            "<AuthorList><Author><LastName>Roe</LastName></Author><Author><CollectiveName>The "
            "<i>Zinc</i> Group</CollectiveName></Author></AuthorList>").authors]
        == [("Roe", False), ("The Zinc Group", True)]
    ),
    "biopython/biopython/issues/1742": lambda _: (
        of_pubmed("<Abstract><AbstractText>p &amp;lt; 0.05, &#x3B2; <u>&lt;</u>4.5&nbsp;mU"
                  "</AbstractText></Abstract>").abstract == "p < 0.05, β ≤4.5 mU"
    ),
    "langgenius/dify/issues/42451": lambda _: (
        json_values('```json\n{"relevant": "yes"}\n```\nSee [1] and {2}.')[-1][0]
        == {"relevant": "yes"}
    ),
    "misospace/pr-reviewer-action/issues/449": lambda _: (
        json_values('```json\n{"reason": "one\ntwo"}\n```')[-1][0] == {"reason": "one\ntwo"}
    ),
    "langchain-ai/langchain/pull/34242": lambda _: (
        all("at least one" in refused(given) for given in ("", "null", "{}"))
    ),
    "CrossRef/rest-api-doc/issues/169": lambda _: (
        [(one.title, one.journal, one.year) for one in csl(
            {"title": ["Zinc"], "container-title": ["J"], "issued": {"date-parts": [[None]]}})]
        == [("Zinc", "J", None)]
    ),
    "inukshuk/anystyle/issues/167": lambda _: (
        [one.year for one in csl({"issued": {"date-parts": [["2015", "3"]]}},
                                 {"issued": [{"year": "2014"}]})] == [2015, 2014]
    ),
    "citeproc-py/citeproc-py/pull/14": lambda _: (
        [one.year for one in csl({"issued": {"literal": "Spring 2012"}})] == [2012]
    ),
    "massimoaria/bibliometrix/pull/565": lambda _: (
        articles("Title,Page start,Page end,Art. No.\nZinc,,,e7\nTwo,3,9,e8\n")[0].pages == "e7"
    ),
    "massimoaria/bibliometrix/pull/646": lambda _: (
        [(one.last, one.fore, one.collective) for one in articles(
            "@article{k, title={Zinc}, author={{The Zinc\n Group} and Roe, Ann and Doe,\n  Bo}}"
        )[0].authors]
        == [("The Zinc Group", None, True), ("Roe", "Ann", False), ("Doe", "Bo", False)]
    ),
    "fiduswriter/BiblioJSON/issues/60": lambda _: (
        articles("@article{k, title={Zinc at 5% and more}, year=2015, abstract={It fell 9\\%}}")[0]
        .title == "Zinc at 5% and more"
    ),
    "jimmejardine/qiqqa-open-source/issues/22": lambda _: (
        articles('@article{k, title={Zinc}, month = may # "~3", year = 2015}')[0].year == 2015
    ),
    "JabRef/jabref/issues/6065": lambda _: (
        articles(ris("N2  - In adults.", "AB  - In adults."))[0].abstract == "In adults."
    ),
    "dsifford/academic-bloggers-toolkit/issues/428": lambda _: (
        articles(ris("AB  - In adults", "and others", "", "KW  - zinc"))[0].abstract
        == "In adults and others"
    ),
    "IQSS/dataverse/issues/4123": lambda _: (
        [one.title for one in articles(written("ris", Article("x", "A & B < C, 50% \u03b2")))]
        == ["A & B < C, 50% \u03b2"]
    ),
    "OPUS4/application/issues/1491": lambda _: (
        "@article{muller_zinc," in written("bibtex", Article("x", "Zinc", authors=(MULLER,)))
    ),
    "rero/sonar/pull/1156": lambda _: (
        len({line for line in written("bibtex", *(Article(f"x{n}", "Zinc", authors=(MULLER,))
                                                  for n in range(3))).splitlines()
             if line.startswith("@")}) == 3
    ),
    "aipoch/open-science/pull/2675": lambda _: (
        [(one.last, one.fore, one.suffix) for one in articles(
            "PMID- 1\nTI  - Zinc\nFAU - de la Roe, James H Jr\n")[0].authors]
        == [("de la Roe", "James H", "Jr")]
    ),
    "zoharbabin/web-researcher-mcp/issues/490": lambda _: (
        find_doi("<https://doi.org/10.9/(SICI)1(1999)1:1%3C2::AID-X%3E3.0.CO;2-Q>") == ""
        and find_doi("(10.9999/(SICI)1(1999)1:1<2::AID-X>3.0.CO;2-Q)")
        == find_doi("<https://doi.org/10.9999/(SICI)1(1999)1:1%3C2::AID-X%3E3.0.CO;2-Q>")
        == "10.9999/(sici)1(1999)1:1<2::aid-x>3.0.co;2-q"
    ),
    "WDscholia/scholia/issues/2411": lambda _: (
        {find_doi(one) for one in ("[10.1000/x](https://doi.org/10.1000/x)", "10.1000/x<br>")}
        == {"10.1000/x"}
    ),
    "ropensci/rentrez/issues/195": lambda _: (
        searched('"pain hip"[Title/Abstract:~4]').ids == ("ref:1",)
    ),
    "mediacloud/web-search/issues/1169": lambda _: (
        searched("\u201cleft hip\u201d[tiab]").translation == '"left hip"[Title/Abstract]'
    ),
    "hetio/medline/issues/3": lambda _: (
        any("Zzyx-Like" in one for one in searched("Zzyx-Like Syndrome[mh:noexp]").warnings)
    ),
    "BRCAChallenge/brca-exchange/issues/1237": lambda _: (
        searched("12_13insA OR F7fs").ids == ()
    ),
    "metapub/metapub/issues/5": lambda _: (
        searched('"left hip" "gout"').translation == '"left hip"[All Fields] AND "gout"[All Fields]'
    ),
    "adsabs/bumblebee/issues/1249": lambda _: (
        (read_days("2015/01/00"), read_days("2015/12/00"))
        == ((date(2015, 1, 1), date(2015, 1, 31)), (date(2015, 12, 1), date(2015, 12, 31)))
    ),
    "PrefectHQ/fastmcp/pull/4784": lambda _: (
        as_given('["zinc", "itch"]', tuple[str, ...]) == ["zinc", "itch"]
        and as_given(deep := "[" * 20_000, tuple[str, ...]) == [deep]
    ),
    "jgravelle/jcodemunch-mcp/pull/135": lambda _: (
        (as_given("false", bool), as_given("5", int)) == (False, 5)
        and as_given(date(2010, 1, 2), str) == "2010-01-02"
        and as_given({"rct"}, tuple[str, ...]) == ["rct"]
    ),
    "google-gemini/gemini-cli/issues/13326": lambda _: (
        not any(word in json.dumps(verify.TOOL.input_schema) for word in ("$ref", "$defs"))
    ),
    "maziyarpanahi/openmed/issues/928": lambda _: (
        said("No chest pain but has fever.") == {"chest pain": "negated", "fever": "present"}
    ),
    "medspacy/medspacy/pull/49": lambda _: (
        said("fever: none\ncough:none, asthma:yes")
        == {"fever": "negated", "cough": "negated", "asthma": "present"}
    ),
    "medspacy/medspacy/issues/232": lambda _: (
        set(said("The patient is negative for stroke/asthma.").values()) == {"negated"}
    ),
    "maziyarpanahi/openmed/issues/276": lambda _: (
        said("Pneumonia has not been ruled out. Not only asthma but also gout.")
        == {"pneumonia": "uncertain", "asthma": "present", "gout": "present"}
    ),
    "CogStack/MedCAT/issues/230": lambda _: (
        said("Has gout. Denies hypertension, psychosis and glaucoma")
        == {"gout": "present", "hypertension": "negated", "psychosis": "negated",
            "glaucoma": "negated"}
    ),
    "medspacy/medspacy/pull/105": lambda _: said("Risks of stroke.") == {"stroke": "uncertain"},
}  # fmt: skip


def csl(*items: dict[str, Any]) -> list[Article]:
    return articles(json.dumps([{"id": n, "title": "Zinc"} | one for n, one in enumerate(items)]))


def written(form: str, *given: Article) -> str:
    return next(one for one in specs() if one.name == form).write(given)


def searched(query: str) -> SearchResult:
    texts = of_texts(["Pain of the left hip in gout.", "Syndrome of zinc."])
    return asyncio.run(texts.search(SearchRequest(query, 5)))


def refused(given: str) -> str:
    with pytest.raises(ValueError, match=r"\w") as raised:
        OpenTool(ToolDeclared("genes", GENE_DRUGS.name, ""), GENE_DRUGS, Mock()).read(given)
    return str(raised.value)


@pytest.mark.parametrize("thread", KINDS)
def test_what_others_reported_is_right_here(thread: str, tmp_path: Path) -> None:
    assert KINDS[thread](tmp_path), GITHUB + thread


PROFILES = (
    "BRAF V600E AND NOT KRAS Mutation", "EML4::ALK Fusion", "BRAF V600K", "TP53 R213*",
    "(EGFR L858R OR EGFR Exon 19 Deletion) AND MET Amplification", "ATM I605Yfs*9",
    "MET Exon 14 Skipping Mutation", "ERBB2 Amplification", "BRAF V600_S602delinsEKT",
)  # fmt: skip
VARIANTS = [
    ("dgidb/dgidb-v5/issues/265", "KRAS", "mutation", ""),
    ("griffithlab/civicpy/issues/185", "EGFR", "L858R", "5"),
    ("griffithlab/civicpy/issues/185", "MET", "amplified", "5"),
    ("oncokb/oncokb/issues/2739", "TP53", "R213X", "4"),
    ("cBioPortal/cbioportal/pull/1077", "ATM", "p.Ile605TyrfsTer9", "6"),
    ("sigven/pcgr/issues/202", "MET", "exon14 skipping", "7"),
    ("oncokb/oncokb/issues/2597", "BRAF", "V600K", "3"),
    ("Clinical-Genomics/scout/issues/5148", "EML4", "fusion", "2"),
    ("dgidb/dgidb-v5/issues/328", "HER-2/neu", "amplified", "8"),
    ("oncokb/oncokb/issues/3951", "BRAF", "p.Val600_Ser602delinsGluLysThr", "9"),
    ("griffithlab/civic-client/issues/1639", "", "EML4-ALK", "2"),
]


@pytest.mark.parametrize(("thread", "gene", "variant", "found"), VARIANTS)
def test_evidence_on_a_variant(thread: str, gene: str, variant: str, found: str) -> None:
    lines = (rows.newer(str(n), one, "Melanoma", "Zinclozine") for n, one in enumerate(PROFILES, 1))
    items = civic.from_table("\n".join((rows.NEWER, *lines)), "a.tsv", "civic").documents
    asked_for = Fields(gene=gene, variant=variant)
    assert " ".join(one.id for one in selected(items, asked_for).items) == found, GITHUB + thread


NUMBERS = [
    ("MicheleNuijten/statcheck/issues/27", "F = 4,44, p = 0,048", "4.44 0.048"),
    ("MicheleNuijten/statcheck/issues/28", "z = 1 1 .25, p = .806", "0.25 0.806"),
    ("scienceverse/metacheck/issues/21", "p < 10^(-9)", "1E-9"),
    ("scienceverse/metacheck/pull/357", "p = -.22", "-0.22"),
    ("dylanwal/unit_parse/issues/3", "3.6E+004 mg/L", "36000"),
    ("parneetsingh022/quantium/issues/43", "4\u00d710\u207b\u00b3 mol", "0.004"),
    ("nielstron/quantulum3/issues/87", "10^-12 barns", "1E-12"),
    ("strengejacke/sjPlot/issues/59", "(\u22121.51\u2013\u22120.62)", "-1.51 -0.62"),
    ("Open-Systems-Pharmacology/MoBi/issues/210", "12.345,6 g", "12345.6"),
]


@pytest.mark.parametrize(("thread", "text", "values"), NUMBERS)
def test_numbers_are_read_as_they_are_written(thread: str, text: str, values: str) -> None:
    assert {Decimal(one) for one in values.split()} <= stated_numbers(text), GITHUB + thread


QUOTED = [
    (
        "NousResearch/hermes-agent/pull/85749",
        "non-inferior, >= 5 mg",
        "non\u2011inferior, \u2265 5 mg",
    ),
    ("monarch-initiative/dismech/issues/8048", "evaluation of pain", "the evalu -\nation of pain"),
    ("open-legal-products/mike/issues/391", "is ... permitted", ""),
]


@pytest.mark.parametrize(("thread", "quotation", "text"), QUOTED)
def test_a_quotation_is_found_in_its_typography(thread: str, quotation: str, text: str) -> None:
    found = locate(quotation, text or "is not permitted")
    assert (found is not None) == bool(text), GITHUB + thread
