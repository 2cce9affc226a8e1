"""The twenty-five cases in which readers of PubMed's XML go wrong, each with a record written for
the purpose.
"""

import gzip
import io
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import RecordError, SourceError
from clinfo.pubmed.xml import DeletedIds, Item, read_citations, read_file
from clinfo.records.articles import Article, Author, Correction, DateInterval, Section, Unreadable


def record(
    *,
    pmid: str = "101",
    title: str = "<ArticleTitle>A trial of rest.</ArticleTitle>",
    pub_date: str = "<PubDate><Year>2019</Year></PubDate>",
    article: str = "",
    citation: str = "",
    data: str = "",
    status: str = "MEDLINE",
) -> str:
    return f"""<PubmedArticle><MedlineCitation Status="{status}"><PMID Version="1">{pmid}</PMID>
      <Article><Journal><JournalIssue>{pub_date}</JournalIssue></Journal>{title}{article}</Article>{citation}
    </MedlineCitation><PubmedData>{data}</PubmedData></PubmedArticle>"""


def document(*records: str) -> bytes:
    return (
        "<?xml "
        f'version="1.0" encoding="utf-8"?><PubmedArticleSet>{"".join(records)}</PubmedArticleSet>'
    ).encode()


def one(**fields: str) -> Article:
    (article,) = read_citations(document(record(**fields)))
    assert isinstance(article, Article)
    return article


def test_01_markup_is_flattened_with_its_tails_and_a_less_than_sign_stays_text() -> None:
    article = one(
        title="<ArticleTitle>Ca<sup>2+</sup> in <i>E. coli</i> &lt; 5 &amp; more</ArticleTitle>",
        article=(
            "<Abstract><AbstractText>Flow<sub>max</sub> fell, <b>p</b> &lt; 0.05 &#x2014; "
            "R&amp;D.</AbstractText></Abstract>"
        ),
    )
    assert article.title == "Ca2+ in E. coli < 5 & more"
    assert article.abstract == "Flowmax fell, p < 0.05 — R&D."


def test_02_nested_markup_and_markup_first() -> None:
    article = one(
        title="<ArticleTitle><i>TP<sup>53</sup></i> and <b><u>rest</u></b> at home</ArticleTitle>"
    )
    assert article.title == "TP^53 and rest at home"


def test_03_formulas_in_mathml() -> None:
    math = (
        "<mml:math "
        'xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mn>2</mml:mn>'
        "<mml:annotation>x=2</mml:annotation></mml:math>"
    )
    article = one(
        title=f"<ArticleTitle>When {math} holds</ArticleTitle>",
        article=(
            f"<Abstract><AbstractText>Then <DispFormula>{math}</DispFormula> "
            "too.</AbstractText></Abstract>"
        ),
    )
    assert article.title == "When x=2 holds"
    assert article.abstract == "Then x=2 too."


@pytest.mark.parametrize(
    "title", ["<ArticleTitle/>", "<ArticleTitle>[Not Available].</ArticleTitle>", ""]
)
def test_04_a_vernacular_title_stands_in_for_a_missing_one(title: str) -> None:
    article = one(title=title, article="<VernacularTitle>Ruhe zu Hause.</VernacularTitle>")
    assert (article.title, article.vernacular_title) == ("Ruhe zu Hause.", "Ruhe zu Hause.")
    assert one(title=title).title == "[Not Available]."


def test_05_a_translated_title_keeps_its_brackets() -> None:
    article = one(
        title="<ArticleTitle>[Rest at home].</ArticleTitle>",
        article="<Language>ger</Language><VernacularTitle>Ruhe.</VernacularTitle>",
    )
    assert (article.title, article.vernacular_title, article.languages) == (
        "[Rest at home].",
        "Ruhe.",
        ("ger",),
    )


def test_06_no_abstract_and_an_empty_one() -> None:
    assert one().sections == ()
    assert (
        one(
            article="<Abstract><AbstractText/><AbstractText Label='RESULTS'> </AbstractText></Abstract>"  # noqa: E501
        ).sections
        == ()
    )


def test_07_labels_repeated_without_category_and_unlabelled() -> None:
    article = one(
        article="""<Abstract>
          <AbstractText Label="AIM" NlmCategory="OBJECTIVE">To rest.</AbstractText>
          <AbstractText Label="RESULTS" NlmCategory="RESULTS">Some did.</AbstractText>
          <AbstractText Label="RESULTS">Some did not.</AbstractText>
          <AbstractText Label="UNLABELLED" NlmCategory="UNASSIGNED">Registered.</AbstractText>
          <CopyrightInformation>© Nobody</CopyrightInformation></Abstract>"""
    )
    assert article.sections == (
        Section("To rest.", "AIM", "OBJECTIVE"),
        Section("Some did.", "RESULTS", "RESULTS"),
        Section("Some did not.", "RESULTS", None),
        Section("Registered.", None, "UNASSIGNED"),
    )
    assert (
        article.abstract == "AIM: To rest.\nRESULTS: Some did.\nRESULTS: Some did not.\nRegistered."
    )


