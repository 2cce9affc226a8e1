"""How runs of the literature pipeline are shown while they go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import RunRequest
from clinfo.views import steps
from webapp.watch import parts
from webapp.watch.shown import Listed, LivePipeline, Shown


def _parts(run_log: LiteratureLog, request: RunRequest, run_id: str) -> Iterator[Shown | Listed]:
    short = steps.tldr(run_log)
    reading = steps.reading(run_log)
    yield Shown("tldr", "tldr", (short, parts.sentence_pieces(run_log, short.sentences, "t")))
    yield Shown("synthesis-state", "synthesis_state", steps.writing(run_log))
    kind, pieces = parts.synthesis(run_log)
    yield Listed("synthesis", "piece", {one.name: one for one in pieces}, kind)
    yield Shown("reading", "reading", (reading, f"{run_id}/articles?which="))
    yield Shown("best", "best", parts.best(run_log, request))
    yield Shown("articles-head", "articles_head", reading)
    cards = parts.cards(run_log, request)
    yield Listed("articles", "article", {f"article-{card.place}": card for card in cards})
    yield Shown("found", "found", parts.found(run_log))
    yield Shown("understood", "understood", parts.understood(run_log, request))
    queries = parts.queries(run_log, request)
    yield Listed("queries", "query", {f"query-{one.number}": one for one in queries})
    for name, places in parts.NOTES.items():
        said = parts.notes(run_log, places)
        yield Listed(name, "note", {f"{name}-{n}": text for n, text in enumerate(said)})
    yield Shown("notices", "notices", parts.notices(run_log))
    yield Shown("used", "used", parts.used(run_log))


LIVE: Final = LivePipeline(
    "literature",
    "watch/literature.html",
    "watch/parts.html",
    {
        "synthesis": ("div", "reading synthesis"),
        "articles": ("ol", "articles"),
        "queries": ("ol", "queries"),
        "search-notes": ("ul", "notes"),
        "reading-notes": ("ul", "notes"),
        "writing-notes": ("ul", "notes"),
    },
    steps.steps,
    _parts,
    parts.status,
    parts.reading_left,
)
