"""Whole citations with their XML, how a stream is cut, and that both readers of a record read the
same.
"""

import gzip
import io
from datetime import date
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from clinfo.errors import RecordError
from clinfo.pubmed.citation import Citation, Heading, OtherAbstract, Qualifier
from clinfo.pubmed.xml import (
    DeletedIds,
    Entry,
    Record,
    read_article,
    read_citation,
    read_citations,
    read_records,
)
from clinfo.records.articles import Article, Author, Correction, Section

WHOLE = """<PubmedArticle>
  <MedlineCitation Status="MEDLINE" IndexingMethod="Automated" Owner="NLM">
    <PMID Version="2">101</PMID>
    <DateCompleted><Year>2020</Year><Month>02</Month><Day>03</Day></DateCompleted>
    <DateRevised><Year>2021</Year><Month>04</Month><Day>05</Day></DateRevised>
    <Article PubModel="Print-Electronic">
      <Journal>
        <ISSN IssnType="Electronic">1234-5678</ISSN>
        <JournalIssue CitedMedium="Internet"><Volume>7</Volume><Issue>2</Issue>
          <PubDate><Year>2020</Year><Month>Jan</Month></PubDate></JournalIssue>
        <Title>Journal of rest &amp; sleep</Title>
        <ISOAbbreviation>J. Rest</ISOAbbreviation>
      </Journal>
      <ArticleTitle>Rest with <i>vigour</i>: p &lt; 0.05.</ArticleTitle>
      <Pagination><StartPage>11</StartPage><EndPage>19</EndPage><MedlinePgn>11-9</MedlinePgn></Pagination>
      <ELocationID EIdType="doi" ValidYN="Y">10.1000/rest</ELocationID>
      <ELocationID EIdType="pii" ValidYN="N">S0</ELocationID>
      <Abstract>
        <AbstractText Label="AIM &amp; SCOPE" NlmCategory="OBJECTIVE">To  rest
          at 37&#xb0;C.</AbstractText>
        <AbstractText Label="UNLABELLED">Some did.</AbstractText>
        <CopyrightInformation>© Nobody</CopyrightInformation>
      </Abstract>
      <AuthorList CompleteYN="N">
        <Author ValidYN="Y" EqualContrib="Y"><LastName>Abe</LastName><ForeName>Ken J</ForeName><Initials>KJ</Initials>
          <Identifier Source="ORCID">https://orcid.org/0000-0001-2345-6789</Identifier>
          <AffiliationInfo><Affiliation>Ward 1, Kyoto</Affiliation><Identifier Source="ROR">r1</Identifier></AffiliationInfo>
          <AffiliationInfo><Affiliation>Ward 2 &amp; 3, Kyoto</Affiliation></AffiliationInfo></Author>
        <Author ValidYN="N"><LastName>Aeb</LastName><Initials>K</Initials></Author>
        <Author ValidYN="Y"><CollectiveName>The <b>Rest</b> Group</CollectiveName></Author>
      </AuthorList>
      <Language>eng</Language><Language>fre</Language>
      <DataBankList CompleteYN="Y"><DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList>
        <AccessionNumber>NCT1</AccessionNumber><AccessionNumber>NCT2</AccessionNumber></AccessionNumberList></DataBank>
        <DataBank><DataBankName>GENBANK</DataBankName></DataBank></DataBankList>
      <GrantList CompleteYN="Y"><Grant><GrantID>R01</GrantID><Acronym>XX</Acronym><Agency>NIH</Agency>
        <Country>United States</Country></Grant><Grant><Agency>Rest Trust</Agency></Grant></GrantList>
      <PublicationTypeList><PublicationType UI="D1">Journal Article</PublicationType></PublicationTypeList>
      <VernacularTitle>Repos.</VernacularTitle>
      <ArticleDate DateType="Electronic"><Year>2019</Year><Month>12</Month><Day>30</Day></ArticleDate>
      <ArticleDate DateType="Electronic"><Year>2020</Year><Month>02</Month><Day>01</Day></ArticleDate>
    </Article>
    <MedlineJournalInfo><Country>France</Country><MedlineTA>J Rest</MedlineTA><NlmUniqueID>777</NlmUniqueID>
      <ISSNLinking>8765-4321</ISSNLinking></MedlineJournalInfo>
    <ChemicalList><Chemical><RegistryNumber>0</RegistryNumber><NameOfSubstance UI="D2">Dreams</NameOfSubstance></Chemical>
      <Chemical><RegistryNumber>JL5DK93RCL</RegistryNumber>
        <NameOfSubstance UI="D3">Melatonin</NameOfSubstance></Chemical></ChemicalList>
    <SupplMeshList><SupplMeshName Type="Disease" UI="C1">Sleepiness</SupplMeshName></SupplMeshList>
    <CitationSubset>IM</CitationSubset><CitationSubset>S</CitationSubset>
    <CommentsCorrectionsList><CommentsCorrections RefType="ErratumIn"><RefSource>J Rest. 2021</RefSource><PMID Version="1">77</PMID>
      </CommentsCorrections><CommentsCorrections RefType="Cites"><RefSource>Old</RefSource><PMID Version="1">44</PMID>
      </CommentsCorrections></CommentsCorrectionsList>
    <GeneSymbolList><GeneSymbol>clock</GeneSymbol></GeneSymbolList>
    <MeshHeadingList><MeshHeading><DescriptorName UI="D4" MajorTopicYN="N">Rest</DescriptorName>
      <QualifierName UI="Q1" MajorTopicYN="Y">methods</QualifierName></MeshHeading>
      <MeshHeading><DescriptorName UI="D5" MajorTopicYN="Y" Type="Geographic">Japan</DescriptorName></MeshHeading></MeshHeadingList>
    <NumberOfReferences>2</NumberOfReferences>
    <PersonalNameSubjectList><PersonalNameSubject><LastName>Nightingale</LastName><ForeName>Florence</ForeName><Initials>F</Initials>
      </PersonalNameSubject></PersonalNameSubjectList>
    <OtherID Source="NLM">PMC77 [Available on 01/01/21]</OtherID>
    <OtherAbstract Type="Publisher" Language="fre"><AbstractText Label="BUT">Repos.</AbstractText><AbstractText>Oui.</AbstractText>
      </OtherAbstract>
    <KeywordList Owner="NOTNLM"><Keyword MajorTopicYN="N">H<sub>2</sub>O</Keyword></KeywordList>
    <CoiStatement>None.</CoiStatement>
    <SpaceFlightMission>Flight X-1</SpaceFlightMission>
    <InvestigatorList><Investigator ValidYN="Y"><LastName>Zed</LastName><ForeName>Zoe</ForeName><Initials>Z</Initials>
      <AffiliationInfo><Affiliation>Ward 9</Affiliation></AffiliationInfo></Investigator></InvestigatorList>
    <GeneralNote Owner="NASA">A note.</GeneralNote>
  </MedlineCitation>
  <PubmedData>
    <History><PubMedPubDate PubStatus="received"><Year>2019</Year><Month>1</Month><Day>1</Day></PubMedPubDate>
      <PubMedPubDate PubStatus="entrez"><Year>2019</Year><Month>12</Month><Day>31</Day>
        <Hour>6</Hour><Minute>0</Minute></PubMedPubDate>
      <PubMedPubDate PubStatus="pubmed"><Year>2020</Year><Month>1</Month><Day>1</Day>
        <Hour>6</Hour><Minute>0</Minute></PubMedPubDate>
      <PubMedPubDate PubStatus="medline"><Year>2020</Year><Month>2</Month><Day>4</Day></PubMedPubDate></History>
    <PublicationStatus>ppublish</PublicationStatus>
    <ArticleIdList><ArticleId IdType="pubmed">101</ArticleId><ArticleId IdType="mid">NIHMS1</ArticleId></ArticleIdList>
    <ReferenceList><Title>Read</Title><Reference><Citation>One <i>et al.</i></Citation><ArticleIdList>
      <ArticleId IdType="pubmed">55</ArticleId></ArticleIdList></Reference>
      <Reference><Citation>Two</Citation></Reference></ReferenceList>
  </PubmedData>
</PubmedArticle>"""  # noqa: E501
SHORT = (
    "<PubmedArticle><MedlineCitation "
    'Status="Publisher"><PMID>{}</PMID><Article><ArticleTitle>A{}</ArticleTitle></Article>'
    "</MedlineCitation></PubmedArticle>"
)


