"""Events of a run of the cohort pipeline, besides those of every run (`clinfo.runs.events`)."""

from collections.abc import Iterator, Mapping
from typing import Any

from clinfo.pipelines.cohort.records import CohortRequest
from clinfo.runs.events import Event, EventTypes
from clinfo.runs.run_log import RunLog
from clinfo.text.wording import number


class IndexOpened(Event, stage="index", key="index"):
    """The index as it was when the run began: what it says of itself (``closed_at``, its
    vocabularies), how many patients it has and how many notes they have, as counts are shown.
    """

    about: Mapping[str, str]
    patients: int | str
    notes: int | str


class CriteriaRefused(Event, stage="criteria", key="refused"):
    """The criteria's words that are not understood, with the names that each may be meant by, the
    query that the rest was read as, the reasons that were given, what is said of it but the query,
    and what the model took for granted.
    """

    words: tuple[str, ...]
    near: Mapping[str, tuple[str, ...]]
    query: str = ""
    reasons: Mapping[str, str] | None = None
    told: str = ""
    assumptions: tuple[str, ...] = ()


class CriteriaRead(Event, stage="criteria", key="criteria"):
    """The logical form as JSON and as a query; ``translated_by`` is the model that gave it, ""
    where a person did; ``assumptions`` are what the model took for granted.
    """

    form: Mapping[str, Any]
    text: str
    translated_by: str = ""
    assumptions: tuple[str, ...] = ()


class CohortFound(Event, stage="cohort", key="cohort"):
    """The cohort as the JSON answer has it; ``others`` are those who are no members, None where
    they were not asked for, ``boxes`` the parts of the form with how many match each, ``caveats``
    where the form finds otherwise than its words may say.
    """

    members: tuple[Mapping[str, Any], ...]
    not_documented: tuple[str, ...]
    attrition: tuple[Mapping[str, Any], ...]
    counts: Mapping[str, int | str]
    others: tuple[Mapping[str, Any], ...] | None = None
    boxes: Mapping[str, Any] | None = None
    caveats: tuple[str, ...] = ()


EVENTS = EventTypes(CohortRequest, (IndexOpened, CriteriaRefused, CriteriaRead, CohortFound))


def told(run_log: RunLog, event: Event) -> Iterator[str]:
    """The lines that tell of an event."""
    match event:
        case IndexOpened():
            yield f"{_counted(event.patients, 'patient')}, {_counted(event.notes, 'note')}"
        case CriteriaRead():
            yield f"read as: {event.text}"
        case CohortFound():
            yield f"{_counted(event.counts['members'], 'patient')} found"


def _counted(count: int | str, name: str) -> str:
    """A number of things; ``count`` may be a range in words."""
    return f"{count} {name}s" if isinstance(count, str) else number(count, name)
