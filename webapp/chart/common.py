"""What the pages of a patient's record share: the blueprint, the notes of a run, its log."""

from __future__ import annotations

from flask import Blueprint

from clinfo.errors import UsageError
from clinfo.patients.records import Note, Record
from clinfo.pipelines.chart.declared import CHART
from clinfo.pipelines.chart.run_log import ChartLog
from webapp.chart.asking import reader
from webapp.records import NotFound, StoredRun
from webapp.services import services

pages = Blueprint("chart", __name__)


def record_of(run: StoredRun) -> Record:
    """The record that the run searched. Where it was erased, the run goes too: NotFound."""
    try:
        return reader(services().chain)(run.request).one()
    except UsageError:
        services().store.delete(run.id)
        raise NotFound("The record of this run was erased, and the run with it.") from None


def notes_of(run: StoredRun) -> tuple[Note, ...]:
    """The notes and texts of coded entries that the run searched, as `record_of`."""
    from clinfo.pipelines.chart.choosing import chosen  # with numpy, which other pages do without

    return chosen(record_of(run), run.request)


def log_of(run: StoredRun) -> ChartLog:
    """What the run wrote down."""
    events = services().store.events(run.id)
    return ChartLog(CHART.events.loads(event.body for event in events))