def document(
    *records: str,
    head: str = '<?xml version="1.0" encoding="utf-8"?>',
    root: str = "PubmedArticleSet",
) -> bytes:
    return f"{head}<{root}>{''.join(records)}</{root.split()[0]}>".encode()


def short(pmid: int, title: str = "") -> str:
    return SHORT.format(pmid, title)


def ids(entries: list[Entry]) -> list[str]:
    return [
        entry.citation.article.id if isinstance(entry, Record) else repr(entry) for entry in entries
    ]


def test_every_field_of_a_citation() -> None:
    (record,) = read_records(document(WHOLE))
    assert isinstance(record, Record)
    assert record.raw == WHOLE.encode()
    citation, article = record.citation, record.citation.article
    assert citation == Citation(
        article=Article(
            id="pmid:101",
            pmid="101",
            title="Rest with vigour: p < 0.05.",
            sections=(
                Section("To rest at 37°C.", "AIM & SCOPE", "OBJECTIVE"),
                Section("Some did."),
            ),
            authors=(Author("Abe", "Ken J", "KJ"), Author("The Rest Group", collective=True)),
            authors_complete=False,
            journal="Journal of rest & sleep",
            journal_abbreviation="J. Rest",
            volume="7",
            issue="2",
            pages="11-9",
            published=article.published,
            electronic=date(2019, 12, 30),
            entered=date(2019, 12, 31),
            doi="10.1000/rest",
            pmcid="PMC77",
            vernacular_title="Repos.",
            languages=("eng", "fre"),
            publication_types=("Journal Article",),
            mesh=("Rest", "Japan"),
            major=("Rest", "Japan"),
            keywords=("H2O",),
            databank_numbers=("NCT1", "NCT2"),
            corrections=(Correction("ErratumIn", "J Rest. 2021", "77"),),
            references=("55", "44"),
            status="MEDLINE",
        ),
        headings=(
            Heading("Rest", "D4", False, (Qualifier("methods", "Q1", True),)),
            Heading("Japan", "D5", True),
        ),
        substances=(("Dreams", ""), ("Melatonin", "JL5DK93RCL")),
        supplementary=("Sleepiness",),
        other_abstracts=(OtherAbstract("BUT: Repos. Oui.", "Publisher", "fre"),),
        affiliations=("Ward 1, Kyoto", "Ward 2 & 3, Kyoto", "Ward 9"),
        author_identifiers=("0000-0001-2345-6789",),
        investigators=(Author("Zed", "Zoe", "Z"),),
        personal_subjects=(Author("Nightingale", "Florence", "F"),),
        grants=("R01, XX, NIH, United States", "Rest Trust"),
        identifiers=(
            ("pubmed", "101"),
            ("mid", "NIHMS1"),
            ("doi", "10.1000/rest"),
            ("NLM", "PMC77 [Available on 01/01/21]"),
        ),
        days={
            "epdat": date(2019, 12, 30),
            "crdt": date(2019, 12, 31),
            "edat": date(2020, 1, 1),
            "mhda": date(2020, 2, 4),
            "dcom": date(2020, 2, 3),
            "lr": date(2021, 4, 5),
        },
        all_electronic=(date(2019, 12, 30), date(2020, 2, 1)),
        issns=("1234-5678", "8765-4321"),
        nlm_id="777",
        medline_journal="J Rest",
        country="France",
        subsets=("IM", "S"),
        databanks=(("ClinicalTrials.gov", "NCT1"), ("ClinicalTrials.gov", "NCT2"), ("GENBANK", "")),
        conflict="None.",
        copyright="© Nobody",
        space_flight=("Flight X-1",),
        gene_symbols=("clock",),
        general_notes=("A note.",),
        publication_status="ppublish",
        publication_model="Print-Electronic",
        indexing_method="Automated",
        owner="NLM",
        version=2,
    )
    assert article.published is not None
    assert (article.published.start, article.published.end) == (date(2020, 1, 1), date(2020, 1, 31))


