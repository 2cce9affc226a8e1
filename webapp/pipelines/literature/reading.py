"""The page of an answer as values that a template shows: read from the run's events, worded as the
command line words it.
"""

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

from clinfo import sources
from clinfo.claims import judge_spec as spec
from clinfo.evidence import MOST_ROWS, PlotGroup, drawable
from clinfo.pipelines.literature import (
    LITERATURE,
    NARROWING,
    PROMPTS,
    LiteratureLog,
    at,
    build_answer,
)
from clinfo.records import (
    EXTRACTIVE,
    Answer,
    Reference,
    RunRequest,
    SearchedQuery,
)
from clinfo.render import REFUSED, how_searched, made_with
from clinfo.text import day, one_line, printable_text
from clinfo.views import (
    STRONGEST_FIRST,
    Way,
    article_notices,
    best_source,
    caveat,
    checked,
    cost,
    effect_text,
    evidence_rows,
    failed_search,
    funnel,
    left_on_the_way,
    listed,
    models_in_words,
    news_of,
    number,
    outcomes,
    query_view,
    resolved_as,
    same_studies,
    seconds,
    taken,
    tally,
    ways_to_widen,
    why_unanswered,
)
from webapp.pipelines.literature.sources import (
    first_cited,
    paragraphs,
    reasons,
    references,
    removed,
    search_link,
    sentences,
    short_name,
    source,
    texts,
)
from webapp.records import NotFound, StoredRun
from webapp.services import services
from webapp.visitors import visible

STAGES = {step.name: step.doing for step in LITERATURE.steps}


def prompt_changes(request: RunRequest) -> list[dict[str, Any]]:
    """The prompts that a run replaced and that differ from the default ones, each with the lines
    that differ, " ", "-", "+" or "@" before each.
    """
    defaults = PROMPTS.defaults()
    changes = []
    for name, text in request.prompts.items():
        before, after = defaults.get(name, "").splitlines(), printable_text(text).splitlines()
        lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
        if lines:
            changes.append({"name": name, "lines": [(one[:1] or " ", one[1:]) for one in lines]})
    return changes


def shown_query(query: SearchedQuery, place: int) -> dict[str, Any]:
    """A query with what its source answered; ``elsewhere`` says that ``link`` leads to another
    source than was searched, ``counted_there`` that it shows what ``hits`` counts. ``place`` counts
    the queries from 1, for records without numbers.
    """
    source = sources.spec(query.source)
    return vars(query_view(query, place)) | {
        "link": search_link(query.source, query.sent or query.text),
        "elsewhere": bool(source and source.caution),
        "counted_there": bool(source and source.counts_there) and not failed_search(query),
    }


def settings(answer: Answer, request: RunRequest) -> tuple[tuple[str, str], ...]:
    """Return what the run was set to, each with its name as the form has it; what is not set is
    left out.
    """
    settings: Mapping[str, Any] = answer.settings
    models = settings.get("models")
    by_stage = models if isinstance(models, Mapping) else {}
    language = set(by_stage.values()) != {EXTRACTIVE}
    shown = [("Model", listed(models_in_words(answer)))]
    if len(set(by_stage.values())) > 1:
        shown = [(f"Model for {STAGES.get(one, one)}", str(name)) for one, name in by_stage.items()]
    return tuple(
        (name, one_line(value))
        for name, value in (
            *shown,
            ("Source", sources.title(str(answer.settings.get("source", "")))),
            ("Documents given", f"{len(request.documents):,}" if request.documents else ""),
            *(
                (one.option.label, _set_to(one, getattr(request, one.field)))
                for name, one in at("form").items()
                if name not in ("question", "model", "source", "judge")
            ),
            ("Checked by", _judges(settings)),
            ("Edition of the checks", str(settings.get("checks") or "older than 2")),
            ("Retractions known by", str(settings.get("retractions") or "the source's records")),
            ("Temperature", str(settings.get("temperature", "")) if language else ""),
            ("Prompts edited", listed([str(one) for one in settings.get("prompts_edited") or ()])),
            ("Version", f"clinfo {settings['version']}" if "version" in settings else ""),
        )
        if value
    )


def _set_to(one: Any, value: Any) -> str:
    """The value of a declared option in words, "" for none."""
    if isinstance(value, bool):
        return "yes" if value else "no" if one.default else ""
    every = value if isinstance(value, tuple) else (value,)
    said = [
        f"{each:g}" if isinstance(each, float) else str(each) for each in every if each is not None
    ]
    if value and isinstance(value, date):
        said = [day(value.isoformat())]
    titles = one.option.choices
    return listed([titles[each][0] if each in titles else each for each in said])


def _judges(settings: Mapping[str, Any]) -> str:
    choice, learned = settings.get("judge"), settings.get("learned_judge")
    known = spec(str(choice)) if choice else None
    said = ["a language model"] if known and known.model else []
    said += [f"the entailment model {learned}"] if learned else []
    return listed(said) or "nobody"


