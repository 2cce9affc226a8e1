"""Events that a run of the literature chain records when its deadline has passed."""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pipelines.literature.events import ArticlesNotAssessed
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import Article, RunRequest
from clinfo.runs import deadline
from clinfo.runs.deadline import DEADLINE
from clinfo.runs.recorder import Recorder


class Deadline(deadline.Deadline):
    """The deadline of a run that searches and reads."""

    def __init__(self, request: RunRequest, recorder: Recorder[LiteratureLog]) -> None:
        super().__init__(request.max_seconds, recorder)
        self._recorder: Recorder[LiteratureLog] = recorder

    @property
    def recorded(self) -> bool:
        """Return whether it was reached before this run went on."""
        return (
            f"screened {DEADLINE}" in self._recorder.run_log
            or f"warning {DEADLINE}" in self._recorder.run_log
        )

    def cut_search(self) -> None:
        """Record that it fell into the search."""
        self._recorder.warn(
            DEADLINE, f"The deadline{self.told} passed before the search was finished.", "retrieve"
        )

    def cut_reading(self, articles: Sequence[Article]) -> None:
        """Record which of ``articles`` it left unread; a run that goes on after its deadline
        records nothing anew.
        """
        run_log = self._recorder.run_log
        if f"warning {DEADLINE}" in run_log:
            return
        unread = tuple(article.id for article in articles if f"judged {article.id}" not in run_log)
        if unread:
            self._recorder.emit(
                ArticlesNotAssessed(ids=unread, cause=DEADLINE, reason="not read by the deadline")
            )
        judged, relevant, summarised = (
            len(run_log.judgements),
            len(run_log.relevant),
            len(run_log.summaries),
        )
        usable = len(run_log.articles) - len(run_log.excluded)
        self._recorder.warn(
            DEADLINE,
            f"The deadline{self.told} was reached: {judged:,} of {usable:,} articles were judged "
            "and "
            f"{summarised:,} of {relevant:,} relevant ones summarised.",
            "relevance",
        )
