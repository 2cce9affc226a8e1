"""What one system answered to one question, as the pages show it, from records of runs and from the published files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.running.records import Record
from benchmarks.scores import label as label_of

if TYPE_CHECKING:
    from benchmarks.published.reading import Published


@dataclass(frozen=True)
class Reference:
    """One entry of an answer's own list of references. ``relevant`` is the system's judgement of it, None where it tells none."""

    pmid: str
    text: str
    number: int | None = None
    cited: bool | None = None
    relevant: bool | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """``status`` is that of a record, or "published". ``retrieved``, ``relevant`` and ``irrelevant`` are None where not told;
    ``retrieved`` is in rank order, and () for published runs, which tell no order (``relevant`` and ``irrelevant`` do)."""

    status: str
    synthesis: str = ""
    tldr: str = ""
    references: tuple[Reference, ...] = ()
    retrieved: tuple[str, ...] | None = None
    relevant: tuple[str, ...] | None = None
    irrelevant: tuple[str, ...] | None = None
    queries: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    problem: str = ""
    unchecked: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    tokens: int | None = None
    cost_usd: float | None = None


Answers = dict[str, dict[str, Answer]]
"""By label of the whole answer, then question."""


def of_records(records: Iterable[Record]) -> Answers:
    """The answers of a run's records."""
    answers: Answers = {}
    for record in records:
        cell = record.cell
        answers.setdefault(label_of(cell.system, cell.regime, repeat=cell.repeat), {})[cell.id] = of_record(record)
    return answers


def of_record(record: Record) -> Answer:
    """One record as an answer; whatever the system's JSON lacks is left out."""
    usage = record.usage or {}
    tokens = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    known = [count for count in tokens if isinstance(count, int)]
    cost = usage.get("cost_usd")
    return Answer(
        status=record.status,
        synthesis=record.synthesis,
        tldr=record.tldr,
        references=tuple(_references(record)),
        retrieved=record.retrieved,
        relevant=record.relevant,
        irrelevant=record.irrelevant,
        queries=record.queries,
        leaks=tuple(f"PMID {leak.pmid} in {leak.where}: {leak.reason}" for leak in record.leaks),
        problem=record.problem,
        unchecked=record.unchecked,
        later=record.later,
        tokens=sum(known) if len(known) == 2 else None,
        cost_usd=float(cost) if isinstance(cost, int | float) else None,
    )


def _references(record: Record) -> Iterable[Reference]:
    listed = (record.answer or {}).get("references")
    for entry in listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ():
        if not isinstance(entry, Mapping):
            continue
        pmid, number, cited = entry.get("pmid"), entry.get("n"), entry.get("cited")
        pmid = str(pmid) if pmid else ""
        flags = entry.get("flags")
        yield Reference(
            pmid=pmid,
            text=str(entry.get("citation") or entry.get("title") or ""),
            number=number if isinstance(number, int) else None,
            cited=cited if isinstance(cited, bool) else None,
            relevant=_judged(record, pmid),
            flags=tuple(map(str, flags)) if isinstance(flags, list) else (),
        )


def _judged(record: Record, pmid: str) -> bool | None:
    if record.relevant is not None and pmid in record.relevant:
        return True
    return False if record.irrelevant is not None and pmid in record.irrelevant else None


def of_published(published: Published) -> Answers:
    """The published texts and ids under the label of each whole answer."""
    from benchmarks.published.systems import SYSTEMS

    answers: Answers = {}
    for system in SYSTEMS:
        run = system.retrieval_key
        if run is not None and system.output != "both":
            continue
        for question in published.questions:
            if run is None:
                answer = Answer("published", question.outputs[system.key])
            else:
                answer = Answer(
                    "published",
                    question.outputs[f"{run}_synthesis"],
                    question.outputs[f"{run}_TLDR"],
                    retrieved=(),
                    relevant=question.relevant[system.regime],
                    irrelevant=question.irrelevant[system.regime],
                )
            answers.setdefault(system.key, {})[question.pmid] = answer
    return answers


@dataclass(frozen=True)
class RunFolder:
    """A run as the report needs it: its answers, and the end of training data by system's name, None where not known."""

    answers: Answers
    cutoffs: Mapping[str, str | None] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)
