"""Cells, bold type and notes that all tables of metrics share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

from benchmarks.measures.specs import SPECS as MEASURES
from benchmarks.metrics.registry import SPECS
from benchmarks.reporting.labels import Named
from benchmarks.reporting.material import OF_ALL, Material
from benchmarks.reporting.numbers import counted, decimals, fixed, with_sd
from benchmarks.reporting.summary import Metric
from benchmarks.reporting.tables import NOT_COMPUTED, NOT_VALIDATED, Cell, Column, Group, Row

NO_VALUE = "no value"
"""A metric that was computed and of which no question has a value."""

NEURAL = ("bertscore", "ctc_sf", "comet", "ctc_consistency", "unieval_")


def column(material: Material, metric: str, title: str = "") -> Column:
    """A metric as a column; ``title`` shortens the one that the metric gives itself."""
    known = material.summary.metrics.get(metric)
    better = known.better if known else SPECS[metric].better if metric in SPECS else MEASURES[metric].better
    return Column(metric, title or (known.title if known else metric), better)


def places(metric: str, known: Metric | None) -> int:
    """Decimals of a metric's values."""
    if metric == "cost_usd":
        return 4
    if metric == "tokens":
        return 0
    return decimals(known.low, known.high) if known else 3


def mean_cell(material: Material, label: str, metric: str, answered_only: bool = False) -> Cell:
    """Mean (sd) as the summary has it, with its n where that is less than the row's, or why there is none."""
    known, statistics = material.summary.metrics.get(metric), material.statistics(label, metric)
    if known is None or statistics is None:
        return Cell(NOT_COMPUTED)
    mean, sd = (statistics.answered_mean, statistics.answered_sd) if answered_only else (statistics.mean, statistics.sd)
    if mean is None:
        return Cell(NO_VALUE)
    n, of = (statistics.answered, material.answered(label)) if answered_only else (statistics.n, len(material.asked(label)))
    marks = [*([NOT_VALIDATED] if unvalidated(known) else []), *([f"n = {n}"] if of is None or n < of else [])]
    return Cell(with_sd(mean, sd, places(metric, known)), mean, sd, "; ".join(marks))


def unvalidated(metric: Metric) -> bool:
    """Whether a metric rests on a model that has not been checked against the published values."""
    return metric.validated is False or (metric.name.startswith(NEURAL) and metric.validated is not True)


def count_cell(material: Material, label: str) -> Cell:
    """The questions of a row and how many of them were answered; cells that stand on fewer say so themselves."""
    answered = material.answered(label)
    return Cell(f"{len(material.asked(label))} / {'not known' if answered is None else answered}")


COUNTS = Column("n_answered", "n / answered")


def with_best(
    groups: Sequence[Group], columns: Sequence[Column], alike: Callable[[Row, Column], Hashable | None]
) -> tuple[Group, ...]:
    """Set the best cell of each column in bold among rows that are ``alike`` there; rows of None compare with nothing.

    What reads the same is bold together. A row that has nothing to compare with is never best.
    """
    rows = [row for group in groups for row in group.rows]
    best: dict[tuple[int, Hashable], str] = {}
    for place, each in enumerate(columns):
        if each.better == "neither":
            continue
        sign = 1 if each.better == "higher" else -1
        peers: dict[Hashable, list[Cell]] = {}
        for row in rows:
            kind, cell = alike(row, each), row.cells[place]
            if kind is not None and cell.value is not None:
                peers.setdefault(kind, []).append(cell)
        for kind, cells in peers.items():
            if len(cells) > 1:
                best[place, kind] = _mean_text(max(cells, key=lambda cell: sign * (cell.value or 0.0)))

    def marked(row: Row) -> Row:
        cells = tuple(
            replace(cell, best=cell.value is not None and best.get((place, alike(row, each))) == _mean_text(cell))
            for place, (each, cell) in enumerate(zip(columns, row.cells, strict=True))
        )
        return replace(row, cells=cells)

    return tuple(replace(group, rows=tuple(marked(row) for row in group.rows)) for group in groups)


def _mean_text(cell: Cell) -> str:
    return cell.text.split(" (")[0]