def plot_tables(answer: Answer, short: Mapping[int, str]) -> list[dict[str, Any]]:
    """The plots that can be drawn, by number, with their figures in words, for those who do not see
    them: number, study, outcome, effect. ``height`` is about how many pixels one takes at a width
    of 960, so that the page keeps room for it.
    """
    plots = []
    for place, group in enumerate(drawable(answer.appraisal.rows), 1):
        rows = [
            (row.n, short.get(row.n, ""), one_line(row.outcome or ""), effect_text(row.effect))
            for row in group.rows
            if row.effect
        ]
        title, studies = one_line(group.title), number(len(rows), "study", "studies")
        alt = f"{title} with intervals, {studies}; the table below gives the same numbers."
        shown = {"number": place, "title": title, "alt": alt}
        plots.append(shown | {"height": _height(group), "rows": rows})
    return plots


def _height(group: PlotGroup) -> int:
    """Pixels at a width of 960, from the room that `clinfo.evidence.plot` gives headings, rows and
    their outcomes.
    """
    lines = 1.45 * len({row.design for row in group.rows}) + 2.35 * min(len(group.rows), MOST_ROWS)
    return round(115 * (2.2 + 0.19 * lines))


DRAFT = "draft: not checked yet"
"""The mark of a TL;DR whose sentences have no verdict yet."""
UNVERIFIED = "not verified"
MOST_COPIED = 20
"""Sources that are copied with the TL;DR; it seldom cites as many."""


def reading(
    run_log: LiteratureLog,
    *,
    resolver: str | None = None,
    address: str = "",
    offered: Sequence[str] = (),
    only: Collection[str] = (),
) -> SimpleNamespace:
    """Return what the templates of an answer show of a run so far, by their names, in the order of
    the page. ``address`` is where the page is, ``offered`` the sources of the host, ``only`` the
    studies (citation numbers) that the table shows where not all.

    Raises ValueError without a run_started event.
    """
    answer = build_answer(run_log)
    started = run_log.started
    assert started is not None
    finished = "answer" in run_log
    articles = {article.id: article for article in run_log.articles}
    numbers = {reference.n for reference in answer.references}
    short = {reference.n: short_name(articles[reference.id]) for reference in answer.references}
    tldr = sentences(answer, "tldr", numbers)
    synthesis = sentences(answer, "synthesis", numbers)
    without = finished and not (answer.synthesis or answer.tldr)
    every = evidence_rows(answer, run_log.articles)
    rows = tuple(row for row in every if str(row.n) in only) or every
    first = first_cited(answer)
    return SimpleNamespace(
        question=one_line(answer.question),
        resolved=answer.resolved,
        resolved_as=resolved_as(answer.resolved) if answer.resolved else "",
        finished=finished,
        begun=bool(answer.counts.fetched),
        notices=tuple(map(one_line, answer.notices)),
        tldr=tldr,
        tldr_text="" if tldr else printable_text(answer.tldr).strip(),
        tldr_reasons=reasons(tldr),
        refused_tldr="" if answer.settings.get("strict") else one_line(answer.refused_tldr),
        refused_note=REFUSED,
        withheld=bool(answer.withheld_text),
        paragraphs=paragraphs(synthesis),
        reasons=reasons(synthesis),
        synthesis_text="" if synthesis else printable_text(answer.synthesis).strip(),
        checked=checked(answer) if answer.sentences else "",
        removed=removed(run_log),
        unanswered=why_unanswered(answer) if without else None,
        unanswered_said=without_flags(why_unanswered(answer).said) if without else "",
        widenings=widenings(answer, started.request, offered)
        if without and not answer.withheld_text
        else (),
        tldr_mark=UNVERIFIED if answer.unverified else "" if tldr and finished else DRAFT,
        tally=tally(answer),
        outcomes=outcomes(answer),
        certainty=answer.certainty,
        best_source=best_source(answer),
        caveat=caveat(answer),
        uncertainty=texts(answer.appraisal.uncertainty, numbers),
        rows=rows,
        rows_only=f"{len(rows):,} of {number(len(every), 'study', 'studies')}"
        if len(rows) < len(every)
        else "",
        rows_note=STRONGEST_FIRST if answer.appraisal.rows else "",
        same_study=texts(same_studies(answer), numbers),
        plots=plot_tables(answer, short),
        article_notices=article_notices(answer),
        references=references(answer, articles, resolver),
        not_cited={one.n for one in answer.references if not one.cited},
        first_source=source(answer, articles, *first, resolver) if first else None,
        queries=tuple(shown_query(query, place) for place, query in enumerate(answer.queries, 1)),
        how_searched=tuple(how_searched(answer)),
        funnel=funnel(answer),
        other_counts=left_on_the_way(answer),
        warnings=tuple(map(one_line, answer.warnings)),
        figures=taken(answer),
        timings=tuple(
            (STAGES.get(name, name), seconds(value))
            for name, value in answer.timings.items()
            if name != "total"
        ),
        usage=tuple(
            (STAGES.get(stage, stage), used_, cost(used_.cost_usd))
            for stage, used_ in answer.usage.by_stage.items()
        ),
        made_with=made_with(answer),
        searched_on=day(answer.searched_on),
        source=sources.title(str(answer.settings.get("source", ""))),
        models=listed(models_in_words(answer)),
        settings=settings(answer, started.request),
        prompt_changes=prompt_changes(started.request),
        copy_text=copy_text(answer, address),
        short_names=short,
    )