def test_08_other_abstracts_are_read_where_there_is_none_and_never_merged() -> None:
    other = "".join(
        f'<OtherAbstract Type="Publisher" Language="{language}"><AbstractText>{text}</AbstractText>'
        "</OtherAbstract>"
        for language, text in (("fre", "Repos."), ("eng", "Some rest."))
    )
    assert one(citation=other).abstract == "Some rest."
    assert one(citation=other.replace('"eng"', '"spa"')).abstract == ""
    assert (
        one(
            article="<Abstract><AbstractText>Rest.</AbstractText></Abstract>", citation=other
        ).abstract
        == "Rest."
    )


@pytest.mark.parametrize(
    ("pub_date", "start", "end", "text"),
    [
        (
            "<MedlineDate>1998 Dec-1999 Jan</MedlineDate>",
            date(1998, 12, 1),
            date(1999, 1, 31),
            "1998 Dec-1999 Jan",
        ),
        (
            "<MedlineDate>Summer 2018</MedlineDate>",
            date(2018, 7, 1),
            date(2018, 9, 30),
            "Summer 2018",
        ),
        ("<Year>2010</Year><Month>03</Month>", date(2010, 3, 1), date(2010, 3, 31), "2010 Mar"),
        (
            "<Year>2010</Year><Month>Mar</Month><Day>07</Day>",
            date(2010, 3, 7),
            date(2010, 3, 7),
            "2010 Mar 07",
        ),
        (
            "<Year>2010</Year><Season>Spring</Season>",
            date(2010, 4, 1),
            date(2010, 6, 30),
            "2010 Spring",
        ),
        ("<Year>2010</Year>", date(2010, 1, 1), date(2010, 12, 31), "2010"),
    ],
)
def test_09_and_10_publication_dates(pub_date: str, start: date, end: date, text: str) -> None:
    article = one(pub_date=f"<PubDate>{pub_date}</PubDate>")
    assert article.published == DateInterval(start, end, text)
    assert article.year == start.year


def test_11_the_earliest_electronic_date_and_the_entry_date() -> None:
    days = "".join(
        (
            "<ArticleDate "
            f'DateType="Electronic"><Year>2020</Year><Month>{month}</Month><Day>09</Day></ArticleDate>'
        )
        for month in ("11", "02", "05")
    )
    history = """<History><PubMedPubDate PubStatus="received"><Year>2001</Year><Month>1</Month><Day>1</Day></PubMedPubDate>
      <PubMedPubDate PubStatus="pubmed"><Year>2020</Year><Month>3</Month><Day>4</Day><Hour>6</Hour></PubMedPubDate>{}</History>"""  # noqa: E501
    entrez = (
        "<PubMedPubDate "
        'PubStatus="entrez"><Year>2020</Year><Month>3</Month><Day>2</Day></PubMedPubDate>'
    )
    article = one(article=days, data=history.format(entrez))
    assert (article.electronic, article.entered) == (date(2020, 2, 9), date(2020, 3, 2))
    assert one(data=history.format("")).entered == date(2020, 3, 4)
    undated = one(pub_date="<PubDate/>")
    assert (undated.published, undated.electronic, undated.entered, undated.year) == (
        None,
        None,
        None,
        None,
    )


def test_12_no_authors_and_a_list_that_is_not_whole() -> None:
    assert (one().authors, one().authors_complete) == ((), True)
    article = one(
        article='<AuthorList CompleteYN="N"><Author><LastName>Abe</LastName></Author></AuthorList>'
    )
    assert (article.authors, article.authors_complete) == ((Author("Abe"),), False)


def test_13_groups_among_persons_and_investigators_apart() -> None:
    people = """<AuthorList CompleteYN="Y"><Author><LastName>Abe</LastName><ForeName>Ken</ForeName><Initials>K</Initials></Author>
      <Author><CollectiveName>The <i>Rest</i> Group</CollectiveName></Author></AuthorList>"""  # noqa: E501
    investigators = (
        "<InvestigatorList><Investigator><LastName>Zed</LastName></Investigator></InvestigatorList>"
    )
    article = one(article=people, citation=investigators * 2)
    assert article.authors == (Author("Abe", "Ken", "K"), Author("The Rest Group", collective=True))


