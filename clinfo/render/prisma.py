"""The search appendix: what PRISMA-S asks to be reported of a search, from an answer and nothing
else.

The items are those of the checklist (Rethlefsen et al., Systematic Reviews 2021;10:39). What a run
does not know is said to be not recorded. The page is Markdown that reads as plain text; whatever
comes from outside stands in indented blocks, where nothing is markup and every query stands exactly
as it was sent.
"""

from collections.abc import Mapping, Sequence

from clinfo.records.answer import Answer, SearchedQuery
from clinfo.render.search_report import (
    chase_lines,
    overlap_lines,
    seed_study_lines,
    strategy_lines,
    term_lines,
)
from clinfo.sources import registry
from clinfo.text.wording import day, number, one_line, printable
from clinfo.views.queries import failed_search, name_of, resolved_as, understood

NOT_RECORDED = "Not recorded by this program."

WIDENED = (
    "The range of dates sent starts earlier than requested, because PubMed stores a date without "
    "month or day as its"
    " first day and would otherwise lose articles that may fall within the range; those that "
    "certainly do not were excluded "
    "afterwards."
)


def prisma_s(answer: Answer, *, address: str | None = None, finished: bool = True) -> str:
    """The appendix, ending with a line end.

    ``address`` is where the source was asked, as the run recorded it; of a local source it is what
    index was searched.
    """
    one, head = answer.resolved, "It follows this one up:"
    follows = [head, _block(one.earlier), resolved_as(one)] if one else []
    parts = [
        "# Search appendix (PRISMA-S)",
        "The question:",
        _block(answer.question),
        *follows,
        "" if finished else "The run did not finish: what follows was done before it stopped.",
        "Run by this program; the person who started it is not recorded:",
        _program(answer),
        *_sources(answer, address),
        *_strategies(answer),
        *_review(answer, address),
        *_records(answer),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _sources(answer: Answer, address: str | None) -> list[str]:
    settings = answer.settings
    source = str(settings.get("source", ""))
    known = registry.spec(source)
    located = "searched in" if known and known.is_copy else "address"
    judges = sorted({one_line(article.judge) for article in answer.articles if article.judge})
    chased = chase_lines(answer)
    followed = (
        [
            "Similar, citing and cited articles of relevant ones, as the source links them:",
            *_list(chased),
        ]
        if chased
        else [
            "Requested, but no links were followed." if settings.get("chase") else "None was done."
        ]
    )
    return [
        "## 1. Database and platform",
        f"{known.platform if known else 'Citations of the source named below'}.",
        _block(f"source: {source or 'not recorded'}\n{located}: {address or 'not recorded'}"),
        "## 2. Multi-database searching",
        "One source was searched in this run.",
        "## 3. Study registries",
        "None in this run.",
        "## 4. Online resources and browsing",
        "None in this run.",
        "## 5. Citation searching",
        *followed,
        "## 6. Contacts",
        NOT_RECORDED,
        "## 7. Other methods",
        "No other method of finding records in this run.",
        *_said("Relevance was judged by a program, not by a person:", judges),
    ]


def _strategies(answer: Answer) -> list[str]:
    read = understood(answer.understood).split("; ") if answer.understood is not None else []
    return [
        "## 8. Full search strategies",
        _origin(answer),
        *_said("The question was understood as:", read),
        "" if answer.queries else "No query was sent.",
        *(
            part
            for place, query in enumerate(answer.queries, 1)
            for part in _query(query, name_of(query, place), answer.settings)
        ),
        *_said(
            "Lines of the strategy, with the hits of each, without filter and dates:",
            strategy_lines(answer),
        ),
        *_said("Hits of each term alone, without filter and dates:", term_lines(answer)),
        "## 9. Limits and restrictions",
        *_limits(answer),
        "## 10. Search filters",
        *_filters(answer),
    ]


def _query(query: SearchedQuery, name: int, settings: Mapping[str, object]) -> list[str]:
    breadth = f" ({query.breadth})" if query.breadth else ""
    seed = "" if query.seed is None else f"Written by the model with seed {query.seed}."
    head = [f"### Query {name}{breadth}", seed]
    if failed_search(query):
        told = _block("\n".join(query.warnings))
        return [*head, "As intended; the source did not answer:", _block(query.text), told]
    taken = (
        f"{number(query.count, 'hit')}, the best {query.asked:,} asked for ({query.sort}), "
        f"{len(query.ids):,} retrieved"
    )
    first = str(settings.get("from") or "").replace("-", "/")
    widened = first > "1000" and "[dp]" in query.sent and first not in query.sent
    other = query.translation if query.translation != query.sent else None
    notes = [warning for warning in query.warnings if warning and warning not in query.repairs]
    return [
        *head,
        *(
            part
            for step in query.steps[:-1]
            for part in (
                f"Sent first {_at(step.sent_at)}, {number(step.count, 'hit')}:",
                _block(step.sent),
            )
        ),
        *_said(
            "Then relaxed, because it found nothing; removed were:",
            [part for step in query.steps[-1:] for part in step.without],
        ),
        f"Sent {_at(query.sent_at)}, {taken}:",
        _block(query.sent),
        WIDENED if widened else "",
        *_said("Read by the source as:", [other] if other else []),
        *_said("Changed before it was sent:", query.repairs),
        *_said("Said about it:", notes),
    ]


def _limits(answer: Answer) -> list[str]:
    settings = answer.settings
    first, last = settings.get("from"), settings.get("to")
    lines = [
        f"publication dates from {first}" if first else "no first publication date",
        f"publication dates to {last}" if last else "no last publication date",
        _regime(settings),
        _most(settings, "per_query", "articles requested per query"),
        _most(settings, "max_articles", "most articles judged"),
        _most(settings, "rerank", "most relevant articles summarised, by BM25")
        if settings.get("rerank")
        else "",
    ]
    return [_block("\n".join(line for line in lines if line))]


def _filters(answer: Answer) -> list[str]:
    text, limits = answer.settings.get("filter"), answer.settings.get("limits")
    told = (
        ["This filter was put on every query, in its own parentheses:", _block(str(text))]
        if text
        else []
    )
    if isinstance(limits, list) and limits:
        said = "These limits of PubMed were put on every query, as each query that was sent shows:"
        told += [said, _block(", ".join(limits))]
    return told or [
        (
            "No filter was put on the queries. Whether a query holds a published filter is not "
            "recorded."
        )
    ]


def _review(answer: Answer, address: str | None) -> list[str]:
    sent = sorted(query.sent_at for query in answer.queries if query.sent_at)
    when = (
        f"All queries were sent on {day(answer.searched_on)}."
        if sent
        else f"No query was answered; {day(answer.searched_on)}."
    )
    if sent and sent[0][:10] != sent[-1][:10]:
        when = f"Queries were sent from {day(sent[0])} to {day(sent[-1])}."
    current = "How current the source was that day is not recorded."
    unknown = "No seed studies were named."
    if answer.settings.get("known"):
        unknown = "Validation with seed studies was requested but not done."
    source = registry.spec(str(answer.settings.get("source", "")))
    if source and source.is_copy and address:
        current = (
            "The source was the index of item 1 as of its own date; it contains nothing newer."
        )
    return [
        "## 11. Prior work",
        NOT_RECORDED,
        "## 12. Updates",
        "None in this run.",
        "## 13. Dates of searches",
        _block(when),
        f"The time of each is given above (UTC). {current}",
        "## 14. Peer review",
        "Review of the queries by a person: not recorded by this program.",
        *(_said("Validation with seed studies:", seed_study_lines(answer)) or [unknown]),
    ]


def _records(answer: Answer) -> list[str]:
    counts = answer.counts
    taken = [
        f"query {name_of(query, place)}: {len(query.ids):,} of {number(query.count, 'hit')}"
        for place, query in enumerate(answer.queries, 1)
        if not failed_search(query)
    ]
    chase = answer.search_report.chase
    reasons = sorted(
        {
            article.reason
            for article in answer.articles
            if "not judged" in article.flags and article.reason
        }
    )
    flow = [
        *taken,
        f"records by links: {chase.taken:,} of {chase.new:,} new ones" if chase else "",
        f"{counts.found:,} different records; {counts.fetched:,} fetched",
        f"{counts.excluded:,} excluded by dates, regime or request",
        (
            f"{counts.not_assessed:,} "
            f"not judged{': ' + '; '.join(reasons) if counts.not_assessed and reasons else ''}"
        ),
        (
            f"{counts.judged:,} judged, {counts.relevant:,} of them relevant, "
            f"{counts.summarised:,} summarised, {counts.cited:,} cited"
        ),
    ]
    return [
        "## 15. Total records",
        _block("\n".join(line for line in flow if line)),
        "## 16. Deduplication",
        (
            "Records were treated as duplicates if the source gives them the same identifier (the "
            "PMID in PubMed). "
            f"{number(counts.duplicates, 'duplicate')} removed; the rankings of the queries were "
            "fused by reciprocal rank."
        ),
        *_list(overlap_lines(answer)),
    ]


def _program(answer: Answer) -> str:
    """Return who ran the search: program, models, seed, prompts."""
    settings = answer.settings
    models = settings.get("models")
    lines = [f"clinfo {settings.get('version', '(version not recorded)')}"]
    if isinstance(models, Mapping):
        lines += [f"model for {stage}: {name}" for stage, name in models.items()]
    lines += [f"{name}: {settings[name]}" for name in ("seed", "temperature") if name in settings]
    prompts = settings.get("prompts")
    if isinstance(prompts, Mapping):
        lines += [f"prompt {name}: sha256 {digest}" for name, digest in prompts.items()]
    return _block("\n".join(lines))


def _origin(answer: Answer) -> str:
    settings = answer.settings
    if given := settings.get("documents"):
        return f"No query was made: the asker gave {given:,} records, and all of them were taken."
    own = settings.get("own_queries")
    if own or (
        own is None
        and answer.queries
        and all(query.seed is None and not query.breadth for query in answer.queries)
    ):
        return "The queries were written by the user and sent unchanged."
    repaired = "" if settings.get("repair", True) else " They were sent without repairs."
    if answer.understood is not None:
        return (
            f"The program composed the queries from the model's reading of the question.{repaired}"
        )
    return f"The model wrote the queries from the question, one for each seed.{repaired}"


def _regime(settings: Mapping[str, object]) -> str:
    regime, drop = settings.get("regime", "not recorded"), settings.get("drop")
    before = (
        f": only articles certainly published before {settings['before']}"
        if settings.get("before")
        else ""
    )
    dropped = (
        f": never {', '.join(map(str, drop))}" if isinstance(drop, (list, tuple)) and drop else ""
    )
    return one_line(f"regime {regime}{before}{dropped}")


def _most(settings: Mapping[str, object], key: str, name: str) -> str:
    return one_line(f"{name}: {settings[key]}") if key in settings else f"{name}: not recorded"


def _at(sent_at: str) -> str:
    return f"on {one_line(sent_at)}" if sent_at else "at a time not recorded"


def _said(heading: str, lines: Sequence[str]) -> list[str]:
    """Lines as a block under a line that says what they are; nothing without any."""
    return [heading, _block("\n".join(lines))] if lines else []


def _list(lines: list[str]) -> list[str]:
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def _block(text: str) -> str:
    """Text as it is, every line of it indented: in Markdown a block in which nothing is markup."""
    return "\n".join(f"    {line}".rstrip() for line in printable(text).split("\n"))
