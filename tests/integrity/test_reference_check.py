"""A reference list held against records and a list: every reference has a result."""

import asyncio

from clinfo.errors import QueryRejected
from clinfo.integrity.reference_check import DOIS_AT_ONCE, Checked, check
from clinfo.integrity.reference_lists import read_reference_list
from clinfo.integrity.retractions import Entry, Loaded, Retractions
from clinfo.records.articles import (
    Article,
    Correction,
    Fetched,
    SearchRequest,
    SearchResult,
    Unreadable,
)
from clinfo.sources.memory import Memory

RETRACTED = Article(
    "pmid:1",
    "Rest after surgery of the knee",
    "1",
    doi="10.1000/One(1)",
    corrections=(Correction("RetractionIn", "J Tests", "9"),),
)
SOUND = Article("pmid:2", "Walking before surgery of the hip", "2", doi="10.1000/two")
REVIEW = Article("pmid:3", "Rest and walking: a review", "3", references=("1", "2", "40"))


class Recording(Memory):
    """A source that notes what it was asked."""

    def __init__(self, articles: list[Article], unreadable: str = "") -> None:
        super().__init__(articles, name="folder/some.xml")
        self.asked: list[str] = []
        self._unreadable = unreadable

    async def search(self, request: SearchRequest) -> SearchResult:
        self.asked.append(request.query)
        if "refused" in request.query:
            raise QueryRejected("not this one")
        return await super().search(request)

    async def fetch(self, ids, fresh: bool = False) -> Fetched:
        found = await super().fetch(ids)
        broken = tuple(
            Unreadable(id, "damaged XML") for id in found.missing if id == self._unreadable
        )
        return Fetched(found.articles, found.missing, broken)


def checked(text: str, source: Memory | None = None, *entries: Entry) -> tuple[Checked, ...]:
    retractions = Retractions(Loaded((), "2026-01-01T00:00:00+00:00"), entries) if entries else None
    return asyncio.run(check(read_reference_list(text).references, source, retractions))


def kinds(one: Checked) -> list[str]:
    return [notice.kind for notice in one.notices]


def test_by_pmid_by_doi_and_by_neither() -> None:
    source = Recording([RETRACTED, SOUND, REVIEW])
    found = checked("1\n10.1000/ONE(1)\n2\n3\n99\nAble A. Some words. 1999.\n1\n", source)
    assert [one.how for one in found] == [
        "record",
        "record",
        "record",
        "record",
        "not found",
        "not identified",
        "record",
    ]
    assert [kinds(one) for one in found] == [
        ["retracted"], ["retracted"], [], ["cites retracted articles"], [], [], ["retracted"],
    ]  # fmt: skip
    assert [one.retracted for one in found] == [True, True, False, False, False, False, True]
    assert found[4].remarks == (
        "it was not found in some.xml, and no retraction list is loaded, so it was not checked",
    )
    again = ("it is the same as reference 1",)
    assert (found[1].remarks, found[6].remarks) == (again, again)
    assert found[5].remarks == ("it has no PMID or DOI, so it could not be checked",)
    assert source.asked == ['"10.1000/one(1)"[aid]']


def test_what_the_source_lacks_is_held_against_the_list() -> None:
    found = checked(
        "40\n10.1000/forty\n41\n3", Recording([REVIEW]), Entry("retraction", "40", "10.1000/forty")
    )
    assert [(one.how, kinds(one)) for one in found] == [
        ("list", ["retracted"]),
        ("list", ["retracted"]),
        ("list", []),
        ("record", ["cites retracted articles"]),
    ]
    assert "(PMID 1, 40)" in found[3].notices[0].text or "PMID 40" in found[3].notices[0].text
    alone = checked("40\n41", None, Entry("retraction", "40"))
    assert [(one.how, one.retracted, one.remarks) for one in alone] == [
        ("list", True, ()),
        ("list", False, ()),
    ]


def test_a_review_is_held_against_what_the_list_of_references_holds_itself() -> None:
    found = checked("1\n3\n", Recording([RETRACTED, REVIEW]))
    assert found[1].notices[0].text == "Its reference list contains a retracted article (PMID 1)."


def test_what_stands_around_an_identifier_is_no_title() -> None:
    lines = "https://pubmed.ncbi.nlm.nih.gov/2/?format=abstract\n(see doi:10.1000/two).\n"
    again = ("it is the same as reference 1",)
    assert [one.remarks for one in checked(lines, Recording([SOUND]))] == [(), again]
    (other,) = checked("Doe J. Gene therapy in mice. PMID: 2\n", Recording([SOUND]))
    assert "another title" in other.remarks[0]


def test_identifiers_that_lead_elsewhere() -> None:
    both = "@article{a, title={Walking before surgery of the hip}, pmid=2, doi={10.1000/one(1)}}"
    (one,) = checked(both, Recording([RETRACTED, SOUND]))
    assert (one.record, one.retracted) == (SOUND, True), "the other article is not passed over"
    assert one.remarks == ("its PMID and its DOI belong to different articles: the DOI to PMID 1",)
    (other,) = checked(
        "@article{a, title={Gene therapy in mice}, pmid=2, doi={10.1000/none}}", Recording([SOUND])
    )
    assert other.remarks == (
        "its PMID belongs to an article with another DOI: 10.1000/two",
        "its PMID belongs to an article with another title: Walking before surgery of the hip",
    )
    (gone,) = checked(
        "@article{a, title={Walking before surgery of hips}, pmid=77, doi={10.1000/two}}",
        Recording([SOUND]),
    )
    assert (gone.record, gone.remarks) == (
        SOUND,
        ("its PMID was not found; its DOI belongs to PMID 2",),
    )


def test_what_the_file_itself_says() -> None:
    text = (
        "PMID- 50\nTI  - Old record.\nPT  - Retracted Publication\n\nPMID- 51\n"
        "TI  - RETRACTED: Title.\n"
    )
    found = checked(text, Recording([]))
    assert [(kinds(one), one.notices[0].reported_by) for one in found] == [
        (["retracted"], "the reference itself"), (["retracted"], "the title"),
    ]  # fmt: skip


def test_many_dois_are_searched_at_once_and_one_refused_spoils_no_other() -> None:
    articles = [
        Article(f"pmid:{number}", "T", str(number), doi=f"10.1000/n{number}")
        for number in range(1, 46)
    ]
    lines = [f"10.1000/N{number}" for number in range(1, 46)]
    source = Recording(articles)
    assert all(one.how == "record" for one in checked("\n".join(lines), source))
    assert len(source.asked) == -(-45 // DOIS_AT_ONCE)
    source = Recording(articles)
    found = checked("\n".join([*lines[:5], "10.1000/refused", "10.1000/with*star"]), source)
    assert [one.how for one in found] == ["record"] * 5 + ["not found"] * 2
