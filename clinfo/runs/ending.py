"""The end of a run: with its answer, or with the error that a caller is to see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clinfo import errors
from clinfo.errors import Cancelled, ClinfoError, RecordError
from clinfo.runs.events import Answered, Event, RunCancelled, RunFailed
from clinfo.runs.run_log import RunLog


def ended(
    events: Sequence[Event], raised: Mapping[str, Exception] | None = None
) -> Sequence[Event]:
    """The events of a run that came to its answer. Raises what ended it otherwise, RecordError
    where nothing did. The cause is the one of ``raised``, by its message, that the run tells of.
    """
    if any(isinstance(event, Answered) for event in events):
        return events
    last = events[-1]
    if isinstance(last, RunCancelled):
        raise Cancelled("the run was cancelled")
    if isinstance(last, RunFailed):
        kind = getattr(errors, last.error, ClinfoError)
        error = kind(last.problem) if issubclass(kind, ClinfoError) else ClinfoError(last.problem)
        error.retryable, error.cost_usd = last.retryable, RunLog(events).spent_usd
        causes = (raised or {}).items()
        raise error from next((one for said, one in causes if said in last.problem), None)
    raise RecordError("the saved run is not finished; ask with the same save= to resume it")
