"""Findings of the integrity gate in the shared real data: ``python -m benchmarks integrity
[--data FOLDER] [--json]``.

Two truths, neither of them read by the code under test. "Listed" are the articles whose PMID stands
in the list of retracted PMIDs; they are to be found once that list is loaded. "Marked" are the
records that have a RetractionIn link or the type Retracted Publication, counted in the raw file;
they are to be found without any list. Found means excluded. Every other article that is excluded is
counted as "others excluded": notices of retractions, and articles whose title says so.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from lxml import etree

from benchmarks import flags
from benchmarks.own.scores import DATA
from clinfo.integrity.notices import excluding, notices
from clinfo.integrity.reference_lists import read_reference_list
from clinfo.integrity.retractions import Retractions, read_lists
from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article

LIST = "retractions/retracted_pmids.txt"
LISTING = "citations/systematic_review_listing.jsonl.gz"
PATTERNS = (
    "citations/*.xml.gz",
    "medline/*.xml",
    "medline/*.xml.gz",
    "medline/*/*.xml",
    "eutils/pubmed*.xml",
)
TEXTS = ("medline/*.medline.txt.gz", "retractions/*.medline.txt.gz")
CITED_LISTED = 19
"""Listed articles among the citations outside the listing, as the data's own README counts them:
12, 3, 1 and 3.
"""


@dataclass(frozen=True)
class Row:
    """One file: its articles, the truths, what was found of them, and the other kinds of
    notices.
    """

    file: str
    articles: int
    listed: int
    listed_found: int
    marked: int
    marked_found: int
    others_excluded: int
    citing_retracted: int
    milliseconds: float


def rows(data: Path = DATA) -> Iterator[Row]:
    """A row for each file of citations."""
    retractions = read_lists([data / LIST])
    listed = frozenset((data / LIST).read_text().split())
    for pattern in PATTERNS:
        for path in sorted(data.glob(pattern)):
            articles = [one for one in read_file(path) if isinstance(one, Article)]
            yield _row(path.relative_to(data), articles, listed, _marked_in_xml(path), retractions)
    for pattern in TEXTS:
        for path in sorted(data.glob(pattern)):
            text = gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace")
            articles = [one.article for one in read_reference_list(text).references]
            yield _row(path.relative_to(data), articles, listed, _marked_in_text(text), retractions)
    with gzip.open(data / LISTING, "rt", encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    articles = [
        Article(f"pmid:{one['pmid']}", one.get("title") or "", one["pmid"], doi=one.get("doi"))
        for one in entries
    ]
    yield _row(Path(LISTING), articles, listed, frozenset(), retractions)


def _row(
    path: Path,
    articles: list[Article],
    listed: frozenset[str],
    marked: frozenset[str],
    retractions: Retractions,
) -> Row:
    began = time.perf_counter()
    with_list = notices(articles, retractions)
    seconds = time.perf_counter() - began
    pmids = {article.id: article.pmid for article in articles}
    excluded = {pmids[one.id] for one in with_list if excluding(one)}
    of_records = {
        pmids[one.id] for one in notices(articles) if one.kind == "retracted" and excluding(one)
    }
    here = {article.pmid for article in articles}
    return Row(
        path.as_posix(),
        len(articles),
        len(listed & here),
        len(listed & excluded),
        len(marked),
        len(marked & of_records),
        len(excluded - listed - marked),
        sum(one.kind == "cites retracted articles" for one in with_list),
        round(1000 * seconds, 1),
    )


def _marked_in_xml(path: Path) -> frozenset[str]:
    """PMIDs of the records that PubMed marks as retracted, by XPath on the raw file."""
    raw = path.read_bytes()
    xml = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    root = etree.fromstring(xml, etree.XMLParser(huge_tree=True, load_dtd=False, no_network=True))
    marked = (
        ".//CommentsCorrections[@RefType='RetractionIn'] or .//PublicationType[.='Retracted "
        "Publication']"
    )
    return frozenset(str(pmid) for pmid in root.xpath(f"//MedlineCitation[{marked}]/PMID/text()"))


def _marked_in_text(text: str) -> frozenset[str]:
    """The same in MEDLINE text, record by record between blank lines."""
    records = (record.splitlines() for record in text.replace("\r", "").split("\n\n"))
    marked = (
        [line[6:].strip() for line in record if line.startswith("PMID- ")]
        for record in records
        if any(
            line.startswith("RIN - ") or line.rstrip() == "PT  - Retracted Publication"
            for line in record
        )
    )
    return frozenset(pmid for pmids in marked for pmid in pmids)


def main(arguments: list[str] | None = None) -> None:
    about = __doc__.partition("\n\n")[0]
    _, options = flags.read("integrity", about, LIST, arguments, {}, DATA)
    found = list(rows(options.data))
    if options.json:
        print(json.dumps({"schema": 1, "files": [asdict(row) for row in found]}, indent=2))
        return
    print(
        f"{'file':56}{'articles':>9}{'listed':>8}{'found':>7}{'marked':>8}{'found':>7}{'others':>8}{'citing':>8}{'ms':>8}"
    )
    for row in found:
        print(
            f"{row.file:56}{row.articles:>9,}{row.listed:>8}{row.listed_found:>7}{row.marked:>8}{row.marked_found:>7}"
            f"{row.others_excluded:>8}{row.citing_retracted:>8}{row.milliseconds:>8,.0f}"
        )
    outside = [
        row
        for row in found
        if row.file != LISTING and row.file.startswith(("citations/", "medline/medsample"))
    ]
    print(
        f"listed among the citations outside the listing: {sum(row.listed for row in outside)} "
        f"(README: {CITED_LISTED}),"
        f" found {sum(row.listed_found for row in outside)}"
    )
    missed = sum(row.listed - row.listed_found + row.marked - row.marked_found for row in found)
    print(f"retracted and not withheld, in all files: {missed}")
