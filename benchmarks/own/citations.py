"""Corpora of any size for the benchmarks: PubMed citation files made by recombining the parts of
real citations.

Titles, sentences, authors, journals, headings and references are those of the files in the folder
of shared data; which of them stand together is drawn by a seed. A made-up citation takes about half
of its sentences and all of its headings from one real citation, so that its words go together about
as they do in PubMed. Nothing written here is committed.

    python -m benchmarks citations 100000 --out FOLDER [--seed 0] [--data FOLDER]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from clinfo.text.sentences import sentences as sentences_of

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = (
    "citations/pmc_trial_citations.xml.gz",
    "citations/drug_class_review_citations.xml.gz",
    "citations/pubmedqa_citations.xml.gz",
    "medline/medline16n0902_part.xml.gz",
    "medline/medsample1_2017.xml.gz",
    "medline/pubmed_export_orthopaedics_2019.xml.gz",
)
PER_FILE = 30_000
"""Citations of one file, as NLM's yearly baseline has them."""
FIRST_PMID = 1_000_001
GZIP_LEVEL = 3
QUALIFIERS = (
    ("Q000009", "adverse effects"),
    ("Q000175", "diagnosis"),
    ("Q000188", "drug therapy"),
    ("Q000209", "etiology"),
    ("Q000378", "metabolism"),
    ("Q000379", "methods"),
    ("Q000401", "mortality"),
    ("Q000453", "epidemiology"),
    ("Q000493", "pharmacology"),
    ("Q000503", "physiopathology"),
    ("Q000517", "prevention & control"),
    ("Q000601", "surgery"),
    ("Q000627", "therapeutic use"),
    ("Q000628", "therapy"),
)
CHECK_TAGS = (
    ("D006801", "Humans", 0.75),
    ("D005260", "Female", 0.4),
    ("D008297", "Male", 0.38),
    ("D000328", "Adult", 0.3),
)
"""Headings that nearly every citation of a kind has, with the share of citations that get one
here.
"""
TYPES = (
    ("D016428", "Journal Article", 1.0),
    ("D016449", "Randomized Controlled Trial", 0.08),
    ("D016454", "Review", 0.12),
    ("D013485", "Research Support, Non-U.S. Gov't", 0.35),
    ("D003160", "Comparative Study", 0.06),
)
LABELS = (
    ("BACKGROUND", "BACKGROUND"),
    ("METHODS", "METHODS"),
    ("RESULTS", "RESULTS"),
    ("CONCLUSIONS", "CONCLUSIONS"),
)
_BETWEEN = re.compile(r"\n *(?=<)")
"""White space between elements, which NLM's files of today do not have."""
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
PLACES = (
    "Department of Medicine, University Hospital, Uppsala, Sweden.",
    (
        "Division of Cardiology, Department of Internal Medicine, University of Michigan, Ann "
        "Arbor, MI, USA."
    ),
    "Institute of Public Health, Faculty of Medicine, University of Oslo, Oslo, Norway.",
    (
        "Department of Epidemiology and Biostatistics, School of Public Health, Peking University, "
        "Beijing, China."
    ),
    "Servicio de Medicina Interna, Hospital Universitario La Paz, Madrid, Spain.",
    "Centre for Clinical Trials, University of Melbourne, Melbourne, Victoria, Australia.",
    "Department of Paediatrics, All India Institute of Medical Sciences, New Delhi, India.",
    "Klinik für Neurologie, Universitätsklinikum Heidelberg, Heidelberg, Germany.",
)


@dataclass
class Parts:
    """The parts that are recombined. Texts are XML already: escaped, without markup."""

    titles: list[str] = field(default_factory=list)
    abstracts: list[list[str]] = field(default_factory=list)
    """The sentences of each citation, at its title's place."""
    headings: list[list[tuple[str, str]]] = field(default_factory=list)
    """(UI, name) of each citation, at its title's place; borrowed where a citation had none."""
    authors: list[str] = field(default_factory=list)
    journals: list[tuple[str, str, str]] = field(default_factory=list)
    """(title, abbreviation, ISSN)."""
    references: list[str] = field(default_factory=list)


