"""The values of the copilot pipeline: what is asked, what tools brought, what is claimed of it.
Offsets are code points in a document's canonical text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from clinfo.records.answer import Usage
from clinfo.records.articles import Verdict

End = Literal["", "done", "steps", "time", "tokens", "repeats", "failures"]
"""Why looking up ended: the model had enough; or steps, time or tokens were used up, it asked the
same again and again, or step after step brought nothing but problems.
"""

UNASKED = "nothing was looked up in it"
"""The end of why a silo was not looked into, which is not that it holds nothing."""


@dataclass(frozen=True)
class CopilotRequest:
    """Everything a run of the copilot is asked.

    ``case`` is the text of a patient's case ("" without one); ``case_report`` asks the five
    questions of a case report beside ``question``. ``gene`` to ``levels`` are fields by which
    evidence is selected without a language model, "" where they do not matter. ``tools`` are those
    that may be called, all where it is empty. At most ``max_steps`` rounds of calls are made, with
    at most ``max_tokens`` read and written (None for no limit). ``judge`` is who judges claims.
    """

    question: str
    case: str = ""
    case_report: bool = False
    tools: tuple[str, ...] = ()
    max_steps: int = 8
    max_tokens: int | None = None
    judge: str = "none"
    gene: str = ""
    variant: str = ""
    disease: str = ""
    drug: str = ""
    direction: str = ""
    levels: str = ""
    allow_identifiers: bool = False
    models: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    max_cost: float | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        """Leave out the prompt of a stage of earlier versions, which saved requests may hold."""
        own = {name: text for name, text in self.prompts.items() if name != "refine"}
        object.__setattr__(self, "prompts", own)


@dataclass(frozen=True)
class Observed:
    """A passage that a tool brought, [start, end) of a silo's document. ``text`` is what stands
    there.

    ``level`` is the level of evidence as the silo tells it, ``date`` and ``version`` likewise;
    ``facts`` are fields that a reader needs beside the text.
    """

    silo: str
    document: str
    title: str
    start: int
    end: int
    text: str
    level: str = ""
    date: str = ""
    version: str = ""
    licence: str = ""
    url: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Observation:
    """The result of a call: passages, best first, and what else is to be said of it.

    ``missing`` are the silos that hold nothing on what was asked. ``problem`` says why there is no
    result.
    """

    passages: tuple[Observed, ...] = ()
    said: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    problem: str = ""


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
    """What a silo does not say though it was asked: ``asked`` are the calls, ``what`` is what is
    missing ("" for all of it).
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


@dataclass(frozen=True)
class CopilotAnswer:
    """The answer: claims with their sources, what is in no silo, what was left out, and the trace.

    ``answer`` is the text that the bottom line and the claims make, "" where none stands.
    ``by_rule`` says that no language model wrote it: then it is quotations by silo and no plan of
    treatment.
    """

    question: str
    answer: str = ""
    bottom_line: Claim | None = None
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    not_in: tuple[NotIn, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    by_rule: bool = False
    ended: End = ""
    plan: tuple[Planned, ...] = ()
    trace: tuple[TracedStep, ...] = ()
    notices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    timings: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def called(silo: str, about: Mapping[str, Any]) -> str:
    """What a silo is called for a reader: its title up to a bracket or a comma, else its name."""
    return re.split(r" \(|[,;:]", str(about.get("title") or silo))[0]
