"""Figures in the tables against the scores themselves, computed here with `statistics`."""

import csv
import re
import statistics
from datetime import date

import pytest

from tests.benchmarks.pubmedrs200.reporting.conftest import Made
from tests.benchmarks.pubmedrs200.reporting.scored import (
    DAYS,
    FAILED,
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
        ),  # training data to 30 November 2021
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


def test_lists_and_comparisons(made: Made) -> None:
    lists = {(line["group"], line["label"]): line["ids"] for line in table(made, "left-open")}
    assert lists["Unanswered", "one:restricted:synthesis"] == f"{UNANSWERED}, {FAILED}"
    assert lists["Quarantined for a leak, not scored", "one:unrestricted:both"] == LEAKED
    (line,) = table(made, "comparisons")
    assert (line["label"], line["baseline"], line["difference"], line["p_holm"]) == (
        "two:restricted:synthesis", "GPT-4 (closed book)", "-0.1234", "0.0008",
    )  # fmt: skip
    assert "**< 0.001**" in section(made, "Tests of difference").replace("\\<", "<")


def test_paper_values_are_marked(made: Made) -> None:
    printed = [line for line in table(made, "table-3") if line["printed"] == "yes"]
    assert [line["retrieval_precision"] for line in printed] == [
        "0.224",
        "0.186",
        "0.162",
    ]  # Table 3 of the paper
    assert all("§" in line["system"] for line in printed)


def test_the_report_begins_with_what_it_shows(made: Made) -> None:
    text = (made.report / "report.md").read_text(encoding="utf-8")
    short = text.split("\n## ")[1]
    assert short.startswith("In short\n")
    own = {
        label: values(label, "sentences_supported_own")
        for label in ("one:restricted", "one:unrestricted")
    }
    share = f"{100 * statistics.fmean(own['one:restricted']):.1f}%"
    assert "No independent judge has looked at these answers" in short
    interval = r"\(95 % interval \d+\.\d to \d+\.\d\)"
    assert re.search(rf": one, restricted search {share} {interval} over 10 questions\.", short)
    assert len(own["one:unrestricted"]) == 9
    assert (
        "too few questions to say, fewer than 10 with a value: one, unrestricted search 9." in short
    )
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
