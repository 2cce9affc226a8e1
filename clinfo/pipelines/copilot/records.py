"""The values of the copilot pipeline: what is asked, what tools brought, what is claimed of it.
Offsets are code points in a document's canonical text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from clinfo.records.answer import RunAnswer
from clinfo.records.articles import Verdict
from clinfo.records.request import EVERYWHERE, Option, Place

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
