"""The values of the copilot pipeline: what is asked, what tools brought, what is claimed of it,
and the events of a run with their log. Offsets are code points in a document's canonical text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from clinfo.records.answer import RunAnswer
from clinfo.records.articles import Verdict
from clinfo.records.observations import Observation, Observed
from clinfo.records.request import EVERYWHERE, Option, Place
from clinfo.runs.events import CostIncurred, Event, EventTypes, RunFailed
from clinfo.runs.run_log import Held, RunLog
from clinfo.text.wording import number, seconds

End = Literal["", "done", "steps", "time", "tokens", "repeats", "failures"]
"""Why looking up ended: the model had enough; or steps, time or tokens were used up, it asked the
same again and again, or step after step brought nothing but problems.
"""

UNASKED = "nothing was looked up in it"
"""The end of why a silo was not looked into, which is not that it holds nothing."""


ASKED: Final = "What is asked"
FIELDS: Final = "By fields, without a language model"
HOW: Final = "How it is looked up"
LEVELS: Final = "ABCDE"
"""Levels of evidence, from the strongest."""
DIRECTIONS: Final = ("response", "resistance")


def _selects(help: str, metavar: str, places: tuple[Place, ...] = EVERYWHERE) -> Option:
    """A field by which evidence is selected."""
    return Option(help, FIELDS, metavar=metavar, longest=200, places=places)


@dataclass(frozen=True)
class CopilotRequest:
    """Everything a run of the copilot is asked.

    ``case`` is the text of a patient's case ("" without one); ``case_report`` asks the five
    questions of a case report beside ``question``. ``gene`` to ``levels`` are fields by which
    evidence is selected without a language model, "" where they do not matter. ``tools`` are those
    that may be called, all where it is empty. At most ``max_steps`` rounds of calls are made, with
    at most ``max_tokens`` read and written (None for no limit). ``judge`` is who judges claims.
    """

    question: Annotated[str, Option("The question.", ASKED, longest=4_000, places=("http",))]
    case: Annotated[
        str,
        Option(
            "A patient's case; an access token or a login is needed, and a model that the host "
            "declared for patients.",
            ASKED,
            longest=60_000,
            places=("http",),
        ),
    ] = ""
    case_report: Annotated[
        bool,
        Option(
            "Ask the five questions of a tumour board: next line, genomics, follow-up, "
            "counselling, immunotherapy.",
            ASKED,
        ),
    ] = False
    tools: Annotated[
        tuple[str, ...],
        Option("Call only these tools.", HOW, metavar="NAME[,…]", default="all"),
    ] = ()
    max_steps: Annotated[
        int,
        Option("Most rounds of calls.", HOW, metavar="N", least=1, most=50),
    ] = 8
    max_tokens: Annotated[
        int | None,
        Option("Most tokens to read and write.", HOW, metavar="N", least=1),
    ] = None
    judge: str = "none"
    gene: Annotated[str, _selects("Evidence on this gene, e.g. BRAF.", "SYMBOL")] = ""
    variant: Annotated[str, _selects("Evidence on this change, e.g. V600E.", "NAME")] = ""
    disease: Annotated[str, _selects("Evidence in this cancer, spelled out.", "NAME")] = ""
    drug: Annotated[str, _selects("Evidence on this drug, by its generic name.", "NAME")] = ""
    direction: Annotated[str, _selects("response or resistance. [both]", "NAME", ("cli",))] = ""
    levels: Annotated[str, _selects("Levels of evidence, e.g. AB. [all]", "LETTERS", ("cli",))] = ""
    allow_identifiers: Annotated[
        bool,
        Option("Send a question that seems to identify a patient.", ASKED, places=("cli",)),
    ] = False
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: Annotated[
        int,
        Option("Seed of the models' calls.", HOW, metavar="N", most=2**31 - 1, places=("cli",)),
    ] = 0
    max_cost: Annotated[
        float | None, Option("Most US dollars to spend.", HOW, metavar="USD", places=("cli",))
    ] = None
    max_seconds: Annotated[
        float | None,
        Option("Most time, the answer included.", HOW, metavar="S", above=True, places=("cli",)),
    ] = None

    def __post_init__(self) -> None:
        """Leave out the prompt of a stage of earlier versions, which saved requests may hold."""
        own = {name: text for name, text in self.prompts.items() if name != "refine"}
        object.__setattr__(self, "prompts", own)


@dataclass(frozen=True)
class Source:
    """A passage that a claim cites, under its number ``n`` in the answer, with the fields of its
    document that a reader needs.
    """

    n: int
    silo: str
    document: str
    title: str
    span: tuple[int, int]
    quote: str
    level: str = ""
    date: str = ""
    version: str = ""
    licence: str = ""
    url: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """A sentence of the answer with the passages it cites and the verdict on it.

    ``part`` is the question that it answers, "" where there is one only. Silo, document, span,
    level and date are those of the first source. ``notes`` are what code found: numbers that
    stand in none of its passages.
    """

    text: str
    silo: str
    document: str
    span: tuple[int, int]
    level: str
    date: str
    verdict: Verdict
    reason: str = ""
    judges: tuple[str, ...] = ()
    part: str = ""
    sources: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A claim that does not stand in the answer, and why."""

    text: str
    reason: str


