"""PubMed as an article source, over the E-utilities."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from clinfo.cache import Cache
from clinfo.errors import RecordError, SourceError
from clinfo.protocols import Clock
from clinfo.records import Article, Fetched, SearchRequest, SearchResult, Unreadable
from clinfo.request import unbalanced

if TYPE_CHECKING:
    from clinfo.sources.entrez import Eutils

BATCH = 200
"""Records of one efetch, the most that NCBI wants listed in a request."""
WINDOW = 9_999
"""Most ids that PubMed gives for one search."""
KEPT_SECONDS = 24 * 3600.0
_CACHE_FORM = 1

T = TypeVar("T")


class ReplyCache(Protocol):
    """What a source needs of a cache (`clinfo.cache.Cache`)."""

    def get(self, key: str, max_age: float | None = None) -> str | None:
        """The text stored under ``key``, None if there is none that is young enough (seconds)."""

    def put(self, key: str, value: str) -> None:
        """Store ``value`` under ``key``."""


class PubMed:
    """PubMed at NCBI or at any other address of the E-utilities. Answers are kept for a day where there is a cache.

    Parameters as of `clinfo.sources.entrez.Eutils`; raises UsageError where one cannot be used.
    """

    name = "pubmed"
    remote = True
    query_prompt = "question2query"
    notices: tuple[str, ...] = ()

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        email: str | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        cache: ReplyCache | None = None,
        clock: Clock | None = None,
    ) -> None:
        from clinfo.sources.entrez import Eutils

        self._eutils: Eutils = Eutils(base_url, api_key, email, rate, timeout)
        self._cache = cache
        self._clock = clock

    @property
    def address(self) -> str:
        """Where the E-utilities are asked."""
        return self._eutils.address

    async def search(self, request: SearchRequest) -> SearchResult:
        """The best matches by PubMed's relevance, with what it says about the query. Raises SourceError."""
        if not request.query.strip():
            raise SourceError("PubMed was not asked: the query is empty")
        sent, limit = sent_query(request), min(max(request.limit, 0), WINDOW)
        key = Cache.key_of("search", _CACHE_FORM, self.address, sent, limit)
        known = {} if request.fresh else await self._recall([key], SearchResult)
        if key in known:
            return known[key]
        sent_at = self._now()
        answer = await _in_thread(lambda stop: self._eutils.esearch(sent, limit, stop))
        result = replace(read_search(answer, sent), sent_at=sent_at)
        await self._remember({key: result})
        return result

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids, told apart by their own PMID and not by their place. Raises SourceError."""
        wanted = list(dict.fromkeys(ids))
        unreadable: dict[str, Unreadable] = {}
        keys = {} if fresh else {self._article_key(id): id for id in wanted}
        articles = {keys[key]: article for key, article in (await self._recall(list(keys), Article)).items()}
        asked = [id for id in wanted if id not in articles and id.startswith("pmid:") and id[5:].isdecimal()]
        batches = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
        for items in await asyncio.gather(*(self._fetch_batch(batch) for batch in batches)):
            for item in items:
                if isinstance(item, Unreadable):
                    unreadable[item.id] = item
                elif item.id in asked:
                    articles[item.id] = item
        await self._remember({self._article_key(id): articles[id] for id in asked if id in articles})
        return Fetched(
            articles=tuple(articles[id] for id in wanted if id in articles),
            missing=tuple(id for id in wanted if id not in articles and id not in unreadable),
            unreadable=tuple(item for id, item in unreadable.items() if id not in articles),
        )

    async def _fetch_batch(self, ids: list[str]) -> list[Article | Unreadable]:
        """The records of one request; where they are too many for the service to put together in time, of two halves."""
        from clinfo.sources.entrez import TooSlow

        try:
            body = await _in_thread(lambda stop: self._eutils.efetch([id.removeprefix("pmid:") for id in ids], stop))
        except TooSlow:
            if len(ids) == 1:
                raise
            half = len(ids) // 2
            return [*await self._fetch_batch(ids[:half]), *await self._fetch_batch(ids[half:])]
        return await asyncio.to_thread(_read_records, body)

    def _article_key(self, id: str) -> str:
        return Cache.key_of("article", _CACHE_FORM, self.address, id)

    async def _recall(self, keys: list[str], form: type[T]) -> dict[str, T]:
        """What is kept under these keys, as far as it can be read; a damaged entry is as good as none."""
        cache = self._cache
        if cache is None or not keys:
            return {}

        def recalled() -> dict[str, T]:
            found: dict[str, T] = {}
            for key in keys:
                text = cache.get(key, KEPT_SECONDS)
                with suppress(msgspec.MsgspecError):
                    if text is not None:
                        found[key] = msgspec.json.decode(text, type=form)
            return found

        return await asyncio.to_thread(recalled)

    async def _remember(self, values: dict[str, Any]) -> None:
        cache = self._cache
        if cache is None or not values:
            return

        def remember() -> None:
            for key, value in values.items():
                cache.put(key, msgspec.json.encode(value).decode())

        await asyncio.to_thread(remember)

    def _now(self) -> str:
        now = self._clock.now() if self._clock is not None else datetime.now(UTC)
        return now.astimezone(UTC).isoformat(timespec="seconds")


def sent_query(request: SearchRequest) -> str:
    """The query as PubMed gets it: untouched, or in parentheses of its own with what is asked beside it.

    Raises SourceError for a query that would not stay within its parentheses (a generated one that was not repaired).
    """
    limits = [f"({request.filter})"] if request.filter else []
    first, last = request.published_from, request.published_to
    if request.before is not None:
        day_before = max(request.before, date(1, 1, 2)) - timedelta(days=1)
        last = day_before if last is None else min(last, day_before)
    if first is not None or last is not None:
        limits.append(_dated(first, last))
    if not limits:
        return request.query
    if flaw := unbalanced(request.query):
        raise SourceError(f"the query was not sent: {flaw}, so the filter or dates beside it could not be kept apart")
    return " AND ".join([f"({request.query})", *limits])


def _dated(first: date | None, last: date | None) -> str:
    """A range of publication dates that loses no article which may lie within it.

    PubMed holds a date without month or day under its first day (2020 under 2020/01/01, Dec-Jan under December), so the
    range begins with the year, and in January with the December before it.
    """
    start, end = "1000/01/01", "3000"
    if first is not None and first.year > 1:
        start = f"{first.year - 1:04}/12/01" if first.month == 1 else f"{first.year:04}/01/01"
    if last is not None:
        end = last.isoformat().replace("-", "/")
    return f'("{start}"[dp] : "{end}"[dp])'


def read_search(answer: dict[str, Any], sent: str) -> SearchResult:
    """An ``esearchresult`` object as a result (without time). Raises SourceError where it has no number of hits."""
    count = str(answer.get("count", ""))
    if not count.isdecimal():
        raise SourceError("PubMed's answer holds no number of hits")
    ids = (str(id) for id in _listed(answer.get("idlist")))
    return SearchResult(
        sent=sent,
        ids=tuple(dict.fromkeys(f"pmid:{id}" for id in ids if id.isdecimal())),
        count=int(count),
        sort="relevance",
        sent_at="",
        translation=answer.get("querytranslation") or None,
        warnings=tuple(dict.fromkeys(_warnings(answer))),
    )


def _warnings(answer: dict[str, Any]) -> list[str]:
    said: list[str] = []
    for group, name, form in (
        ("errorlist", "phrasesnotfound", 'PubMed did not find the phrase "{}".'),
        ("errorlist", "fieldsnotfound", 'PubMed does not know the field "{}".'),
        ("warninglist", "quotedphrasesnotfound", 'PubMed did not find the quoted phrase "{}" and left it out.'),
        ("warninglist", "phrasesignored", 'PubMed ignored "{}".'),
        ("warninglist", "outputmessages", "PubMed says: {}"),
    ):
        found = answer.get(group)
        phrases = _listed(found.get(name)) if isinstance(found, dict) else []
        said += [form.format(" ".join(str(phrase).replace('"', " ").split())) for phrase in phrases]
    return said


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value in (None, "") else [value]


def _read_records(body: bytes) -> list[Article | Unreadable]:
    from clinfo.pubmed.xml import DeletedIds, read_citations

    try:
        return [item for item in read_citations(body) if not isinstance(item, DeletedIds)]
    except RecordError as error:
        raise SourceError(f"PubMed's answer cannot be read: {error}", retryable=True) from error


async def _in_thread(work: Callable[[threading.Event], T]) -> T:
    """``work`` in a thread of its own, told to stop when this task is cancelled.

    Not asyncio.to_thread: its threads are few, waited for at exit, and one that hangs on a silent server would hold both up.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    stop = threading.Event()

    def settle(result: T | None, error: BaseException | None) -> None:
        if not done.done():
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work(stop)
        except BaseException as caught:
            error = caught
        if not loop.is_closed():
            try:
                loop.call_soon_threadsafe(settle, result, error)
            except RuntimeError:
                return  # the loop was closed in between: nobody waits any more

    threading.Thread(target=run, name="clinfo-pubmed", daemon=True).start()
    try:
        return await done
    finally:
        stop.set()
