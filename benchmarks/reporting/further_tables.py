"""The tables beyond the paper's: support first, then what answers cost, all metrics with intervals, and tests of difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from benchmarks.reporting.cells import (
    BOLD,
    COUNTS,
    base_note,
    column,
    comparable,
    count_cell,
    mean_cell,
    notes,
    orientation_note,
    places,
    unanswered_note,
    unvalidated,
    with_best,
)
from benchmarks.reporting.labels import Named, named
from benchmarks.reporting.material import TIMES, Material
from benchmarks.reporting.numbers import fixed, probability
from benchmarks.reporting.tables import NOT_VALIDATED, Cell, Column, Row, Table, grouped, words
from benchmarks.reporting.texts import Answer

JUDGED: Final = {
    "sentences_supported": "Sentences supported (independent judge)",
    "citation_recall": "Citation recall (independent judge)",
    "citation_precision": "Citation precision (independent judge)",
}
HEADLINE: Final = {
    **JUDGED,
    "sentences_supported_own": "Sentences supported (own judge)",
    "citation_recall_own": "Citation recall (own judge)",
    "citation_precision_own": "Citation precision (own judge)",
    "figures_supported": "Figures supported",
    "abstained": "Abstained",
}
EFFORT: Final = {
    "pool_recall": "Pool recall",
    "tokens": "Tokens",
    "cost_usd": "US dollars",
    "reading_grade": "Reading grade",
}
ANSWERED_ONLY: Final = ("rouge_l", "meteor", "chrf", "google_bleu", "character", "bertscore", "ctc_sf", "unieval_overall", "comet",
                        "ctc_consistency", "word_length")  # fmt: skip


_OWN_JUDGE: Final = "Own judge: the program's rules, the same that check its answers; no independent evidence."
_LEFT_OUT: Final = (
    "Sentences that a system declares to have added to a model's words, or to count only its own studies, rest on no passage: both "
    "judges leave them out. Only answered questions have a value; abstaining more often is no better support."
)
_NO_ARTICLES: Final = (
    "External systems, bare models and the published systems have no figures of support here: their texts come without the "
    "articles that they cite, so that there is nothing to hold a sentence against. That says nothing for or against them."
)


def further_tables(material: Material) -> list[Table]:
    """Support, effort, answered questions alone, every metric with its interval, and comparisons; empty ones say why."""
    judge = material.summary.judge
    judged = (
        f"Independent judge: {judge}." if judge else "No independent judge was named (score --judge): its columns are not judged."
    )
    return [
        _answers(
            material,
            "support",
            "Support of what is said",
            "Share of sentences that what they cite supports, and what else can be checked without a reference answer",
            HEADLINE,
            (judged, _OWN_JUDGE, _LEFT_OUT, _NO_ARTICLES),
        ),
        _answers(
            material,
            "effort",
            "Recall of the pool, cost and readability",
            "Recall of all candidates before judging, tokens and dollars a question, and Flesch-Kincaid grade",
            EFFORT,
            ("Unknown means that the price or the use of a model is not known; it is never counted as 0.",),
        ),
        _answered_only(material),
        _every_metric(material),
        _comparisons(material),
    ]


def answer_systems(material: Material, metrics: Sequence[str]) -> list[Named]:
    """Labels of whole answers, and others that one of these metrics was computed for."""
    return [
        system
        for system in material.systems
        if any(material.statistics(system.label, metric) for metric in metrics) or (not system.output and not system.published)
    ]


def _answers(material: Material, key: str, title: str, caption: str, metrics: dict[str, str], remarks: tuple[str, ...]) -> Table:
    columns = tuple(column(material, metric, short) for metric, short in metrics.items())
    systems = {system.label: system for system in answer_systems(material, list(metrics))}
    rows = [
        (
            system.group,
            Row(
                system.short_answer_title,
                (*(_cell(material, label, m) for m in metrics), count_cell(material, label)),
                label,
            ),
        )
        for label, system in systems.items()
    ]
    empty = () if rows else ("No measures of whole answers are among these scores; score measures a run folder's answers.",)
    return Table(
        key,
        title,
        f"{title}. {caption}, mean (sd).",
        "System",
        (*columns, COUNTS),
        with_best(grouped(rows), (*columns, COUNTS), comparable(material, systems)),
        (*notes(material, list(metrics), orientation=False), BOLD, *remarks, *empty),
    )


def _cell(material: Material, label: str, metric: str) -> Cell:
    if metric in JUDGED and material.statistics(label, metric) is None and material.summary.judge is None:
        return Cell("not judged")
    used = metric in ("cost_usd", "tokens")
    statistics, asked = material.statistics(label, metric), len(material.asked(label))
    cell = mean_cell(material, label, metric)
    if not used:
        return cell
    if statistics is None or statistics.mean is None:
        return Cell("unknown")
    return replace(cell, mark=f"known for {statistics.n} of {asked}" if statistics.n < asked else "")


def _answered_only(material: Material) -> Table:
    metrics = [metric for metric in ANSWERED_ONLY if metric in material.summary.metrics]
    systems = {system.label: system for system in material.systems if any(material.statistics(system.label, m) for m in metrics)}
    columns = tuple(column(material, metric) for metric in metrics)
    rows = [
        (
            system.group,
            Row(
                system.short_title,
                (*(mean_cell(material, label, m, answered_only=True) for m in metrics), count_cell(material, label)),
                label,
            ),
        )
        for label, system in systems.items()
    ]
    return Table(
        "answered-only",
        "Answered questions alone",
        "Answered questions alone, mean (sd): what the tables above would show had systems not been asked what they left open.",
        "System",
        (*columns, COUNTS),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material),
            "Unanswered questions are left out here, so that systems may stand on different questions; no best is marked.",
        ),
    )


def _every_metric(material: Material) -> Table:
    rows = []
    for system in material.systems:
        for metric, known in material.summary.metrics.items():
            found = material.statistics(system.label, metric)
            if metric == TIMES or found is None:
                continue
            shown = places(metric, known)

            def cell(value: float | None, mark: str = "", shown: int = shown) -> Cell:
                return Cell("no value") if value is None else Cell(fixed(value, shown), value, mark=mark)

            cells = (
                Cell(known.title),
                cell(found.mean, NOT_VALIDATED if unvalidated(known) else ""),
                cell(found.sd),
                cell(found.low),
                cell(found.high),
                cell(found.answered_mean),
                cell(found.answered_sd),
                Cell(str(found.n), found.n),
                Cell(str(found.answered), found.answered),
            )
            rows.append((system.group, Row(system.short_title, cells, system.label)))
    titles = ("Metric", "Mean", "sd", "95 % from", "to", "Mean, answered", "sd, answered", "n", "Answered")
    keys = ("metric", "mean", "sd", "low", "high", "answered_mean", "answered_sd", "n", "answered")
    return Table(
        "every-metric",
        "Every metric",
        "Every metric of every system, with 95 % bootstrap intervals of the mean and the answered questions alone.",
        "System",
        tuple(Column(key, title) for key, title in zip(keys, titles, strict=True)),
        grouped(rows),
        notes(material, [metric for metric in material.summary.metrics if metric != TIMES]),
    )


def _comparisons(material: Material) -> Table:
    rows = []
    for item in material.summary.comparisons:
        if item.metric == TIMES:
            continue
        known = material.summary.metrics.get(item.metric)
        shown = places(item.metric, known)
        cells = (
            Cell(known.title if known else item.metric),
            Cell(named(item.baseline).title),
            Cell(fixed(item.difference, shown), item.difference),
            Cell(fixed(item.low, shown), item.low),
            Cell(fixed(item.high, shown), item.high),
            Cell(probability(item.p_bootstrap), item.p_bootstrap),
            Cell(probability(item.p_randomisation), item.p_randomisation),
            Cell(probability(item.p_holm), item.p_holm, best=item.p_holm < 0.05),
            Cell(str(item.n), item.n),
        )
        rows.append((named(item.system).group, Row(named(item.system).short_title, cells, item.system)))
    titles = ("Metric", "Baseline", "Difference", "95 % from", "to", "p (bootstrap)", "p (randomisation)", "p (Holm)", "n")
    keys = ("metric", "baseline", "difference", "low", "high", "p_bootstrap", "p_randomisation", "p_holm", "n")
    empty = () if rows else ("No comparisons are in the summary: score makes them against the system named with --baseline.",)
    return Table(
        "comparisons",
        "Tests of difference",
        "Tests of difference: system − baseline over the questions both were scored on; two-sided.",
        "System",
        tuple(Column(key, title) for key, title in zip(keys, titles, strict=True)),
        grouped(rows),
        (
            orientation_note(material),
            base_note(material),
            unanswered_note(material, list(dict.fromkeys(item.metric for item in material.summary.comparisons))),
            "Interval and first p: paired bootstrap; second p: approximate randomisation; Holm's correction of the second over the "
            "family that score tested together. Bold: below 0.05 after correction.",
            *empty,
        ),
    )


def lists(material: Material) -> Table:
    """Unanswered, failed, quarantined, doubtful and missing questions by system."""
    doubtful = _held_by(material, lambda answer: bool(answer.unchecked))
    later = _held_by(material, lambda answer: bool(answer.later))
    kinds = (
        ("Unanswered", material.summary.unanswered),
        ("Failed (a crash, an outage): counts the floors, but tells nothing of the system", material.summary.failed),
        ("Quarantined for a leak, not scored", material.summary.quarantined),
        ("Uses articles that cannot be checked: a leak cannot be ruled out, scored all the same", doubtful),
        ("Uses articles with a higher PMID than the review, of no known day of entry: perhaps a leak, scored all the same", later),
        ("Asked of the subset, not in the input", material.summary.missing),
    )
    rows = [
        (kind, Row(named(label).title, words(str(len(ids)), ", ".join(ids)), label))
        for kind, listed in kinds
        for label, ids in sorted(listed.items())
        if ids
    ]
    return Table(
        "left-open",
        "Unanswered, quarantined and missing questions",
        "Questions left unanswered or failed, quarantined for a forbidden article, in doubt, or missing, by PMID of the review.",
        "System",
        (Column("count", "Count"), Column("ids", "Questions")),
        grouped(rows),
        (base_note(material), *(() if rows else ("None.",))),
    )


def _held_by(material: Material, chosen: Callable[[Answer], bool]) -> dict[str, tuple[str, ...]]:
    """By label, the questions whose answers are chosen; what is quarantined is listed as that."""
    return {
        label: tuple(id for id, answer in answers.items() if answer.status != "leaked" and chosen(answer))
        for label, answers in material.answers.items()
    }