def test_14_last_name_only_suffix_and_misprinted_names() -> None:
    article = one(
        article="""<AuthorList><Author ValidYN="Y"><LastName>Madonna</LastName></Author>
          <Author ValidYN="N"><LastName>Smiht</LastName><Initials>J</Initials></Author>
          <Author ValidYN="Y"><LastName>Smith</LastName><ForeName>Jo Ann</ForeName><Initials>JA</Initials><Suffix>3rd</Suffix>
          </Author><Author/></AuthorList>"""  # noqa: E501
    )
    assert article.authors == (Author("Madonna"), Author("Smith", "Jo Ann", "JA", "3rd"))


def test_15_the_doi_in_either_place() -> None:
    places = """<ELocationID EIdType="pii" ValidYN="Y">S1</ELocationID><ELocationID EIdType="doi" ValidYN="N">10.1/bad</ELocationID>
      <ELocationID EIdType="doi" ValidYN="Y">10.1000/right</ELocationID>"""  # noqa: E501
    assert one(article=places).doi == "10.1000/right"
    ids = (
        "<ArticleIdList><ArticleId "
        'IdType="doi">https://doi.org/10.1000/OWN(1)</ArticleId></ArticleIdList>'
    )
    assert one(data=ids).doi == "10.1000/OWN(1)"
    assert one().doi is None


def test_16_and_22_ids_of_references_are_not_the_articles_own() -> None:
    article = one(
        data="""<ArticleIdList><ArticleId IdType="pubmed">101</ArticleId><ArticleId IdType="pmc">PMC77</ArticleId></ArticleIdList>
          <ReferenceList><Title>Read</Title><Reference><Citation>One</Citation><ArticleIdList>
            <ArticleId IdType="pubmed">55</ArticleId><ArticleId IdType="doi">10.1000/other</ArticleId>
            <ArticleId IdType="pmc">PMC1</ArticleId></ArticleIdList></Reference><Reference><Citation>No id</Citation></Reference>
            <ReferenceList><Reference><Citation>Two</Citation><ArticleIdList><ArticleId IdType="pubmed">66</ArticleId>
            </ArticleIdList></Reference></ReferenceList></ReferenceList>""",  # noqa: E501
        citation="""<CommentsCorrectionsList><CommentsCorrections RefType="Cites"><RefSource>Old</RefSource><PMID>44</PMID>
          </CommentsCorrections></CommentsCorrectionsList>""",  # noqa: E501
    )
    assert (article.pmid, article.doi, article.pmcid) == ("101", None, "PMC77")
    assert article.references == ("55", "66", "44")
    assert article.corrections == ()


@pytest.mark.parametrize(
    ("pagination", "pages"),
    [
        ("", None),
        ("<Pagination><MedlinePgn>123-9</MedlinePgn></Pagination>", "123-9"),
        ("<Pagination><StartPage>e12</StartPage></Pagination>", "e12"),
        ('<ELocationID EIdType="pii">e12</ELocationID>', "e12"),
        ('<ELocationID EIdType="pii">S0140-6736(20)30183-5</ELocationID>', None),
        ("<Pagination><StartPage>12</StartPage><EndPage>19</EndPage></Pagination>", "12-19"),
        (
            "<Pagination><StartPage>12</StartPage><EndPage>19</EndPage><MedlinePgn>12-19</MedlinePgn></Pagination>",
            "12-19",
        ),
    ],
)
def test_17_pages(pagination: str, pages: str | None) -> None:
    assert one(article=pagination).pages == pages


def test_18_versions_and_repeated_pmids_all_come_in_order() -> None:
    second = record(pmid="101", title="<ArticleTitle>Later.</ArticleTitle>").replace(
        'Version="1"', 'Version="2"'
    )
    first, later = read_citations(document(record(), second))
    assert isinstance(first, Article)
    assert isinstance(later, Article)
    assert (first.id, later.id, later.title) == ("pmid:101", "pmid:101", "Later.")


def test_19_retraction_links_with_and_without_pmid() -> None:
    article = one(
        citation="""<CommentsCorrectionsList>
          <CommentsCorrections RefType="RetractionIn"><RefSource>J Rest. 2020;1:2</RefSource></CommentsCorrections>
          <CommentsCorrections RefType="ErratumIn"><RefSource>J Rest. 2019;1:9</RefSource><PMID Version="1">77</PMID>
          </CommentsCorrections></CommentsCorrectionsList>""",  # noqa: E501
        article=(
            "<PublicationTypeList><PublicationType UI='D1'>Journal "
            "Article</PublicationType></PublicationTypeList>"
        ),
    )
    retracted, corrected = article.corrections
    assert retracted == Correction("RetractionIn", "J Rest. 2020;1:2")
    assert corrected == Correction("ErratumIn", "J Rest. 2019;1:9", "77")
    assert article.publication_types == ("Journal Article",)


