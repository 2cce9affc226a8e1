"""Means of different questions are not held against each other, and what raises or narrows a figure
stands beside it.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

from benchmarks.own.scores import ScoreRow, write_rows
from benchmarks.pubmedrs200.measures.specs import SPECS
from benchmarks.pubmedrs200.reporting.cells import row_title
from benchmarks.pubmedrs200.reporting.csv_files import table_csv
from benchmarks.pubmedrs200.reporting.gathering import Inputs, gather
from benchmarks.pubmedrs200.reporting.highlights import in_short
from benchmarks.pubmedrs200.reporting.labels import named
from benchmarks.pubmedrs200.reporting.notes import unanswered_note
from benchmarks.pubmedrs200.reporting.paper_tables import paper_tables
from benchmarks.pubmedrs200.reporting.report import make
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.support import support_table
from benchmarks.pubmedrs200.reporting.tables import Table
from benchmarks.pubmedrs200.reporting.texts import Answer, Reference
from benchmarks.pubmedrs200.reporting.unanswered import left_open_table
from tests.benchmarks.pubmedrs200.reporting.scored import METRICS, summary

IDS = ("31000001", "31000002", "31000003", "31000004")
MEASURES = ("sentences_supported_own", "citation_recall_own", "abstained", "source_included")


def material(folder: Path) -> ReportData:
    """System bold answers one question, system thorough all four; both tell on each whether they
    abstained.
    """
    made = []
    for name, answered in (("bold", 1), ("thorough", 4)):
        for number, id in enumerate(IDS):
            made.append(
                ScoreRow(id, f"{name}:unrestricted:synthesis", "rouge_l", 0.5, number >= answered)
            )
            made.append(
                ScoreRow(id, f"{name}:unrestricted", "abstained", float(number >= answered))
            )
            made.append(
                ScoreRow(
                    id,
                    f"{name}:unrestricted",
                    "source_included",
                    float(number < answered),
                    number >= answered,
                )
            )
            if number < answered:
                value = 1.0 if name == "bold" else 0.7
                made.append(ScoreRow(id, f"{name}:unrestricted", "sentences_supported_own", value))
        made.append(
            ScoreRow(
                IDS[0],
                f"{name}:unrestricted",
                "citation_recall_own",
                0.2 if name == "bold" else 0.4,
            )
        )
    form = summary(made)
    told = {
        name: {
            "title": SPECS[name].title,
            "low": 0,
            "high": 1,
            "better": SPECS[name].better,
            "floor": SPECS[name].floor,
        }
        for name in MEASURES
    }
    form["metrics"] = {"rouge_l": METRICS["rouge_l"]} | told
    write_rows(folder / "scores.jsonl", made)
    (folder / "scores.summary.json").write_text(
        json.dumps(form | {"unanswered": {}, "quarantined": {}, "comparisons": []})
    )
    return gather(Inputs(folder / "scores.jsonl", folder / "scores.summary.json"))


def cells(table: Table, key: str) -> dict[str, tuple[str, str, bool]]:
    place = [column.key for column in table.columns].index(key)
    return {
        row.label: (row.cells[place].text, row.cells[place].mark, row.cells[place].best)
        for row in table.rows
        if row.label
    }


def test_a_mean_of_few_questions_says_so_and_beats_nobody_asked_more(tmp_path: Path) -> None:
    support = support_table(material(tmp_path))
    assert cells(support, "sentences_supported_own") == {
        "bold:unrestricted": ("1.000 (0.000)", "n = 1", False),
        "thorough:unrestricted": ("0.700 (0.000)", "", False),
    }
    best = {label: cell[2] for label, cell in cells(support, "citation_recall_own").items()}
    assert best == {"bold:unrestricted": False, "thorough:unrestricted": True}, (
        "both have a value of the same one question"
    )


def test_whether_a_system_abstained_is_no_count_of_its_answers(tmp_path: Path) -> None:
    support = support_table(material(tmp_path))
    counts = {
        key: {label: cell[0] for label, cell in cells(support, key).items()}
        for key in ("n", "answered")
    }
    assert counts == {
        "n": {"bold:unrestricted": "4", "thorough:unrestricted": "4"},
        "answered": {"bold:unrestricted": "1", "thorough:unrestricted": "4"},
    }


def test_who_answered_nothing_is_not_said_to_have_answered(tmp_path: Path) -> None:
    told = material(tmp_path)
    rows = told.scores["bold:unrestricted"]
    silent = {
        "abstained": {id: replace(row, value=1.0) for id, row in rows["abstained"].items()},
        "tokens": {id: ScoreRow(id, "bold:unrestricted", "tokens", 7.0) for id in IDS},
    }
    texts = {
        "rouge_l": {
            id: ScoreRow(id, "bold:unrestricted:synthesis", "rouge_l", 0.0, True) for id in IDS
        }
    }
    without_answers = replace(
        told, scores={"bold:unrestricted": silent, "bold:unrestricted:synthesis": texts}
    )
    assert (
        without_answers.answered("bold:unrestricted")
        == without_answers.answered("bold:unrestricted:synthesis")
        == 0
    )
    only_abstained = replace(told, scores={"bold:unrestricted": silent})
    assert only_abstained.answered("bold:unrestricted") == 0
    only_used = replace(told, scores={"bold:unrestricted": {"tokens": silent["tokens"]}})
    assert only_used.answered("bold:unrestricted") is None


def test_what_an_unanswered_question_counts_is_said_without_contradiction(tmp_path: Path) -> None:
    told = material(tmp_path)
    assert unanswered_note(told, ("rouge_l", *MEASURES)) == (
        "A question left unanswered (an empty text) counts 0 under ROUGE-L, source review "
        "included; not at all, being left out, "
        "under sentences supported (own judge), citation recall (own judge); as any other under "
        "abstained."
    )


def test_why_other_systems_have_no_support_is_said(tmp_path: Path) -> None:
    (note,) = [
        note for note in support_table(material(tmp_path)).notes if "no figures of support" in note
    ]
    assert note.startswith("Bare models and the published systems")


def test_sentences_that_are_left_out_are_told_of(tmp_path: Path) -> None:
    assert any(
        "only count its own studies" in note for note in support_table(material(tmp_path)).notes
    )


def test_overlap_owed_to_the_source_review_is_told_of(tmp_path: Path) -> None:
    (note,) = [
        note for note in paper_tables(material(tmp_path))[1].notes if "source review itself" in note
    ]
    assert (
        "bold, unrestricted search 25% of 4 questions; thorough, unrestricted search 100% of 4 "
        "questions"
    ) in note


def test_answers_whose_articles_have_no_dates_are_listed(tmp_path: Path) -> None:
    doubtful = {
        IDS[1]: Answer("answered", "Yes.", unchecked=("999",)),
        IDS[2]: Answer("leaked", unchecked=("998",)),
    }
    table = left_open_table(replace(material(tmp_path), answers={"bold:unrestricted": doubtful}))
    (group,) = table.groups
    assert "a leak cannot be ruled out" in group.title
    assert [cell.text for cell in group.rows[0].cells] == ["1", IDS[1]]


def test_answers_from_articles_that_came_after_the_review_are_listed(tmp_path: Path) -> None:
    held = {"later": ("999",)}
    late = {
        IDS[1]: Answer("answered", "Yes.", **held),
        IDS[2]: Answer("leaked", **held),
        IDS[3]: Answer("answered"),
    }
    table = left_open_table(replace(material(tmp_path), answers={"bold:unrestricted": late}))
    (group,) = table.groups
    assert "higher PMID than the review" in group.title
    assert [cell.text for cell in group.rows[0].cells] == ["1", IDS[1]]


def test_what_failed_is_listed_apart_and_warnings_are_shown(tmp_path: Path) -> None:
    material(tmp_path)
    path = tmp_path / "scores.summary.json"
    form = json.loads(path.read_text())
    path.write_text(
        json.dumps(
            form | {"failed": {"bold:unrestricted": [IDS[3]]}, "warnings": ["3 texts were cut"]}
        )
    )
    told = gather(Inputs(tmp_path / "scores.jsonl", path))
    (group,) = left_open_table(told).groups
    assert group.title.startswith("Failed")
    assert [cell.text for cell in group.rows[0].cells] == ["1", IDS[3]]
    report = make(told, with_plots=False)
    assert "3 texts were cut" in report.remarks
    assert ("Failed", "1 answer of all systems together, listed below") in report.facts


def test_a_measure_of_whole_answers_is_no_figure_of_one_text() -> None:
    run = named("clinfo_pubmed")
    assert (row_title(run, "retrieval_recall"), row_title(run, "rouge_l")) == (
        "Clinfo.ai",
        "Clinfo.ai, synthesis & TL;DR",
    )


def test_bold_is_explained_where_something_is_bold(tmp_path: Path) -> None:
    told = material(tmp_path)
    alone = replace(
        told,
        scores={label: rows for label, rows in told.scores.items() if label.startswith("bold")},
    )
    alone = replace(
        alone,
        summary=replace(
            told.summary, systems={label: told.summary.systems[label] for label in alone.scores}
        ),
    )
    assert [
        any("Bold: " in note for note in support_table(held).notes) for held in (told, alone)
    ] == [True, False]


def test_lists_of_the_texts_of_an_answer_are_one_and_no_list_is_written_twice(
    tmp_path: Path,
) -> None:
    held = material(tmp_path)
    ids = tuple(str(31000000 + number) for number in range(40))
    texts = [
        f"{name}:unrestricted:{output}"
        for name in ("bold", "thorough")
        for output in ("synthesis", "tldr")
    ]
    systems = dict.fromkeys(texts, held.summary.systems["bold:unrestricted:synthesis"])
    left = dict.fromkeys(texts, ids) | {"bold:unrestricted": ids[:30]}
    told = replace(held, summary=replace(held.summary, systems=systems, unanswered=left))
    table = left_open_table(told)
    assert [(row.label, *(cell.text for cell in row.cells)) for row in table.rows] == [
        ("bold:unrestricted", "40", ", ".join(ids)),
        ("thorough:unrestricted", "40", "the same as those of bold, unrestricted search"),
    ]
    assert [line["ids"] for line in csv.DictReader(io.StringIO(table_csv(table)))] == [
        ", ".join(ids)
    ] * 2
    other = left | {"bold:unrestricted:tldr": ids[:3]}
    apart = left_open_table(replace(told, summary=replace(told.summary, unanswered=other)))
    assert [(row.label, row.cells[0].text) for row in apart.rows] == [
        ("bold:unrestricted:synthesis", "40"),
        ("bold:unrestricted:tldr", "3"),
        ("bold:unrestricted", "30"),
        ("thorough:unrestricted", "40"),
    ]


def test_a_system_that_answered_nothing_has_no_value_of_what_was_computed_for_others(
    tmp_path: Path,
) -> None:
    told = material(tmp_path)
    scores = {label: dict(rows) for label, rows in told.scores.items()}
    systems = {label: dict(rows) for label, rows in told.summary.systems.items()}
    for held in (scores, systems):
        del held["bold:unrestricted"]["sentences_supported_own"]
    table = support_table(
        replace(told, scores=scores, summary=replace(told.summary, systems=systems))
    )
    assert cells(table, "sentences_supported_own")["bold:unrestricted"][0] == "no value"
    assert cells(table, "citation_precision_own")["bold:unrestricted"][0] == "not computed", (
        "for nobody"
    )


def test_references_that_the_source_does_not_hold_are_told_of_first(tmp_path: Path) -> None:
    listed = (
        Reference("1", "", held=True),
        Reference("2", "", held=False),
        Reference("3", "", held=False),
    )
    answer = Answer("answered", "Yes [1].", references=listed, external=True, looked_up=True)
    told = material(tmp_path)
    (line,) = [
        line
        for line in in_short(replace(told, answers={"bold:unrestricted": {IDS[0]: answer}}))
        if "external" in line
    ]
    assert line.startswith(
        "Of the 3 references of external systems the run's source does not hold 2: a sentence that "
        "cites one"
    )
    beside = {
        "bold:unrestricted": {IDS[0]: answer, "31999999": answer},
        "elsewhere:unrestricted": {IDS[0]: answer},
    }
    assert line in in_short(replace(told, answers=beside)), (
        "only of systems and questions that were scored"
    )
    assert not [line for line in in_short(told) if "external" in line]


def test_how_much_of_an_answer_no_judge_was_asked_about_is_told_of_where_there_is_any(
    tmp_path: Path,
) -> None:
    told = material(tmp_path)
    system, metric = "thorough:unrestricted", "sentences_set_apart"
    cell = told.summary.systems[system]["sentences_supported_own"]
    for share, lines in (
        (0.0, []),
        (0.25, ["thorough, unrestricted search 25.0% over 4 questions."]),
    ):
        rows = {id: ScoreRow(id, system, metric, share) for id in IDS}
        scores = {**told.scores, system: {**told.scores[system], metric: rows}}
        systems = {
            **told.summary.systems,
            system: {**told.summary.systems[system], metric: replace(cell, mean=share)},
        }
        shown = in_short(
            replace(told, scores=scores, summary=replace(told.summary, systems=systems))
        )
        assert [
            line.partition("only count studies: ")[2]
            for line in shown
            if "no judge was asked about" in line
        ] == lines


def test_doubts_about_questions_that_were_not_scored_are_not_listed(tmp_path: Path) -> None:
    doubtful = {
        id: Answer("answered", "Yes.", unchecked=("999",), later=("999",))
        for id in (IDS[0], "31999999")
    }
    table = left_open_table(replace(material(tmp_path), answers={"bold:unrestricted": doubtful}))
    assert [row.cells[1].text for row in table.rows] == [IDS[0]] * 2
