"""Names what a run is waiting for, derived only from its events so far."""

from __future__ import annotations

from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import RunRequest
from clinfo.runs.events import StageTimed
from clinfo.sources import registry
from clinfo.views.wording import listed, number

PATIENCE = 8.0
"""Seconds without any event after which it is said what the run waits for."""
INTERVAL = 30.0
"""Seconds until it is said again."""


class Silence:
    """The time for which a run has been silent. Times are seconds of a clock that only grows."""

    def __init__(self, now: float) -> None:
        self._since = now
        self._said: float | None = None

    def broken(self, now: float) -> None:
        """Something happened."""
        self._since, self._said = now, None

    def lasts(self, now: float) -> bool:
        """Return whether it has lasted long enough to be spoken of."""
        return now - self._since >= PATIENCE

    def due(self, now: float) -> bool:
        """Return whether it is to be spoken of now; once it is, not again for `INTERVAL`."""
        if not self.lasts(now) or (self._said is not None and now - self._said < INTERVAL):
            return False
        self._said = now
        return True


def awaited(run_log: LiteratureLog) -> str:
    """``still waiting for …`` with the work that is open; nothing where none is, or none has
    begun.
    """
    started = run_log.started
    if started is None or "answer" in run_log:
        return ""
    request, timed = started.request, {event.where for event in run_log.all(StageTimed)}
    if run_log.fetched is None:
        return f"still waiting for {listed(_search(run_log, request))}"
    if "read" not in timed:
        return f"still waiting for {_reading(run_log, request)}"
    if "synthesis" not in timed:
        return (
            f"still waiting for {_model(request, 'synthesis')} to write the synthesis"
            if run_log.studies
            else ""
        )
    if "tldr" not in timed:
        return f"still waiting for {_model(request, 'tldr')} to write the TL;DR"
    proof = [
        "hits of single terms" if request.term_counts and "terms" not in run_log else "",
        "seed studies" if request.known and "known" not in run_log else "",
    ]
    asked = [part for part in proof if part]
    return (
        f"still waiting for {registry.title(request.source)} to answer for {listed(asked)}"
        if asked
        else ""
    )


def _search(run_log: LiteratureLog, request: RunRequest) -> list[str]:
    """Return who is to answer for the search to go on: the model, the source, or both."""
    source = registry.title(request.source)
    wanted = len(request.own_queries) or request.queries
    if request.strategy == "pico" and "warning pico" not in run_log:
        if run_log.understood is None:
            return [f"{_model(request, 'question2query')} to say what the question is about"]
        if not run_log.queries:
            return ["MeSH to be asked for the terms of the question"]
        wanted = len(run_log.queries)
    unwritten = wanted - len(run_log.queries)
    to_search = {
        event.query.index for event in run_log.queries if event.same_as is None and event.query.text
    }
    unanswered = to_search - {event.index for event in run_log.searches}
    parts = []
    if unwritten > 0:
        parts.append(f"{_model(request, 'question2query')} to write {_of(unwritten, wanted)}")
    if unanswered:
        parts.append(f"{source} to answer {_of(len(unanswered), wanted)}")
    return parts or [f"{source} to send the articles"]


def _of(open_ones: int, wanted: int) -> str:
    return (
        number(wanted, "query", "queries")
        if open_ones == wanted
        else f"{open_ones:,} of {number(wanted, 'query', 'queries')}"
    )


def _reading(run_log: LiteratureLog, request: RunRequest) -> str:
    models = listed(
        list(dict.fromkeys(_model(request, stage) for stage in ("relevance", "summary")))
    )
    return (
        f"{models} to read articles ({len(run_log.judgements):,} judged, "
        f"{len(run_log.summaries):,} summarised so far)"
    )


def _model(request: RunRequest, stage: str) -> str:
    return f"the model {request.models.get(stage, '')}".rstrip()
