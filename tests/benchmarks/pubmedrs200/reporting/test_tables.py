"""Figures in the tables against the scores themselves, computed here with `statistics`."""

from __future__ import annotations

import csv
import statistics
from datetime import date
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics.registry import SPECS
from benchmarks.pubmedrs200.reporting.sharing import places
from benchmarks.pubmedrs200.scoring.summary import Metric
from tests.benchmarks.pubmedrs200.reporting.conftest import Made
from tests.benchmarks.pubmedrs200.reporting.scored import (
    DAYS,
    FAILED,
    IDS,
    LEAKED,
    UNANSWERED,
    rows,
)


def table(made: Made, key: str) -> list[dict[str, str]]:
    with (made.report / "tables" / f"{key}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def values(system: str, metric: str, *, answered: bool = False) -> list[float]:
    return [
        row.value
        for row in rows()
        if (row.system, row.metric) == (system, metric) and not (answered and row.unanswered)
    ]


def section(made: Made, title: str) -> str:
    text = (made.report / "report.md").read_text(encoding="utf-8")
    return text.split(f"\n### {title}\n", 1)[1].split("\n### ", 1)[0]


def test_means_and_deviations_are_those_of_the_rows(made: Made) -> None:
    lines = {line["label"]: line for line in table(made, "table-2") if line["printed"] == "no"}
    assert set(lines) >= {
        "gpt3.5",
        "gpt4",
        "clinfo_pubmed",
        "one:restricted:synthesis",
        "one:unrestricted:both",
    }
    for label, line in lines.items():
        for metric in ("rouge_l", "character"):
            assert float(line[metric]) == pytest.approx(statistics.fmean(values(label, metric)))
            assert float(line[f"{metric}_sd"]) == pytest.approx(
                statistics.pstdev(values(label, metric))
            )
    counts = {
        label: (line["n"], line["answered"])
        for label, line in lines.items()
        if label.startswith("one")
    }
    assert counts == {
        "one:restricted:synthesis": ("12", "10"),
        "one:unrestricted:both": ("11", "9"),
    }


@pytest.mark.parametrize(
    ("metric", "decimals"), [("comet", 3), ("rouge_l", 3), ("chrf", 1), ("word_length", 1)]
)
def test_values_are_written_with_as_many_decimals_as_tell_systems_apart(
    metric: str, decimals: int
) -> None:
    spec = SPECS[metric]
    known = Metric.of(spec, "")
    assert (places(metric, known), places(metric, None)) == (decimals, decimals), (
        "published values stand beside as ours do"
    )


def test_what_was_not_computed_or_not_validated_says_so(made: Made) -> None:
    lines = {line["label"]: line for line in table(made, "table-2") if line["printed"] == "no"}
    assert lines["gpt4"]["bertscore_remark"] == "not validated"
    assert lines["one:restricted:synthesis"]["bertscore"] == "not computed"
    assert all(line["meteor"] == line["ctc_sf"] == "not computed" for line in lines.values())
    support = {line["label"]: line for line in table(made, "support")}
    assert support["one:restricted"]["sentences_supported"] == "not judged"
    assert float(support["one:restricted"]["sentences_supported_own"]) == pytest.approx(
        statistics.fmean(values("one:restricted", "sentences_supported_own"))
    )


def test_unknown_cost_is_never_nothing(made: Made) -> None:
    lines = {line["label"]: line for line in table(made, "effort")}
    assert {line["cost_usd"] for line in lines.values()} == {"unknown"}
    assert lines["one:unrestricted"]["tokens"] == "unknown"
    assert lines["one:restricted"]["tokens_remark"] == "known for 9 of 10"
    assert float(lines["one:restricted"]["tokens"]) == pytest.approx(
        statistics.fmean(values("one:restricted", "tokens"))
    )


def test_no_cell_is_blank(made: Made) -> None:
    for path in sorted((made.report / "tables").glob("*.csv")):
        for line in table(made, path.stem):
            for column, cell in line.items():
                assert (
                    cell or column.endswith(("_sd", "_remark")) or column in ("group", "label")
                ), (path.name, column, line)


@pytest.mark.parametrize(("metric", "best"), [("ROUGE-L", max), ("CharacTER", min)])
def test_bold_is_the_best_of_comparable_systems(made: Made, metric: str, best: type) -> None:
    lines = [
        line
        for line in section(made, "Table 2. Source-free metrics").splitlines()
        if line.startswith("|")
    ]
    place = [cell.strip(" ↑↓") for cell in lines[0].split("|")].index(metric)
    bold, peers = (
        {},
        {
            "gpt": ["gpt3.5", "gpt4"],
            "restricted": ["one:restricted:synthesis", "two:restricted:synthesis"],
        },
    )
    titles = {
        "GPT-3.5 (closed book)": "gpt3.5",
        "GPT-4 (closed book)": "gpt4",
        "one, synthesis": "one:restricted:synthesis",
        "two, synthesis": "two:restricted:synthesis",
    }
    for line in lines[2:]:
        cells = [cell.strip() for cell in line.split("|")]
        if cells[place].startswith("**"):
            bold[titles.get(cells[1], cells[1])] = cells[place]
    key = {"ROUGE-L": "rouge_l", "CharacTER": "character"}[metric]
    wanted = {
        best(group, key=lambda label: statistics.fmean(values(label, key)))
        for group in peers.values()
    }
    assert (
        set(bold) == wanted
    )  # the other two were scored on questions or under a regime of their own


def test_headings_point_to_what_is_better_in_every_form_but_csv(made: Made) -> None:
    markdown = section(made, "Table 2. Source-free metrics")
    assert "| ROUGE-L ↑ |" in markdown
    assert "| CharacTER ↓ |" in markdown
    assert "↓ lower is better" in markdown
    assert "| METEOR ↑ |" in markdown, "not computed here, but better is higher all the same"
    assert "| Average length |" in section(made, "Table 1. Source-augmented metrics")
    page = (made.report / "report.html").read_text(encoding="utf-8")
    assert ">ROUGE-L\u00a0↑</th>" in page
    assert ">CharacTER\u00a0↓</th>" in page
    latex = (made.report / "tables" / "table-2.tex").read_text(encoding="utf-8")
    assert "ROUGE-L $\\uparrow$" in latex
    assert "CharacTER $\\downarrow$" in latex
    assert "↑" not in "".join(
        path.read_text(encoding="utf-8") for path in (made.report / "tables").glob("*.csv")
    )


def test_length_has_no_best(made: Made) -> None:
    assert "**" not in "".join(
        line
        for line in section(made, "Table 1. Source-augmented metrics").splitlines()
        if " (" in line
    )


def split(system: str, metric: str, first: date) -> tuple[list[float], list[float]]:
    of = {row.id: row.value for row in rows() if (row.system, row.metric) == (system, metric)}
    return [of[id] for id in of if DAYS[id] < first], [of[id] for id in of if DAYS[id] >= first]


@pytest.mark.parametrize(
    ("key", "system", "first"),
    [
        ("split-2021", "one:restricted:synthesis", date(2021, 10, 1)),
        ("split-2021", "gpt4", date(2021, 10, 1)),
        (
            "split-cutoff",
            "one:restricted:synthesis",
            date(2021, 12, 1),
        ),  # "2021-11" is the whole of November
        ("split-cutoff", "gpt4", date(2021, 10, 1)),  # training data to 30 September 2021
    ],
)
def test_splits(made: Made, key: str, system: str, first: date) -> None:
    (line,) = (
        line for line in table(made, key) if line["label"] == system and line["metric"] == "ROUGE-L"
    )
    before, after = split(system, "rouge_l", first)
    assert (int(float(line["n_before"])), int(float(line["n_after"]))) == (len(before), len(after))
    assert float(line["before"]) == pytest.approx(statistics.fmean(before))
    assert float(line["after"]) == pytest.approx(statistics.fmean(after))
    assert float(line["change"]) == pytest.approx(
        statistics.fmean(after) - statistics.fmean(before)
    )


def test_a_system_without_cutoff_is_named(made: Made) -> None:
    (note,) = (
        line
        for line in section(made, "Split by the end of training data").splitlines()
        if "cut-off not known" in line
    )
    assert note.endswith("; two.")
    assert "Elicit" in note or "clinfo_pubmed" not in note
    assert "one" not in note.split(":")[1]


def test_lists_and_comparisons(made: Made) -> None:
    lists = {(line["group"], line["label"]): line["ids"] for line in table(made, "left-open")}
    assert lists["Unanswered", "one:restricted:synthesis"] == f"{UNANSWERED}, {FAILED}"
    assert lists["Quarantined for a leak, not scored", "one:unrestricted:both"] == LEAKED
    (line,) = table(made, "comparisons")
    assert (line["label"], line["baseline"], line["difference"], line["p_holm"]) == (
        "two:restricted:synthesis", "GPT-4 (closed book)", "-0.1234", "0.0008",
    )  # fmt: skip
    assert "**< 0.001**" in section(made, "Tests of difference").replace("\\<", "<")


def test_best_and_worst_cases(made: Made) -> None:
    shown = [
        line["question"][:8]
        for line in table(made, "cases")
        if line["label"] == "two:restricted:synthesis"
    ]
    of = {
        row.id: row.value
        for row in rows()
        if (row.system, row.metric) == ("two:restricted:synthesis", "rouge_l")
    }
    ranked = sorted(of, key=lambda id: of[id], reverse=True)
    assert shown == [*ranked[:3], *reversed(ranked[-3:])]
    unanswered = [
        line
        for line in table(made, "cases")
        if line["question"].startswith((UNANSWERED, FAILED)) and "one" in line["label"]
    ]
    assert not unanswered


def test_every_table_says_what_it_stands_on(made: Made) -> None:
    text = (made.report / "report.md").read_text(encoding="utf-8")
    tables = text.split("## Tables")[1].split("\n## Plots")[0].split("\n### ")[1:]
    assert len(tables) == 12
    for each in tables:
        assert "Subset all: n = 12, SHA-256 of the ids abababababab" in each
    lists = "Unanswered, quarantined"
    assert all("- Orientation: " in each for each in tables if not each.startswith(lists))
    without = [
        each.split("\n")[0]
        for each in tables
        if "Orientation: correct" not in each and not each.startswith(lists)
    ]
    assert without == [
        "Support of what is said",
        "Table 3. Retrieval",
        "Recall of the pool, cost and readability",
    ]
    unsigned = [each.split("\n")[0] for each in tables if "- Signatures: " not in each]
    assert unsigned == [each.split("\n")[0] for each in tables if each.startswith(lists)]
    assert all(
        ("ddof 0" in each) == (" (sd" in each.split("\n- ")[0])
        for each in tables
        if not each.startswith("Every metric")
    )
    assert "made-up:1\\|a\\_b:50%" in section(made, "Table 2. Source-free metrics")


def test_paper_values_are_marked(made: Made) -> None:
    printed = [line for line in table(made, "table-3") if line["printed"] == "yes"]
    assert [line["retrieval_precision"] for line in printed] == [
        "0.224",
        "0.186",
        "0.162",
    ]  # Table 3 of the paper
    assert all("§" in line["system"] for line in printed)


def test_seconds_stand_in_their_own_files_only(made: Made) -> None:
    assert "1.50" in (made.report / "timings.md").read_text(encoding="utf-8")
    others = [
        path
        for path in made.report.rglob("*.*")
        if not path.name.startswith("timings") and path.suffix in (".md", ".csv", ".tex")
    ]
    assert len(others) > 20
    assert not [
        path
        for path in others
        if "seconds" in path.read_text(encoding="utf-8").replace("Seconds differ", "")
    ]


def test_systems_on_other_questions_are_announced(made: Made) -> None:
    text = (made.report / "report.md").read_text(encoding="utf-8")
    assert "Not all systems were scored on the same questions" in text
    assert (
        Path(made.report / "report.html")
        .read_text(encoding="utf-8")
        .count("Not all systems were scored")
        == 1
    )
    assert len(IDS) == 12


def test_systems_on_other_questions_are_compared_on_the_shared_ones(made: Made) -> None:
    shared = set(IDS) - {LEAKED}
    lines = {line["label"]: line for line in table(made, "shared-questions")}
    assert set(lines) == {row.system for row in rows() if row.metric == "rouge_l"}
    for label, line in lines.items():
        of = [
            row
            for row in rows()
            if (row.system, row.metric) == (label, "rouge_l") and row.id in shared
        ]
        assert float(line["rouge_l"]) == pytest.approx(statistics.fmean(row.value for row in of))
        assert float(line["rouge_l_sd"]) == pytest.approx(
            statistics.pstdev(row.value for row in of)
        )
        told = {row.id for row in of if not row.unanswered}
        assert int(line["answered"]) == len(told), "what the rows or the summary call unanswered"
    assert lines["gpt4"]["bertscore_remark"] == "not validated"
    assert lines["one:restricted:synthesis"]["bertscore"] == "not computed"
    assert "Here n = 11 of them." in section(made, "The same questions")
    assert "12 questions" not in section(made, "The same questions")


def test_the_report_begins_with_what_it_shows(made: Made) -> None:
    text = (made.report / "report.md").read_text(encoding="utf-8")
    short = text.split("\n## ")[1]
    assert short.startswith("In short\n")
    own = {
        label: values(label, "sentences_supported_own")
        for label in ("one:restricted", "one:unrestricted")
    }
    restricted, unrestricted = (
        f"{100 * statistics.fmean(found):.1f}% over {len(found)} questions"
        for found in own.values()
    )
    assert "No independent judge has looked at these answers" in short
    assert f"one, restricted search {restricted}; one, unrestricted search {unrestricted}." in short
    counts = (
        "one, restricted search 10 of 12; two, restricted search 12 of 12; one, unrestricted "
        "search 9 of 11."
    )
    assert f"Questions answered: {counts}" in short
    assert "13 of the 15 metrics" not in short
    assert "11 of the 15 metrics of Tables 1 and 2 were not computed here" in short, (
        "four of the seven above are in those tables"
    )
    assert "Not validated against the published values: BERTScore." in short
    page = (made.report / "report.html").read_text(encoding="utf-8")
    assert (
        page.index(">In short</h2>")
        < page.index(">What was scored</h2>")
        < page.index(">Support of what is said</h3>")
    )


def test_markdown_sets_words_in_italics_where_a_number_would_stand(made: Made) -> None:
    line = next(
        line
        for line in section(made, "Split by publication of the review").splitlines()
        if line.startswith("| GPT-4")
    )
    assert line.startswith("| GPT-4 (closed book) | ROUGE-L | ")
    assert "| *not computed* |" in section(made, "Table 2. Source-free metrics")
    assert "| not computed |" not in (made.report / "report.md").read_text(encoding="utf-8"), (
        "be no number in the whole column"
    )
