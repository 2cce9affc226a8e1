"""``search``: the first hits of a query in the source's own language."""

from __future__ import annotations

import asyncio

from pydantic import Field

from clinfo.integrity.notices import notices
from clinfo.integrity.retractions import loaded_list
from clinfo.mcp_server.host import Host
from clinfo.mcp_server.tool import Arguments, Report, Result, typed
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.pubmed.query import parse
from clinfo.records.articles import SearchRequest
from clinfo.records.request import MAX_QUERY
from clinfo.references import ieee

MOST = 100


class Query(Arguments):
    """A query and how many hits to show."""

    query: str = Field(
        min_length=1,
        max_length=MAX_QUERY,
        description=(
            "A query in the source's language (the server's instructions name it), such as, for "
            "PubMed: hypertension[mh] AND yoga[tiab]. It is sent as it is."
        ),
    )
    limit: int = Field(default=20, ge=1, le=MOST, description="Articles shown, best first.")


class Hit(Result):
    """An article found."""

    id: str = Field(description="Give this id to the tool fetch.")
    title: str
    url: str
    citation: str
    flags: list[str] = Field(description="Such as retracted, erratum, preprint.")


class Found(Result):
    """What a search found."""

    results: list[Hit]
    count: int = Field(description="All hits; the results are the first of them.")
    sent: str
    read_as: str | None = Field(description="How the source read the query, where it says so.")
    warnings: list[str] = Field(description="What source and our own reading say of the query.")
    notices: list[str]
    source: str
    searched_at: str


async def _search(host: Host, asked: Query, report: Report) -> Found:
    source = host.source
    if source.remote:
        refuse_texts({"query": asked.query})
    result = await source.search(SearchRequest(asked.query, asked.limit))
    fetched = await source.fetch(result.ids) if result.ids else None
    known = {one.id: one for one in fetched.articles} if fetched else {}
    articles = [known[id] for id in result.ids if id in known]
    flags: dict[str, list[str]] = {}
    for notice in notices(articles, loaded_list(host.settings.data_dir)):
        flags.setdefault(notice.id, []).append(notice.kind)
    remarks = (await asyncio.to_thread(parse, asked.query)).remarks if host.reads_pubmed else ()
    return Found(
        results=[
            Hit(
                id=one.id,
                title=one.title,
                url=one.url,
                citation=ieee(one),
                flags=flags.get(one.id, []),
            )
            for one in articles
        ],
        count=result.count,
        sent=result.sent,
        read_as=result.translation,
        warnings=list(dict.fromkeys([*result.warnings, *(one.text for one in remarks)])),
        notices=list(source.notices),
        source=source.name,
        searched_at=result.sent_at,
    )


TOOL = typed(
    name="search",
    title="Search the literature",
    description=(
        "The first articles that a query finds, best first, with flags such as “retracted”, and "
        "every warning of how the query was read."
    ),
    arguments=Query,
    result=Found,
    call=_search,
)
