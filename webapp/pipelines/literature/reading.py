"""The page of an answer as values that a template shows: read from the run's events, worded as the
command line words it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from clinfo.pipelines.literature import NARROWING, LiteratureLog, build_answer
from clinfo.records import Answer, Reference, RunRequest
from clinfo.render import REFUSED, how_searched, made_with
from clinfo.runs import Event
from clinfo.text import day, one_line
from clinfo.text import printable_text as printable
from clinfo.views import (
    NONE_VERIFIED,
    STRONGEST_FIRST,
    Count,
    Way,
    WhatIsNew,
    article_notices,
    checked,
    cost,
    evidence_rows,
    funnel,
    left_on_the_way,
    listed,
    models_in_words,
    same_studies,
    seconds,
    standing,
    taken,
    ways_to_widen,
)
from clinfo.views import news_of as what_is_new
from clinfo.views import why_unanswered as unanswered
from webapp.pipelines.literature.found_articles import counted, found_articles
from webapp.pipelines.literature.passages import (
    paragraphs,
    reasons,
    removed,
    sentences,
    texts,
)
from webapp.pipelines.literature.run_facts import (
    STAGES,
    prompt_changes,
    settings,
    shown_notices,
    shown_query,
    source_in_words,
)
from webapp.pipelines.literature.shown_evidence import effect_sizes, plot_tables, sides
from webapp.pipelines.literature.shown_references import first_cited, references, short_name, source
from webapp.records import NotFound, StoredRun
from webapp.services import services
from webapp.visitors import visible

MOST_LEFT_OUT = 40
"""Articles left out that the page itself lists; the rest stands on the page of all of them."""
DRAFT = "draft: not checked yet"
"""The mark of a TL;DR whose sentences have no verdict yet."""
MOST_COPIED = 20
"""Sources that are copied with the TL;DR; it seldom cites as many."""


def reading(
    events: Sequence[Event],
    *,
    resolver: str | None = None,
    address: str = "",
    sources: Sequence[str] = (),
) -> SimpleNamespace:
    """Return what the templates of an answer show of a run so far, by their names, in the order of
    the page. ``address`` is where the page is, ``sources`` those the host offers.

    Raises ValueError without a run_started event.
    """
    run_log = LiteratureLog(events)
    answer = build_answer(run_log)
    started = run_log.started
    assert started is not None
    finished = "answer" in run_log
    articles = {article.id: article for article in run_log.articles}
    numbers = {reference.n for reference in answer.references}
    short = {reference.n: short_name(articles[reference.id]) for reference in answer.references}
    tldr = sentences(answer, "tldr", numbers)
    synthesis = sentences(answer, "synthesis", numbers)
    found = found_articles(run_log, answer, resolver)
    without = finished and not (answer.synthesis or answer.tldr)
    left = counted(found, "left-out")
    rows = evidence_rows(answer, run_log.articles)
    first = first_cited(answer)
    return SimpleNamespace(
        question=one_line(answer.question),
        finished=finished,
        begun=bool(answer.counts.fetched),
        notices=shown_notices(answer.notices),
        tldr=tldr,
        tldr_text="" if tldr else printable(answer.tldr).strip(),
        tldr_reasons=reasons(tldr),
        refused_tldr="" if answer.settings.get("strict") else one_line(answer.refused_tldr),
        refused_note=REFUSED,
        unverified=NONE_VERIFIED if answer.unverified else "",
        withheld=bool(answer.withheld_text),
        paragraphs=paragraphs(synthesis),
        reasons=reasons(synthesis),
        synthesis_text="" if synthesis else printable(answer.synthesis).strip(),
        checked=checked(answer) if answer.sentences else "",
        removed=removed(run_log),
        unanswered=unanswered(answer) if without else None,
        unanswered_said=without_flags(unanswered(answer).said) if without else "",
        widenings=widenings(answer, started.request, sources)
        if without and not answer.withheld_text
        else (),
        tldr_mark="" if tldr and finished else DRAFT,
        effects=effect_sizes(answer),
        standing=standing(answer),
        sides=sides(answer),
        balance_texts=texts(
            (answer.appraisal.balance.lead_text, answer.appraisal.balance.text), numbers
        )
        if answer.appraisal.balance
        else (),
        uncertainty=texts(answer.appraisal.uncertainty, numbers),
        rows=rows,
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
        other_counts=(
            *left_on_the_way(answer),
            *([Count(len(left), "left out in total", "left-out")] if left else []),
        ),
        left_out=left[:MOST_LEFT_OUT],
        left_out_count=len(left),
        warnings=tuple(map(one_line, answer.warnings)),
        figures=taken(answer),
        timings=tuple(
            (STAGES.get(name, name), seconds(value))
            for name, value in answer.timings.items()
            if name != "total"
        ),
        usage=tuple(
            (STAGES.get(stage, stage), used_, cost(used_))
            for stage, used_ in answer.usage.by_stage.items()
        ),
        made_with=made_with(answer),
        searched_on=day(answer.searched_on),
        source=source_in_words(answer),
        models=listed(models_in_words(answer)),
        settings=settings(answer, started.request),
        prompt_changes=prompt_changes(started.request),
        copy_text=copy_text(answer, address),
        short_names=short,
    )


def copy_text(answer: Answer, address: str) -> str:
    """TL;DR, sources and date, for the clipboard."""
    tldr = printable(answer.tldr).strip() or "No answer was written."
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


def changes(name: str, request: RunRequest) -> dict[str, Any] | None:
    """The fields that a way changes, None for a name that is no way."""
    if name == "pubmed":
        return {"source": "pubmed"}
    if name == "per-query":
        return {"per_query": min(MOST_PER_QUERY, max(32, 2 * request.per_query))}
    if name == "articles":
        return {"max_articles": min(10_000, 2 * request.max_articles)}
    if name == "limits":
        return dict.fromkeys(NARROWING)
    if name == "generated":
        return {"query": None}
    return None


@dataclass(frozen=True)
class Since:
    """``found`` is what changed since the run ``earlier``, which was asked ``when`` (in words).

    ``set_differently`` are (name, then, now) of settings that differ: what changed may come from
    them.
    """

    earlier: str
    when: str
    found: WhatIsNew
    set_differently: tuple[tuple[str, str, str], ...]


def since(run: StoredRun, events: Sequence[Event]) -> Since | None:
    """What changed since the run that this one repeats or follows up; None where there is none,
    where it asked another question, was deleted or may not be seen, and where one of the two has no
    whole answer.
    """
    if (linked := run.again_of or run.parent) is None:
        return None
    try:
        earlier = visible(linked)
    except NotFound:
        return None
    if earlier.pipeline != run.pipeline or earlier.request.question != run.request.question:
        return None
    then: LiteratureLog = services().store.log(earlier)
    now = LiteratureLog(events)
    if "answer" not in then or "answer" not in now:
        return None
    before, answer = build_answer(then), build_answer(now)
    were = dict(settings(before, earlier.request))
    are = dict(settings(answer, run.request))
    return Since(
        earlier.id,
        _when(earlier.created_at, run.created_at),
        what_is_new(before, answer),
        tuple(
            (name, one_line(were.get(name, "none")), one_line(are.get(name, "none")))
            for name in dict.fromkeys([*are, *were])
            if were.get(name) != are.get(name)
        ),
    )


def _when(then: float, now: float) -> str:
    """The day, with the time where both were asked on one day (UTC)."""
    moment, today = (datetime.fromtimestamp(seconds, UTC) for seconds in (then, now))
    said = day(moment.date().isoformat())
    return f"{said}, {moment:%H:%M} UTC" if moment.date() == today.date() else said
