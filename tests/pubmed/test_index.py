"""The local index: what a build makes of files, what it refuses, and what its versions hold."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from clinfo.errors import ClinfoError, RecordError, UsageError
from clinfo.pubmed.index import LocalIndex, Progress, build, drop, snapshots
from clinfo.pubmed.plan import Everything, Keys, Phrase
from clinfo.pubmed.xml import read_article
from tests.pubmed.index_files import citation, deletion, write
from tests.shared_data import SHARED, needs_shared

DRUGS = ("aspirin", "warfarin", "statin", "placebo", "heparin")


def day(text: str) -> Callable[[], datetime]:
    return lambda: datetime.fromisoformat(text).replace(tzinfo=UTC)


def corpus(first: int, count: int) -> list[str]:
    return [
        citation(
            first + place,
            f"Trial {place} of {DRUGS[place % 5]}",
            (
                f"Patients took {DRUGS[place % 5]} or {DRUGS[place % 3]}.",
                f"Outcome {place % 7} was reached.",
            ),
            year=str(1990 + place % 30),
            headings=("Humans", "Aspirin") if place % 2 else ("Humans",),
            cites=(first, first + 1) if place > 3 else (),
        )
        for place in range(count)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def state(index: LocalIndex) -> tuple[object, ...]:
    """All that an index answers to a few questions, ranks and records among it."""
    plans = [
        Everything(),
        *(Phrase(("ti", "ab"), (word,)) for word in DRUGS),
        Phrase(("ab",), ("outcome", "3")),
    ]
    every = [
        index.best(plan, 1000, sort=sort) for plan in plans for sort in ("relevance", "pub_date")
    ]
    pmids = [id.removeprefix("pmid:") for id in index.ids(Everything())]
    return every, index.records(pmids), [index.similar(pmid, 5) for pmid in pmids[:3]]


def test_a_build_makes_a_version_that_answers_and_gives_the_records_back(
    tmp_path: Path, folder: Path
) -> None:
    file = write(tmp_path / "a.xml.gz", corpus(100, 50), checksum=True)
    seen: list[Progress] = []
    made = build([file], folder, progress=seen.append, now=day("2026-03-01"))
    assert (
        made.version.number,
        made.version.day,
        made.version.citations,
        made.new,
        made.files,
    ) == (1, "2026-03-01", 50, True, 1)
    assert seen[-1].citations == 50
    assert seen[-1].done == seen[-1].total == file.stat().st_size
    index = LocalIndex.open(folder)
    assert len(index) == 50
    assert index.count(Phrase(("ti",), ("warfarin",))) == 10
    raw = index.records(["101", "7", "x", "9" * 30])
    assert list(raw) == ["101"]
    assert raw["101"].decode() in corpus(100, 50)[1]
    assert read_article(raw["101"]).title == "Trial 1 of warfarin"
    assert [article.pmid for article in index.articles(["103", "101", "4"])] == ["103", "101"]
    info = index.info()
    assert [file.name for file in info.files] == ["a.xml.gz"]
    assert not info.unfinished


def test_the_last_record_of_a_pmid_counts_and_deletions_remove(
    tmp_path: Path, folder: Path
) -> None:
    records = [
        citation(1, "first"),
        citation(2, "second"),
        citation(3, "third"),
        citation(1, "first again"),
    ]
    one = write(tmp_path / "n1.xml", records)
    two = write(
        tmp_path / "n2.xml.gz",
        [
            citation(2, "second better", version=2),
            citation(2, "second older", version=1),
            deletion(3, 99),
            citation(4, "fourth"),
        ],
    )
    made = build([one, two], folder)
    assert (made.version.citations, made.deleted) == (3, 1)
    index = LocalIndex.open(folder)
    assert {article.pmid: article.title for article in index.articles(["1", "2", "3", "4"])} == {
        "1": "first again",
        "2": "second better",
        "4": "fourth",
    }
    for word, count in (("better", 1), ("older", 0), ("third", 0), ("again", 1), ("first", 1)):
        assert index.count(Phrase(("ti",), (word,))) == count
        assert index.has(Phrase(("ti",), (word,))) is bool(count)
    assert "third" not in index.stems("th", 10)
    back = write(
        tmp_path / "n3.xml",
        [citation(3, "third returns"), deletion(4), citation(4, "fourth returns")],
    )
    assert build([back], folder).version.citations == 4
    again = LocalIndex.open(folder)
    assert [article.title for article in again.articles(["3", "4"])] == [
        "third returns",
        "fourth returns",
    ]


def test_versions_keep_answering_as_they_did(tmp_path: Path, folder: Path) -> None:
    build([write(tmp_path / "a.xml", corpus(100, 40))], folder, now=day("2026-01-05"))
    first = state(LocalIndex.open(folder))
    updates = [
        citation(101, "Revised aspirin trial", ("New words.",)),
        deletion(102, 103),
        *corpus(200, 10),
    ]
    build([write(tmp_path / "b.xml", updates)], folder, now=day("2026-02-05"))
    second = state(LocalIndex.open(folder))
    build(
        [write(tmp_path / "c.xml", [deletion(101), citation(102, "Back")])],
        folder,
        now=day("2026-02-05"),
    )
    assert first != second
    for as_of, number, expected in (
        (1, 1, first),
        ("1", 1, first),
        ("2026-01-05", 1, first),
        ("2026-02-04", 1, first),
        (date(2026, 2, 4), 1, first),
        (2, 2, second),
    ):
        index = LocalIndex.open(folder, as_of=as_of)
        assert index.version.number == number
        assert state(index) == expected
    assert LocalIndex.open(folder, as_of="2026-02-05").version.number == 3
    assert LocalIndex.open(folder).version.number == 3
    for wrong, words in (
        ("2025-12-31", "no version by"),
        ("9", "version 9 does not exist"),
        ("soon", "neither a day"),
        ("2026-13-01", "not a day"),
    ):
        with pytest.raises(UsageError, match=words):
            LocalIndex.open(folder, as_of=wrong)
    drop(folder, 2)
    assert [version.number for version in snapshots(folder)] == [1, 3]
    assert state(LocalIndex.open(folder, as_of=1)) == first
    assert [
        article.title for article in LocalIndex.open(folder).articles(["101", "102", "104"])
    ] == ["Back", "Trial 4 of heparin"]
    drop(folder, 1)
    assert [article.title for article in LocalIndex.open(folder).articles(["101", "102"])] == [
        "Back"
    ]
    for number, words in ((3, "is the only one left"), (2, "version 2 does not exist")):
        with pytest.raises(UsageError, match=words):
            drop(folder, number)


def test_links_go_by_reference_lists_and_likeness(tmp_path: Path, folder: Path) -> None:
    records = [
        citation(
            1,
            "Aspirin for stroke prevention",
            ("Aspirin prevented stroke in older adults.",),
            cites=(9,),
        ),
        citation(
            2,
            "Stroke prevention with aspirin in older adults",
            ("Stroke was prevented by aspirin.",),
            cites=(1, 5),
        ),
        citation(3, "Yoga for back pain", ("Back pain improved with yoga.",), cites=(1,)),
        citation(5, "Knee surgery", ("Recovery after knee surgery.",)),
    ]
    build([write(tmp_path / "a.xml", records)], folder)
    index = LocalIndex.open(folder)
    found = index.related("1", 5)
    assert found.similar[0] == "pmid:2"
    assert "pmid:1" not in found.similar
    assert found.citing == ("pmid:3", "pmid:2")
    assert found.cited == ()
    assert index.related("2", 1).cited == ("pmid:5",)
    assert index.similar("1", 2)[0][0] == "1"
    assert index.similar("1", 2)[0][1] >= index.similar("1", 2)[1][1] > 0
    assert index.similar("404", 2) == []


def test_mesh_is_copied_into_the_version(tmp_path: Path, folder: Path) -> None:
    from clinfo.terms.mesh_files import load

    lines = [
        {"ui": "D000001", "heading": "Drugs", "entry_terms": [], "tree_numbers": ["D01"]},
        {
            "ui": "D000002",
            "heading": "Aspirin",
            "entry_terms": ["acetylsalicylic acid"],
            "tree_numbers": ["D01.100"],
        },
    ]
    source = tmp_path / "mesh.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    file = write(tmp_path / "a.xml", corpus(1, 10))
    build([file], folder, mesh=source)
    assert build([file], folder, mesh=source).new is False
    index = LocalIndex.open(folder)
    assert index.mesh is not None
    assert (
        index.search("acetylsalicylic acid[mh]", 20).count
        == index.count(Keys("mh", frozenset(("aspirin",))))
        == 5
    )
    assert index.search("drugs[mh]", 20).count == 5
    with pytest.raises(UsageError, match=r"absent\.xml cannot be read"):
        build([file], folder, mesh=tmp_path / "absent.xml")
    with pytest.raises(RecordError, match=r"a\.xml"):
        build([file], folder, mesh=file)
    lines[1]["tree_numbers"] = ["X01"]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    table = tmp_path / "table.sqlite"
    load(source, table)
    build([file], folder, mesh=table)
    assert LocalIndex.open(folder).search("drugs[mh]", 20).count == 0
    assert LocalIndex.open(folder, as_of=1).search("drugs[mh]", 20).count == 5
    build([write(tmp_path / "b.xml", corpus(50, 2))], folder)
    assert LocalIndex.open(folder).mesh is not None
    drop(folder, 1)
    assert {path.name for path in folder.glob("mesh-*")} == {"mesh-2.sqlite"}


def refused(files: list[Path], folder: Path) -> str:
    with pytest.raises(ClinfoError) as raised:
        build(files, folder)
    assert "\n" not in str(raised.value)
    assert isinstance(raised.value, UsageError | RecordError)
    return str(raised.value)


@pytest.mark.slow
def test_files_that_cannot_be_used_are_one_line_and_change_nothing(
    tmp_path: Path, folder: Path
) -> None:
    good = write(tmp_path / "good.xml.gz", corpus(1, 300), checksum=True)
    build([good], folder)
    before = state(LocalIndex.open(folder))
    cut = tmp_path / "cut.xml.gz"
    cut.write_bytes(write(tmp_path / "whole.xml.gz", corpus(500, 300)).read_bytes()[:-2000])
    page = tmp_path / "page.xml"
    page.write_text("<html><body>Not found</body></html>")
    wrong = write(tmp_path / "wrong.xml.gz", corpus(900, 3), checksum=True)
    wrong.write_bytes(wrong.read_bytes() + b"\0")
    empty = tmp_path / "empty.xml"
    empty.write_bytes(b"")
    nothing = write(tmp_path / "nothing.xml", [])
    silent = write(tmp_path / "silent.xml", corpus(1, 1))
    silent.with_name("silent.xml.md5").write_text("no sum\n")
    for files, words in (
        ([cut], "cut.xml.gz"),
        ([page], "page.xml"),
        ([wrong], "wrong.xml.gz: its checksum is"),
        ([empty], "empty.xml"),
        ([nothing], "nothing.xml: contains no citations"),
        ([silent], "contains no MD5"),
        ([tmp_path / "absent.xml"], "not there"),
        ([tmp_path], "a folder"),
        ([good, good], "named twice"),
        ([], "at least one"),
        ([write(tmp_path / "more.xml", corpus(5000, 3)), cut], "cut.xml.gz"),
    ):
        assert words in refused(files, folder)
        assert state(LocalIndex.open(folder)) == before
        assert [version.number for version in snapshots(folder)] == [1]
    assert build([tmp_path / "more.xml"], folder).version.citations == 303


def test_folders_that_are_no_index_are_told_apart(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match="no local index exists"):
        LocalIndex.open(folder)
    folder.mkdir()
    with pytest.raises(UsageError, match="is not a local index"):
        LocalIndex.open(folder)
    (folder / "notes.txt").write_text("mine")
    file = write(tmp_path / "a.xml", corpus(1, 3))
    assert "other files" in refused([file], folder)
    (folder / "notes.txt").unlink()
    page = tmp_path / "page.xml"
    page.write_text("<html></html>")
    refused([page], folder)
    with pytest.raises(UsageError, match="is not finished"):
        LocalIndex.open(folder)
    build([file], folder)
    form = folder / "index.json"
    form.write_text('{"schema": 1, "form": 99}')
    with pytest.raises(UsageError, match="another version"):
        LocalIndex.open(folder)
    assert "another version" in refused([file], folder)
    form.write_text("{")
    with pytest.raises(RecordError, match="damaged"):
        LocalIndex.open(folder)


@pytest.mark.parametrize(
    "junk",
    [b"junk", b"", bytes.fromhex("28b52ffd e0 0000000000000040") + b"abc"],
    ids=["no frame", "empty", "claims exbibytes"],
)
def test_a_damaged_record_is_one_line(tmp_path: Path, folder: Path, junk: bytes) -> None:
    build([write(tmp_path / "a.xml", corpus(1, 3))], folder)
    with closing(sqlite3.connect(folder / "records.sqlite")) as store, store:
        store.execute("UPDATE records SET data = ? WHERE id >> 16 = 2", (junk,))
    with closing(LocalIndex.open(folder)) as index:
        assert set(index.records(["1", "3"])) == {"1", "3"}
        with pytest.raises(RecordError, match="a record of the index is damaged"):
            index.records(["2"])


@needs_shared
def test_real_files_of_every_kind(folder: Path) -> None:
    files = [
        SHARED / "medline" / name
        for name in (
            "medline16n0902_part.xml.gz",
            "medsample1_2017.xml.gz",
            "pubmed_export_nasopharyngeal_2018.xml.gz",
        )
    ]
    made = build(files, folder)
    assert made.version.citations == 403 + 170 + 107
    index = LocalIndex.open(folder)
    assert (
        len(index.records([id.removeprefix("pmid:") for id in index.ids(Everything())]))
        == made.version.citations
    )
    assert index.search("cancer[ti]", 5).count > 10
