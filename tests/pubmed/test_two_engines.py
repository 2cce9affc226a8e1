"""The local index and the engine in memory answer random queries alike, and so does a query printed
in PubMed's own form.

``--hypothesis-profile=explore`` asks many more.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.query import printed
from clinfo.pubmed.search import search
from clinfo.pubmed.xml import Record, read_file_records
from clinfo.terms.mesh import Mesh
from tests.pubmed.index_files import citation, write
from tests.pubmed.small_collection import TODAY
from tests.shared_data import SHARED, needs_shared

pytest.importorskip("tantivy")

from clinfo.pubmed.index import LocalIndex, build

pytestmark = pytest.mark.slow

WORDS = ("pain", "of", "the", "hip", "and", "relief", "hip-pain", "painful", "β", "café", "m²")
HEADINGS = ("Pain", "Hip", "Asthma", "Humans", "Lung Diseases")
QUERIES = 10
"""How many queries are made of a seed."""
Asked = Callable[[random.Random], None]


def small(folder: Path) -> Path:
    """Records made of few words, so that nearly every phrase of them nearly stands in others."""
    chance = random.Random(8)

    def text(most: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))

    return write(
        folder / "small.xml",
        (
            citation(
                pmid,
                text(7),
                [text(9) for _ in range(chance.randint(0, 3))],
                year=str(chance.randint(1999, 2003)),
                headings=chance.sample(HEADINGS, chance.randint(0, 3)),
                keywords=[text(3)],
                affiliations=[text(6)],
            )
            for pmid in chance.sample(range(1_000_000, 1_000_300), 100)
        ),
    )


def real(folder: Path) -> Path:
    file = folder / "real.xml"
    read = read_file_records(SHARED / "medline" / "pubmed_export_orthopaedics_2019.xml.gz")
    raw = (one.raw for one in islice(read, 140) if isinstance(one, Record))
    file.write_bytes(b"<PubmedArticleSet>" + b"\n".join(raw) + b"</PubmedArticleSet>")
    return file


def term(chance: random.Random, one: Citation) -> str:
    """A term that probably finds something, of the words and values of a record."""
    article = one.article
    texts = [article.title, *(part.text for part in article.sections)]
    words = chance.choice(texts).replace('"', " ").replace("[", " ").split() or ["pain"]
    place = chance.randrange(len(words))
    some = words[place : place + chance.randint(1, 4)]
    tag = chance.choice(("ti", "tiab", "tw", "all", "ad", "ot"))
    ways = [f'"{" ".join(some)}"[{tag}]'] * 4
    ways += [f"{some[0][:6]}*[{tag}]", f'"{" ".join(some)}"[tiab:~{chance.randint(0, 8)}]']
    ways += [f'"{name}"[{chance.choice(("mh", "majr", "mh:noexp"))}]' for name in article.mesh[:4]]
    ways += [f'"{name}"[pt]' for name in article.publication_types[:1]]
    ways += [f"{who.last} {who.initials or ''}[au]" for who in article.authors[:2]]
    ways += [f"{article.year}[dp]", f"{(article.year or 2000) - 1}:{article.year}[dp]"]
    return chance.choice([*ways, f"{article.pmid}[pmid]", "hasabstract", '"eng"[la]'])


def query(chance: random.Random, records: list[Citation], depth: int = 0) -> str:
    parts = [
        f"({query(chance, records, depth + 1)})"
        if depth < 3 and chance.random() < 0.25
        else term(chance, chance.choice(records))
        for _ in range(chance.choice((1, 1, 2, 2, 3)))
    ]
    operators = (chance.choice((" AND ", " OR ", " NOT ")) for _ in parts)
    return "".join(text for pair in zip(parts, operators, strict=True) for text in pair).rsplit(
        " ", 2
    )[0]


@pytest.fixture(scope="module", params=[small, pytest.param(real, marks=needs_shared)])
def agreed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asked]:
    """Ask both engines some queries, and hold their answers against each other."""
    folder = tmp_path_factory.mktemp("engines")
    file = request.param(folder)
    build([file], folder / "index", readers=1)
    records = [one.citation for one in read_file_records(file) if isinstance(one, Record)]
    held, most = InMemoryEngine(map(document, records)), len(records)
    assert most >= 100

    def asked(chance: random.Random) -> None:
        for text in (query(chance, records) for _ in range(QUERIES)):
            found = search(text, held, table, most, today=TODAY)
            indexed = index.search(text, most, today=TODAY)
            again = search(printed(found.parsed.tree), held, table, most, today=TODAY)
            assert len(set(found.ids)) == len(found.ids) == found.count, text
            assert sorted(found.ids) == sorted(indexed.ids) == sorted(again.ids), text

    with ExitStack() as stack:
        index = LocalIndex.open(folder / "index")
        stack.callback(index.close)
        table: Mesh | None = index.mesh
        yield asked


@given(st.integers(0, 2**32))
def test_random_queries_are_answered_alike(agreed: Asked, seed: int) -> None:
    agreed(random.Random(seed))
