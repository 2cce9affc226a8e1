"""Ten citations for the tests of E-utilities clients: old papers that NCBI's own examples cite,
by their bibliographic facts, and invented newer ones with what those lack (structured abstracts,
keywords, references, a retraction).

The text of the abstracts is invented.
"""

from xml.sax.saxutils import escape


def _dated(tag: str, day: str, attributes: str = "") -> str:
    names = ("Year", "Month", "Day", "Hour", "Minute")
    parts = zip(names, day.replace("-", " ").split(), strict=False)
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in parts)
    return f"<{tag}{attributes}>{inner}</{tag}>"


def _author(name: str) -> str:
    last, fore, initials = name.split("|")
    where = "<AffiliationInfo><Affiliation>Institute of Examples, Basel, Switzerland.</Affiliation>"
    return (
        f'<Author ValidYN="Y"><LastName>{last}</LastName><ForeName>{fore}</ForeName>'
        f"<Initials>{initials}</Initials>{where}</AffiliationInfo></Author>"
    )


def _mesh(heading: str) -> str:
    names = ["DescriptorName", *["QualifierName"] * heading.count("/")]
    parts = [
        f'<{name} UI="X1" MajorTopicYN="{"NY"[text.startswith("*")]}">'
        f"{escape(text.lstrip('*'))}</{name}>"
        for name, text in zip(names, heading.split("/"), strict=True)
    ]
    return f"<MeshHeading>{''.join(parts)}</MeshHeading>"


def _pub_date(text: str) -> str:
    parts = zip(("Year", "Month", "Day"), text.split(), strict=False)
    return "<PubDate>" + "".join(f"<{n}>{v}</{n}>" for n, v in parts) + "</PubDate>"


def citation(
    pmid: str,
    title: str,
    authors: tuple[str, ...],  # last name|first names|initials
    journal: tuple[str, str, str, str],  # abbreviation, full title, NLM id, ISSN
    where: tuple[str, str, str],  # volume, issue, pages
    published: str,  # "1989 Apr"
    entered: str,  # "1989-04-01"
    *,
    doi: str = "",
    pmc: str = "",
    abstract: str = "",
    mesh: tuple[str, ...] = (),
    types: tuple[str, ...] = ("Journal Article",),
    cites: tuple[str, ...] = (),
    corrections: str = "",
    keywords: tuple[str, ...] = (),
    language: str = "eng",
) -> str:
    """One PubmedArticle element as PubMed writes it."""
    short, full, nlm, issn = journal
    volume, issue, pages = where
    ids = {"pubmed": pmid, "doi": doi, "pmc": pmc}
    id_list = "".join(f'<ArticleId IdType="{k}">{v}</ArticleId>' for k, v in ids.items() if v)
    references = "".join(
        f'<Reference><Citation>{n}</Citation><ArticleIdList><ArticleId IdType="pubmed">{n}'
        "</ArticleId></ArticleIdList></Reference>"
        for n in cites
    )
    located = f'<ELocationID EIdType="doi" ValidYN="Y">{doi}</ELocationID>' if doi else ""
    tagged = "".join(f'<Keyword MajorTopicYN="N">{k}</Keyword>' for k in keywords)
    return f"""<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">
<PMID Version="1">{pmid}</PMID>{_dated("DateCompleted", entered)}{_dated("DateRevised", entered)}
<Article PubModel="Print"><Journal><ISSN IssnType="Print">{issn}</ISSN><JournalIssue
 CitedMedium="Print"><Volume>{volume}</Volume><Issue>{issue}</Issue>{_pub_date(published)}
</JournalIssue><Title>{full}</Title><ISOAbbreviation>{short}</ISOAbbreviation></Journal>
<ArticleTitle>{title}</ArticleTitle><Pagination><MedlinePgn>{pages}</MedlinePgn></Pagination>
{located}{f"<Abstract>{abstract}</Abstract>" if abstract else ""}
<AuthorList CompleteYN="Y">{"".join(map(_author, authors))}</AuthorList>
<Language>{language}</Language><PublicationTypeList>
{"".join(f'<PublicationType UI="D2">{t}</PublicationType>' for t in types)}</PublicationTypeList>
</Article><MedlineJournalInfo><Country>United States</Country><MedlineTA>{short}</MedlineTA>
<NlmUniqueID>{nlm}</NlmUniqueID><ISSNLinking>{issn}</ISSNLinking></MedlineJournalInfo>
<CitationSubset>IM</CitationSubset>{corrections}
<MeshHeadingList>{"".join(map(_mesh, mesh))}</MeshHeadingList>
{f'<KeywordList Owner="NOTNLM">{tagged}</KeywordList>' if tagged else ""}
</MedlineCitation><PubmedData><History>
{_dated("PubMedPubDate", entered + " 06 00", ' PubStatus="entrez"')}
{_dated("PubMedPubDate", entered + " 06 00", ' PubStatus="pubmed"')}
{_dated("PubMedPubDate", entered + " 10 01", ' PubStatus="medline"')}</History>
<PublicationStatus>ppublish</PublicationStatus><ArticleIdList>{id_list}</ArticleIdList>
{f"<ReferenceList>{references}</ReferenceList>" if references else ""}
</PubmedData></PubmedArticle>"""


PNAS = (
    "Proc Natl Acad Sci U S A",
    "Proceedings of the National Academy of Sciences of the United States of America",
    "7505876",
    "0027-8424",
)
SCIENCE = ("Science", "Science (New York, N.Y.)", "0404511", "0036-8075")
BACTERIOLOGY = ("J Bacteriol", "Journal of bacteriology", "2985120R", "0021-9193")
BIOLOGY = ("J Mol Biol", "Journal of molecular biology", "2985088R", "0022-2836")
SYMPOSIA = (
    "Cold Spring Harb Symp Quant Biol",
    "Cold Spring Harbor symposia on quantitative biology",
    "1256107",
    "0091-7451",
)
INVENTED = ("J Invent Med", "Journal of invented medicine", "9999999", "9999-9994")

