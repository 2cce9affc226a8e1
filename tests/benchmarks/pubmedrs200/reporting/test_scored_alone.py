"""A report tells of what was scored and of nothing else, and marks no best where there is none."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.reporting.comparisons import comparison_table
from benchmarks.pubmedrs200.reporting.highlights import in_short
from benchmarks.pubmedrs200.reporting.pages import Page, pages
from benchmarks.pubmedrs200.reporting.plots.pool import curves
from benchmarks.pubmedrs200.reporting.report_data import ReportData
from benchmarks.pubmedrs200.reporting.summary import Comparison, Metric, Statistics, Summary
from benchmarks.pubmedrs200.reporting.support import support_table
from benchmarks.pubmedrs200.reporting.texts import Answer, of_record
from benchmarks.pubmedrs200.reporting.unanswered import left_open_table
from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.pipelines.literature.events import ArticlesFetched
from clinfo.records.articles import Article

IDS = ("31000001", "31000002", "31000003", "31000004")
OWN = "sentences_supported_own"


def scoring(values: dict[str, dict[str, tuple[float, ...]]]) -> ReportData:
    """Values by system (unrestricted search) and metric, one a question in the order of IDS."""
    scores = {
        f"{name}:unrestricted": {
            metric: {
                id: ScoreRow(id, f"{name}:unrestricted", metric, value)
                for id, value in zip(IDS, listed, strict=False)
            }
            for metric, listed in metrics.items()
        }
        for name, metrics in values.items()
    }
    systems = {
        label: {
            metric: _statistics([row.value for row in rows.values()])
            for metric, rows in metrics.items()
        }
        for label, metrics in scores.items()
    }
    known = {metric for metrics in values.values() for metric in metrics}
    described = {
        metric: Metric(
            metric,
            metric,
            0,
            1,
            "neither" if metric == "sentences_set_apart" else "higher",
            None,
            "s",
        )
        for metric in sorted(known)
    }
    return ReportData(_summary(described, systems), scores)


def _summary(metrics: dict[str, Metric], systems: dict[str, dict[str, Statistics]]) -> Summary:
    subset = {"name": "all", "n": 4, "sha256": "ab" * 32}
    return Summary("correct", subset, None, metrics, systems, {}, {}, None, ())


def _statistics(values: list[float]) -> Statistics:
    mean = sum(values) / len(values)
    return Statistics(len(values), len(values), mean, 0.0, mean, mean, mean, 0.0)


def bold(material: ReportData, metric: str) -> set[str]:
    table = support_table(material)
    place = [column.key for column in table.columns].index(metric)
    return {row.label.split(":")[0] for row in table.rows if row.cells[place].best}


def test_systems_and_questions_that_were_not_scored_are_in_no_list_page_or_plot() -> None:
    doubt = Answer("answered", "Yes.", retrieved=("1", "2"), unchecked=("999",), later=("998",))
    told = replace(
        scoring({"one": {OWN: (1.0, 1.0)}, "two": {OWN: (0.5,)}}),
        answers={
            f"{name}:unrestricted": dict.fromkeys((*IDS, "31999999"), doubt)
            for name in ("one", "two", "other")
        },
    )
    found = [(row.label, row.cells[1].text) for row in left_open_table(told).rows]
    assert (
        found == [("one:unrestricted", "31000001, 31000002"), ("two:unrestricted", "31000001")] * 2
    )
    shown = {
        page.id: [answer.title.split(",")[0] for answer in page.answers] for page in pages(told)
    }
    assert shown == {"31000001": ["one", "two"], "31000002": ["one"]}
    assert "other:unrestricted" not in {curve.system.label for curve in curves(told)}


def test_what_was_quarantined_has_its_page_though_it_was_not_scored() -> None:
    told = scoring({"one": {OWN: (1.0,)}})
    leaked = {id: Answer("leaked", "Yes.", leaks=("PMID 1",)) for id in IDS[:2]}
    summary = replace(told.summary, quarantined={"two:unrestricted:synthesis": (IDS[1],)})
    shown = {
        page.id: len(page.answers)
        for page in pages(replace(told, summary=summary, answers={"two:unrestricted": leaked}))
    }
    assert shown == {IDS[0]: 0, IDS[1]: 1}


def test_support_has_no_best_where_a_system_chose_what_was_judged() -> None:
    metrics = (OWN, "figures_supported", "citation_recall")

    def supports(apart: float) -> ReportData:
        chain = dict.fromkeys(metrics, (1.0, 0.9)) | {"sentences_set_apart": (apart, 0.0)}
        other = dict.fromkeys(metrics, (0.8, 0.7)) | {"sentences_set_apart": (0.0, 0.0)}
        return scoring({"chain": chain, "other": other})

    assert [bold(supports(0.0), metric) for metric in metrics] == [{"chain"}] * 3
    assert [bold(supports(0.4), metric) for metric in metrics] == [set()] * 3
    assert any(
        "no best in bold where a system compared set any apart" in note
        for note in support_table(supports(0.4)).notes
    )


def test_a_page_says_how_much_of_an_answer_no_judge_was_asked_about() -> None:
    told = scoring({"one": {"sentences_set_apart": (0.25, 0.0)}})
    (first, second) = pages(
        replace(
            told, answers={"one:unrestricted": dict.fromkeys(IDS[:2], Answer("answered", "Yes."))}
        )
    )
    assert (
        first.answers[0].counts
        == "25.0% of its sentences set apart, which no judge was asked about"
    )
    assert second.answers[0].counts == ""


def test_where_all_read_the_same_none_is_best() -> None:
    same = {"one": {OWN: (0.0, 0.0)}, "two": {OWN: (0.0001, 0.0)}, "three": {OWN: (0.0, 0.0)}}
    assert bold(scoring(same), OWN) == set()
    assert bold(scoring(same | {"three": {OWN: (0.5, 0.5)}}), OWN) == {"three"}
    assert bold(scoring(same | {"three": {OWN: (0.5, 0.5)}, "two": {OWN: (0.5, 0.5)}}), OWN) == {
        "two",
        "three",
    }
    assert bold(scoring({"one": {OWN: (1.0, 1.0)}, "two": {OWN: (0.5,)}}), OWN) == set(), (
        "of different questions"
    )


def test_of_a_tie_in_short_says_how_many_there_are() -> None:
    names = "abcdefghij"
    values = {
        name: {OWN: (0.0,) if name in "cde" else (1.0,) if name == "b" else (0.5,)}
        for name in names
    }
    (line,) = [
        line
        for line in in_short(scoring(values))
        if line.startswith("Sentences that stand word for word")
    ]
    assert line.endswith(
        ": of 10 systems the least c, unrestricted search 0.0% over 1 question, and 2 systems more "
        "with as much; the most b, "
        "unrestricted search 100.0% over 1 question."
    )
    same = in_short(scoring({name: {OWN: (0.0,)} for name in names}))
    (line,) = [line for line in same if line.startswith("Sentences that stand word for word")]
    assert line.endswith(
        ": the same for all 10 systems, such as a, unrestricted search 0.0% over 1 question."
    )


def test_what_could_not_be_looked_up_and_what_failed_is_said_in_short() -> None:
    told = scoring({name: {OWN: (1.0, 1.0, 0.0, 0.0)} for name in ("one", "two")})
    answers = {id: Answer("answered", "Yes.", external=True, looked_up=id == IDS[0]) for id in IDS}
    failed = {
        "one:unrestricted:synthesis": IDS[:1],
        "one:unrestricted": IDS[:1],
        "two:unrestricted": IDS[1:],
    }
    summary = replace(told.summary, failed=failed)
    shown = in_short(replace(told, answers={"one:unrestricted": answers}, summary=summary))
    assert [line.partition(",")[0] for line in shown if "looked up" in line] == [
        "Of the 4 answers of external systems 3 could not be looked up"
    ]
    assert [line.partition(". ")[0] for line in shown if line.startswith("Failed")] == [
        "Failed: 4 of 8 answers (the most: two, unrestricted search 3)"
    ]
    assert not [line for line in in_short(told) if "looked up" in line or "Failed" in line]
    (group,) = left_open_table(replace(told, summary=summary)).groups
    assert group.title == (
        "Failed, no answer that could be used (the question's section says why): counts the floors"
    )


def answered(judged: bool) -> Answer:
    """Two references of an external system, of which the source holds the first."""
    cell = Cell("one", "unrestricted", 1, IDS[0])
    references = [{"pmid": "11"}, {"pmid": "12", "title": "As told"}]
    record = Record(
        cell,
        "answered",
        "Yes [1].",
        answer={"references": references},
        relevant=("11", "12") if not judged else ("11", "13"),
        irrelevant=("12",) if judged else None,
    )
    held = ArticlesFetched(
        seq=0, articles=(Article("pmid:11", "A title of the source", "11"),), missing=("pmid:12",)
    )
    return of_record(record, held, external=True)


def shown(answer: Answer) -> Page:
    (page,) = pages(
        replace(scoring({"one": {OWN: (1.0,)}}), answers={"one:unrestricted": {IDS[0]: answer}})
    )
    return page


def test_what_a_system_only_cites_is_not_said_to_be_judged() -> None:
    (cited,), (judged,) = shown(answered(False)).answers, shown(answered(True)).answers
    assert cited.counts == "2 cited"
    assert [reference.remarks for reference in cited.references] == [
        (),
        ("not held by the run's source",),
    ]
    assert judged.counts == "2 judged relevant; 1 judged irrelevant"
    assert [reference.remarks[0] for reference in judged.references] == [
        "judged relevant",
        "judged irrelevant",
    ]
    assert [article.pmid for article in judged.relevant] == ["13"]


def test_references_have_the_titles_that_the_source_holds() -> None:
    (answer,) = shown(answered(False)).answers
    assert [reference.text for reference in answer.references] == [
        "[1] A title of the source",
        "[2] As told",
    ]


def test_of_few_questions_the_bootstrap_is_given_no_p_and_the_limit_of_randomisation_is_told() -> (
    None
):
    told = scoring({"one": {OWN: (1.0, 1.0, 1.0)}, "two": {OWN: (0.0, 0.0, 0.0)}})

    def table(n: int) -> tuple[list[str], list[str]]:
        compared = Comparison(
            OWN, "one:unrestricted", "two:unrestricted", n, 1.0, 0.9, 1.1, 0.0001, 0.25, 0.25
        )
        made = comparison_table(
            replace(told, summary=replace(told.summary, comparisons=(compared,)))
        )
        return [cell.text for cell in made.rows[0].cells], [
            note for note in made.notes if note.startswith("Few questions")
        ]

    cells, (note,) = table(3)
    assert cells[5:7] == ["n below 10", "0.250"]
    assert "below n = 10 its p is left out" in note
    assert note.endswith(
        "of n questions it cannot go below 2/2^n, which is 0.250 at the n = 3 here."
    )
    cells, (note,) = table(12)
    assert cells[5] == "< 0.001"
    assert "left out" not in note
    cells, notes = table(30)
    assert (cells[5], notes) == ("< 0.001", [])
