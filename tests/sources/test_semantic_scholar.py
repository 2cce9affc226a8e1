"""Semantic Scholar as a source, over real HTTP against the scripted server."""

import asyncio
import logging
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers import workload
from benchmarks.servers.faults import Faults
from benchmarks.servers.semantic_scholar import ScholarServer, paper_id, paper_of
from clinfo.cache import Cache
from clinfo.errors import QueryRejected, SourceError, UsageError
from clinfo.pubmed.keywords import remarks
from clinfo.records.articles import (
    Article,
    Author,
    DateInterval,
    SearchRequest,
    SearchResult,
    Section,
    Unreadable,
)
from clinfo.sources.registry import ArticleSource, LinkedSource, refuse_unusable
from clinfo.sources.scholar_papers import ids_of, read
from clinfo.sources.semantic_scholar import SemanticScholar, date_range

KEY = "s2-secret-key-0123456789"


def year(number: int) -> DateInterval:
    return DateInterval(date(number, 1, 1), date(number, 12, 31), str(number))


def article(number: int, **fields: Any) -> Article:
    given: dict[str, Any] = {"pmid": str(number), "published": year(2000 + number % 20), **fields}
    sections = (Section(f"Rest helped sleep in {number} people."),)
    return Article(f"pmid:{number}", f"Rest and sleep, trial {number}", sections=sections, **given)


ARTICLES = [article(number) for number in range(1, 251)]
PAPERS = [paper_of(one) for one in ARTICLES]


