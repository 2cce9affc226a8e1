"""Sheets out to two annotators and back, by way of what spreadsheets make of them."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from pubmedrs.annotation.round_trip import BadSheets, read_back
from pubmedrs.annotation.sheets import export
from pubmedrs.reading import load
from pubmedrs.records import Dataset
from pubmedrs.writing import write
from tests.pubmedrs.sample import row, written

IDS = ("30000001", "30000002", "30000003", "30000004")
Rows = list[dict[str, str]]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    cells = (
        row(IDS[0]),
        row(IDS[1], HumanAnswer='=HYPERLINK("x") 5%; α – “so”.\n-Tea, helps.'),
        row(IDS[2], HumanAnswer="@SUM(1)"),
        row(IDS[3], HumanAnswer="'=quoted"),
    )
    return load(written(tmp_path / "set.csv", cells))


def sheets(dataset: Dataset, folder: Path) -> tuple[Path, Path]:
    first, second = export(dataset, ["anna", "ben"], folder / "sheets")
    return first, second


def table(path: Path) -> Rows:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def filled(
    path: Path, *decisions: dict[str, str], change: Callable[[Rows], None] | None = None
) -> Path:
    """Fill a sheet in: the n-th row by the n-th decision, all others accept."""
    rows = table(path)
    for place, one in enumerate(rows):
        one.update({"decision": "accept"} | (decisions[place] if place < len(decisions) else {}))
    if change is not None:
        change(rows)
    as_csv(path, rows)
    return path


def as_csv(path: Path, rows: Rows, **dialect: str) -> None:
    text = io.StringIO(newline="")
    ends, delimiter = dialect.get("lineterminator", "\r\n"), dialect.get("delimiter", ",")
    out = csv.DictWriter(text, rows[0], lineterminator=ends, delimiter=delimiter)
    out.writeheader()
    out.writerows(rows)
    path.write_bytes(text.getvalue().encode(dialect.get("encoding", "utf-8-sig")))


def test_a_sheet_is_made_for_spreadsheets(dataset: Dataset, tmp_path: Path) -> None:
    path, _ = sheets(dataset, tmp_path)
    assert path.name == "annotate-anna.csv"
    assert path.read_bytes().startswith(
        b"\xef\xbb\xbfid,title,question,candidate_answer,abstract,decision,edited_question,"
    )
    rows = table(path)
    assert [one["id"] for one in rows] == list(IDS)
    assert rows[1]["candidate_answer"].startswith("'=HYPERLINK")
    assert rows[2]["candidate_answer"] == "'@SUM(1)"
    assert not [
        cell
        for one in rows
        for cell in one.values()
        if cell[:1] in ("=", "+", "-", "@", "\t", "\r")
    ]
    assert {one["annotator"] for one in rows} == {"anna"}


def test_all_accepted_gives_the_data_set_back(dataset: Dataset, tmp_path: Path) -> None:
    told = read_back([filled(path) for path in sheets(dataset, tmp_path)], dataset)
    assert told.reviews == dataset.reviews
    assert told.outcome.accepted == IDS
    assert told.agreement.annotators == ("anna", "ben")


@pytest.mark.parametrize(
    "dialect",
    [
        {"delimiter": ";"},
        {"delimiter": "\t", "encoding": "utf-16"},
        {"delimiter": ",", "encoding": "utf-8"},
        {"lineterminator": "\n"},
    ],
)
def test_sheets_come_back_in_the_forms_that_spreadsheets_save(
    dataset: Dataset, tmp_path: Path, dialect: dict[str, str]
) -> None:
    paths = sheets(dataset, tmp_path)
    for path in paths:
        rows = table(filled(path, {}, {"decision": "edit", "edited_answer": "=1+1; α"}))
        turned = [dict(reversed(one.items())) | {"id": f"{one['id']}.0"} for one in rows]
        crlf = [
            {column: cell.replace("\n", "\r\n") for column, cell in one.items()} for one in turned
        ]
        as_csv(path, crlf, **dialect)
    told = read_back(paths, dataset)
    assert told.outcome.edited == (IDS[1],)
    assert [review.answer for review in told.reviews] == [
        dataset.reviews[0].answer, "=1+1; α", dataset.reviews[2].answer, dataset.reviews[3].answer,
    ]  # fmt: skip


def one_problem(dataset: Dataset, paths: tuple[Path, Path]) -> tuple[int, str, str, str]:
    with pytest.raises(BadSheets) as caught:
        read_back(paths, dataset)
    (problem,) = caught.value.problems
    assert problem.file == "annotate-anna.csv"
    return problem.row, problem.id, problem.column, problem.detail


@pytest.mark.parametrize(
    ("cells", "column", "detail"),
    [
        ({"decision": ""}, "decision", "no decision"),
        ({"decision": "maybe"}, "decision", "'maybe' is not one of accept, edit, reject"),
        (
            {"decision": "edit"},
            "edited_answer",
            "the decision is edit, but no edited text is given",
        ),
        (
            {"decision": "edit", "edited_answer": "It helped 12 of 20.\nTea  helps. "},
            "edited_answer",
            "the decision is edit",
        ),
        (
            {"decision": "reject", "edited_answer": "x"},
            "edited_answer",
            "contains text, but the decision is reject",
        ),
        (
            {"decision": "accept", "edited_question": "x?"},
            "edited_question",
            "contains text, but the decision is accept",
        ),
        ({"title": "Another"}, "title", "was changed"),
        ({"candidate_answer": "Another"}, "candidate_answer", "was changed"),
        ({"abstract": ""}, "abstract", "was changed"),
    ],
)
def test_every_row_that_cannot_be_used_is_named(
    dataset: Dataset, tmp_path: Path, cells: dict[str, str], column: str, detail: str
) -> None:
    first, second = sheets(dataset, tmp_path)
    found = one_problem(dataset, (filled(first, cells), filled(second)))
    assert found[:3] == (2, IDS[0], column)
    assert found[3].startswith(detail)


def test_two_sheets_of_two_people_are_wanted(dataset: Dataset, tmp_path: Path) -> None:
    first, second = sheets(dataset, tmp_path)
    with pytest.raises(UsageError, match=r"two annotators.*: 1 "):
        read_back([filled(first)], dataset)
    with pytest.raises(BadSheets) as caught:
        read_back([first, first], dataset)
    assert caught.value.problems[0].detail == "both sheets are by anna"
    rows = table(filled(second))
    rows[0]["annotator"] = "anna"
    as_csv(second, rows)
    with pytest.raises(BadSheets) as caught:
        read_back([first, second], dataset)
    assert caught.value.problems[0].detail == "several names in one sheet: anna, ben"


def pubmedrs(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pubmedrs", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )


@pytest.mark.slow
def test_disagreements_go_to_a_third_person_and_come_back(dataset: Dataset, tmp_path: Path) -> None:
    data = tmp_path / "built.jsonl"
    write(dataset, data)
    assert (
        pubmedrs(
            "export", data, "--out", tmp_path / "sheets", "--annotators", "anna,ben"
        ).returncode
        == 0
    )
    first, second = (
        tmp_path / "sheets" / "annotate-anna.csv",
        tmp_path / "sheets" / "annotate-ben.csv",
    )
    edited = {"decision": "edit", "edited_answer": "Ours."}
    filled(
        first,
        edited,
        {"decision": "reject"},
        edited,
        {"decision": "edit", "edited_answer": "Anna's."},
    )
    bens = {"decision": "edit", "edited_answer": "Ben's."}
    filled(second, edited, {"decision": "accept"}, edited | {"edited_question": "What?"}, bens)
    final, sheet = tmp_path / "final.jsonl", tmp_path / "final.adjudication.csv"
    arguments = ("import", first, second, "--data", data, "--out", final, "--json")

    ran = pubmedrs(*arguments)
    assert ran.returncode == 1
    assert "3 to adjudicate" in ran.stderr
    told = json.loads(ran.stdout)
    assert told["outcome"]["edited"] == [IDS[0]]
    assert told["outcome"]["open"] == list(IDS[1:])
    # observed 3 of 4; anna rejects once and edits three times, ben accepts once and edits three
    # times: chance 9/16
    assert told["agreement"]["three"]["kappa"] == pytest.approx((0.75 - 9 / 16) / (1 - 9 / 16))
    assert not final.exists()

    rows = table(sheet)
    assert [(one["id"], one["first_decision"], one["second_decision"]) for one in rows] == [
        (IDS[1], "reject", "accept"), (IDS[2], "edit", "edit"), (IDS[3], "edit", "edit"),
    ]  # fmt: skip
    assert [rows[2]["first_answer"], rows[2]["second_answer"]] == ["Anna's.", "Ben's."]
    again = pubmedrs(*arguments)
    assert (again.returncode, "may contain somebody's work" in again.stderr) == (2, True)

    decided = (
        {"decision": "first"},
        {"decision": "second"},
        {"decision": "edit", "edited_answer": "Both."},
    )
    filled(sheet, *decided)
    unfinished = table(sheet)
    unfinished[0]["decision"] = ""
    as_csv(tmp_path / "unfinished.csv", unfinished)
    ran = pubmedrs(
        "import", first, second, tmp_path / "unfinished.csv", "--data", data, "--out", final
    )
    assert ran.returncode == 2
    assert f"unfinished.csv, row 2 (id {IDS[1]}): decision: " in ran.stderr
    as_csv(tmp_path / "short.csv", table(sheet)[1:])
    ran = pubmedrs("import", first, second, tmp_path / "short.csv", "--data", data, "--out", final)
    assert ran.returncode == 2
    assert f"short.csv, the sheet (id {IDS[1]}): id: " in ran.stderr
    assert not final.exists()

    ran = pubmedrs(
        "import", sheet, second, first, "--data", data, "--out", final, "--json"
    )  # whatever order they are named in
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["agreement"] == told["agreement"]
    outcome = json.loads(ran.stdout)["outcome"]
    assert (outcome["edited"], outcome["rejected"], outcome["open"]) == (
        [IDS[0], IDS[2], IDS[3]],
        [IDS[1]],
        [],
    )
    assert outcome["adjudicated"] == list(IDS[1:])
    reviews = {review.pmid: review for review in load(final).reviews}
    assert {id: (one.question, one.answer) for id, one in reviews.items()} == {
        IDS[0]: ("Does tea help?", "Ours."),
        IDS[2]: ("What?", "Ours."),
        IDS[3]: ("Does tea help?", "Both."),
    }