def test_20_deleted_ids_are_no_articles() -> None:
    items = list(
        read_citations(
            document(record(), "<DeleteCitation><PMID>7</PMID><PMID>8</PMID></DeleteCitation>")
        )
    )
    assert [type(item) for item in items] == [Article, DeletedIds]
    assert items[1] == DeletedIds(("pmid:7", "pmid:8"))


BOOK = """<PubmedBookArticle><BookDocument><PMID>900</PMID><ArticleIdList><ArticleId IdType="bookaccession">NBK1</ArticleId>
  </ArticleIdList><Book><BookTitle>All of Rest</BookTitle><PubDate><Year>1993</Year></PubDate>
  <AuthorList Type="editors"><Author><LastName>Ed</LastName></Author></AuthorList></Book>{chapter}
  <Language>eng</Language><AuthorList Type="authors"><Author><LastName>Abe</LastName></Author></AuthorList>
  <PublicationType>Review</PublicationType><Abstract><AbstractText>On rest.</AbstractText></Abstract>
  <Sections><Section><SectionTitle>Part</SectionTitle></Section></Sections>
  <ContributionDate><Year>2001</Year><Month>5</Month></ContributionDate></BookDocument></PubmedBookArticle>"""  # noqa: E501


def test_21_books_and_chapters_among_articles() -> None:
    chapter = BOOK.format(chapter="<ArticleTitle>Sleep</ArticleTitle>")
    items = list(read_citations(document(record(), chapter, record(pmid="102"))))
    assert [item.id for item in items if isinstance(item, Article)] == [
        "pmid:101",
        "pmid:900",
        "pmid:102",
    ]
    book = items[1]
    assert isinstance(book, Article)
    assert (book.title, book.journal, book.year, book.abstract) == (
        "Sleep",
        "All of Rest",
        2001,
        "On rest.",
    )
    assert book.authors == (Author("Abe"),)
    (whole,) = read_citations(document(BOOK.format(chapter="")))
    assert isinstance(whole, Article)
    assert (whole.title, whole.journal) == ("All of Rest", None)