def comparable(material: Material, systems: Mapping[str, Named]) -> Callable[[Row, Column], Hashable | None]:
    """Rows that may be compared in a column: one regime, and values of the same questions. Printed values compare with nothing."""

    def kind(row: Row, column: Column) -> Hashable | None:
        system = systems.get(row.label)
        if row.printed or system is None:
            return None
        return system.colour, frozenset(material.scores.get(row.label, {}).get(column.key, {}))

    return kind


BOLD = "Bold: best of its column among systems under the same regime with values of the same questions."


def notes(material: Material, metrics: Sequence[str], *, orientation: bool = True) -> tuple[str, ...]:
    """What stands under every table of metrics."""
    summary = material.summary
    lines = [base_note(material)] if not orientation else [orientation_note(material), base_note(material)]
    lines.append(unanswered_note(material, metrics))
    signatures = [
        f"{summary.metrics[metric].title}: {summary.metrics[metric].signature or 'no signature given'}"
        for metric in metrics
        if metric in summary.metrics
    ]
    if signatures:
        lines.append("Signatures: " + "; ".join(signatures) + ".")
    absent = [metric for metric in metrics if metric not in summary.metrics]
    if absent:
        neural = [metric for metric in absent if metric.startswith(NEURAL)]
        extra = ' Neural ones need model weights and the extra "neural".' if neural else ""
        lines.append(f"Not computed in this scoring: {', '.join(absent)}.{extra}")
    if any(unvalidated(summary.metrics[metric]) for metric in metrics if metric in summary.metrics):
        lines.append("Not validated: computed, but the model used has not been checked against the published values.")
    return tuple(lines)


def source_note(material: Material) -> tuple[str, ...]:
    """How often the review that the reference answer was written from was itself among what systems used; () where nobody tells."""
    found = [
        f"{system.answer_title} {statistics.mean:.0%} of {counted(statistics.n, 'question')}"
        for system in material.systems
        if (statistics := material.statistics(system.label, "source_included")) is not None and statistics.mean
    ]
    if not found:
        return ()
    return (
        "Unrestricted search permits the source review itself, and its words count towards overlap with the reference answer, "
        f"which was written from it. It was among the articles judged relevant for: {'; '.join(found)}.",
    )


def orientation_note(material: Material) -> str:
    """How prediction and reference were given to the text metrics."""
    if material.summary.orientation == "correct":
        return "Orientation: correct (the system's text is the prediction, the human answer the reference)."
    return "Orientation: published (roles swapped as in the published scores: the human answer is the prediction)."


def base_note(material: Material) -> str:
    """The questions that were scored."""
    subset = material.summary.subset
    data = material.summary.data or {}
    origin = f"; data set {data.get('name')}, SHA-256 {str(data.get('sha256'))[:12]}" if data.get("sha256") else ""
    return (
        f"Subset {subset['name']}: n = {subset['n']}, SHA-256 of the ids {subset['sha256'][:12]}{origin}. Cells: mean (sd, ddof 0)."
    )


def unanswered_note(material: Material, metrics: Sequence[str]) -> str:
    """What a question without an answer counts."""
    known = [material.summary.metrics[metric] for metric in metrics if metric in material.summary.metrics]
    floors: dict[str, list[str]] = {}
    for metric in known:
        if metric.name in OF_ALL:
            worth = "as any other under"
        elif metric.floor is None:
            worth = "not at all, being left out, under"
        else:
            worth = f"{fixed(metric.floor, 0 if metric.floor == int(metric.floor) else 3)} under"
        floors.setdefault(worth, []).append(metric.title)
    each = "; ".join(f"{worth} {', '.join(titles)}" for worth, titles in floors.items())
    return f"A question left unanswered (an empty text) counts {each or 'the metric’s floor, or is left out where there is none'}."


def printed_row(material: Material, label: str, title: str, metrics: Sequence[str], counts: str) -> Row:
    """A row of values that stand in the published table files."""
    values = material.printed.get(label, {})
    cells = [_printed(values.get(metric), metric, material) for metric in metrics]
    return Row(title + " †", (*cells, Cell(counts)), label, printed=True)


def _printed(value: tuple[float, float | None] | None, metric: str, material: Material) -> Cell:
    if value is None:
        return Cell("not published")
    shown = 1 if metric in ("chrf", "word_length") else places(metric, material.summary.metrics.get(metric))
    return Cell(with_sd(value[0], value[1], shown), value[0], value[1])
