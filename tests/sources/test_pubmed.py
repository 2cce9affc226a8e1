"""PubMed as a source, against the scripted E-utilities server."""

import asyncio
import re
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import Faults
from clinfo.cache import Cache
from clinfo.errors import SourceError, WindowExceeded
from clinfo.pipelines.literature.search.retrieve import exclusion_reason
from clinfo.pubmed.limits import WINDOW
from clinfo.records.articles import (
    Article,
    DateInterval,
    RunRequest,
    SearchRequest,
    Section,
    Unreadable,
)
from clinfo.sources.pubmed import PubMed, sent_query
from clinfo.sources.registry import ArticleSource
from clinfo.sources.replies import read_search

ARTICLES = [
    Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title=f"Rest and sleep, trial {number}",
        sections=(Section("Rest helped 12% < 20%.", "RESULTS", "RESULTS"),),
        published=DateInterval(
            date(2000 + number % 20, 1, 1),
            date(2000 + number % 20, 12, 31),
            str(2000 + number % 20),
        ),
    )
    for number in range(1, 251)
]


class FixedClock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0


def test_a_search_and_its_articles() -> None:
    async def run() -> None:
        with EutilsServer(ARTICLES) as server:
            source: ArticleSource = PubMed(server.url, clock=FixedClock())
            assert (source.name, source.remote, source.query_prompt, source.notices) == (
                "pubmed",
                True,
                "question2query",
                (),
            )
            found = await source.search(SearchRequest("sleep", 16))
            assert (found.sent, found.count, found.sort, len(found.ids)) == (
                "sleep",
                250,
                "relevance",
                16,
            )
            assert found.sent_at == "2026-11-20T09:30:00+00:00"
            fetched = await source.fetch([*found.ids, "pmid:999999", "doi:10.1/x", "pmid:x"])
            assert list(fetched.articles) == [ARTICLES[int(id[5:]) - 1] for id in found.ids]
            assert fetched.missing == ("pmid:999999", "doi:10.1/x", "pmid:x")
            assert len(server.requests("efetch")) == 1

    asyncio.run(run())


@pytest.mark.parametrize(
    ("request_", "sent"),
    [
        (SearchRequest("(a OR b", 1), "(a OR b"),
        (SearchRequest("a OR b", 1, filter="english[la]"), "(a OR b) AND (english[la])"),
        (
            SearchRequest("a", 1, published_from=date(2010, 2, 3), published_to=date(2020, 3, 4)),
            '(a) AND ("2010/01/01"[dp] : "2020/03/04"[dp])',
        ),
        (
            SearchRequest("a", 1, published_from=date(2010, 1, 1)),
            '(a) AND ("2009/12/01"[dp] : "3000"[dp])',
        ),
        (
            SearchRequest("a", 1, before=date(2020, 3, 1)),
            '(a) AND ("1000/01/01"[dp] : "2020/02/29"[dp])',
        ),
        (SearchRequest("a", 1, before=date.min), '(a) AND ("1000/01/01"[dp] : "0001/01/01"[dp])'),
        (
            SearchRequest(
                "a", 1, filter="f", published_to=date(2019, 5, 5), before=date(2020, 3, 1)
            ),
            '(a) AND (f) AND ("1000/01/01"[dp] : "2019/05/05"[dp])',
        ),
    ],
)
def test_what_is_sent(request_: SearchRequest, sent: str) -> None:
    assert sent_query(request_) == sent


@pytest.mark.parametrize("query", ['zinc AND "cold', "zinc) OR (cold", "(zinc"])
def test_a_query_that_would_swallow_what_stands_beside_it_is_not_sent(query: str) -> None:
    with pytest.raises(SourceError, match=r"not sent: .*filter"):
        sent_query(SearchRequest(query, 1, filter="english[la]"))
    with pytest.raises(SourceError, match="was not sent"):
        sent_query(SearchRequest(query, 1, before=date(2020, 1, 1)))


DAYS = st.dates(date(2000, 1, 1), date(2006, 12, 31))