STRUCTURED = (
    '<AbstractText Label="BACKGROUND" NlmCategory="BACKGROUND">Asthma is common.</AbstractText>'
    '<AbstractText Label="RESULTS" NlmCategory="RESULTS">Budesonide reduced exacerbations of '
    "asthma by 30% in 412 adults (P &lt; 0.001).</AbstractText>"
    "<CopyrightInformation>© 2021 The Inventors.</CopyrightInformation>"
)
RETRACTED = (
    '<CommentsCorrectionsList><CommentsCorrections RefType="RetractionIn"><RefSource>J Invent Med. '
    '2023 Dec;14(12):1</RefSource><PMID Version="1">90000004</PMID></CommentsCorrections>'
    "</CommentsCorrectionsList>"
)

CITATIONS = (
    citation(
        "16588492",
        "Genetic Control of Biochemical Reactions in Neurospora.",
        ("Beadle|G W|GW", "Tatum|E L|EL"),
        PNAS,
        ("27", "11", "499-506"),
        "1941 Nov 15",
        "1941-11-15",
        doi="10.1073/pnas.27.11.499",
        pmc="PMC1078370",
    ),
    citation(
        "2539356",
        "Nucleotide sequences required for Tn3 transposition immunity.",
        ("Kans|J A|JA", "Casadaban|M J|MJ"),
        BACTERIOLOGY,
        ("171", "4", "1904-14"),
        "1989 Apr",
        "1989-04-01",
        doi="10.1128/jb.171.4.1904-1914.1989",
        pmc="PMC209839",
        abstract="<AbstractText>A cis-acting immunity to transposition was studied in plasmids "
        "that hold one end of the element.</AbstractText>",
        mesh=("Base Sequence", "*DNA Transposable Elements", "Plasmids/genetics"),
        cites=("6271474", "6243420"),
    ),
    citation(
        "6271474",
        "Tn3: transposition and control.",
        ("Casadaban|M J|MJ", "Chou|J|J", "Lemaux|P|P", "Tu|C P|CP", "Cohen|S N|SN"),
        SYMPOSIA,
        ("45 Pt 1", "", "269-73"),
        "1981",
        "1981-01-01",
        mesh=("*DNA Transposable Elements", "Escherichia coli/genetics"),
    ),
    citation(
        "6243420",
        "Analysis of gene control signals by DNA fusion and cloning in Escherichia coli.",
        ("Casadaban|M J|MJ", "Cohen|S N|SN"),
        BIOLOGY,
        ("138", "2", "179-207"),
        "1980 Apr",
        "1980-04-01",
        mesh=("Cloning, Molecular", "Escherichia coli/*genetics"),
    ),
    citation(
        "2014248",
        "Sequence of a cysteine-rich galactose-specific lectin of Entamoeba histolytica.",
        ("Mann|B J|BJ", "Torian|B E|BE", "Vedvick|T S|TS", "Petri|W A|WA"),
        PNAS,
        ("88", "8", "3248-52"),
        "1991 Apr 15",
        "1991-04-15",
        doi="10.1073/pnas.88.8.3248",
    ),
    citation(
        "3026048",
        "The atomic structure of Mengo virus at 3.0 A resolution.",
        ("Luo|M|M", "Vriend|G|G", "Kamer|G|G", "Palmenberg|A C|AC"),
        SCIENCE,
        ("235", "4785", "182-91"),
        "1987 Jan 9",
        "1987-01-09",
    ),
    citation(
        "90000001",
        "Inhaled budesonide for asthma in adults: a randomized trial.",
        ("Ångström|Åsa|Å", "Baker|Beth|B"),
        INVENTED,
        ("12", "3", "101-9"),
        "2021 Jan",
        "2020-12-20",
        doi="10.5555/invented.2021.1",
        pmc="PMC90000001",
        abstract=STRUCTURED,
        mesh=("Adult", "Asthma/*drug therapy", "Budesonide/*therapeutic use", "Humans"),
        types=("Journal Article", "Randomized Controlled Trial"),
        keywords=("asthma", "budesonide"),
        cites=("2539356",),
    ),
    citation(
        "90000002",
        "Asthma in adults: a review.",
        ("Baker|Beth|B",),
        INVENTED,
        ("13", "1", "1-20"),
        "2022 Feb",
        "2022-01-15",
        doi="10.5555/invented.2022.2",
        abstract="<AbstractText>Budesonide and zinc in asthma are reviewed.</AbstractText>",
        mesh=("*Asthma", "Humans", "Zinc/therapeutic use"),
        types=("Journal Article", "Review"),
        cites=("90000001",),
    ),
    citation(
        "90000003",
        "[Zinc for the common cold].",
        ("Clément|Chloé|C",),
        INVENTED,
        ("14", "2", "44"),
        "2023 Mar 5",
        "2023-03-06",
        abstract="<AbstractText>Zinc shortened colds.</AbstractText>",
        mesh=("*Common Cold/drug therapy", "Humans", "Zinc/*therapeutic use"),
        types=("English Abstract", "Journal Article", "Retracted Publication"),
        language="fre",
        corrections=RETRACTED,
    ),
    citation(
        "90000004",
        "Retraction: zinc for the common cold.",
        ("Clément|Chloé|C",),
        INVENTED,
        ("14", "12", "1"),
        "2023 Dec",
        "2023-12-02",
        types=("Retraction of Publication",),
    ),
)

XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<PubmedArticleSet>\n'
    + "\n".join(CITATIONS)
    + "\n</PubmedArticleSet>\n"
)
