"""Hand-made records, each there for one of the forty query tests, and MeSH from the shared
folder.
"""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from clinfo.pubmed.citation import Citation, Heading, Qualifier
from clinfo.pubmed.document import document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.records.articles import Article, Author, DateInterval, Section
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import load
from tests.shared_data import SHARED

TODAY = date(2026, 11, 21)


def _record(
    pmid: int, title: str, abstract: str = "", mesh: str = "", **fields: object
) -> Citation:
    headings = []
    for written in filter(None, mesh.split("; ")):
        name, _, qualifier = written.partition("/")
        star = name.startswith("*")
        headings.append(
            Heading(
                name.lstrip("*"),
                major=star,
                qualifiers=(Qualifier(qualifier),) if qualifier else (),
            )
        )
    sections = (Section(abstract),) if abstract else ()
    names = tuple(heading.descriptor for heading in headings)
    article = Article(
        f"pmid:{pmid}", title, pmid=str(pmid), sections=sections, mesh=names, **fields
    )  # type: ignore[arg-type]
    return Citation(article, headings=tuple(headings))


def _in(year: int, month: int = 1, last: int = 12) -> DateInterval:
    return DateInterval(date(year, month, 1), date(year, last, 28), str(year))


RECORDS = (
    _record(1, "Asthma in adults", mesh="*Asthma; Humans"),
    _record(2, "Asthmas and wheezing", "Of the children."),
    _record(3, "Wheezing", "The asthma's course."),
    _record(4, "A sore mouth", mesh="Toothache"),
    _record(5, "Odontalgias revisited"),
    _record(6, "How to raise them", mesh="Child Rearing"),
    _record(7, "A child and its rearing"),
    _record(8, "A gland", journal="Endocrine pathology", journal_abbreviation="Endocr Pathol"),
    _record(9, "Endocrine and general pathology"),
    _record(10, "Low protein C after surgery"),
    _record(11, "Protein of group C"),
    _record(12, "Vitamin C against the common cold"),
    _record(13, "Citrus for sneezing", mesh="Ascorbic Acid; Common Cold"),
    _record(14, "A fistula of the air bladder in carp"),
    _record(15, "COPD and asthma"),
    _record(
        16,
        "Vaccine trials in COVID-19",
        "Two doses.",
        publication_types=("Randomized Controlled Trial",),
    ),
    _record(17, "COVID-19 in care homes", "No vaccine was given."),
    _record(18, "Health planning in towns"),
    _record(19, "Beds", mesh="Health Resources"),
    _record(20, "Garmin watches", "A battery for the body."),
    _record(21, "Psittacine birds", "Their flight was filmed."),
    _record(22, "Psittacine birds", "They were fed."),
    _record(23, "Kidney-allograft survival"),
    _record(24, "An allograft of the kidney"),
    _record(25, "PET with [18F]FDG"),
    _record(26, "A watch", "Wearables were worn."),
    _record(27, "The cat"),
    _record(28, "A category error"),
    _record(29, "Breast feeding"),
    _record(30, "Intervention"),
    _record(31, "Intervent"),
    _record(32, "Pain of the hip"),
    _record(33, "Pain in and around the hip"),
    _record(34, "Growths", mesh="Neoplasms/diet therapy"),
    _record(35, "Lumps", mesh="Breast Neoplasms"),
    _record(36, "Pressure", mesh="Hypertension/therapy"),
    _record(37, "More pressure", mesh="Hypertension, Renal/drug therapy"),
    _record(38, "Even more pressure", mesh="Hypertension/epidemiology"),
    _record(39, "Smoke", mesh="Benzo(a)pyrene"),
    _record(40, "Half a head", mesh="Migraine Disorders"),
    _record(41, "Lyme disease: a systematic review"),
    _record(42, "Lyme disease in deer"),
    _record(43, "Old news", published=_in(2000)),
    _record(44, "Old news, late on paper", published=_in(2001), electronic=date(2000, 12, 28)),
    _record(45, "Not yet out", published=_in(2031)),
    _record(46, "Melanoma", "Odds ratio 2, or more."),
    _record(
        47,
        "Biceps surgery",
        "Tenotomy of the biceps.",
        authors=(Author("Smith", "John A", "JA"),),
        languages=("ger",),
    ),
    _record(
        48, "Tenodesis", authors=(Author("O'Brien", "Jane", "J"), Author("Smithson", "J", "J"))
    ),
    _record(16381840, "The first"),
    _record(17170002, "The second"),
)


@cache
def engine() -> InMemoryEngine:
    return InMemoryEngine(map(document, RECORDS))


@cache
def mesh() -> Mesh:
    """The MeSH of the shared folder, in a table of its own; a test that asks for it is skipped
    where the folder is not there.
    """
    if not SHARED.is_dir():
        pytest.skip("the folder of shared real data is not beside this checkout")
    path = Path(mkdtemp()) / "mesh.sqlite"
    load(SHARED / "mesh" / "mesh_descriptors.jsonl.gz", path)
    return Mesh(path)
