"""Each kind of file becomes documents with title, licence, date and fields."""

from __future__ import annotations

import json

import pytest

from clinfo.errors import RecordError
from clinfo.retrieval.silos.readers import read
from tests.retrieval.silos import rows


def test_a_civic_table_of_before_2022() -> None:
    content = read(rows.ITEMS.encode(), "items.tsv", "civic")
    first, second, third = content.documents
    assert (first.id, first.fields["gene"], first.fields["variant"]) == ("1", "BRAF", "V600E")
    assert first.fields["drugs"] == "Vemurafenib; Dabrafenib"
    assert (first.fields["pmid"], first.date) == ("10001", "2020-05-06")
    assert second.fields["significance"] == "Resistance"
    assert third.fields["drugs"] == "HER2 Inhibitor CP-724,714; Lapatinib"
    assert (content.about.licence, content.about.date) == ("CC0 1.0", "2020-05-06")


def test_a_civic_table_since_2022() -> None:
    lines = [
        rows.NEWER,
        rows.newer("7", "BRAF V600E", "Melanoma", "Dabrafenib,Trametinib"),
        rows.newer("8", "EML4::ALK Fusion", "Lung Non-small Cell Carcinoma", "Lorlatinib"),
    ]
    first, second = read("\n".join(lines).encode(), "new.tsv", "civic").documents
    assert (first.fields["gene"], first.fields["variant"]) == ("BRAF", "V600E")
    assert first.fields["drugs"] == "Dabrafenib; Trametinib"
    assert first.fields["significance"] == "Sensitivity/Response"
    assert (second.fields["gene"], second.fields["variant"]) == ("ALK", "EML4::ALK Fusion")


def test_the_question_beside_an_answer_is_nowhere() -> None:
    content = read(rows.ANSWERS.encode(), "pages.jsonl", "cancergov")
    assert "zebrafish" not in repr(content)
    first, second = content.documents
    assert "symptoms" in first.abstractions["questions"]
    assert "diagnosed" in second.abstractions["questions"]
    assert content.about.licence == "CC BY 4.0"


def test_trials_of_the_registry() -> None:
    page = {"studies": [rows.TRIAL], "nextPageToken": "x", "totalCount": 57}
    content = read(json.dumps(page).encode(), "t.json", "trials")
    assert content.problems == ("t.json: one page, 1 of 57 studies: load the others too",)
    (trial,) = content.documents
    assert trial.title == "NCT01234567: Drug X in Melanoma"
    assert (trial.id, trial.date, trial.fields["status"]) == (
        "NCT01234567", "2025-03-04", "RECRUITING",
    )  # fmt: skip
    assert "BRAF V600E" in trial.abstractions["eligibility"]
    assert "Overall survival" in trial.text
    state = {"overallStatus": "TERMINATED", "whyStopped": "Two deaths."}
    stopped = {"protocolSection": rows.TRIAL["protocolSection"] | {"statusModule": state}}
    (trial,) = read(json.dumps(stopped).encode(), "t.json", "trials").documents
    assert "Why it stopped: Two deaths." in trial.text


def test_a_guideline_says_its_licence_and_date() -> None:
    content = read(rows.GUIDELINE.encode(), "ours.md", "ours")
    (document,) = content.documents
    assert (document.title, document.date, content.about.licence) == (
        "A guideline of ours", "2024-06", "all rights reserved",
    )  # fmt: skip
    assert "Stage IV" in document.abstractions["headings"]
    assert "licence" not in document.text


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"a\tb\n1\t2\n", "items.tsv"),
        (b"not json\n", "x.jsonl"),
        (b"{", "x.json"),
        (b'{"a": 1}', "x.json"),
        (b"\xff\xfe", "x.md"),
        (b"", "x.md"),
        (b"[" * 100_000, "x.json"),
        (b"\x89PNG....", "x.pdf"),
    ],
)
def test_a_bad_file_is_one_clear_line(raw: bytes, name: str) -> None:
    with pytest.raises(RecordError) as raised:
        read(raw, name, "ours")
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_civic_row_with_an_end_of_line_is_read_whole_and_one_that_is_cut_is_not_lost() -> None:
    """A statement on two lines; then a row that breaks off before its id."""
    whole = rows.newer("7", "BRAF V600E", "Melanoma", "Dabrafenib")
    statement = next(cell for cell in whole.split("\t") if cell.startswith("Patients"))
    two = whole.replace(statement, f'"{statement}\nIts ""second"" line."')
    cut = rows.newer("8", "KRAS G12C", "Melanoma", "Sotorasib").split("\t")
    broken = "\t".join(cut[: len(cut) // 2])
    content = read("\n".join((rows.NEWER, two, broken, whole)).encode(), "new.tsv", "civic")
    first, second, unread = content.documents
    assert first.text == f'{statement}\nIts "second" line.'
    assert second.text == statement
    assert unread.fields == {"state": "unread"}
    assert "KRAS G12C" in unread.text
    assert content.problems == ("new.tsv: 1 rows could not be read whole: row 2",)


def test_what_civic_flagged_or_has_not_accepted_is_left_out_and_counted() -> None:
    columns = rows.NEWER.split("\t")
    kept = rows.newer("7", "BRAF V600E", "Melanoma", "Dabrafenib")
    bad = rows.newer("8", "KRAS G12C", "Melanoma", "Sotorasib")
    lines = [
        "\t".join((rows.NEWER, "evidence_status", "is_flagged")),
        "\t".join((kept, "accepted", "false")),
        "\t".join((bad, "rejected", "false")),
        "\t".join((bad.replace("8", "9", 1), "accepted", "true")),
        "\t".join((bad.replace("8", "10", 1), "submitted", "false")),
    ]
    assert len(columns) == len(kept.split("\t"))
    content = read("\n".join(lines).encode(), "new.tsv", "civic")
    assert [one.id for one in content.documents] == ["7"]
    assert "3 items that CIViC flagged or has not accepted were left out" in content.problems[0]