@given(
    DAYS, st.integers(0, 40), st.none() | DAYS, st.none() | DAYS, st.none() | DAYS, st.none() | DAYS
)
@example(date(2005, 2, 1), 20, date(2004, 11, 2), date(2005, 1, 1), None, date(2005, 2, 1))
def test_the_dates_sent_lose_nothing_that_the_chain_would_keep(
    start: date,
    days: int,
    electronic: date | None,
    first: date | None,
    last: date | None,
    before: date | None,
) -> None:
    """PubMed holds a date by its first day, or by its electronic one; dates of up to 40 days, whole
    months and years.
    """
    ends = {
        date.fromordinal(start.toordinal() + days),
        date(start.year, 12, 31),
        date(start.year, start.month, 28),
    }
    run = RunRequest(
        "q",
        published_from=first,
        published_to=last,
        regime="restricted" if before else "unrestricted",
        before=before,
    )
    sent = sent_query(SearchRequest("q", 1, published_from=first, published_to=last, before=before))
    for end in ends:
        begin = date(start.year, 1, 1) if end == date(start.year, 12, 31) else start
        if end < begin or (end.year > begin.year and end.month > 1):
            continue
        article = Article(
            "pmid:1", "t", "1", published=DateInterval(begin, end, "x"), electronic=electronic
        )
        if exclusion_reason(article, run) is None:
            held = [f"{day:%Y/%m/%d}" for day in (begin, electronic) if day is not None]
            for low, high in re.findall(r'\("([\d/]+)"\[dp\] : "([\d/]+)"\[dp\]\)', sent):
                assert any(low <= day and (day <= high or high == "3000") for day in held)


def test_the_query_arrives_untouched_and_dates_narrow() -> None:
    query = '("odds ratio" OR OR) & 100% \\ {x} [tiab] sleep'

    async def run() -> None:
        with EutilsServer(ARTICLES) as server:
            source = PubMed(server.url)
            await source.search(SearchRequest(query, 3))
            found = await source.search(
                SearchRequest(
                    "sleep", 300, published_from=date(2010, 2, 1), published_to=date(2011, 6, 1)
                )
            )
            assert {ARTICLES[int(id[5:]) - 1].year for id in found.ids} == {2010, 2011}
            assert server.log[0].params["term"] == query

    asyncio.run(run())


def test_what_pubmed_says_about_a_query_is_kept_in_plain_words() -> None:
    said = {
        "querytranslation": '"sleep"[MeSH Terms]',
        "errorlist": {"phrasesnotfound": ["slepe"], "fieldsnotfound": ["foo"]},
        "warninglist": {
            "phrasesignored": ["of"],
            "quotedphrasesnotfound": ['"body battery"[tiab]'],
            "outputmessages": ["No items found."],
        },
    }

    async def run() -> None:
        with EutilsServer(ARTICLES, scripted={"sleep": said}) as server:
            found = await PubMed(server.url).search(SearchRequest("sleep", 3))
        assert found.translation == '"sleep"[MeSH Terms]'
        assert found.outcome == "partly dropped"
        assert found.dropped == ("slepe", "foo", "body battery [tiab]", "of")
        assert found.warnings == (
            'PubMed did not find the phrase "slepe".',
            'PubMed does not know the field "foo".',
            'PubMed did not find the quoted phrase "body battery [tiab]" and left it out.',
            'PubMed ignored "of".',
            "PubMed says: No items found.",
        )

    asyncio.run(run())


def zero(**said: object) -> dict[str, object]:
    return {"count": "0", "idlist": [], **said}


def some(**said: object) -> dict[str, object]:
    return {"count": "2", "idlist": ["1", "2"], **said}


@pytest.mark.parametrize(
    ("answer", "outcome", "dropped"),
    [
        (some(), "complete", ()),
        (
            some(
                querytranslation="asthma[foo]",
                errorlist={"phrasesnotfound": [], "fieldsnotfound": []},
            ),
            "complete",
            (),
        ),
        (
            some(errorlist={"phrasesnotfound": [], "fieldsnotfound": ["foo"]}),
            "partly dropped",
            ("foo",),
        ),
        (
            some(warninglist={"quotedphrasesnotfound": ['"body battery"[tiab]']}),
            "partly dropped",
            ("body battery [tiab]",),
        ),
        (some(warninglist={"phrasesignored": ["of", "of"]}), "partly dropped", ("of",)),
        (some(warninglist={"outputmessages": ["Restrictions achieved"]}), "complete", ()),
        (zero(), "zero", ()),
        (
            zero(
                errorlist={"phrasesnotfound": ["the"]},
                warninglist={"outputmessages": ["No items found."]},
            ),
            "zero",
            ("the",),
        ),
        (zero(warninglist={"quotedphrasesnotfound": '"a b"[Mesh]'}), "zero", ("a b [Mesh]",)),
    ],
)
def test_outcomes(answer: dict[str, object], outcome: str, dropped: tuple[str, ...]) -> None:
    result = read_search(answer, "q")
    assert (result.outcome, result.dropped) == (outcome, dropped)


