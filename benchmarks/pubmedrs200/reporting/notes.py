"""Notes under tables: orientation, questions, floors and signatures of the figures above."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pubmedrs200.reporting.cells import NEURAL, floor_text, unvalidated
from benchmarks.pubmedrs200.reporting.numbers import counted
from benchmarks.pubmedrs200.reporting.report_data import OF_ALL, ReportData
from benchmarks.pubmedrs200.reporting.tables import Group

NO_ORIENTATION = (
    "Orientation: does not matter here, since no text is compared with the human answer."
)


def bold_note(groups: Sequence[Group]) -> tuple[str, ...]:
    """Return what bold type means; () where nothing is bold."""
    if not any(cell.best for group in groups for row in group.rows for cell in row.cells):
        return ()
    return (
        "Bold: best of its column among systems under the same regime with values of the same "
        "questions.",
    )


def notes(
    material: ReportData, metrics: Sequence[str], *, orientation: bool = True
) -> tuple[str, ...]:
    """Return what stands under every table of metrics."""
    summary = material.summary
    lines = [orientation_note(material) if orientation else NO_ORIENTATION, base_note(material)]
    lines.append(unanswered_note(material, metrics))
    lines += signature_note(material, metrics)
    absent = [metric for metric in metrics if metric not in summary.metrics]
    if absent:
        neural = [metric for metric in absent if metric.startswith(NEURAL)]
        extra = ' Neural ones need model weights and the extra "neural".' if neural else ""
        lines.append(f"Not computed in this scoring: {', '.join(absent)}.{extra}")
    if any(unvalidated(summary.metrics[metric]) for metric in metrics if metric in summary.metrics):
        lines.append(
            "Not validated: computed, but the model used has not been checked against the "
            "published values."
        )
    return tuple(lines)


def signature_note(material: ReportData, metrics: Sequence[str]) -> tuple[str, ...]:
    """Versions and settings of those of the metrics that were computed; () where none was."""
    known = [
        material.summary.metrics[metric] for metric in metrics if metric in material.summary.metrics
    ]
    signatures = [f"{metric.title}: {metric.signature or 'no signature given'}" for metric in known]
    return ("Signatures: " + "; ".join(signatures) + ".",) if signatures else ()


def source_note(material: ReportData) -> tuple[str, ...]:
    """Return how often the review that the reference answer was written from was itself among what
    systems used; () where nobody tells.
    """
    found = [
        f"{system.answer_title} {statistics.mean:.0%} of {counted(statistics.n, 'question')}"
        for system in material.systems
        if (statistics := material.statistics(system.label, "source_included")) is not None
        and statistics.mean
    ]
    if not found:
        return ()
    return (
        "Unrestricted search permits the source review itself, and its words count towards overlap "
        "with the reference answer, "
        "which was written from it. It was among the articles judged relevant (cited, where a "
        "system tells no judgements) for: "
        f"{'; '.join(found)}.",
    )


def orientation_note(material: ReportData) -> str:
    """Return how prediction and reference were given to the text metrics."""
    if material.summary.orientation == "correct":
        return (
            "Orientation: correct (the system's text is the prediction, the human answer the "
            "reference)."
        )
    return (
        "Orientation: published (roles swapped as in the published scores: the human answer is the "
        "prediction)."
    )


def base_note(material: ReportData, means: bool = True) -> str:
    """The questions that were scored, and how ``means`` are written where a table has some."""
    subset = material.summary.subset
    data = material.summary.data or {}
    origin = (
        f"; data set {data.get('name')}, SHA-256 {str(data.get('sha256'))[:12]}"
        if data.get("sha256")
        else ""
    )
    cells = " Cells: mean (sd, ddof 0)." if means else ""
    return (
        f"Subset {subset['name']}: n = {subset['n']}, SHA-256 of the ids "
        f"{subset['sha256'][:12]}{origin}.{cells}"
    )


def unanswered_note(material: ReportData, metrics: Sequence[str]) -> str:
    """Return what a question without an answer counts."""
    known = [
        material.summary.metrics[metric] for metric in metrics if metric in material.summary.metrics
    ]
    floors: dict[str, list[str]] = {}
    for metric in known:
        if metric.name in OF_ALL:
            worth = "as any other under"
        elif metric.floor is None:
            worth = "not at all, being left out, under"
        else:
            worth = f"{floor_text(metric.floor)} under"
        floors.setdefault(worth, []).append(metric.title)
    each = "; ".join(f"{worth} {', '.join(titles)}" for worth, titles in floors.items())
    return (
        "A question left unanswered (an empty text) counts "
        f"{each or 'the metric’s floor, or is left out where there is none'}."
    )
