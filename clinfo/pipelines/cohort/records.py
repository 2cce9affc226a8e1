"""The request of an index of patients' records by the cohort pipeline, and the events of a run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from clinfo.records.request import MAX_QUESTION, Option
from clinfo.runs.events import Event, EventTypes
from clinfo.runs.run_log import RunLog
from clinfo.text.wording import number

ASKED: Final = "What is asked"
FOUND: Final = "How members are found"


@dataclass(frozen=True)
class CohortRequest:
    """Everything a run of the cohort pipeline is asked.

    ``index`` is the folder of an index; ``criteria`` are in words, for a model; a ``query`` (its
    language is on a page of docs/cohort.md) or a ``form``, a logical form as JSON, count instead.
    ``as_of`` is the day (ISO 8601, "" the day of asking) after which notes do not count.
    ``explain`` tells of the others too; ``shown`` is how many
    patients of each value are given with their evidence, None for all. With ``least`` more than 1
    counts are given as ranges of so many numbers, and no patients
    (`clinfo.pipelines.cohort.answer`).
    """

    index: str
    criteria: Annotated[
        str,
        Option("In words, for the model.", ASKED, longest=MAX_QUESTION, places=("http",)),
    ] = ""
    query: Annotated[
        str,
        Option(
            "A query instead of criteria; no model is asked. docs/cohort.md has its language.",
            ASKED, metavar="TEXT", longest=MAX_QUESTION, places=("cli", "http"),
        ),
    ] = ""  # fmt: skip
    form: Annotated[
        Mapping[str, Any] | None,
        Option("A logical form, or an answer with one.", ASKED, places=("http",)),
    ] = None
    as_of: Annotated[
        str,
        Option(
            "What was known on that day: notes after it do not count.",
            ASKED, metavar="DAY", places=("cli", "http"),
        ),
    ] = ""  # fmt: skip
    explain: Annotated[
        bool,
        Option(
            "Tell of the other patients too, why they do not match.", ASKED, places=("cli", "http")
        ),
    ] = False
    shown: int | None = None
    least: int = 0
    models: Mapping[str, str] = field(default_factory=dict)
    seed: Annotated[
        int,
        Option("Seed of the model's calls.", FOUND, metavar="N", most=2**31 - 1, places=("cli",)),
    ] = 0
    max_cost: Annotated[
        float | None, Option("Most US dollars to spend.", FOUND, metavar="USD", places=("cli",))
    ] = None
    max_seconds: float | None = None

    @property
    def question(self) -> str:
        """Return what is asked, for a reader."""
        return self.criteria or self.query or "a form"


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
