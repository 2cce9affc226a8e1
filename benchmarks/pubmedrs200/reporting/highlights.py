"""The findings of a report, in sentences that need no knowledge of its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.pubmedrs200.reporting.cells import unvalidated
from benchmarks.pubmedrs200.reporting.labels import Named, named, ordered
from benchmarks.pubmedrs200.reporting.numbers import counted, fixed
from benchmarks.pubmedrs200.reporting.paper_tables import SOURCE_AUGMENTED, SOURCE_FREE
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.resolved_references import external_answers

MOST: Final = 8
"""More systems than this are told of by the lowest and the highest."""


def in_short(material: ReportData) -> tuple[str, ...]:
    """Support, answered and failed questions, what overlap is worth here, and what was not computed
    or not validated.
    """
    return (
        *_support(material),
        *_held(material),
        *_answered(material),
        *_failed(material),
        _overlap(material),
        *_lacking(material),
    )


@dataclass(frozen=True)
class _Told:
    """A highlight on one system: ``figure`` is how ``value`` reads, ``of`` what it was found over,
    if that is not part of it.
    """

    system: str
    value: float
    figure: str
    of: str = ""

    @property
    def said(self) -> str:
        return " ".join(part for part in (self.system, self.figure, self.of) if part)


def _support(material: ReportData) -> Iterator[str]:
    judge = material.summary.judge
    own = "Sentences that stand word for word in an article they cite"
    if judge:
        yield from _shares(
            material,
            "sentences_supported",
            f"Sentences supported by the articles they cite, judged by {judge}",
        )
    else:
        yield (
            "No independent judge has looked at these answers, so this report does not show that "
            "what they say is supported by "
            "what they cite (score --judge names a judge)."
        )
    yield from _shares(material, "sentences_supported_own", own)
    if any(
        any(material.values(system.label, "sentences_set_apart")) for system in material.systems
    ):
        apart = (
            "Sentences that no judge was asked about, because the chain added them, or because "
            "they only count studies"
        )
        yield from _shares(material, "sentences_set_apart", apart)


def _shares(material: ReportData, metric: str, words: str) -> Iterator[str]:
    told: list[_Told] = []
    for system in material.systems:
        found = material.statistics(system.label, metric)
        if found is not None and found.mean is not None:
            share = fixed(100 * found.mean, 1)
            told.append(
                _Told(
                    system.answer_title,
                    float(share),
                    f"{share}%",
                    f"over {counted(found.n, 'question')}",
                )
            )
    if told:
        yield f"{words}: {_listed(told)}."


def _held(material: ReportData) -> Iterator[str]:
    """Yield what figures of support of external systems depend on."""
    given = [answer for answers in external_answers(material).values() for answer in answers]
    asked = [answer for answer in given if answer.looked_up]
    if len(asked) < len(given):
        yield (
            f"Of the {counted(len(given), 'answer')} of external systems "
            f"{len(given) - len(asked):,} could not be looked up, since "
            "the run's source could not be reached: they have no figures of support (run the "
            "same command again to retry)."
        )
    listed = [reference for answer in asked for reference in answer.references]
    lost = sum(reference.held is False for reference in listed)
    if lost:
        yield (
            f"Of the {counted(len(listed), 'reference')} of external systems the run's source does "
            f"not hold {lost:,}: a sentence "
            "that cites one of them counts as not supported, whatever else it cites, which may say "
            "more of that source than of the "
            "system."
        )


def _answered(material: ReportData) -> Iterator[str]:
    answers: dict[str, Named] = {}
    for system in material.systems:
        if not system.published:
            answers.setdefault(system.answer, system)
    told: list[_Told] = []
    for system in answers.values():
        asked, answered = len(material.asked(system.label)), material.answered(system.label)
        if answered is not None:
            told.append(_Told(system.answer_title, answered / asked, f"{answered:,} of {asked:,}"))
    if told:
        yield (
            f"Questions answered: {_listed(told)}. A question left open counts the floor of each "
            "metric of texts that has one."
        )


def _failed(material: ReportData) -> Iterator[str]:
    """Yield how many answers could not be used, and whose."""
    failed: dict[str, set[str]] = {}
    asked: dict[str, set[str]] = {}
    for system in material.systems:
        if not system.published:
            asked.setdefault(system.answer, set()).update(material.asked(system.label))
    for system in ordered(material.summary.failed):
        failed.setdefault(system.answer, set()).update(material.summary.failed[system.label])
    told = [
        _Told(named(answer).answer_title, len(ids), f"{len(ids):,}")
        for answer, ids in failed.items()
        if ids
    ]
    if told:
        every = sum(map(len, asked.values()))
        whose = f"all of {told[0].system}" if len(told) == 1 else f"the most: {_end(told, max)}"
        yield (
            f"Failed: {int(sum(one.value for one in told)):,} of {counted(every, 'answer')} "
            f"({whose}). They count the floors. "
            "Whether a system or what it runs on is to blame, the reasons in the sections of the "
            "questions tell."
        )


def _listed(told: list[_Told]) -> str:
    """Return what is told of each system, or of the least and the most of many."""
    if len(told) <= MOST:
        return "; ".join(one.said for one in told)
    if len({one.value for one in told}) == 1:
        return f"the same for all {len(told)} systems, such as {told[0].said}"
    return f"of {len(told)} systems the least {_end(told, min)}; the most {_end(told, max)}"


def _end(told: list[_Told], end: Callable[[list[float]], float]) -> str:
    """One of those with the least or the most, and how many more have as much."""
    value = end([one.value for one in told])
    first, *more = [one for one in told if one.value == value]
    return first.said + (f", and {counted(len(more), 'system')} more with as much" if more else "")


def _overlap(material: ReportData) -> str:
    repeats = any(
        (statistics := material.statistics(system.label, "source_included")) is not None
        and statistics.mean
        for system in material.systems
    )
    more = (
        " Under unrestricted search the review itself can be found, and repeating it scores high."
        if repeats
        else ""
    )
    return (
        "Likeness to the human answer (Tables 1 and 2) does not show that an answer is right or "
        f"rests on evidence.{more}"
    )


def _lacking(material: ReportData) -> Iterator[str]:
    known = material.summary.metrics
    wanted = [*SOURCE_AUGMENTED, *SOURCE_FREE]
    absent = [metric for metric in wanted if metric not in known]
    if absent:
        yield (
            f"{len(absent)} of the {len(wanted)} metrics of Tables 1 and 2 were not computed here; "
            "their cells say so."
        )
    doubtful = [known[metric].title for metric in known if unvalidated(known[metric])]
    if doubtful:
        yield f"Not validated against the published values: {', '.join(doubtful)}."