def test_more_than_the_window_is_an_error_only_where_there_are_more_hits() -> None:
    async def run() -> None:
        with EutilsServer(ARTICLES) as server:
            source = PubMed(server.url)
            assert len((await source.search(SearchRequest("sleep", 50_000))).ids) == 250
            body = '{"esearchresult":{"count":"%d","idlist":["1"]}}'
            server.queue(200, body % (WINDOW + 1))
            server.queue(200, body % (WINDOW + 1))
            with pytest.raises(WindowExceeded, match=r"9,999 .*10,000 "):
                await source.search(SearchRequest("rest", WINDOW + 1))
            assert (await source.search(SearchRequest("rest", WINDOW))).count == WINDOW + 1
            assert {entry.params["retmax"] for entry in server.log} == {"9999"}

    asyncio.run(run())


def test_a_batch_that_times_out_is_halved() -> None:
    body = (
        "<eFetchResult><ERROR>External viewer error: Empty Response. Status: "
        "Timeout</ERROR></eFetchResult>"
    )

    async def run() -> None:
        with EutilsServer(ARTICLES) as server:
            server.queue(400, body)
            server.queue(400, body)
            fetched = await PubMed(server.url).fetch(["pmid:1", "pmid:2", "pmid:3"])
            assert [article.id for article in fetched.articles] == ["pmid:1", "pmid:2", "pmid:3"]
            assert [entry.params["id"] for entry in server.log] == ["1,2,3", "1,2,3", "1", "2,3"]

    asyncio.run(run())


def test_a_damaged_record_is_listed_and_the_others_come() -> None:
    async def run() -> None:
        with EutilsServer(ARTICLES, malformed=["2"]) as server:
            fetched = await PubMed(server.url).fetch(["pmid:1", "pmid:2", "pmid:3", "pmid:777"])
        assert [article.id for article in fetched.articles] == ["pmid:1", "pmid:3"]
        assert fetched.missing == ("pmid:777",)
        (bad,) = fetched.unreadable
        assert isinstance(bad, Unreadable)
        assert bad.id == "pmid:2"
        assert "damaged XML" in bad.reason

    asyncio.run(run())


def test_answers_are_kept_for_a_day_with_their_time(tmp_path: Path) -> None:
    async def run() -> None:
        cache, clock = Cache(tmp_path / "cache.sqlite"), FixedClock()
        with EutilsServer(ARTICLES) as server:
            source = PubMed(server.url, cache=cache, clock=clock, api_key="secret-key")
            request = SearchRequest("sleep", 3)
            first = await source.search(request)
            articles = await source.fetch([*first.ids, "pmid:999"])
            clock.moment = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
            again = PubMed(server.url, cache=cache, clock=clock)
            assert await again.search(request) == first
            assert (await again.fetch(first.ids)).articles == articles.articles
            assert (len(server.requests("esearch")), len(server.requests("efetch"))) == (1, 1)
            partly = await again.fetch([*first.ids, "pmid:55"])
            assert len(partly.articles) == 4
            assert server.requests("efetch")[-1].params["id"] == "55"

            assert (
                await again.search(replace(request, fresh=True))
            ).sent_at == "2026-11-20T10:00:00+00:00"
            assert (await again.search(request)).sent_at == "2026-11-20T10:00:00+00:00"
            await again.fetch(first.ids, fresh=True)
            await again.search(replace(request, limit=4))
            assert (len(server.requests("esearch")), len(server.requests("efetch"))) == (3, 3)
        with EutilsServer(ARTICLES[:7]) as elsewhere:
            assert (await PubMed(elsewhere.url, cache=cache).search(request)).count == 7
        cache.close()
        assert b"secret-key" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())

    asyncio.run(run())


def test_cancelling_leaves_at_once_and_tells_the_thread() -> None:
    async def run() -> float:
        with EutilsServer(ARTICLES, faults=Faults(hang=1.0)) as server:
            task = asyncio.create_task(
                PubMed(server.url, timeout=20).search(SearchRequest("sleep", 1))
            )
            while not server.log:
                await asyncio.sleep(0.01)
            start = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - start

    assert asyncio.run(run()) < 15, "the answer would have been waited for for 20 s"
    deadline = time.monotonic() + 60
    while (
        any(thread.name == "clinfo-source" for thread in threading.enumerate())
        and time.monotonic() < deadline
    ):
        time.sleep(0.05)
    assert not any(thread.name == "clinfo-source" for thread in threading.enumerate())