def copy_text(answer: Answer, address: str) -> str:
    """TL;DR, sources and date, for the clipboard."""
    tldr = printable_text(answer.tldr).strip() or "No answer was written."
    of_tldr = {
        n for sentence in answer.sentences if sentence.part == "tldr" for n in sentence.cites
    }
    sources = [one for one in answer.references if one.n in of_tldr] or [
        one for one in answer.references if one.cited
    ]
    parts = [one_line(answer.question), tldr]
    if sources:
        more = [f"and {len(sources) - MOST_COPIED:,} more"] if len(sources) > MOST_COPIED else []
        parts.append("Sources:\n" + "\n".join([*map(_source_line, sources[:MOST_COPIED]), *more]))
    parts.append(made_with(answer) + ".")
    parts += [one_line(notice) for notice in answer.notices]
    parts.append("Not medical advice." + (f" The whole answer: {address}" if address else ""))
    return "\n\n".join(parts)


def _source_line(reference: Reference) -> str:
    flags = f" ({one_line('; '.join(reference.flags))})" if reference.flags else ""
    return f"[{reference.n}] {one_line(reference.citation)}{flags} {reference.url}".rstrip()


MOST_PER_QUERY = 200


def widenings(answer: Answer, request: RunRequest, sources: Sequence[str]) -> tuple[Way, ...]:
    """The ways that may help this answer, best first; ``sources`` are those that the host
    offers.
    """
    useless = {"pubmed"} - set(sources) | (
        {"per-query"} if request.per_query >= MOST_PER_QUERY else set()
    )
    ways = [way for way in ways_to_widen(answer) if way.name not in useless]
    if request.own_queries and answer.settings.get("own_queries"):
        ways.insert(
            0, Way("generated", "generate queries from the question instead of using your own")
        )
    return tuple(ways)


def without_flags(text: str) -> str:
    """Text without the flags of the command line that it names in parentheses."""
    return re.sub(r"\s*\(--[a-z-]+[^)]*\)", "", text)


def changes(name: str, request: RunRequest, longest: float) -> dict[str, Any] | None:
    """The fields that a way changes, None for a name that is no way; ``longest`` is the most time
    that a run may have, in seconds.
    """
    ways: dict[str, dict[str, Any]] = {
        "time": {"max_seconds": min(longest, 3 * (request.max_seconds or longest))},
        "pubmed": {"source": "pubmed"},
        "per-query": {"per_query": min(MOST_PER_QUERY, max(32, 2 * request.per_query))},
        "articles": {"max_articles": min(10_000, 2 * request.max_articles)},
        "limits": dict.fromkeys(NARROWING),
        "generated": {"query": None},
    }
    return ways.get(name)


def since(run: StoredRun, now: LiteratureLog) -> dict[str, Any] | None:
    """The changes (``found``) since the run that this one repeats or follows up, which was asked
    ``when`` (in words); ``set_differently`` are (name, then, now) of settings that differ: what
    changed may come from them. None where there is none, where it asked another question, was
    deleted or may not be seen, and where one of the two has no whole answer.
    """
    if (linked := run.again_of or run.parent) is None:
        return None
    try:
        earlier = visible(linked)
    except NotFound:
        return None
    if earlier.pipeline != run.pipeline:
        return None
    then: LiteratureLog = services().store.log(earlier)
    if then.question != now.question or "answer" not in then or "answer" not in now:
        return None
    before, answer = build_answer(then), build_answer(now)
    were = dict(settings(before, earlier.request))
    are = dict(settings(answer, run.request))
    return {
        "earlier": earlier.id,
        "when": _when(earlier.created_at, run.created_at),
        "found": news_of(before, answer),
        "set_differently": [
            (name, one_line(were.get(name, "none")), one_line(are.get(name, "none")))
            for name in dict.fromkeys([*are, *were])
            if were.get(name) != are.get(name)
        ],
    }


def _when(then: float, now: float) -> str:
    """The day, with the time where both were asked on one day (UTC)."""
    moment, today = (datetime.fromtimestamp(seconds, UTC) for seconds in (then, now))
    said = day(moment.date().isoformat())
    return f"{said}, {moment:%H:%M} UTC" if moment.date() == today.date() else said
