"""The retraction list: what is read from others' files, what it says of an article, how it is
kept.
"""

import gzip
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import RecordError, UsageError
from clinfo.integrity.retractions import (
    Entry,
    Loaded,
    Retractions,
    keep,
    list_path,
    loaded_list,
    read_list,
    read_lists,
)
from clinfo.records.articles import Article
from tests.shared_data import SHARED, needs_shared

COLUMNS = (
    "Record ID,Title,RetractionDate,RetractionDOI,RetractionPubMedID,OriginalPaperDate,"
    "OriginalPaperDOI,"
    "OriginalPaperPubMedID,RetractionNature,Reason,Paywalled,Notes"
)


def made(*entries: Entry) -> Retractions:
    return Retractions(Loaded((), "2026-01-02T03:04:05+00:00"), entries)


def article(pmid: str | None = None, doi: str | None = None) -> Article:
    return Article(f"pmid:{pmid}", "A trial", pmid, doi=doi)


def row(
    day: str,
    pmid: str,
    nature: str,
    doi: str = "10.1000/One",
    notice: str = "900.0",
    reason: str = "+Error;",
) -> str:
    return (
        f'1,"A, title",{day},10.1000/notice,{notice},1/2/2020 0:00,{doi},{pmid},{nature},{reason},'
        "No,"
    )


def test_retraction_watch_rows_are_read_as_they_are_written() -> None:
    text = "\n".join(
        [
            "\ufeff" + COLUMNS,
            row(
                "7/12/2023 0:00",
                "37476288.0",
                "Retraction",
                reason="+Paper Mill;+Concerns/Issues about Data;",
            ),
            row(
                "2023-08-01 00:00:00",
                "0",
                "Expression of concern",
                doi="https://doi.org/10.1000/TWO.",
            ),
            row("13/45/2023", "0.0", "Correction", doi="unavailable"),
            row("", "12", "Something else"),
        ]
    )
    form, entries, unidentified, unread = read_list(text.removeprefix("\ufeff"))
    assert (form, unidentified, unread) == ("Retraction Watch", 1, 1)
    assert entries == [
        Entry(
            "retraction",
            "37476288",
            "10.1000/one",
            "2023-07-12",
            "900",
            "10.1000/notice",
            "",
            ("Paper Mill", "Concerns/Issues about Data"),
        ),
        Entry(
            "expression of concern",
            None,
            "10.1000/two",
            "2023-08-01",
            "900",
            "10.1000/notice",
            "",
            ("Error",),
        ),
    ]


def test_pmids_one_a_line() -> None:
    form, entries, _, unread = read_list("# retracted\n12\nPMID: 34\n56, 78 # two\n\nodd line\n")
    assert (form, [entry.pmid for entry in entries], unread) == (
        "PMIDs",
        ["12", "34", "56", "78"],
        1,
    )


@pytest.mark.parametrize(
    "text",
    ["", "<html></html>", '{"a": 1}', "nothing here is a number\nnor here", COLUMNS + "\n", "0\n"],
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_list(text)


def test_an_article_is_found_by_pmid_or_doi() -> None:
    held = made(
        Entry("retraction", "1", "10.1000/one"),
        Entry("retraction", "2"),
        Entry("expression of concern", "3"),
    )
    assert (
        held.about(article("1"))
        == held.about(article(None, "https://doi.org/10.1000/ONE"))
        == held.entries[:1]
    )
    assert held.about(article("9", "10.1000/nine")) == ()
    assert [held.retracts(pmid) for pmid in ("1", "2", "3", "4")] == [True, True, False, False]


def test_a_list_is_kept_whole_and_read_again_when_another_is_loaded(tmp_path) -> None:
    data = tmp_path / "data"
    assert loaded_list(data) is None
    (tmp_path / "one.txt").write_text("1\n2\n", encoding="utf-8")
    (tmp_path / "two.txt.gz").write_bytes(gzip.compress(b"3\n4\n5\nnone\n"))
    now = datetime(2026, 2, 3, tzinfo=UTC)
    held = read_lists([tmp_path / "one.txt", tmp_path / "two.txt.gz"], now)
    keep(held, data)
    again = loaded_list(data)
    assert again is not None
    assert (again.entries, again.loaded) == (held.entries, held.loaded)
    assert again.description == "one.txt, two.txt.gz, 5 entries, loaded 2026-02-03"
    assert [(file.form, file.entries, file.unread) for file in again.loaded.files] == [
        ("PMIDs", 2, 0),
        ("PMIDs", 3, 1),
    ]
    assert loaded_list(data) is again
    keep(read_lists([tmp_path / "one.txt"], now), data)
    replaced = loaded_list(data)
    assert replaced is not None
    assert len(replaced) == 2
    assert [path.name for path in data.iterdir()] == [list_path(data).name], (
        "nothing is left beside it"
    )


def test_a_damaged_list_says_what_to_do(tmp_path) -> None:
    keep(made(Entry("retraction", "1")), tmp_path)
    path = list_path(tmp_path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(RecordError, match="retractions load"):
        loaded_list(tmp_path)
    path.write_bytes(b"junk")
    with pytest.raises(RecordError, match="damaged"):
        loaded_list(tmp_path)


def test_files_that_cannot_be_used_are_named(tmp_path) -> None:
    with pytest.raises(UsageError, match=r"none\.csv cannot be opened"):
        read_lists([tmp_path / "none.csv"])
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"1\n" * 900)[:20])
    with pytest.raises(RecordError, match=r"cut\.gz is cut off"):
        read_lists([tmp_path / "cut.gz"])


@given(
    st.one_of(
        st.text(),
        st.text("0123456789\n ,PMID:-ROF\t\"'"),
        st.text().map(lambda rest: f"{COLUMNS}\n1,{rest}"),
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        form, entries, unidentified, unread = read_list(text)
    except RecordError:
        return
    assert form
    assert entries
    assert min(unidentified, unread) >= 0
    assert all(entry.pmid or entry.doi for entry in entries)


@needs_shared
def test_real_lists() -> None:
    folder = SHARED / "retractions"
    pmids = read_lists([folder / "retracted_pmids.txt"])
    assert (len(pmids), pmids.retracts("993"), pmids.loaded.files[0].unread) == (12_652, True, 0)
    watch = read_lists([folder / "retraction_watch_sample.csv"])
    assert (len(watch), watch.loaded.files[0].unidentified) == (20, 0)
    first = watch.entries[0]
    assert (first.pmid, first.doi, first.day, first.notice_pmid) == (
        "36035816",
        "10.1155/2022/9172719",
        "2023-07-12",
        "37476288",
    )
    everything = read_lists(
        [folder / "retracted_pmids.txt", folder / "retraction_watch_sample.csv"]
    )
    assert everything.counts()["retracted articles"] > 12_652