def test_bytes_and_elements_give_the_same() -> None:
    raw = WHOLE.encode()
    assert read_citation(raw) == read_citation(etree.fromstring(raw))
    assert read_article(raw) == read_citation(raw).article
    unusual = raw.replace(b"<Language>", b"<Novelty>1</Novelty><Language>", 1)
    assert read_citation(unusual) == read_citation(raw)
    with pytest.raises(RecordError, match="damaged XML"):
        read_citation(raw[:-40])


@pytest.mark.parametrize(
    "encoding", ["iso-8859-1", "windows-1252", "utf-16", "utf-8-sig", "us-ascii"]
)
def test_encodings(encoding: str) -> None:
    title = " cafe" if encoding == "us-ascii" else " café"
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    text = document(
        short(1, title), short(2), head=f'<?xml version="1.0" encoding="{declared}"?>'
    ).decode()
    first, second = read_records(text.encode(encoding))
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert first.citation.article.title == "A" + title
    assert first.raw == short(1, title).encode()
    with pytest.raises(RecordError, match="unknown encoding: x-nothing"):
        list(read_records(b'<?xml version="1.0" encoding="x-nothing"?><PubmedArticleSet/>'))


def test_a_namespace_of_the_root_holds_inside_its_records() -> None:
    formula = "<f:math><f:mi>x</f:mi></f:math>"
    (record,) = read_records(
        document(
            short(1, formula), root='PubmedArticleSet xmlns:f="http://www.w3.org/1998/Math/MathML"'
        )
    )
    assert isinstance(record, Record)
    assert record.citation.article.title == "Ax"


