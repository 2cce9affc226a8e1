"""Both engines against a second understanding of PubMed's language, on random queries over
hand-made records.

``--hypothesis-profile=explore`` asks many more.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
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
from tests.pubmed.brute_force import (
    Chain,
    Dated,
    Flag,
    Leaf,
    Meaning,
    Name,
    Near,
    Operator,
    Phrase,
    PmidRange,
    Pmids,
    PublicationType,
    Query,
    Reading,
    Subheading,
    Subject,
    Value,
    parts,
)

pytest.importorskip("tantivy")

from clinfo.pubmed.index import LocalIndex, build

pytestmark = pytest.mark.slow

QUERIES_EACH = 10
"""How many seeds a run of the tests draws for each of the two collections, and how many queries are
made of each.
"""

TODAY = date(2026, 11, 21)
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


LEAVES: Mapping[str, Meaning] = {
    "pain[ti]": Phrase("ti", "pain"),
    "PAIN [TIAB]": Phrase("tiab", "pain"),
    '"hip pain"[Title/Abstract]': Phrase("tiab", "hip pain"),
    "“of the”[tw]": Phrase("tw", "of the"),
    "hip-pain[tiab]": Phrase("tiab", "hip pain"),
    "hip relief[title]": Phrase("ti", "hip relief"),
    '"or pain"[tiab]': Phrase("tiab", "or pain"),
    '"Café"[All Fields]': Phrase("all", "cafe"),
    "β[tiab]": Phrase("tiab", "β"),
    "painful[ot]": Phrase("ot", "painful"),
    '"the hip"[Affiliation]': Phrase("ad", "the hip"),
    '"pain hip"[tiab:~2]': Near("tiab", "pain hip", 2),
    '"hip pain the"[tiab:~4]': Near("tiab", "hip pain the", 4),
    '"pain pain"[tiab:~3]': Near("tiab", "pain pain", 3),
    "pain*[ti]": Phrase("ti", "pain", prefix=True),
    '"hip pain*"[tiab]': Phrase("tiab", "hip pain", prefix=True),
    "asthma[mh]": Subject("Asthma"),
    '"Lung Diseases"[MeSH Terms]': Subject("Lung Diseases"),
    '"lung diseases"[mesh:noexp]': Subject("Lung Diseases", explode=False),
    '"Lung Diseases, Obstructive"[majr]': Subject("Lung Diseases, Obstructive", major=True),
    "Pain[Majr:NoExp]": Subject("Pain", True, False),
    '"bronchial asthma"[mh]': Subject("Bronchial Asthma"),
    "Ache[mh]": Subject("Ache"),
    "sleep[mh]": Subject("Sleep"),
    '"asth*"[mh]': Subject("asth", prefix=True),
    "asthma/therapy[mh]": Subject("Asthma", subheading="therapy"),
    "pain/th": Subject("Pain", subheading="therapy"),
    "Pain/surgery[majr:noexp]": Subject("Pain", True, False, "surgery"),
    '"lung diseases/mortality"[mh]': Subject("Lung Diseases", subheading="mortality"),
    "therapy[sh]": Subheading("therapy"),
    "surgery[subheading:noexp]": Subheading("surgery", False),
    "epidemiology[sh]": Subheading("epidemiology"),
    '"Clinical Trial"[pt]': PublicationType("Clinical Trial"),
    "clinical trial[Publication Type:noexp]": PublicationType("Clinical Trial", False),
    "random*[pt]": PublicationType("random", prefix=True),
    "English[la]": Value("la", "English"),
    '"ger"[lang]': Value("la", "ger"),
    '"J Hip"[ta]': Value("ta", "J Hip"),
    '"1234-5671"[Journal]': Value("ta", "1234-5671"),
    "journ*[ta]": Value("ta", "journ", prefix=True),
    '"England"[pl]': Value("pl", "England"),
    '"3"[vi]': Value("vi", "3"),
    "medline[sb]": Value("sb", "medline"),
    '"Ek B"[au]': Name("au", "ek b", "is"),
    "Ek B[Author]": Name("au", "ek b", "begins"),
    "Eklund[1au]": Name("1au", "eklund", "first words"),
    "eklu*[lastau]": Name("lastau", "eklu", "begins"),
    "1000010 1000011 1000012[pmid]": Pmids((1000010, 1000011, 1000012)),
    "1000001 1000002 1000003 1000004": Pmids((1000001, 1000002, 1000003, 1000004)),
    "1000050:1000150[uid]": PmidRange(1000050, 1000150),
    "2001[dp]": Dated("dp", date(2001, 1, 1), date(2001, 12, 31)),
    '"2000/06"[pdat]': Dated("dp", date(2000, 6, 1), date(2000, 6, 30)),
    "2000:2001[dp]": Dated("dp", date(2000, 1, 1), date(2001, 12, 31), True),
    "2002:3000[crdt]": Dated("crdt", date(2002, 1, 1), date.max, True),
    '("2000/3/1"[edat] : "2001/05"[edat])': Dated(
        "edat", date(2000, 3, 1), date(2001, 5, 31), True
    ),
    "2001[epdat]": Dated("epdat", date(2001, 1, 1), date(2001, 12, 31)),
    "2003[lr]": Dated("lr", date(2003, 1, 1), date(2003, 12, 31)),
    "hasabstract": Flag("hasabstract"),
    "haskeyword": Flag("haskeyword"),
}
"""Terms of every kind as they may be typed, and what they mean."""
SIGNS: Mapping[Operator, Sequence[str]] = {
    "AND": ("AND", "&"), "OR": ("OR", "|"), "NOT": ("NOT", "AND NOT"),
}  # fmt: skip


def drawn(rng: random.Random, depth: int = 0) -> Query:
    """A term or a chain of some, groups within groups."""
    if depth and (depth > 3 or rng.random() < 0.7):
        return Leaf(*rng.choice(list(LEAVES.items())))
    first, *others = [drawn(rng, depth + 1) for _ in range(rng.randint(1, 4))]
    rest: list[tuple[Operator, Query]] = [
        (rng.choice(("AND", "OR", "NOT")), part) for part in others
    ]
    typed = [f"{rng.choice(SIGNS[sign])} {_grouped(part)}" for sign, part in rest]
    return Chain(" ".join((_grouped(first), *typed)), first, tuple(rest)) if rest else first


def _grouped(query: Query) -> str:
    return f"({query.typed})" if isinstance(query, Chain) else query.typed


@dataclass(frozen=True, repr=False, eq=False)
class Collection:
    """Records in both engines and in the reading that knows neither."""

    citations: Sequence[Citation]
    reading: Reading
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
    yield Collection(citations, reading, table, held, index, folder)
    index.close()
    table.close()


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
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        query = drawn(rng)
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


@pytest.mark.parametrize("typed", LEAVES)
def test_every_term_is_read_as_it_is_meant(small: Collection, typed: str) -> None:
    query = Leaf(typed, LEAVES[typed])
    assert differs(small, query) is None
    assert small.reading.answer(query), "the hand-made records have it"
