"""Kinds of faults that users of other tools reported, each with the thread, an input of our own,
and what is right.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

from benchmarks.servers.model import Raw
from clinfo.llm.failures import retry_after
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.reading import read_records
from clinfo.pipelines.copilot.evidence_items import Fields, selected
from clinfo.pipelines.copilot.kinds.gene_drugs import KIND
from clinfo.pipelines.tools import OpenTool, ToolDeclared
from clinfo.pubmed.xml import read_citations as read_xml
from clinfo.records.articles import Article, DateInterval
from clinfo.references.identifiers import find_doi
from clinfo.retrieval.silos.readers import civic
from clinfo.runs.protocols import ModelReply
from clinfo.sources.citation_text import read_citations
from clinfo.text.structured import json_object
from tests.llm.test_gate import TEXT, Reply, asked, events, piece, whole
from tests.retrieval.silos import rows

GITHUB = "https://github.com/"
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
        json_object('```json\n{"relevant": "yes"}\n```\nSee [1] and {2}.', ("relevant",))
        == {"relevant": "yes"}
    ),
    "misospace/pr-reviewer-action/issues/449": lambda _: (
        json_object('```json\n{"reason": "one\ntwo"}\n```', ("reason",)) == {"reason": "one\ntwo"}
    ),
    "langchain-ai/langchain/pull/34242": lambda _: (
        all("at least one" in refused(given) for given in ("", "null", "{}"))
    ),
}  # fmt: skip


def refused(given: str) -> str:
    with pytest.raises(ValueError, match=r"\w") as raised:
        OpenTool(ToolDeclared("genes", KIND.name, ""), KIND, Mock()).read(given)
    return str(raised.value)


@pytest.mark.parametrize("thread", KINDS)
def test_what_others_reported_is_right_here(thread: str, tmp_path: Path) -> None:
    assert KINDS[thread](tmp_path), GITHUB + thread


def failed(words: str, status: int = 400, **beside: Any) -> Raw:
    return Raw({"error": {"message": words, "code": status, **beside}}, status)


TOO_LONG = "longer than the model's context window"
MODELS: dict[str, tuple[Reply, str]] = {
    "cline/cline/issues/13194": (
        failed("Provider said no", metadata={"raw": json.dumps({"error": {
            "message": "This model's maximum context length is 99 tokens"}})}), TOO_LONG),
    "DraconDev/pi-goal-list-loop-audit/pull/48": (
        failed("request (900 tokens) exceeds the available context size (99 tokens)"), TOO_LONG),
    "continuedev/continue/issues/6080": (
        failed("input length and `max_tokens` exceed context limit: 90 + 90 > 99"), TOO_LONG),
    "JohnnyZ93/oai-compatible-copilot/issues/13": (
        failed("prompt is too long: 900 tokens > 99 maximum"), TOO_LONG),
    "LibreChat-AI/agents/issues/357": (
        Raw({"status": 429, "error": "INSUFFICIENT QUOTA", "message": "too many at a time"}, 429),
        "rate limit was reached"),
    "genkit-ai/genkit/issues/6232": (
        Raw({"choices": [], "usage": {"prompt_tokens": 3}}), "the reply was empty"),
    "BerriAI/litellm/issues/3276": (
        events({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, piece(TEXT, "stop"),
               {"choices": [], "usage": {"prompt_tokens": 3}}, "[DONE]"), TEXT),
    "laravel/ai/pull/955": (whole({"content": TEXT}, "model_length"), "breaks off there"),
    "xorbitsai/inference/issues/3673": (
        whole({"content": "", "reasoning_content": TEXT}), "only thought"),
}  # fmt: skip


@pytest.mark.parametrize("thread", MODELS)
def test_a_model_s_odd_answers_are_told(thread: str) -> None:
    answer, words = MODELS[thread]
    for one in asked(lambda _: answer)[0]:
        told = " ".join((one.text, *one.warnings)) if isinstance(one, ModelReply) else one
        assert words in told, GITHUB + thread


def test_google_s_delay_is_waited_for() -> None:
    """googleapis/python-genai/pull/2114"""
    body = {"error": {"details": [{"@type": "RetryInfo", "retryDelay": "3.5s"}]}}
    answer = httpx.Response(429, json=body, request=httpx.Request("POST", "http://x"))
    assert retry_after(httpx.HTTPStatusError("", request=answer.request, response=answer)) == 3.5


PROFILES = (
    "BRAF V600E AND NOT KRAS Mutation", "EML4::ALK Fusion", "BRAF V600K", "TP53 R213*",
    "(EGFR L858R OR EGFR Exon 19 Deletion) AND MET Amplification", "ATM I605Yfs*9",
    "MET Exon 14 Skipping Mutation",
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
    ("griffithlab/civic-client/issues/1639", "", "EML4-ALK", "2"),
]


@pytest.mark.parametrize(("thread", "gene", "variant", "found"), VARIANTS)
def test_evidence_on_a_variant(thread: str, gene: str, variant: str, found: str) -> None:
    lines = (rows.newer(str(n), one, "Melanoma", "Zinclozine") for n, one in enumerate(PROFILES, 1))
    items = civic.from_table("\n".join((rows.NEWER, *lines)), "a.tsv", "civic").documents
    asked_for = Fields(gene=gene, variant=variant)
    assert " ".join(one.id for one in selected(items, asked_for).items) == found, GITHUB + thread
