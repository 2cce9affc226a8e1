"""``clinfo search``: the hits of a query, and all that the source and our own reading say of it."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from clinfo.cli.flags import ExportFormat, held
from clinfo.cli.help import flag, refuse
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, Cancelled, FieldError, UsageError
from clinfo.integrity.notices import notices
from clinfo.integrity.retractions import Retractions, loaded_list
from clinfo.pipelines.literature.request import checked
from clinfo.pipelines.literature.search.retrieve import exclusion_reason, search_request
from clinfo.pipelines.opening import open_cache
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.pubmed.limits import WINDOW
from clinfo.pubmed.query import parse
from clinfo.pubmed.strategy import StrategyLine, read_strategy
from clinfo.pubmed.tree import Remark
from clinfo.records.appraisal import kinds
from clinfo.records.articles import Article, RunRequest, SearchRequest, SearchResult
from clinfo.references import ieee
from clinfo.references.registry import growing
from clinfo.settings import load_settings
from clinfo.sources import registry
from clinfo.sources.registry import ArticleSource
from clinfo.text.wording import day, left_out, number, one_line

SHOWN = 20
FURTHER = 5
"""Times as many hits are asked for where some of the first may not be shown."""


def search(
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY|@FILE",
            help="A query, or a file with one or with numbered lines.",
            show_default=False,
        ),
    ],
    source: Annotated[
        str | None,
        flag("--source", f"{registry.choice()}. [CLINFO_SOURCE, else pubmed]", metavar="NAME"),
    ] = None,
    limit: Annotated[int | None, flag("--limit", f"Articles shown. [{SHOWN}]", metavar="N")] = None,
    from_: Annotated[
        str | None,
        flag("--from", "First publication date: YYYY, YYYY-MM or YYYY-MM-DD.", metavar="DATE"),
    ] = None,
    to: Annotated[str | None, flag("--to", "Last publication date.", metavar="DATE")] = None,
    filter_: Annotated[
        str | None,
        flag("--filter", "PubMed filter added to the query, such as english[la].", metavar="TEXT"),
    ] = None,
    fresh: Annotated[
        bool, flag("--fresh", "Query again instead of using answers of the last 24 hours.")
    ] = False,
    json: Annotated[bool, flag("--json", "As JSON.")] = False,
    all_: Annotated[bool, flag("--all", "Write every hit, without a limit.")] = False,
    format_: Annotated[ExportFormat | None, flag("--format", "With --all. [nbib]")] = None,
    out: Annotated[
        str | None,
        flag(
            "--out",
            "With --all: write to this file, which is there whole or not at all.",
            metavar="FILE",
        ),
    ] = None,
    allow_identifiers: Annotated[
        bool,
        flag(
            "--allow-identifiers",
            "Send the query even if something in it seems to identify a patient.",
        ),
    ] = False,
    quiet: Annotated[bool, flag("--quiet", "No progress on stderr.")] = False,
) -> int:
    """Search with a PubMed query and show its hits.

    The query is never changed. The output also shows how the query was read, and every warning. A
    file may hold a strategy of numbered lines (#1 …, #2 …, #3 #1 AND #2): each line is counted, and
    the last one is searched.

    With --from or --to the source is asked for a wider range of dates, so that nothing is missed.
    Articles outside the dates given, or without a date, are then left out.

    Exit status: 0 something found; 2 wrong usage; 3 nothing found; 4 the source failed; 6 the query
    seems to identify a patient and the source is not on this machine.
    """

    from clinfo.pipelines.literature.at_work import permit

    text = held("QUERY", query)
    refuse(
        (
            not all_ and (format_ is not None or out is not None),
            "--format and --out need --all",
        ),
        (
            all_ and (json or limit is not None),
            "--all writes every hit in its own format; it cannot be combined with --json or "
            "--limit",
        ),
        (
            limit is not None and not 0 <= limit <= WINDOW,
            f"--limit: must be from 0 to {WINDOW:,}; --all writes every hit",
        ),
        (not text.strip(), "QUERY: must not be empty"),
    )
    settings = load_settings()
    asked = _checked(
        text, source if source is not None else settings.source, from_, to, filter_, fresh
    )
    lines = read_strategy(text) or ()
    permit(settings, allow_identifiers)
    if not quiet:
        _say_what_takes_long(asked.source, all_, settings.cache == "on")
    retractions = loaded_list(settings.data_dir)
    chosen = registry.article_source(settings, asked.source, open_cache(settings))
    if chosen.remote and not allow_identifiers:
        refuse_texts({"query": text, "filter": asked.filter or ""})
    last = lines[-1].expanded if lines else asked.own_queries[0]
    if all_:
        from clinfo.cli.export import export

        if asked.source.lower().endswith(registry.endings()):
            for told in chosen.notices:
                streams.complain(told)
        writing = export(
            chosen,
            _request(asked, last, 0),
            growing()[format_ or "nbib"],
            out,
            quiet,
            lambda one: exclusion_reason(one, asked),
            lambda records: kinds(notices(records, retractions)),
        )
        try:
            return asyncio.run(writing)
        except KeyboardInterrupt:
            if out is None:
                raise
            goes = "goes on from the records kept" if settings.cache == "on" else "begins anew"
            raise Cancelled(f"interrupted: the same command {goes}") from None
    shown = asyncio.run(
        _search(chosen, asked, lines, last, SHOWN if limit is None else limit, retractions)
    )
    page = "\n\n".join(filter(None, _parts(shown, chosen)))
    streams.show(_form(shown, chosen) if json else page)
    return NOTHING_FOUND if shown.result.count == len(shown.excluded) else 0


def _say_what_takes_long(source: str, all_: bool, keeps: bool) -> None:
    """One line before what has no progress to show: a file that is read first (and kept, where
    there is a cache), and an export that nobody watches.
    """

    if source.lower().endswith(registry.endings()):
        kept = ", kept for the next question" if keeps else ""
        streams.say(f"reading {one_line(source)}{kept} …")
    elif all_ and not streams.is_terminal(sys.stderr):
        streams.say(f"getting every hit from {one_line(source)} …")


def _checked(
    text: str, source: str, from_: str | None, to: str | None, filter_: str | None, fresh: bool
) -> RunRequest:
    """The flags as a request; a run is not made of it, so question and model stand for nothing."""

    try:
        return checked(
            files=True,
            question="search",
            model="none",
            query=[text],
            source=source,
            filter=filter_,
            fresh=fresh,
            **{"from": from_, "to": to},
        )
    except FieldError as error:
        raise UsageError(
            f"{'QUERY' if error.field == 'query' else '--' + error.field}: {error.fault}"
        ) from None


def _request(asked: RunRequest, query: str, limit: int) -> SearchRequest:
    return replace(search_request(query, asked), limit=limit)


async def _search(
    source: ArticleSource,
    asked: RunRequest,
    lines: Sequence[StrategyLine],
    last: str,
    limit: int,
    retractions: Retractions | None,
) -> SimpleNamespace:
    """The results of a search: a count a line of a strategy, the search itself, its first articles,
    what our own reading says.

    ``notices`` are what is to be known of the articles; ``excluded`` holds, by id, why one is not
    among them; ``wider`` says that counts are of more dates than asked for.
    """
    counted = [
        (line, await source.search(_request(asked, line.expanded, 0))) for line in lines[:-1]
    ]
    result, articles, excluded = await _first(source, asked, last, limit)
    if lines:
        counted.append((lines[-1], result))
    remarks: list[tuple[int | None, Remark]] = []
    if source.query_prompt == registry.PUBMED_LANGUAGE:
        read: list[tuple[int | None, str]] = [(line.number, line.text) for line in lines] or [
            (None, last)
        ]
        remarks = [(number, remark) for number, text in read for remark in parse(text).remarks]
    wider = asked.published_from is not None or asked.published_to is not None
    return SimpleNamespace(
        lines=counted,
        result=result,
        articles=articles,
        excluded=excluded,
        remarks=remarks,
        wider=wider,
        notices=notices(articles, retractions),
    )


async def _first(
    source: ArticleSource, asked: RunRequest, query: str, limit: int
) -> tuple[SearchResult, list[Article], dict[str, str]]:
    """The search, its first articles that may be shown, and by id why others before them may not.

    Where some may not, more hits are asked for once.
    """

    async def fetched(ids: Sequence[str]) -> dict[str, Article]:
        return (
            {one.id: one for one in (await source.fetch(ids, fresh=asked.fresh)).articles}
            if ids
            else {}
        )

    result = await source.search(_request(asked, query, limit))
    held = await fetched(result.ids)
    if len(result.ids) < result.count and any(
        exclusion_reason(one, asked) is not None for one in held.values()
    ):
        result = await source.search(_request(asked, query, min(limit * FURTHER, WINDOW)))
        held |= await fetched([id for id in result.ids if id not in held])
    ids: list[str] = []
    articles: list[Article] = []
    excluded: dict[str, str] = {}
    for id in result.ids:
        if len(articles) == limit:
            break
        ids.append(id)
        if id in held:
            if (reason := exclusion_reason(held[id], asked)) is None:
                articles.append(held[id])
            else:
                excluded[id] = reason
    return replace(result, ids=tuple(ids)), articles, excluded


def _form(shown: SimpleNamespace, source: ArticleSource) -> dict[str, Any]:
    result, flags = shown.result, kinds(shown.notices)
    return {
        "schema": 2,
        "source": source.name,
        "sent": result.sent,
        "sent_at": result.sent_at,
        "sort": result.sort,
        "count": result.count,
        "count_of_wider_dates": shown.wider,
        "outcome": result.outcome,
        "translation": result.translation,
        "dropped": list(result.dropped),
        "warnings": list(result.warnings),
        "remarks": [
            {"line": number, "code": one.code, "text": one.text, "start": one.start, "end": one.end}
            for number, one in shown.remarks
        ],
        "lines": [
            {
                "number": line.number,
                "text": line.text,
                "sent": found.sent,
                "count": found.count,
                "warnings": list(found.warnings),
            }
            for line, found in shown.lines
        ],
        "ids": [id for id in result.ids if id not in shown.excluded],
        "excluded": [{"id": id, "reason": reason} for id, reason in shown.excluded.items()],
        "articles": [
            {
                "id": one.id,
                "pmid": one.pmid,
                "title": one.title,
                "citation": ieee(one),
                "url": one.url,
                "flags": flags.get(one.id, []),
            }
            for one in shown.articles
        ],
        "article_notices": [asdict(one) for one in shown.notices],
        "notices": list(source.notices),
    }


def _parts(shown: SimpleNamespace, source: ArticleSource) -> list[str]:
    """The page, part by part."""

    result = shown.result
    marks = {id: f"[{'; '.join(own)}] " for id, own in kinds(shown.notices).items()}
    width = max((len(f"{found.count:,}") for _, found in shown.lines), default=0)
    table = "\n".join(
        f"#{line.number:<3} {found.count:>{width},}  {line.text}" for line, found in shown.lines
    )
    order = {"relevance": "best first", "pub_date": "newest first"}.get(result.sort, result.sort)
    head = f"{number(result.count, 'hit')} in {source.name} on {day(result.sent_at)}"
    head += (
        " (counted for a wider range than the requested dates)"
        if shown.wider and result.count
        else ""
    )
    said = _said(shown)
    return [
        table,
        f"{head}, {order}." if result.count else f"{head}.",
        f"Sent: {result.sent}" + (f"\nRead as: {result.translation}" if result.translation else ""),
        "\n".join(["Warnings:", *(f"  - {one}" for one in said)]) if said else "",
        "\n".join(
            f"{place:>3}. {marks.get(article.id, '')}{ieee(article)} {article.url}".rstrip()
            for place, article in enumerate(shown.articles, 1)
        ),
        left_out(Counter(shown.excluded.values())),
        "\n".join(source.notices),
    ]


def _said(shown: SimpleNamespace) -> list[str]:
    """Every warning and remark once, with its places. An unknown tag that the source warns of is
    told by that warning alone.
    """
    of_lines = [(line.number, one) for line, found in shown.lines[:-1] for one in found.warnings]
    warnings = [one for one in shown.result.warnings if one not in {told for _, told in of_lines}]
    warnings += [f"line #{number}: {one}" for number, one in of_lines]
    places: dict[str, list[str]] = {warning: [] for warning in warnings}
    for line, remark in shown.remarks:
        told = _warned_of(remark, line, warnings) or remark.text
        where = (
            f"line #{line}, " if line is not None and not told.startswith(f"line #{line}: ") else ""
        )
        first, last = remark.start + 1, remark.end
        span = f"character {first}" if first == last else f"characters {first}–{last}"
        places.setdefault(told, []).append(where + span)
    return [f"{text}{_placed(found)}" for text, found in places.items()]


def _warned_of(remark: Remark, line: int | None, warnings: Sequence[str]) -> str | None:
    """The source's warning, its line's own before others, that names the unknown tag which is
    remarked on.
    """
    if remark.code != "unknown-tag":
        return None
    tag = remark.text[remark.text.find("[") + 1 : remark.text.rfind("]")]
    named = [one for one in warnings if "field" in one and f'"{tag}"'.casefold() in one.casefold()]
    return next(
        (one for one in named if one.startswith(f"line #{line}: ")), named[0] if named else None
    )


def _placed(places: Sequence[str]) -> str:
    if len(places) > 1:
        return f" ({len(places):,} places, the first: {places[0]})"
    return f" ({places[0]})" if places else ""
