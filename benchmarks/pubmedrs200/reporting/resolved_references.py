"""Citations of external systems that the run's source does not hold: figures of support depend on
that source then.
"""

from __future__ import annotations

from benchmarks.pubmedrs200.reporting.labels import named
from benchmarks.pubmedrs200.reporting.notes import base_note
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.tables import Cell, Column, Row, Table, grouped
from benchmarks.pubmedrs200.reporting.texts import Answer

TITLE = "References of external systems"
_NOTES = (
    (
        "The articles behind an external system's references are those that the run's source holds "
        "under their PMIDs. A sentence that "
        "cites a reference without an article counts as not supported, as in ALCE's program: where "
        "the "
        "source lacks many, as a small "
        "index does, figures of support say more of the source than of the system."
    ),
    (
        "Not looked up: answers of which the source could not be asked; they have no figures of "
        "support."
    ),
)


def external_answers(material: ReportData) -> dict[str, list[Answer]]:
    """By label of the whole answer, what external systems answered to the questions scored; none of
    those that answered nothing.
    """
    found = {
        label: [one for one in answers.values() if one.external and one.status == "answered"]
        for label, answers in material.scored_answers.items()
    }
    return {label: answers for label, answers in found.items() if answers}


def looked_up_tables(material: ReportData) -> list[Table]:
    """One table, a row a system and regime; none where no external system answered."""
    rows = [
        (named(label).group, _row(label, answers))
        for label, answers in external_answers(material).items()
    ]
    if not rows:
        return []
    columns = (
        Column("answers", "Answers"),
        Column("not_looked_up", "Not looked up"),
        Column("references", "References of the others"),
        Column("not_held", "Not held by the source"),
        Column("without_pmid", "Without a PMID"),
    )
    caption = (
        f"{TITLE}: how many of them the run's source does not hold, so that no sentence can be "
        "supported by them."
    )
    return [
        Table(
            "references",
            TITLE,
            caption,
            "System",
            columns,
            grouped(rows),
            (base_note(material, means=False), *_NOTES),
        )
    ]


def _row(label: str, answers: list[Answer]) -> Row:
    references = [
        reference for answer in answers if answer.looked_up for reference in answer.references
    ]
    counts = (
        len(answers),
        sum(not answer.looked_up for answer in answers),
        len(references),
        sum(reference.held is False for reference in references),
        sum(not reference.pmid for reference in references),
    )
    return Row(
        named(label).short_answer_title, tuple(Cell(str(count), count) for count in counts), label
    )
