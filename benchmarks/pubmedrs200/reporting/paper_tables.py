"""Tables 1 to 3 in the layout of the paper (Lozano et al., Clinfo.ai, PSB 2024), all systems scored
alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.pubmedrs200.published.printed import Printed, printed
from benchmarks.pubmedrs200.published.systems import BY_KEY, REGIME_TITLES
from benchmarks.pubmedrs200.reporting.cells import (
    COUNTS,
    column,
    comparable,
    counted_row,
    mean_cell,
    places,
    printed_counts,
    printed_row,
    with_best,
)
from benchmarks.pubmedrs200.reporting.labels import PUBLISHED, Named
from benchmarks.pubmedrs200.reporting.notes import bold_note, notes, source_note
from benchmarks.pubmedrs200.reporting.numbers import deviation, fixed, mean, with_sd
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Group, Row, Table, grouped

SOURCE_AUGMENTED: Final = {
    "unieval_coherence": "Coherence",
    "unieval_consistency": "Consistency",
    "unieval_fluency": "Fluency",
    "unieval_relevance": "Relevance",
    "unieval_overall": "Overall",
    "comet": "COMET",
    "ctc_consistency": "CTC",
    "word_length": "Average length",
}
SOURCE_FREE: Final = {
    "bertscore": "BERTScore",
    "rouge_l": "ROUGE-L",
    "meteor": "METEOR",
    "chrf": "chrF",
    "google_bleu": "GoogleBLEU",
    "character": "CharacTER",
    "ctc_sf": "CTC",
}
RETRIEVAL: Final = {
    "retrieval_precision": "Precision",
    "retrieval_recall": "Recall",
    "source_included": "Source included",
}

_PUBLISHED_ROWS: Final = 145
_DAGGER: Final = (
    "† Published value, not scored again here: cell as in the published table files (n = 145)."
)
_DOUBLE: Final = (
    "‡ Published value, not scored again here: mean of the published values of those questions of "
    "this scoring that the published "
    "files hold."
)
_ROLES: Final = {
    "table-1": (
        "Roles of published values († and ‡): UniEval and CTC were asked about the system's text, "
        "as in the correct "
        "orientation; of COMET it is not known. Length is that of the system's text."
    ),
    "table-2": (
        "Roles of published values († and ‡): ROUGE-L, METEOR, chrF, GoogleBLEU and CharacTER have "
        "prediction and reference "
        "swapped (the published orientation); CTC was asked about the system's text, as in the "
        "correct "
        "one; BERTScore's F1 is the same "
        "either way."
    ),
}
"""Found from the published values; docs/pubmedrs-200.md tells how."""


def paper_tables(material: ReportData) -> tuple[Table, Table, Table]:
    """Table 1, source-augmented; Table 2, source-free; Table 3, retrieval by regime."""
    return (
        _metrics(material, "table-1", "Table 1. Source-augmented metrics", SOURCE_AUGMENTED),
        _metrics(material, "table-2", "Table 2. Source-free metrics", SOURCE_FREE),
        _retrieval(material),
    )


def text_systems(material: ReportData, metrics: Sequence[str]) -> list[Named]:
    """The systems that a table of text metrics has rows for: texts, and what any of its metrics was
    computed for.
    """
    return [
        system
        for system in material.systems
        if system.output or any(material.statistics(system.label, metric) for metric in metrics)
    ]


def _metrics(material: ReportData, key: str, title: str, metrics: dict[str, str]) -> Table:
    columns = tuple(column(material, metric, short) for metric, short in metrics.items())
    systems = {system.label: system for system in text_systems(material, list(metrics))}
    rows = [
        (
            system.group,
            counted_row(
                material,
                label,
                system.short_title,
                (mean_cell(material, label, metric) for metric in metrics),
            ),
        )
        for label, system in systems.items()
    ]
    printed = _printed(material, list(metrics))
    groups = with_best(grouped(rows), (*columns, *COUNTS), comparable(material, systems))
    marks = tuple(
        mark
        for mark in (_DAGGER, _DOUBLE)
        if any(mark[0] in row.title for group in printed for row in group.rows)
    )
    marks += (_ROLES[key],) if printed else ()
    marks += _in_print(metrics) if key == "table-1" else ()
    caption = (
        f"{title}, mean (sd); all systems of this scoring, published ones scored again with the "
        "same code."
    )
    under = (*notes(material, list(metrics)), *source_note(material), *bold_note(groups), *marks)
    return Table(key, title, caption, "System", (*columns, *COUNTS), (*groups, *printed), under)


def _in_print(metrics: dict[str, str]) -> tuple[str, ...]:
    """Return what the paper itself prints, as far as it is known, and what is wrong with it."""
    paper = printed()
    lines = [
        f"Printed in the paper ({metrics[metric]}): "
        + "; ".join(f"{BY_KEY[key].title} {fixed(value, 3)}" for key, value in means.items())
        + "."
        for metric, means in paper.table1.items()
        if metric in metrics
    ]
    return (*lines, *paper.notes.get("table1", ()))


def _printed(material: ReportData, metrics: list[str]) -> list[Group]:
    """Published values in groups of their own: cells of the table files, and means over the
    questions that were scored here.
    """
    groups = []
    rows = tuple(
        printed_row(material, label, system.title, metrics, _PUBLISHED_ROWS)
        for label, system in PUBLISHED.items()
        if any(metric in material.printed.get(label, {}) for metric in metrics)
    )
    if rows:
        groups.append(Group("Published values, not scored again †", rows))
    again = tuple(
        row
        for label, system in PUBLISHED.items()
        if (row := _again(material, label, system.title, metrics))
    )
    if again:
        groups.append(Group("Published values of the same questions, not scored again ‡", again))
    return groups


def _again(material: ReportData, label: str, title: str, metrics: list[str]) -> Row | None:
    scored = set(material.questions)
    cells, counts = [], []
    for metric in metrics:
        values = [
            value
            for id, value in material.published.get(label, {}).get(metric, {}).items()
            if id in scored
        ]
        counts.append(len(values))
        shown = places(metric, material.summary.metrics.get(metric))
        sd = deviation(values) if values else None
        cells.append(
            Cell(with_sd(mean(values), sd, shown), mean(values), sd)
            if values
            else Cell("not published")
        )
    if not any(counts):
        return None
    return Row(title + " ‡", (*cells, *printed_counts(max(counts))), label, printed=True)


def _retrieval(material: ReportData) -> Table:
    columns = tuple(column(material, metric, short) for metric, short in RETRIEVAL.items())
    systems = {
        system.label: system
        for system in material.systems
        if any(material.statistics(system.label, metric) for metric in RETRIEVAL)
    }
    rows = []
    for label, system in systems.items():
        cells = [mean_cell(material, label, metric) for metric in RETRIEVAL]
        if (
            system.regime != "unrestricted"
            and material.statistics(label, "source_included") is None
        ):
            cells[-1] = Cell("not permitted by the regime")
        rows.append((system.group, counted_row(material, label, system.short_answer_title, cells)))
    groups = with_best(grouped(rows), (*columns, *COUNTS), comparable(material, systems))
    paper = printed()
    groups = (
        *groups,
        Group(
            "Printed in the paper, not computed here §",
            tuple(_print_row(paper, regime) for regime in paper.table3),
        ),
    )
    extra = (
        "Precision and recall against the review's own list of references; questions whose review "
        "lists none have neither. "
        "The retrieval of the published systems is computed from the published ids. Of a system "
        "that tells no judgements the "
        "articles that it cites are taken for those judged relevant."
    )
    empty = () if rows else ("No system of this scoring tells what it retrieved.",)
    return Table(
        "table-3",
        "Table 3. Retrieval",
        (
            "Table 3. Retrieval by regime, mean (sd): precision and recall of the articles judged "
            "relevant; source review included."
        ),
        "System",
        (*columns, *COUNTS),
        groups,
        (
            *notes(material, list(RETRIEVAL), orientation=False),
            *bold_note(groups),
            extra,
            (
                f"§ Printed value: {paper.source}; rule and questions differ from ours (see "
                "reproduce)."
            ),
            *paper.notes.get("table3", ()),
            *empty,
        ),
    )


def _print_row(paper: Printed, regime: str) -> Row:
    values = paper.table3[regime]
    cells = [
        Cell(
            fixed(values[metric], 3) if metric in values else "not known",
            values.get(metric),
            mark="misprint" if ("table3", regime, metric) in paper.misprints else "",
        )
        for metric in RETRIEVAL
    ]
    return Row(
        f"Clinfo.ai, {REGIME_TITLES.get(regime, regime)} §",
        (*cells, *printed_counts(None)),
        printed=True,
    )
