"""Both engines against a second understanding of PubMed's language, on random queries over real and
hand-made records.

``--hypothesis-profile=explore`` asks many more.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.plan import Sort
from clinfo.pubmed.query import printed
from clinfo.pubmed.search import Found, search
from clinfo.pubmed.xml import Record, read_file_records
from clinfo.terms.mesh import Mesh as MeshTable
from clinfo.terms.mesh_files import load
from tests.pubmed.brute_force import Query, Reading, parts
from tests.pubmed.random_queries import Draws
from tests.shared_data import SHARED, needs_shared

pytest.importorskip("tantivy")

from clinfo.pubmed.index import LocalIndex, build

pytestmark = pytest.mark.slow

QUERIES_EACH = 10
"""How many seeds a run of the tests draws for each of the two collections, and how many queries are
made of each.
"""

TODAY = date(2026, 11, 21)
FILES = {
    "citations/drug_class_review_citations.xml.gz": 600,
    "medline/medsample1_2017.xml.gz": 170,
    "medline/pubmed_export_orthopaedics_2019.xml.gz": 146,
    "medline/pubmed_export_nasopharyngeal_2018.xml.gz": 107,
    "citations/pmc_trial_citations.xml.gz": 300,
}
"""Real citation files of several years and makers, and how many records of each are taken."""

SMALL_MESH: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "Lung Diseases": (("C08.381",), ("Pulmonary Diseases",)),
    "Asthma": (
        ("C08.127.108", "C08.381.495.108", "C20.543.480.680.095"),
        ("Bronchial Asthma", "Asthmas"),
    ),
    "Asthma, Exercise-Induced": (("C08.127.108.110",), ("Exercise-Induced Asthma",)),
    "Lung Diseases, Obstructive": (("C08.381.495",), ()),
    "Pain": (("C10.597.617", "C23.888.592"), ("Ache", "Pain, Burning")),
    "Pain, Referred": (("C10.597.617.576",), ("Referred Pain",)),
    "Benzo(a)pyrene": (("D04.615.117",), ("3,4-Benzopyrene",)),
    "Hand": (("A01.378.800.667",), ("Hands",)),
    "Humans": (("B01.050",), ("Man, Modern",)),
    "Clinical Trial": (("V03.175.250",), ()),
    "Randomized Controlled Trial": (("V03.175.250.500.500",), ()),
    "Journal Article": (("V02.600",), ()),
}


@dataclass(frozen=True, repr=False, eq=False)
class Collection:
    """Records in both engines and in the reading that knows neither."""

    citations: Sequence[Citation]
    reading: Reading
    draws: Draws
    table: MeshTable
    held: InMemoryEngine
    index: LocalIndex
    folder: Path

    def by_held(
        self, text: str, limit: int | None = None, offset: int = 0, sort: Sort = "relevance"
    ) -> Found:
        return search(text, self.held, self.table, self.most(limit), offset, sort, TODAY)

    def by_index(
        self, text: str, limit: int | None = None, offset: int = 0, sort: Sort = "relevance"
    ) -> Found:
        return self.index.search(text, self.most(limit), offset, sort, TODAY)

    def most(self, limit: int | None) -> int:
        return len(self.citations) if limit is None else limit


Mesh = Mapping[str, tuple[Sequence[str], Sequence[str]]]


@contextmanager
def collected(records: Sequence[Record], mesh: Mesh, folder: Path) -> Iterator[Collection]:
    rows = [
        {
            "ui": f"D{number:06}",
            "heading": name,
            "tree_numbers": list(numbers),
            "entry_terms": list(entries),
        }
        for number, (name, (numbers, entries)) in enumerate(mesh.items(), 1)
    ]
    (folder / "mesh.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    load(folder / "mesh.jsonl", folder / "mesh.sqlite")
    raw = b"\n".join(record.raw for record in records)
    (folder / "all.xml").write_bytes(b"<PubmedArticleSet>\n" + raw + b"\n</PubmedArticleSet>\n")
    build([folder / "all.xml"], folder / "index", mesh=folder / "mesh.sqlite", readers=1)
    citations = [record.citation for record in records]
    reading = Reading(citations, mesh)
    table = MeshTable(folder / "mesh.sqlite")
    index = LocalIndex.open(folder / "index")
    held = InMemoryEngine(map(document, citations))
    yield Collection(
        citations, reading, Draws(citations, reading, mesh), table, held, index, folder
    )
    index.close()
    table.close()


def real_records() -> tuple[list[Record], Mesh]:
    records: dict[str, Record] = {}
    for name, count in FILES.items():
        for item in islice(
            (item for item in read_file_records(SHARED / name) if isinstance(item, Record)), count
        ):
            records[item.citation.article.id] = item
    with gzip.open(SHARED / "mesh" / "mesh_descriptors.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return list(records.values()), {
        row["heading"]: (row["tree_numbers"], row["entry_terms"]) for row in rows
    }


def part_of(mesh: Mesh, records: Sequence[Record]) -> Mesh:
    """The headings that the records bear, all above them in the tree, and every eighth of the
    others, which find nothing.
    """
    borne = {name for record in records for name in record.citation.article.mesh}
    above = {
        place[:end]
        for name in borne & mesh.keys()
        for place in mesh[name][0]
        for end in (*(at for at, char in enumerate(place) if char == "."), len(place))
    }
    return {
        name: item
        for number, (name, item) in enumerate(mesh.items())
        if number % 8 == 0 or name in borne or above & {*item[0]}
    }


def small_file(folder: Path) -> Path:
    """A hundred records made of few words, so that nearly every phrase of them nearly stands in
    many others.

    Some bear a heading that has become an entry term since, and some one that MeSH lacks.
    """
    chance = random.Random(8)
    words = (
        "pain",
        "of",
        "the",
        "hip",
        "and",
        "relief",
        "hip-pain",
        "or",
        "painful",
        "Pain,",
        "β",
        "café",
        "m²",
        "the",
    )

    def text(most: int) -> str:
        return escape(" ".join(chance.choices(words, k=chance.randint(1, most))))

    def some(most: int, make: Callable[[], str]) -> str:
        return "".join(make() for _ in range(chance.randint(0, most)))

    def author() -> str:
        last, fore = (
            chance.choice(("Ek", "Eklund", "O'Hara", "de Ek", "Ng")),
            chance.choice(("Bo", "Bo Alf", "Jo-Ann")),
        )
        initials = "".join(part[0] for part in fore.replace("-", " ").split())
        suffix = chance.choice(("", "", "<Suffix>Jr</Suffix>"))
        place = some(
            2, lambda: f"<AffiliationInfo><Affiliation>{text(6)}</Affiliation></AffiliationInfo>"
        )
        return (
            "<Author "
            f'ValidYN="Y"><LastName>{last}</LastName><ForeName>{fore}</ForeName><Initials>{initials}</Initials>'
            f"{suffix}{place}</Author>"
        )

    def heading() -> str:
        star, other = chance.choice("YN"), chance.choice("YNN")
        name = chance.choice(
            [*(name for name in SMALL_MESH if name not in TYPES), "Bronchial Asthma", "Sleep"]
        )
        qualifiers = some(
            2,
            lambda: (
                f'<QualifierName MajorTopicYN="{other}">{chance.choice(QUALIFIERS)}</QualifierName>'
            ),
        )
        return (
            '<MeshHeading><DescriptorName UI="D1" '
            f'MajorTopicYN="{star}">{name}</DescriptorName>{qualifiers}</MeshHeading>'
        )

    def day(year: int) -> str:
        return f"<Year>{year}</Year><Month>{chance.randint(1, 12):02}</Month><Day>{chance.randint(1, 28):02}</Day>"  # noqa: E501

    def citation(pmid: int) -> str:
        year = chance.randint(1999, 2003)
        printed_on = chance.choice(
            (f"<Year>{year}</Year>", f"<Year>{year}</Year><Month>Jun</Month>", day(year))
        )
        electronic = chance.choice(
            (
                "",
                (
                    "<ArticleDate "
                    f'DateType="Electronic">{day(year + chance.randint(0, 1))}</ArticleDate>'
                ),
            )
        )
        abstract = some(
            3,
            lambda: (
                "<AbstractText "
                f'Label="{chance.choice(("PAIN", "HIP RELIEF"))}">{text(9)}</AbstractText>'
            ),
        )
        entry = "".join(
            f'<PubMedPubDate PubStatus="{status}">{day(year)}</PubMedPubDate>'
            for status in ("pubmed", "medline", "entrez")
        )
        return f"""<PubmedArticle><MedlineCitation Status="{chance.choice(("MEDLINE", "Publisher"))}" Owner="NLM">
            <PMID Version="1">{pmid}</PMID><DateRevised>{day(year + 1)}</DateRevised>
            <Article PubModel="Print-Electronic"><Journal><ISSN IssnType="Print">1234-567{pmid % 3}</ISSN>
            <JournalIssue CitedMedium="Print"><Volume>{chance.randint(1, 9)}</Volume><PubDate>{printed_on}</PubDate></JournalIssue>
            <Title>Journal of hip {"pain" if pmid % 3 else "relief"}</Title><ISOAbbreviation>J Hip</ISOAbbreviation></Journal>
            <ArticleTitle>{text(7)}</ArticleTitle>{f"<Abstract>{abstract}</Abstract>" if abstract else ""}
            <AuthorList CompleteYN="Y">{author()}{some(2, author)}</AuthorList>
            <Language>{chance.choice(("eng", "ger"))}</Language><PublicationTypeList>
            <PublicationType UI="D1">{chance.choice(TYPES)}</PublicationType></PublicationTypeList>{electronic}</Article>
            <MedlineJournalInfo><Country>{chance.choice(("England", "Hip"))}</Country><MedlineTA>J Hip Pain</MedlineTA>
            <NlmUniqueID>77{pmid % 3}</NlmUniqueID></MedlineJournalInfo>
            <MeshHeadingList>{heading()}{some(3, heading)}</MeshHeadingList>
            <KeywordList Owner="NOTNLM">{some(2, lambda: f"<Keyword>{text(3)}</Keyword>")}</KeywordList></MedlineCitation>
            <PubmedData><History>{entry}</History><PublicationStatus>ppublish</PublicationStatus>
            <ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"""  # noqa: E501

    path = folder / "small.xml"
    numbers = chance.sample(range(1_000_000, 1_000_300), 100)
    path.write_text(
        f"<PubmedArticleSet>{''.join(map(citation, numbers))}</PubmedArticleSet>", encoding="utf-8"
    )
    return path


TYPES = ("Journal Article", "Clinical Trial", "Randomized Controlled Trial")
QUALIFIERS = (
    "therapy",
    "drug therapy",
    "surgery",
    "transplantation",
    "epidemiology",
    "mortality",
    "methods",
    "genetics",
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("small")
    records = [item for item in read_file_records(small_file(folder)) if isinstance(item, Record)]
    assert len(records) == 100
    with collected(records, SMALL_MESH, folder) as collection:
        yield collection


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    records, mesh = real_records()
    with collected(records, part_of(mesh, records), tmp_path_factory.mktemp("real")) as collection:
        yield collection


def ids(found: Found) -> frozenset[str]:
    """The ids of an answer to which nothing was cut, each there once and all counted."""
    assert len(set(found.ids)) == len(found.ids) == found.count
    return frozenset(found.ids)


def differs(collection: Collection, query: Query) -> str | None:
    """Return how the engines answer a query otherwise than the reading does, None where they do
    not.
    """
    expected = collection.reading.answer(query)
    held = collection.by_held(query.typed)
    answers = {"held": ids(held), "index": ids(collection.by_index(query.typed))}
    answers["printed"] = ids(collection.by_held(printed(held.parsed.tree)))
    wrong = [
        f"{name} lacks {sorted(expected - found)[:3]} and has {sorted(found - expected)[:3]} too"
        for name, found in answers.items()
        if found != expected
    ]
    return f"{query.typed}\n  finds {len(expected)}: {'; '.join(wrong)}" if wrong else None


def check(collection: Collection, seed: int, number: int) -> list[str]:
    """The disagreements over ``number`` queries, each brought down to the smallest part of the
    query that shows it.
    """
    collection.draws.rng = random.Random(seed)
    found = []
    for _ in range(number):
        query = collection.draws.query()
        if differs(collection, query) is not None:
            by_length = sorted(parts(query), key=lambda part: len(part.typed))
            found.append(
                next(told for part in by_length if (told := differs(collection, part)) is not None)
            )
    return found


_seeds = given(st.integers(0, 2**32))
# A seed has nothing to shrink: `check` finds the smallest part that disagrees.
_many = settings(phases=(Phase.explicit, Phase.generate))


@_many
@_seeds
def test_random_queries_over_records_of_few_words(small: Collection, seed: int) -> None:
    assert not check(small, seed, QUERIES_EACH)


@pytest.mark.slow
@needs_shared
@_many
@_seeds
def test_random_queries_over_real_records(real: Collection, seed: int) -> None:
    assert not check(real, seed, QUERIES_EACH)