def test_23_headings_keywords_registry_numbers_and_status() -> None:
    article = one(
        citation="""<MeshHeadingList><MeshHeading><DescriptorName UI="D1" MajorTopicYN="N">Rest</DescriptorName>
          <QualifierName UI="Q1" MajorTopicYN="Y">methods</QualifierName><QualifierName UI="Q2">trends</QualifierName></MeshHeading>
          <MeshHeading><DescriptorName>Humans</DescriptorName></MeshHeading></MeshHeadingList>
          <KeywordList><Keyword MajorTopicYN="N">H<sub>2</sub>O</Keyword></KeywordList>""",  # noqa: E501
        article="""<DataBankList><DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList>
          <AccessionNumber>NCT00000001</AccessionNumber></AccessionNumberList></DataBank></DataBankList>""",
    )
    assert (article.mesh, article.keywords) == (("Rest", "Humans"), ("H2O",))
    assert (article.databank_numbers, article.status) == (("NCT00000001",), "MEDLINE")
    assert one().mesh == ()


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (b"", RecordError, "empty"),
        (b"  \n ", RecordError, "empty"),
        (b'{"error":"API rate limit exceeded"}', RecordError, "not XML"),
        (b"PMID- 12345", RecordError, "not XML"),
        (b"<!DOCTYPE html><html><body>Down<br>for now</body></html>", RecordError, "web page"),
        (b"<html><body>Down</body></html>", RecordError, "web page"),
        (
            b"<eFetchResult><ERROR>ID list is empty</ERROR></eFetchResult>",
            SourceError,
            "ID list is empty",
        ),
        (b"<eFetchResult><ERROR>too & bad</ERROR></eFetchResult>", SourceError, "too & bad"),
        (b"<opml><body/></opml>", RecordError, "its root is opml"),
        (
            b"<?xml version='1.0'?><PubmedArticleSet>",
            RecordError,
            "cut off before its first record",
        ),
    ],
)
def test_24_what_is_no_citation_is_said_in_one_line(
    text: bytes, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as raised:
        list(read_citations(text))
    assert "\n" not in str(raised.value)


def collected(text: bytes | io.BytesIO) -> tuple[list[Item], str]:
    """The records that come before an error, and its message."""
    items: list[Item] = []
    with pytest.raises(RecordError) as raised:
        items.extend(read_citations(text))  # extend keeps what came before the error
    return items, str(raised.value)


def test_24_whole_records_come_before_the_error_of_a_text_that_is_cut_off() -> None:
    text = document(record(pmid="1"), record(pmid="2"), record(pmid="3"))
    items, said = collected(text[: text.index(b">3<") + 40])
    assert [item.id for item in items if isinstance(item, Article)] == ["pmid:1", "pmid:2"]
    assert said == "the text is cut off inside record 3; 2 records read before that"
    items, said = collected(text.removesuffix(b"</PubmedArticleSet>"))
    assert len(items) == 3
    assert said == "the text is cut off after record 3"


def test_24_one_damaged_record_among_good_ones_is_named_and_the_rest_come() -> None:
    damaged = record(pmid="2").replace("A trial", "A <trial & error")
    items = list(
        read_citations(
            document(
                record(pmid="1"), damaged, record(pmid="3"), record(pmid="no"), record(pmid="4")
            )
        )
    )
    assert [item.id for item in items if isinstance(item, Article)] == [
        "pmid:1",
        "pmid:3",
        "pmid:4",
    ]
    first, second = (item for item in items if isinstance(item, Unreadable))
    assert first.id == "pmid:2"
    assert first.reason.startswith("damaged XML")
    assert second == Unreadable("record 4", "the record has no PMID")


def test_24_truncated_gzip_and_missing_files(tmp_path: Path) -> None:
    packed = gzip.compress(document(*(record(pmid=str(number)) for number in range(1, 3000))))
    (tmp_path / "cut.xml.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(RecordError, match=r"^cut\.xml\.gz: .*\d+ records "):
        list(read_file(tmp_path / "cut.xml.gz"))
    with pytest.raises(RecordError, match=r"^none\.xml: No such file"):
        list(read_file(tmp_path / "none.xml"))
    (tmp_path / "empty.xml").write_bytes(b"<PubmedArticleSet/>")
    with pytest.raises(RecordError, match="contains no citations"):
        list(read_file(tmp_path / "empty.xml"))


def test_25_doctype_entities_and_unknown_elements_without_network_or_expansion(
    tmp_path: Path,
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read")
    head = f"""<?xml version="1.0"?><!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 2031//EN"
      "http://127.0.0.1:9/none.dtd" [<!ENTITY a "rest"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY file SYSTEM "{secret.as_uri()}">]>"""  # noqa: E501
    body = record(
        title="<ArticleTitle>A&alpha; &b;&file;B</ArticleTitle>",
        article="""<Novelty Kind="x"><Deep>text</Deep></Novelty>
          <Abstract><AbstractText>One <new>two</new> three.</AbstractText></Abstract>""",
    )
    (article,) = read_citations(f"{head}<PubmedArticleSet>{body}</PubmedArticleSet>".encode())
    assert isinstance(article, Article)
    assert article.title == "Aα B"
    assert article.abstract == "One two three."


def test_25_entities_that_grow_do_no_harm() -> None:
    entities = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "grow" * 100}">' for n in range(12)
    )
    bomb = record(
        pmid="1", article='<Abstract><AbstractText Label="&e11;">&e11;</AbstractText></Abstract>'
    )
    text = (
        "<!DOCTYPE "
        "PubmedArticleSet "
        f"[{entities}]><PubmedArticleSet>{bomb}{record(pmid='2')}</PubmedArticleSet>"
    )
    items = list(read_citations(text.encode()))
    assert isinstance(items[0], (Article, Unreadable))
    assert items[0].id == "pmid:1"
    assert len(repr(items[0])) < 10_000_000, "unfolded it would have 4 * 10^13 characters"
    assert items[1] == one(pmid="2")


def test_a_stream_is_read_record_by_record() -> None:
    read = 0

    class Counted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            nonlocal read
            piece = super().read(size)
            read += len(piece)
            return piece

    text = document(*(record(pmid=str(number)) for number in range(1, 5000)))
    first = next(read_citations(Counted(text)))
    assert isinstance(first, Article)
    assert read < len(text) / 5


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_text_leads_to_any_other_error(text: bytes) -> None:
    inside = b"<PubmedArticleSet><PubmedArticle>" + text + b"</PubmedArticle></PubmedArticleSet>"
    for wrapped in (text, document(record()) + text, inside):
        said = ""
        try:
            list(read_citations(wrapped))
        except (RecordError, SourceError) as error:
            said = str(error)
        assert "\n" not in said