def read_parts(data: Path = DATA) -> Parts:
    """The parts of the real citations under ``data``."""
    parts, lists = Parts(), []
    authors: dict[str, None] = {}
    journals: dict[tuple[str, str, str], None] = {}
    for name in FILES:
        with gzip.open(data / name) as stream:
            for _, element in etree.iterparse(stream, tag="MedlineCitation", recover=True):
                title = _inner(element.find(".//ArticleTitle"))
                sentences = [
                    escape(" ".join(sentence.split()))
                    for node in element.iterfind(".//Abstract/AbstractText")
                    for sentence in sentences_of(_inner(node))
                ]
                if not title or len(sentences) < 3:
                    continue
                parts.titles.append(escape(title))
                parts.abstracts.append(sentences)
                found = [
                    (node.get("UI") or "D000000", escape(_inner(node)))
                    for node in element.iterfind(".//MeshHeading/DescriptorName")
                    if _inner(node) not in {name for _, name, _ in CHECK_TAGS}
                ]
                parts.headings.append(found)
                if found:
                    lists.append(found)
                for author in element.iterfind(".//AuthorList/Author"):
                    last, fore, initials = (
                        _inner(author.find(tag)) for tag in ("LastName", "ForeName", "Initials")
                    )
                    if last and initials:
                        authors[_author(last, fore or " ".join(initials), initials)] = None
                journal = element.find(".//Journal")
                if journal is not None and _inner(journal.find("Title")):
                    short = _inner(journal.find("ISOAbbreviation")) or _inner(
                        element.find(".//MedlineTA")
                    )
                    key = (
                        _inner(journal.find("Title")),
                        short,
                        _inner(journal.find("ISSN")) or "1000-0000",
                    )
                    journals[tuple(escape(part) for part in key)] = None  # type: ignore[index]
                element.clear()
    for place, found in enumerate(parts.headings):
        if not found:
            parts.headings[place] = lists[place * 7919 % len(lists)]
    parts.authors, parts.journals = list(authors), list(journals)
    with gzip.open(data / FILES[0]) as stream:
        for _, element in etree.iterparse(stream, tag="Citation", recover=True):
            if len(parts.references) < 20_000 and (text := _inner(element)):
                parts.references.append(escape(text[:200]))
            element.clear()
    return parts


def _inner(node: etree._Element | None) -> str:
    return "" if node is None else " ".join("".join(node.itertext()).split())


def _author(last: str, fore: str, initials: str) -> str:
    return (
        f"<LastName>{escape(last)}</LastName>\n          <ForeName>{escape(fore)}</ForeName>\n"
        f"          <Initials>{escape(initials)}</Initials>"
    )


def write_citations(
    n: int,
    folder: Path,
    seed: int = 0,
    data: Path = DATA,
    tell: Callable[[int], None] | None = None,
    first: int = FIRST_PMID,
) -> list[Path]:
    """Write ``n`` citations with PMIDs from ``first`` on as .xml.gz files of `PER_FILE`, each with
    its .md5 beside it.

    The files' names; equal arguments give equal bytes. ``tell`` is called with the number written
    so far.
    """
    folder.mkdir(parents=True, exist_ok=True)
    maker = _Maker(read_parts(data))
    written, paths = 0, []
    while written < n:
        size = min(PER_FILE, n - written)
        path = folder / f"made26n{len(paths) + 1:04d}.xml.gz"
        pmids = range(first + written, first + written + size)
        _write_file(path, maker.citations(pmids, random.Random(f"{seed} {len(paths)}")))
        paths.append(path)
        written += size
        if tell is not None:
            tell(written)
    return paths


def _write_file(path: Path, citations: Iterator[str]) -> None:
    # zlib rather than gzip: no time and no name in the header, so that the bytes depend on the
    # citations alone.
    pack, digest = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, 31), hashlib.md5()
    with path.open("wb") as out:

        def put(packed: bytes) -> None:
            digest.update(packed)
            out.write(packed)

        put(pack.compress(b'<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n'))
        for citation in citations:
            put(pack.compress(_BETWEEN.sub("", citation).encode()))
        put(pack.compress(b"\n</PubmedArticleSet>\n") + pack.flush())
    path.with_name(path.name + ".md5").write_text(f"MD5({path.name})= {digest.hexdigest()}\n")


