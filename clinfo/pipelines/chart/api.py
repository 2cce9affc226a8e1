"""The chart pipeline as a program calls it: `clinfo.chart`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from clinfo.pipelines.calling import (
    Model,
    PipelineAnswer,
    carried_out,
    door,
    named_model,
    new_events,
)
from clinfo.pipelines.chart import records
from clinfo.pipelines.chart.answer import build_answer, trace_text
from clinfo.pipelines.chart.events import ChartLog
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.stages import CHART
from clinfo.runs.events import Event
from clinfo.settings import load_settings


class ChartAnswer(PipelineAnswer[ChartLog, records.ChartAnswer]):
    """The answer of one patient's notes; ``record`` is `records.ChartAnswer`.

    ``answer`` is in words, or "not documented"; ``notes`` are those found, best first, with the
    ``spans`` that bear on the question. ``status`` is the exit status that the command line would
    have: 0, or 3 where it is not documented.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(
            CHART, build_answer, lambda record: record.answer != records.NOT_DOCUMENTED, events
        )
        self.answer = self.record.answer
        self.notes = self.record.notes
        self.warnings = self.record.warnings

    @property
    def trace(self) -> str:
        """The audit of the run, as ``--trace`` writes it."""
        return trace_text(self._log)


@door
def chart(
    record: str | Path | Sequence[str | Path],
    question: str,
    *,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> ChartAnswer:
    """The answer to a question from one patient's notes: files and folders.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores, ``visit`` and ``category`` lists. Raises the class of `clinfo.errors` that
    carries the exit status the command line would have; NotForPatients where the model may not see
    patients' records.
    """
    settings = load_settings()
    request = request_of(settings, record, question, named_model(model), **options)
    return ChartAnswer(carried_out(CHART, settings, request, model, save))


async def stream_chart(
    record: str | Path | Sequence[str | Path],
    question: str,
    *,
    model: Model = None,
    after: Sequence[Event] = (),
    **options: Any,
) -> AsyncGenerator[Event, None]:
    """The events of a run of `chart` as they happen, after those of an earlier one to go on from;
    whoever stops to read them ends the run. Raises what `chart` does before its run begins.
    """
    settings = load_settings()
    request = request_of(settings, record, question, named_model(model), **options)
    async for event in new_events(CHART, settings, request, model, after):
        yield event
