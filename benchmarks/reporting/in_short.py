"""What a report shows, in sentences that need no knowledge of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.reporting.cells import unvalidated
from benchmarks.reporting.labels import Named
from benchmarks.reporting.looked_up import external_answers
from benchmarks.reporting.material import Material
from benchmarks.reporting.numbers import counted, fixed
from benchmarks.reporting.paper_tables import SOURCE_AUGMENTED, SOURCE_FREE

MOST: Final = 8
"""More systems than this are told of by the lowest and the highest."""


def in_short(material: Material) -> tuple[str, ...]:
    """Support, answered questions, what overlap is worth here, and what was not computed or not validated."""
    return (*_support(material), *_held(material), *_answered(material), _overlap(material), *_lacking(material))


def _support(material: Material) -> Iterator[str]:
    judge = material.summary.judge
    own = "Sentences supported by the program's own rules, which are no independent evidence"
    if judge:
        yield from _shares(material, "sentences_supported", f"Sentences supported by the articles they cite, judged by {judge}")
    else:
        yield (
            "No independent judge has looked at these answers, so this report does not show that what they say is supported by "
            "what they cite (score --judge names a judge)."
        )
    yield from _shares(material, "sentences_supported_own", own)
    if any(any(material.values(system.label, "sentences_set_apart")) for system in material.systems):
        apart = "Sentences that no judge was asked about, because their system says that it added them, or that they count studies"
        yield from _shares(material, "sentences_set_apart", apart)


def _shares(material: Material, metric: str, words: str) -> Iterator[str]:
    told = []
    for system in material.systems:
        found = material.statistics(system.label, metric)
        if found is not None and found.mean is not None:
            said = f"{fixed(100 * found.mean, 1)}% over {counted(found.n, 'question')}"
            told.append((found.mean, f"{system.answer_title} {said}"))
    if told:
        yield f"{words}: {_listed(told)}."


def _held(material: Material) -> Iterator[str]:
    """What figures of support of external systems depend on."""
    listed = [
        reference
        for answers in external_answers(material).values()
        for answer in answers
        if answer.looked_up
        for reference in answer.references
    ]
    lost = sum(reference.held is False for reference in listed)
    if lost:
        yield (
            f"Of the {counted(len(listed), 'reference')} of external systems the run's source does not hold {lost:,}: a sentence "
            "that cites one of them counts as not supported, whatever else it cites, which may say more of that source than of the "
            "system."
        )


def _answered(material: Material) -> Iterator[str]:
    answers: dict[str, Named] = {}
    for system in material.systems:
        if not system.published:
            answers.setdefault(system.answer, system)
    told = []
    for system in answers.values():
        asked, answered = len(material.asked(system.label)), material.answered(system.label)
        if answered is not None:
            told.append((answered / asked, f"{system.answer_title} {answered:,} of {asked:,}"))
    if told:
        yield f"Questions answered: {_listed(told)}. A question left open counts the floor of each metric of texts that has one."


def _listed(told: list[tuple[float, str]]) -> str:
    """What is told of each system, or of the least and the most of many."""
    if len(told) <= MOST:
        return "; ".join(said for _, said in told)
    return f"of {len(told)} systems the least {min(told)[1]}, the most {max(told)[1]}"


def _overlap(material: Material) -> str:
    repeats = any(
        (statistics := material.statistics(system.label, "source_included")) is not None and statistics.mean
        for system in material.systems
    )
    more = " Under unrestricted search the review itself can be found, and repeating it scores high." if repeats else ""
    return f"Likeness to the human answer (Tables 1 and 2) does not show that an answer is right or rests on evidence.{more}"


def _lacking(material: Material) -> Iterator[str]:
    known = material.summary.metrics
    wanted = [*SOURCE_AUGMENTED, *SOURCE_FREE]
    absent = [metric for metric in wanted if metric not in known]
    if absent:
        yield f"{len(absent)} of the {len(wanted)} metrics of Tables 1 and 2 were not computed here; their cells say so."
    doubtful = [known[metric].title for metric in known if unvalidated(known[metric])]
    if doubtful:
        yield f"Not validated against the published values: {', '.join(doubtful)}."