class _Maker:
    """Draws citations. Few calls of the generator each, because a million of them are made."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._sentences = [sentence for sentences in parts.abstracts for sentence in sentences]
        # Journals and authors come as often as in life: a few very often, most of them seldom.
        self._journal_weights = list(
            accumulate(1 / (rank + 5) for rank in range(len(parts.journals)))
        )

    def citations(self, pmids: range, draw: random.Random) -> Iterator[str]:
        for pmid in pmids:
            yield self._citation(pmid, draw)

    def _abstract(self, base: int, draw: random.Random) -> str:
        own = self._parts.abstracts[base]
        count = draw.randint(8, 12)
        half = min(len(own), count // 2)
        start = draw.randint(0, len(own) - half)
        drawn = own[start : start + half] + draw.choices(self._sentences, k=count - half)
        draw.shuffle(drawn)
        if draw.random() < 0.5:
            return f"          <AbstractText>{' '.join(drawn)}</AbstractText>\n"
        step = -(-len(drawn) // len(LABELS))
        pieces = (drawn[place : place + step] for place in range(0, len(drawn), step))
        return "".join(
            (
                f'          <AbstractText Label="{label}" '
                f'NlmCategory="{category}">{" ".join(piece)}</AbstractText>\n'
            )
            for (label, category), piece in zip(LABELS, pieces, strict=False)
        )

    def _headings(self, base: int, draw: random.Random) -> str:
        lines = []
        for ui, name in self._parts.headings[base][:8]:
            major = "Y" if draw.random() < 0.3 else "N"
            line = (
                f'        <MeshHeading>\n          <DescriptorName UI="{ui}" '
                f'MajorTopicYN="{major}">{name}</DescriptorName>\n'
            )
            if draw.random() < 0.3:
                code, qualifier = draw.choice(QUALIFIERS)
                qualifier = escape(qualifier)
                line += (
                    f'          <QualifierName UI="{code}" '
                    f'MajorTopicYN="{major}">{qualifier}</QualifierName>\n'
                )
            lines.append(line + "        </MeshHeading>\n")
        for ui, name, share in CHECK_TAGS:
            if draw.random() < share:
                lines.append(
                    f'        <MeshHeading>\n          <DescriptorName UI="{ui}" '
                    f'MajorTopicYN="N">{name}</DescriptorName>\n'
                    "        </MeshHeading>\n"
                )
        return "".join(lines)

    def _citation(self, pmid: int, draw: random.Random) -> str:
        parts = self._parts
        base = draw.randrange(len(parts.titles))
        title = parts.titles[base if draw.random() < 0.6 else draw.randrange(len(parts.titles))]
        journal, short, issn = draw.choices(parts.journals, cum_weights=self._journal_weights)[0]
        printed = date(1970, 1, 1) + timedelta(days=int(20_400 * draw.random() ** 0.6))
        entered = printed + timedelta(days=draw.randrange(90))
        revised = entered + timedelta(days=draw.randrange(40, 900))
        people = "".join(
            f'        <Author ValidYN="Y">\n          {author}\n'
            + (
                (
                    "          <AffiliationInfo>\n            "
                    f"<Affiliation>{PLACES[place % len(PLACES)]}</Affiliation>\n"
                    "          </AffiliationInfo>\n"
                )
                if place % 4 == 0
                else ""
            )
            + "        </Author>\n"
            for place, author in enumerate(
                draw.choices(parts.authors, k=draw.randint(1, 6)), start=pmid
            )
        )
        types = "".join(
            f'        <PublicationType UI="{ui}">{escape(name)}</PublicationType>\n'
            for ui, name, share in TYPES
            if draw.random() < share
        )
        month = f"<Month>{MONTHS[printed.month - 1]}</Month>" if draw.random() < 0.85 else ""
        day = f"<Day>{printed.day:02d}</Day>" if month and draw.random() < 0.4 else ""
        volume, issue, page = draw.randrange(1, 400), draw.randrange(1, 13), draw.randrange(1, 2000)
        doi = f"10.1{pmid % 900 + 100}/made.{pmid}"
        references = ""
        if draw.random() < 0.12:
            references = "".join(
                (
                    f"      <Reference>\n        <Citation>{text}</Citation>\n"
                    "        <ArticleIdList>\n"
                    " "
                    " "
                    " "
                    " "
                    " "
                    " "
                    " "
                    " "
                    " "
                    " "
                    "<ArticleId "
                    f'IdType="pubmed">{draw.randint(max(FIRST_PMID - 2_000, pmid - 200_000), pmid)}</ArticleId>\n'  # noqa: E501
                    "        </ArticleIdList>\n      </Reference>\n"
                )
                for text in draw.choices(parts.references, k=draw.randint(3, 9))
            )
            references = f"    <ReferenceList>\n{references}    </ReferenceList>\n"
        return f"""<PubmedArticle>
    <MedlineCitation Status="MEDLINE" Owner="NLM" IndexingMethod="Automated">
      <PMID Version="1">{pmid}</PMID>
      <DateCompleted>
        <Year>{revised.year}</Year>
        <Month>{revised.month:02d}</Month>
        <Day>{revised.day:02d}</Day>
      </DateCompleted>
      <DateRevised>
        <Year>{revised.year}</Year>
        <Month>{revised.month:02d}</Month>
        <Day>{revised.day:02d}</Day>
      </DateRevised>
      <Article PubModel="Print-Electronic">
        <Journal>
          <ISSN IssnType="Electronic">{issn}</ISSN>
          <JournalIssue CitedMedium="Internet">
            <Volume>{volume}</Volume>
            <Issue>{issue}</Issue>
            <PubDate><Year>{printed.year}</Year>{month}{day}</PubDate>
          </JournalIssue>
          <Title>{journal}</Title>
          <ISOAbbreviation>{short}</ISOAbbreviation>
        </Journal>
        <ArticleTitle>{title}</ArticleTitle>
        <Pagination>
          <StartPage>{page}</StartPage>
          <EndPage>{page + 9}</EndPage>
          <MedlinePgn>{page}-{page + 9}</MedlinePgn>
        </Pagination>
        <ELocationID EIdType="doi" ValidYN="Y">{doi}</ELocationID>
        <Abstract>
{self._abstract(base, draw)}        </Abstract>
        <AuthorList CompleteYN="Y">
{people}        </AuthorList>
        <Language>eng</Language>
        <PublicationTypeList>
{types}        </PublicationTypeList>
        <ArticleDate DateType="Electronic">
          <Year>{entered.year}</Year>
          <Month>{entered.month:02d}</Month>
          <Day>{entered.day:02d}</Day>
        </ArticleDate>
      </Article>
      <MedlineJournalInfo>
        <Country>United States</Country>
        <MedlineTA>{short}</MedlineTA>
        <NlmUniqueID>{100_000_000 + hash_of(short)}</NlmUniqueID>
        <ISSNLinking>{issn}</ISSNLinking>
      </MedlineJournalInfo>
      <CitationSubset>IM</CitationSubset>
      <MeshHeadingList>
{self._headings(base, draw)}      </MeshHeadingList>
    </MedlineCitation>
    <PubmedData>
      <History>
        <PubMedPubDate PubStatus="pubmed">
          <Year>{entered.year}</Year>
          <Month>{entered.month}</Month>
          <Day>{entered.day}</Day>
          <Hour>0</Hour>
          <Minute>0</Minute>
        </PubMedPubDate>
        <PubMedPubDate PubStatus="medline">
          <Year>{revised.year}</Year>
          <Month>{revised.month}</Month>
          <Day>{revised.day}</Day>
          <Hour>6</Hour>
          <Minute>0</Minute>
        </PubMedPubDate>
        <PubMedPubDate PubStatus="entrez">
          <Year>{entered.year}</Year>
          <Month>{entered.month}</Month>
          <Day>{entered.day}</Day>
          <Hour>0</Hour>
          <Minute>0</Minute>
        </PubMedPubDate>
      </History>
      <PublicationStatus>ppublish</PublicationStatus>
      <ArticleIdList>
        <ArticleId IdType="pubmed">{pmid}</ArticleId>
        <ArticleId IdType="doi">{doi}</ArticleId>
        <ArticleId IdType="pii">{pmid}-made</ArticleId>
      </ArticleIdList>
{references}    </PubmedData>
  </PubmedArticle>"""


def hash_of(text: str) -> int:
    """A number below 900,000 that depends on the text alone."""
    return zlib.crc32(text.encode()) % 900_000


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks citations", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument("n", type=int, help="how many citations")
    parser.add_argument("--out", type=Path, required=True, help="folder for the files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of shared data")
    asked = parser.parse_args(arguments)
    paths = write_citations(
        asked.n,
        asked.out,
        asked.seed,
        asked.data,
        lambda done: print(f"{done:,} citations", flush=True),
    )
    print(f"{len(paths)} files, {sum(path.stat().st_size for path in paths) / 1e6:,.0f} MB packed")