@dataclass(frozen=True)
class Conflict:
    """Sources that contradict each other on ``about``, by number."""

    about: str
    sources: tuple[int, ...]


@dataclass(frozen=True)
class NotIn:
    """A gap: something that a silo does not say though asked: ``asked`` are the calls,
    ``what`` is what is missing ("" for all of it).
    """

    silo: str
    what: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class TracedCall:
    """A call of the trace with its observation; ``passages`` are the numbers of what it brought."""

    id: str
    tool: str
    arguments: Mapping[str, Any]
    silo: str = ""
    passages: tuple[int, ...] = ()
    said: tuple[str, ...] = ()
    problem: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class TracedStep:
    """A round of the trace: a thought and the calls it led to."""

    step: int
    thought: str
    calls: tuple[TracedCall, ...] = ()


@dataclass(frozen=True)
class Planned:
    """A part of the plan: a question, and the tools that should answer it."""

    question: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Written:
    """The bottom line and the claims as they were judged, the sources by number, and all that does
    not stand in the answer, with the reason.

    ``by_rule`` says that no language model wrote it: then it is quotations by silo and no plan of
    treatment.
    """

    bottom_line: Claim | None = None
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    not_in: tuple[NotIn, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    by_rule: bool = False


@dataclass(frozen=True, kw_only=True)
class CopilotAnswer(Written, RunAnswer):
    """The answer as it was written, with the trace; ``answer`` is the text that the bottom line and
    the claims make, "" where none stands.
    """

    answer: str = ""
    ended: End = ""
    plan: tuple[Planned, ...] = ()
    trace: tuple[TracedStep, ...] = ()


def called(silo: str, about: Mapping[str, Any]) -> str:
    """The name of a silo for a reader: its title up to a bracket or a comma, else its name."""
    return re.split(r" \(|[,;:]", str(about.get("title") or silo))[0]


class PlanMade(Event, stage="plan", key="plan"):
    """The questions that the case is taken apart into, each with tools."""

    parts: tuple[Planned, ...]


class Thought(Event, stage="act", key="thought {0.step}"):
    """The agent's thought before the calls of a step, counted from 1."""

    step: int
    text: str


class ToolCalled(Event, stage="act", key="call {0.call}"):
    """A call, ``STEP.PLACE``, with its arguments as they were read."""

    call: str
    step: int
    tool: str
    arguments: dict[str, Any]
    silo: str = ""


class ToolObserved(Event, stage="tools", key="observed {0.call}"):
    """The result of a call, after so many seconds."""

    call: str
    observation: Observation
    seconds: float = 0.0


class ToolProgressed(Event, stage="tools", key="progress {0.call} {0.n}"):
    """An event of a run that a tool carries out itself: a resumed run pays nothing of it twice."""

    call: str
    n: int
    form: dict[str, Any]


class LookingUpEnded(Event, stage="act", key="ended"):
    """The end of looking up, after so many steps."""

    end: End
    steps: int


class AnswerWritten(Written, Event, stage="write", key="written"):
    """The answer as it was written."""


EVENTS = EventTypes(
    CopilotRequest,
    (
        PlanMade,
        Thought,
        ToolCalled,
        ToolObserved,
        ToolProgressed,
        LookingUpEnded,
        AnswerWritten,
    ),
)


def _place(one: Observed) -> tuple[str, str, int, int]:
    return one.silo, one.document, one.start, one.end


class CopilotLog(RunLog):
    """The events of one run, each key once."""

    _numbered: tuple[int, dict[tuple[str, str, int, int], tuple[int, Observed]]] = (-1, {})
    """The number of each passage by its place, as of so many events."""

    plan = Held(PlanMade, "plan")
    ended = Held(LookingUpEnded, "ended")
    written = Held(AnswerWritten, "written")

    @property
    def so_far(self) -> bool:
        """Return whether the run could not go on with what it had looked up, so that finds stand in
        the place of an answer.
        """
        return self.written is None and bool(self.calls and self.all(RunFailed))

    @property
    def calls(self) -> list[ToolCalled]:
        """The calls in the order in which they were asked for, whenever they came back."""
        return sorted(self.all(ToolCalled), key=lambda one: tuple(map(int, one.call.split("."))))

    def observed(self, call: str) -> ToolObserved | None:
        """Return what a call brought, None while it is under way."""
        return self.get(ToolObserved, f"observed {call}")

    def passages(self) -> dict[int, Observed]:
        """All passages by number, counted from 1 in the order of calls; the same passage of a
        document has one number however often it is found.
        """
        return dict(self._counted().values())

    def brought(self, call: str) -> tuple[int, ...]:
        """The numbers of the passages that a call brought."""
        event, places = self.observed(call), self._counted()
        found = event.observation.passages if event else ()
        return tuple(dict.fromkeys(places[_place(one)][0] for one in found))

    def _counted(self) -> dict[tuple[str, str, int, int], tuple[int, Observed]]:
        if self._numbered[0] != len(self):
            seen = (event for call in self.calls if (event := self.observed(call.call)))
            every = {_place(one): one for event in seen for one in event.observation.passages}
            places = {place: (n, one) for n, (place, one) in enumerate(every.items(), 1)}
            self._numbered = len(self), places
        return self._numbered[1]

    @property
    def tokens(self) -> int:
        """Tokens read and written so far."""
        return sum(one.prompt_tokens + one.completion_tokens for one in self.all(CostIncurred))


def told(run_log: CopilotLog, event: Event) -> Iterator[str]:
    """The lines that tell of an event."""
    match event:
        case PlanMade():
            yield f"plan: {number(len(event.parts), 'part')}"
        case Thought() if event.text:
            yield f"{event.step}. {event.text}"
        case ToolCalled():
            asked = "; ".join(map(str, event.arguments.values()))[:120]
            yield f"{event.call} {event.tool}: {asked}"
        case ToolObserved(observation=seen):
            brought = seen.problem or number(len(seen.passages), "passage")
            yield f"{event.call} → {brought} in {seconds(event.seconds)}"
        case AnswerWritten(by_rule=True):
            yield f"{number(len(event.claims), 'passage')} quoted"
        case AnswerWritten():
            left = number(len(event.left_out), "claim") if event.left_out else ""
            yield number(len(event.claims), "claim") + (f", {left} left out" if left else "")