class FixedClock:
    def now(self) -> datetime:
        return datetime(2026, 11, 20, 9, 30, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


def source(server: ScholarServer, **options: Any) -> SemanticScholar:
    return SemanticScholar(server.url, **{"timeout": 30.0, "first_pause": 0.01, **options})


def searched(
    server: ScholarServer, query: str = "sleep", limit: int = 3, **options: Any
) -> SearchResult:
    return asyncio.run(source(server, **options).search(SearchRequest(query, limit)))


# ---- search


def test_a_search_and_its_articles() -> None:
    async def run() -> None:
        with ScholarServer(PAPERS) as server:
            scholar: LinkedSource = source(server, clock=FixedClock())
            plain: ArticleSource = scholar
            assert (plain.name, plain.remote, plain.query_prompt, plain.notices) == (
                "semantic-scholar",
                True,
                "keywords",
                (),
            )
            found = await scholar.search(SearchRequest("sleep", 150))
            assert (found.sent, found.count, found.sort, found.outcome) == (
                "sleep",
                250,
                "relevance",
                "complete",
            )
            assert (len(found.ids), found.warnings, found.sent_at) == (
                150,
                (),
                "2026-11-20T09:30:00+00:00",
            )
            assert [entry.params["offset"] for entry in server.requests("/search")] == ["0", "100"]
            assert {entry.params["limit"] for entry in server.requests("/search")} == {"100"}
            fetched = await scholar.fetch(
                [*found.ids, "pmid:999999", "pmid:x", "s2:..", "doi:10.1/x"]
            )
            assert [one.id for one in fetched.articles] == list(found.ids)
            assert fetched.articles[0] == ARTICLES[int(found.ids[0][5:]) - 1]
            assert fetched.missing == ("pmid:999999", "pmid:x", "s2:..", "doi:10.1/x")
            assert len(server.requests("/batch")) == 1

    asyncio.run(run())


def test_ids_are_pmid_else_doi_else_its_own_and_come_once() -> None:
    papers = [
        paper_of(article(1)),
        paper_of(article(2, pmid=None, doi="10.1000/ABC")),
        paper_of(article(3, pmid=None)),
        paper_of(article(1), paperId=paper_id("the same again")),
        paper_of(article(5), paperId="", externalIds=None),
    ]
    with ScholarServer(papers) as server:
        found = searched(server, limit=10)
    assert found.ids == ("pmid:1", "doi:10.1000/abc", f"s2:{paper_id('pmid:3')}")
    assert found.warnings == ("Semantic Scholar listed 1 of the papers without any usable id.",)


def test_a_query_of_ones_own_goes_as_it_is_with_what_will_not_work_in_it() -> None:
    with ScholarServer(PAPERS) as server:
        found = searched(server, "low-dose AND sleep[tiab] ü & 100% #1")
        assert server.log[0].params["query"] == "low-dose AND sleep[tiab] ü & 100% #1"
    assert found.warnings == (
        "Semantic Scholar reads plain words only; operators, field tags, brackets and truncated "
        "words have no meaning there.",
        "Semantic Scholar finds nothing for a word with a hyphen; write a space instead.",
    )


def test_what_cannot_be_asked_is_refused_before_anything_is_sent() -> None:
    with ScholarServer(PAPERS) as server:
        for request in (
            SearchRequest("sleep", 3, filter="english[la]"),
            SearchRequest(" ", 3),
            SearchRequest("sl\ud800p", 3),
        ):
            with pytest.raises(QueryRejected, match="Semantic Scholar was not queried"):
                asyncio.run(source(server).search(request))
        assert server.log == []
    with pytest.raises(
        UsageError, match="filter: a PubMed filter cannot be applied at semantic-scholar"
    ):
        refuse_unusable("semantic-scholar", "english[la]")
    refuse_unusable("semantic-scholar", None)
    refuse_unusable("pubmed", "english[la]")


# ---- dates


@pytest.mark.parametrize(
    ("first", "last", "before", "range_"),
    [
        (None, None, None, ""),
        (date(2010, 2, 3), None, None, "2009-01-01:"),
        (None, date(2020, 3, 4), None, ":2020-03-04"),
        (date(2010, 2, 3), date(2020, 3, 4), None, "2009-01-01:2020-03-04"),
        (None, None, date(2020, 3, 1), ":2020-02-29"),
        (None, date(2019, 5, 5), date(2020, 3, 1), ":2019-05-05"),
        (date(1, 1, 1), None, None, ""),
        (None, None, date.min, ":0001-01-01"),
        (date(2020, 3, 1), None, date(2020, 3, 1), "2019-01-01:2020-02-29"),
        (date(2020, 3, 1), None, date(2019, 1, 1), None),
    ],
)
def test_the_range_that_is_sent(
    first: date | None, last: date | None, before: date | None, range_: str | None
) -> None:
    assert (
        date_range(SearchRequest("q", 1, published_from=first, published_to=last, before=before))
        == range_
    )


def test_papers_outside_the_dates_make_place_for_others() -> None:
    with ScholarServer(PAPERS) as server:
        request = SearchRequest(
            "sleep", 10, published_from=date(2010, 5, 1), published_to=date(2010, 12, 31)
        )
        found = asyncio.run(source(server).search(request))
        assert found.sent == "sleep (publicationDateOrYear=2009-01-01:2010-12-31)"
        assert server.log[0].params["publicationDateOrYear"] == "2009-01-01:2010-12-31"
        assert [ARTICLES[int(id[5:]) - 1].year for id in found.ids] == [2010] * 10
        never = SearchRequest("sleep", 10, published_from=date(2010, 5, 1), before=date(2009, 1, 1))
        nothing = asyncio.run(source(server).search(never))
        assert (nothing.outcome, nothing.warnings) == (
            "zero",
            ("The requested dates exclude each other, so Semantic Scholar was not queried.",),
        )
        assert len(server.log) == 1


# ---- records

WHOLE = {
    "paperId": "a" * 40,
    "externalIds": {"PubMed": "123", "DOI": "10.1000/Abc", "PubMedCentral": "77", "CorpusId": 5},
    "title": "  Rest &amp; sleep ",
    "abstract": "We\nrested <10> people.",
    "venue": "Other name",
    "publicationVenue": {"name": "Third name"},
    "year": 2020,
    "publicationDate": "2020-05-17",
    "journal": {"name": "Journal of Rest", "volume": "279 1", "pages": "\n   84 - 91 "},
    "authors": [
        {"name": "Ann B. van der Berg"},
        {"name": "J. Young Jr."},
        {"name": "The REST Study Group"},
        {"name": "Plato"},
        {"name": "Smith, John"},
        {"name": "Al Gore"},
        {"name": ""},
        {"name": None},
        None,
    ],
    "publicationTypes": ["JournalArticle", "ClinicalTrial"],
}


def test_a_whole_record() -> None:
    assert ids_of(WHOLE) == ("pmid:123", "doi:10.1000/abc", f"s2:{'a' * 40}")
    assert read("pmid:123", WHOLE) == Article(
        id="pmid:123",
        title="Rest & sleep",
        pmid="123",
        sections=(Section("We rested <10> people."),),
        authors=(
            Author("van der Berg", "Ann B.", "AB"),
            Author("Young", None, "J", "Jr."),
            Author("The REST Study Group", collective=True),
            Author("Plato"),
            Author("Smith", "John", "J"),
            Author("Gore", "Al", "A"),
        ),
        journal="Journal of Rest",
        volume="279",
        issue="1",
        pages="84-91",
        published=DateInterval(date(2020, 5, 17), date(2020, 5, 17), "2020-05-17"),
        doi="10.1000/Abc",
        pmcid="PMC77",
        publication_types=("Journal Article", "Clinical Trial"),
    )


def test_nothing_is_invented_for_what_is_not_there() -> None:
    bare = {"paperId": "b" * 40, "title": "Rest"}
    assert read("s2:b", bare) == Article("s2:b", "Rest")
    nulls = dict.fromkeys(WHOLE) | bare
    assert read("s2:b", nulls) == Article("s2:b", "Rest")
    odd_ids = {"PubMed": "x1", "DOI": "no doi", "PubMedCentral": True}
    odd = {**bare, "externalIds": odd_ids, "journal": [], "authors": "A. B.", "year": True}
    assert read("s2:b", odd) == Article("s2:b", "Rest")
    assert read("s2:b", {**bare, "venue": "Lancet"}) == Article("s2:b", "Rest", journal="Lancet")
    assert isinstance(read("s2:b", {**bare, "title": " "}), Unreadable)
    assert isinstance(read("s2:b", "paper"), Unreadable)


def test_records_that_come_out_of_order_damaged_or_not_at_all() -> None:
    with ScholarServer(PAPERS) as server:
        server.queue(200, [{**PAPERS[1], "title": None}, PAPERS[0], None])
        fetched = asyncio.run(source(server).fetch(["pmid:1", "pmid:2", "pmid:3"]))
        assert [one.id for one in fetched.articles] == ["pmid:1"]
        assert fetched.missing == ("pmid:3",)
        assert [one.id for one in fetched.unreadable] == ["pmid:2"]
        unknown = asyncio.run(
            source(server).fetch(["pmid:998", "pmid:999"])
        )  # answered with status 400
        assert (unknown.articles, unknown.missing) == ((), ("pmid:998", "pmid:999"))


def test_batches_of_at_most_500_and_smaller_where_the_answer_would_be_too_large() -> None:
    papers = [paper_of(article(number)) for number in range(1, 702)]
    ids = [f"pmid:{number}" for number in range(1, 702)]
    with ScholarServer(papers) as server:
        assert len(asyncio.run(source(server).fetch(ids)).articles) == 701
        assert sorted(len(entry.body["ids"]) for entry in server.requests("/batch")) == [201, 500]
        server.queue(
            400, {"error": "Response would exceed maximum size. Please reduce the number of ids"}
        )
        assert len(asyncio.run(source(server).fetch(ids[:5])).articles) == 5
        assert [len(entry.body["ids"]) for entry in server.requests("/batch")[2:]] == [5, 2, 3]


# ---- links


def test_what_cites_is_cited_and_recommended() -> None:
    one, two, three, four = (paper_id(f"pmid:{number}") for number in range(1, 5))
    papers = [*PAPERS[:3], paper_of(article(4, pmid=None, doi="10.1000/d"), paperId=four)]

    async def run() -> None:
        with ScholarServer(
            papers, cites={one: [two, four], three: [one]}, recommends={one: [four, one, three]}
        ) as server:
            scholar = source(server)
            found = await scholar.related("pmid:1", 10)
            assert found.similar == ("doi:10.1000/d", "pmid:3")  # without itself
            assert (found.citing, found.cited) == (("pmid:3",), ("pmid:2", "doi:10.1000/d"))
            assert (await scholar.related("doi:10.1000/d", 10)).citing == ("pmid:1",)
            assert (await scholar.related("pmid:1", 1)).cited == ("pmid:2",)
            asked = len(server.log)
            assert (await scholar.related("pmid:999", 10)) == await scholar.related("nothing", 10)
            assert len(server.log) == asked + 3
            elsewhere = SemanticScholar(server.url + "further/", timeout=30)
            assert not elsewhere._service.recommends
            server.queue(200, {"data": [{"citingPaper": None}, None, {"citingPaper": PAPERS[2]}]})
            server.queue(200, {"data": None})
            found = await elsewhere.related("pmid:1", 10)
            assert (found.similar, sorted(found.citing + found.cited)) in (
                ((), ["pmid:3"]),
                ((), []),
            )

    asyncio.run(run())


# ---- the service on bad days


def test_faults_of_every_kind_do_not_change_the_answer() -> None:
    shares = {"rate_429": 0.15, "rate_500": 0.1, "cut": 0.1, "empty": 0.1, "html": 0.1}

    async def run(server: ScholarServer) -> tuple[Any, ...]:
        scholar = source(server)
        found = await scholar.search(SearchRequest("sleep", 200))
        fetched = await scholar.fetch(found.ids)
        return found.ids, fetched, await scholar.related("pmid:1", 5)

    with ScholarServer(PAPERS, cites={paper_id("pmid:1"): [paper_id("pmid:2")]}) as server:
        expected = asyncio.run(run(server))
    faults = set()
    for seed in range(4):
        with ScholarServer(
            PAPERS,
            cites={paper_id("pmid:1"): [paper_id("pmid:2")]},
            faults=Faults(**shares, seed=seed),
        ) as server:
            assert asyncio.run(run(server)) == expected
            faults |= {entry.fault for entry in server.log}
    assert len(faults) == 6


@pytest.mark.parametrize(
    ("status", "body", "kind", "message"),
    [
        (
            400,
            {"error": "Unacceptable query params: [query=sleepless]"},
            QueryRejected,
            "rejected the request",
        ),
        (400, b"<html>", SourceError, "HTTP status 400 and no reason"),
        (404, {"message": "Not Found"}, SourceError, "is the address right"),
        (404, b"<html>", SourceError, "is the address right"),
        (302, b"", SourceError, "redirection"),
        (403, {"message": "Forbidden"}, SourceError, "refused the API key"),
        (401, b"", SourceError, "refused the API key"),
        (414, b"<html>", QueryRejected, "too long"),
    ],
)
def test_what_lasts_is_one_clear_error_without_key_or_query(
    status: int, body: Any, kind: type[SourceError], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ScholarServer(PAPERS) as server:
        server.queue(status, body, {"Location": server.url} if status == 302 else {})
        with pytest.raises(kind, match=message) as raised:
            searched(server, "sleepless", api_key=KEY)
        assert len(server.log) == 1
    said = str(raised.value)
    assert said.startswith("Semantic Scholar at 127.0.0.1:")
    assert len(said.splitlines()) == 1
    assert not raised.value.retryable
    assert KEY not in said + caplog.text
    assert "sleepless" not in said


def test_the_key_goes_in_its_header_and_nowhere_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ScholarServer(PAPERS, api_keys=[KEY]) as server:
        cache = Cache(tmp_path / "cache.sqlite")
        found = searched(
            server, api_key=KEY, cache=cache, rate=1_000.0, limits_dir=tmp_path / "limits"
        )
        asyncio.run(source(server, api_key=KEY, cache=cache).fetch(found.ids))
        for entry in server.log:
            assert entry.headers["x-api-key"] == KEY
            assert KEY not in f"{entry.path} {entry.params} {entry.body}"
        with pytest.raises(SourceError, match=r"refused the API key \(S2_API_KEY\)"):
            searched(server, api_key="wrong")
        with pytest.raises(SourceError, match="refused a request without an API key"):
            searched(server)
        cache.close()
    assert KEY not in caplog.text
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes()
    for bad in ("key with space", "key\nwith: line", "schlüssel"):
        with pytest.raises(
            UsageError, match="contains characters that are not valid in a key"
        ) as raised:
            SemanticScholar(api_key=bad)
        assert bad not in str(raised.value)


# ---- the whole chain

TRIALS = [
    one
    if place % 8 != 1
    else replace(one, id=f"doi:10.1000/t{place}", pmid=None, doi=f"10.1000/T{place}")
    for place, one in enumerate(workload.articles())
]
OWN = replace(TRIALS[3], id=f"s2:{paper_id('own')}", pmid=None, doi=None)
TRIAL_PAPERS = [paper_of(OWN if place == 3 else one) for place, one in enumerate(TRIALS)]
TRIAL_PAPERS[3] = {**TRIAL_PAPERS[3], "paperId": paper_id("own")}
ENVIRONMENT = {"CLINFO_CACHE": "off", "S2_API_KEY": KEY}


def asked(server: ScholarServer, folder: Path, *flags: str) -> tuple[int, str, str]:
    """The command line on the workload's question over this source: exit status, standard output,
    standard error.
    """
    command = [
        sys.executable,
        "-m",
        "clinfo",
        "ask",
        workload.QUESTION,
        "--model",
        "extractive",
        "--source",
        "semantic-scholar",
    ]
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "CLINFO_S2_URL": server.url,
        "CLINFO_CACHE_DIR": str(folder),
    }
    done = subprocess.run(
        [*command, *flags],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert KEY not in done.stdout + done.stderr
    return done.returncode, done.stdout, done.stderr


def test_the_whole_chain_over_this_source() -> None:
    from clinfo.pipelines.literature.answer import build_answer
    from clinfo.pipelines.literature.events import QueryGenerated
    from clinfo.pipelines.literature.request import checked
    from clinfo.pipelines.literature.stages import LITERATURE
    from clinfo.settings import Settings

    async def run(server: ScholarServer) -> list[Any]:
        run_request = checked(
            question=workload.QUESTION, model="extractive", source="semantic-scholar", chase=1
        )
        chain = LITERATURE.assemble(Settings(cache="off"), run_request, source=source(server))
        return [event async for event in chain.run(run_request)]

    with ScholarServer(TRIAL_PAPERS, cites={paper_id("own"): [paper_id(TRIALS[0].id)]}) as server:
        events = asyncio.run(run(server))
    answer = build_answer(events)
    assert "“" in answer.synthesis
    assert OWN.id in {answer.references[n - 1].id for one in answer.sentences for n in one.cites}
    queries = [event.query for event in events if isinstance(event, QueryGenerated)]
    assert queries
    assert all(query.text.startswith("vitamin D") for query in queries)
    assert all(remarks(query.text) == () for query in queries)
    assert [query.source for query in answer.queries] == ["semantic-scholar"] * len(answer.queries)
    relevant = {article.id for article in answer.articles if article.relevant}
    assert {OWN.id, "doi:10.1000/t1"} <= relevant
    assert answer.counts.judged == len(answer.articles) == answer.counts.fetched
    own = next(reference for reference in answer.references if reference.id == OWN.id)
    assert (own.pmid, own.url) == (None, f"https://www.semanticscholar.org/paper/{paper_id('own')}")
    assert any(OWN.title[:20] in reference.citation for reference in answer.references)


@pytest.mark.slow
def test_the_command_line_refuses_a_filter_and_a_wrong_key(tmp_path: Path) -> None:
    with ScholarServer(TRIAL_PAPERS, api_keys=["another"]) as server:
        status, _, problems = asked(server, tmp_path, "--filter", "english[la]")
        assert (status, len(server.log)) == (2, 0)
        assert "PubMed filter" in problems
        status, _, problems = asked(server, tmp_path)
        assert (status, "refused the API key (S2_API_KEY)" in problems) == (4, True)