class Slow(io.BytesIO):
    """A stream that gives little at a time, whatever it is asked."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(7 if size is None or size < 0 else min(size, 7))


@pytest.mark.parametrize("packed", [False, True])
def test_pieces_of_any_size_make_the_same_records(packed: bool) -> None:
    text = document(
        short(1),
        WHOLE,
        "\n<DeleteCitation>\n<PMID>7</PMID></DeleteCitation >\n",
        WHOLE.replace("101", "102"),
    )
    stream: BinaryIO = Slow(gzip.compress(text) if packed else text)
    assert list(read_records(stream)) == list(read_records(text))
    assert [type(entry) for entry in read_records(text)] == [Record, Record, DeletedIds, Record]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (document(short(1)) + document(short(2)), "continues after its set of 1 records"),
        (document(short(1)) + b"<html>", "continues after its set"),
        (document(short(1))[:-30], "cut off inside record 1; 0 records read before that"),
    ],
)
def test_what_stands_behind_or_is_missing_is_said(text: bytes, said: str) -> None:
    with pytest.raises(RecordError, match=said):
        list(read_citations(text))


@given(
    st.integers(0, len(WHOLE)),
    st.binary(max_size=6)
    | st.sampled_from([b"<!--", b"<![CDATA[", b"</PubmedArticle>", b"<PubmedArticle>"]),
)
def test_damage_to_one_record_leaves_its_neighbours(place: int, damage: bytes) -> None:
    raw = WHOLE.encode()
    place = len(WHOLE[:place].encode())
    text = document(short(1), "{}", short(3)).replace(b"{}", raw[:place] + damage + raw[place:])
    entries = ids(list(read_records(text)))
    assert (entries[0], entries[-1]) == ("pmid:1", "pmid:3")
