"""The answer of one system to one question, as the pages show it, from records of runs and from the
published files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.own.scores import label as label_of
from benchmarks.pubmedrs200.running.records import Record
from benchmarks.pubmedrs200.running.references import numbered
from clinfo.pipelines.literature.events import ArticlesFetched

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.published.reading import Published


@dataclass(frozen=True)
class Reference:
    """One entry of an answer's own list of references. ``relevant`` is the system's judgement of
    it, None where it tells none.

    ``held`` says of an external system's whether the run's source holds it, None where the source
    could not be asked or where there is not a PMID to ask for.
    """

    pmid: str
    text: str
    number: int | None = None
    cited: bool | None = None
    relevant: bool | None = None
    flags: tuple[str, ...] = ()
    held: bool | None = None


@dataclass(frozen=True)
class Answer:
    """``status`` is that of a record, or "published". ``retrieved``, ``relevant`` and
    ``irrelevant`` are None where not told; ``retrieved`` is in rank order, and () for published
    runs, which tell no order (``relevant`` and ``irrelevant`` do). No ``irrelevant`` beside
    ``relevant``: the system told no judgements, and these are the articles that it cites.
    ``external`` answers are those of other programs, and ``looked_up`` those whose references the
    run's source was asked for."""

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
    external: bool = False
    looked_up: bool = False


Answers = dict[str, dict[str, Answer]]
"""By label of the whole answer, then question."""


def of_records(
    records: Iterable[tuple[Record, ArticlesFetched | None]], commands: Collection[str] = ()
) -> Answers:
    """The answers of a run's records, each with what the source holds of its references where it is
    that of a command.
    """
    answers: Answers = {}
    for record, cited in records:
        cell = record.cell
        answer = of_record(record, cited, cell.system in commands)
        answers.setdefault(label_of(cell.system, cell.regime, repeat=cell.repeat), {})[cell.id] = (
            answer
        )
    return answers


def of_record(
    record: Record, cited: ArticlesFetched | None = None, external: bool = False
) -> Answer:
    """One record as an answer; whatever the system's JSON lacks is left out."""
    usage = record.usage or {}
    tokens = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    known = [count for count in tokens if isinstance(count, int)]
    cost = usage.get("cost_usd")
    return Answer(
        status=record.status,
        synthesis=record.synthesis,
        tldr=record.tldr,
        references=tuple(_references(record, cited)),
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
        external=external,
        looked_up=cited is not None,
    )


def _references(record: Record, fetched: ArticlesFetched | None) -> Iterable[Reference]:
    given = (record.answer or {}).get("references")
    listed = (
        [entry for entry in given if isinstance(entry, Mapping)]
        if isinstance(given, list | tuple)
        else []
    )
    numbers = {id(entry): number for number, entry in numbered(listed).items()}
    known = (
        {article.pmid: article.title for article in fetched.articles} if fetched is not None else {}
    )
    for entry in listed:
        pmid, cited = entry.get("pmid"), entry.get("cited")
        pmid = str(pmid) if pmid else ""
        flags = entry.get("flags")
        yield Reference(
            pmid=pmid,
            text=str(entry.get("citation") or entry.get("title") or known.get(pmid) or ""),
            number=numbers.get(id(entry)),
            cited=cited if isinstance(cited, bool) else None,
            relevant=_judged(record, pmid),
            flags=tuple(map(str, flags)) if isinstance(flags, list) else (),
            held=pmid in known if fetched is not None and pmid else None,
        )


def _judged(record: Record, pmid: str) -> bool | None:
    if record.relevant is None or record.irrelevant is None:
        return None
    return True if pmid in record.relevant else False if pmid in record.irrelevant else None


def of_published(published: Published) -> Answers:
    """The published texts and ids under the label of each whole answer."""
    from benchmarks.pubmedrs200.published.systems import SYSTEMS

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
    """A run as the report needs it: its answers, and the end of training data by system's name,
    None where not known.
    """

    answers: Answers
    cutoffs: Mapping[str, str | None] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict)
