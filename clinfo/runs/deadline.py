"""The time a run may take, and what it records when that is over."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pipelines.literature.events import ArticlesScreened, Warned
from clinfo.records.articles import Article, RunRequest
from clinfo.runs.recorder import Recorder

DEADLINE = "deadline"


class Deadline:
    """The deadline of one run; without ``max_seconds`` it never comes."""

    def __init__(self, request: RunRequest, recorder: Recorder) -> None:
        self._most = request.max_seconds
        self._recorder = recorder

    @property
    def left(self) -> float | None:
        """Seconds until the deadline, at least 0; None without one."""
        return None if self._most is None else max(0.0, self._most - self._recorder.elapsed)

    @property
    def recorded(self) -> bool:
        """Whether it was reached before this run went on."""
        return f"screened {DEADLINE}" in self._recorder.transcript or f"warning {DEADLINE}" in self._recorder.transcript

    def cut_search(self) -> None:
        """Record that it fell into the search."""
        text = f"The deadline{self._limit} was reached before the search was done."
        self._recorder.emit(Warned(about=DEADLINE, text=text, where="retrieve"))

    def cut_reading(self, articles: Sequence[Article]) -> None:
        """Record which of ``articles`` it left unread; a run that goes on after its deadline records nothing anew."""
        transcript = self._recorder.transcript
        if f"warning {DEADLINE}" in transcript:
            return
        unread = tuple(article.id for article in articles if f"judged {article.id}" not in transcript)
        if unread:
            self._recorder.emit(ArticlesScreened(ids=unread, cause=DEADLINE, reason="not read before the deadline"))
        judged, relevant, summarised = len(transcript.judgements), len(transcript.relevant), len(transcript.summaries)
        usable = len(transcript.articles) - len(transcript.withheld)
        text = (
            f"The deadline{self._limit} was reached: {judged:,} of {usable:,} articles were judged and "
            f"{summarised:,} of {relevant:,} relevant ones summarised."
        )
        self._recorder.emit(Warned(about=DEADLINE, text=text, where="relevance"))

    @property
    def _limit(self) -> str:
        """The deadline that the run began with, in words; a resumed run may have none."""
        started = self._recorder.transcript.started
        first = started.request.max_seconds if started else None
        limit = first if first is not None else self._most
        return "" if limit is None else f" of {limit:g} s"
