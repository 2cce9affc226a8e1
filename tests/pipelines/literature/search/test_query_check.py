"""The check of a query before it is sent."""

import asyncio
import gzip
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clinfo.errors import RecordError
from clinfo.pipelines.literature.search.question2query import UNCHECKED, check
from clinfo.pubmed.query import parse
from clinfo.pubmed.repairs import heading_texts, repaired, with_headings
from clinfo.records.articles import MeshDescriptor, MeshMatch, Query
from clinfo.terms.mesh import Mesh, table_path
from clinfo.terms.mesh_files import load
from clinfo.text.words import key
from tests.shared_data import SHARED, needs_shared

MIGRAINE = MeshDescriptor("D008881", "Migraine Disorders", ("Migraine",))


class Migraine(Mesh):
    """MeSH with one heading; everything else is unknown. ``fail``: it cannot be asked."""

    def __init__(self, fail: bool = False) -> None:
        super().__init__("none")
        self.fail = fail
        self.asked: list[tuple[str, ...]] = []

    def matches(self, texts: Iterable[str]) -> dict[str, MeshMatch]:
        self.asked.append(tuple(texts))
        if self.fail:
            raise RecordError("MeSH is away")
        return {text: self._match(text) for text in self.asked[-1]}

    def _match(self, text: str) -> MeshMatch:
        if key(text) == key(MIGRAINE.heading):
            return MeshMatch(text, "heading", MIGRAINE)
        if key(text) == "migraine":
            return MeshMatch(text, "entry term", MIGRAINE)
        return MeshMatch(text, "unknown", None, ("Migraine Disorders",))


def checked(text: str, lookup: Mesh | None = None, repair: bool = True, **fields: object) -> Query:
    return asyncio.run(check(Query(3, text, 5, **fields), lookup, repair))  # type: ignore[arg-type]


def test_headings_are_looked_up_after_the_rest_is_mended() -> None:
    lookup = Migraine()
    query = asyncio.run(
        check(
            Query(0, "(migraine OR vascular headaches)[mesh] AND AND exercise"),
            lookup,
            True,
        )
    )
    assert query.text == '("Migraine Disorders"[mh] OR "vascular headaches"[tw]) AND exercise'
    assert lookup.asked == [("migraine", "vascular headaches")]
    assert any("MeSH has no heading “vascular headaches”" in sentence for sentence in query.repairs)
    assert any(
        "MeSH calls “migraine” “Migraine Disorders”" in sentence for sentence in query.repairs
    )


@pytest.mark.parametrize("repair", [True, False])
def test_a_lookup_that_fails_leaves_headings_alone_and_says_so(repair: bool) -> None:
    query = checked('"vascular headaches"[mh] AND exercise', Migraine(fail=True), repair)
    assert (query.text, query.repairs, query.remarks) == (
        '"vascular headaches"[mh] AND exercise',
        (),
        (UNCHECKED,),
    )


PIECES = st.sampled_from(
    [
        '"',
        "(",
        ")",
        "[mh]",
        "[tiab]",
        "[foo]",
        " AND ",
        " OR ",
        " NOT ",
        "migraine",
        "heart*",
        " ",
        "“",
        ":",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join), st.booleans())
@example('" AND migraine"[mh]', True)
def test_any_query_is_checked_and_never_lost(text: str, repair: bool) -> None:
    query = checked(text, Migraine(), repair)
    if not repair:
        assert query.text == text
    if query.text != text:
        assert query.repairs
    if parse(text).tree is not None:
        assert parse(query.text).tree is not None
    again = checked(query.text, Migraine(), repair)
    assert again.text == query.text


@pytest.mark.slow
@needs_shared
def test_real_queries_of_a_language_model(tmp_path: Path) -> None:
    load(SHARED / "mesh/mesh_descriptors.jsonl.gz", table := table_path(tmp_path))
    mesh = Mesh(table)
    with gzip.open(SHARED / "llm_pubmed_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        queries = [json.loads(line)["query"] for line in lines]
    names: Counter[str] = Counter()
    for before in queries:
        after = checked(before, mesh)
        assert parse(after.text).tree is not None
        mended = repaired(before)
        tree = parse(mended.text).tree
        found = mesh.matches(heading_texts(tree)) if tree else {}
        own = {one.name for one in mended.repairs}
        own |= {one.name for one in with_headings(tree, found)[1]} if tree else set()
        if after.text != before:
            assert after.repairs
            assert own or parse(before).remarks
        names.update({*own, *(["heading"] if own & {"heading-unknown", "entry-term"} else [])})
    mesh.close()
    assert (len(queries), names["operators-in-quotes"]) == (230, 39)
    assert 20 <= names["heading"] <= 24
