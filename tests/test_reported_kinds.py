"""Kinds of faults that users of other tools reported, each with the thread, an input of our own,
and what is right.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.reading import read_records
from clinfo.pubmed.xml import read_citations as read_xml
from clinfo.records.articles import Article
from clinfo.references.identifiers import find_doi
from clinfo.sources.citation_text import read_citations

GITHUB = "https://github.com/"
OF_P = {"subject": {"reference": "Patient/p"}}


def articles(text: str) -> list[Article]:
    return [*read_citations(text).articles]


def of_pubmed(inside: str, ids: str = "") -> Article:
    (found,) = (
        one
        for one in read_xml(
            "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article><Journal>"
            "<Title>Made-up J</Title></Journal><ArticleTitle>Zinclozine</ArticleTitle>"
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
}  # fmt: skip


@pytest.mark.parametrize("thread", KINDS)
def test_what_others_reported_is_right_here(thread: str, tmp_path: Path) -> None:
    assert KINDS[thread](tmp_path), GITHUB + thread
