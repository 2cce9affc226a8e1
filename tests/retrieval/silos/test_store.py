"""A siloed store: loaded, searched, loaded again; nothing of one silo in another."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinfo.errors import RecordError, UsageError
from clinfo.retrieval.silos.loading import load_files
from clinfo.retrieval.silos.staged import FILE_NAME, Staged
from clinfo.retrieval.silos.store import StoredSilos, open_silos
from tests.retrieval.silos import rows


@pytest.fixture
def silos(tmp_path: Path) -> Iterator[StoredSilos]:
    folder = tmp_path / "silos"
    folder.mkdir()
    made = StoredSilos(Staged(folder / FILE_NAME))
    yield made
    made.close()


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def loaded(silos: StoredSilos, place: Path) -> StoredSilos:
    load_files(silos, "civic", [put(place / "items.tsv", rows.ITEMS)])
    load_files(silos, "cancergov", [put(place / "pages.jsonl", rows.ANSWERS)])
    load_files(silos, "ours", [put(place / "ours.md", rows.GUIDELINE)])
    return silos


def test_each_silo_is_searched_by_itself(silos: StoredSilos, tmp_path: Path) -> None:
    loaded(silos, tmp_path)
    assert silos.names() == ["cancergov", "civic", "ours"]
    for silo in silos.names():
        hits = silos.search(silo, "melanoma tumour signs response BRAF V600")
        assert hits
        assert {hit.document.silo for hit in hits} == {silo}


def test_a_hit_on_an_abstraction_brings_the_passage(silos: StoredSilos, tmp_path: Path) -> None:
    loaded(silos, tmp_path)
    hit = silos.search("civic", "vemurafenib")[0]
    assert hit.found_by == "fields"
    assert "Vemurafenib" not in hit.text
    assert hit.text == "Patients of study 1 with the change had a response."


def test_what_is_said_of_a_silo(silos: StoredSilos, tmp_path: Path) -> None:
    loaded(silos, tmp_path)
    about = silos.about("ours")
    assert (about["title"], about["licence"], about["date"], about["documents"]) == (
        "ours", "all rights reserved", "2024-06", 1,
    )  # fmt: skip
    with pytest.raises(UsageError, match="civic"):
        silos.about("nccn")
    with pytest.raises(UsageError):
        silos.search("nccn", "x")


def test_loading_again_reads_only_what_changed(silos: StoredSilos, tmp_path: Path) -> None:
    loaded(silos, tmp_path)
    items = tmp_path / "items.tsv"
    again = load_files(silos, "civic", [items])
    assert (again.files_kept, again.files_read, again.new) == (1, 0, 0)
    changed = rows.ITEMS.replace("Erlotinib", "Gefitinib").rsplit("\n", 1)[0]
    third = load_files(silos, "civic", [put(items, changed)])
    assert (third.new, third.removed, third.documents) == (1, 1, 2)
    assert silos.search("civic", "lapatinib L755S ERBB2") == []
    assert silos.search("civic", "gefitinib")[0].document.id == "2"


def test_a_bad_file_does_not_stop_the_rest(silos: StoredSilos, tmp_path: Path) -> None:
    files = [
        put(tmp_path / "a.tsv", "no table"),
        put(tmp_path / "b.tsv", rows.ITEMS),
        tmp_path / "gone.md",
    ]
    done = load_files(silos, "civic", files)
    assert (done.documents, done.files_read) == (3, 1)
    assert [("a.tsv" in one, "gone.md" in one) for one in sorted(done.problems)] == [
        (False, True), (True, False),
    ]  # fmt: skip


def test_one_id_with_two_texts_is_two_documents_and_a_day_that_is_none_is_left_out(
    silos: StoredSilos, tmp_path: Path
) -> None:
    days = ("2024-02-30", "2024-02")
    lines = [{"id": "x", "text": f"of {day}", "date": day} for day in days]
    path = put(tmp_path / "x.jsonl", "\n".join(map(json.dumps, lines)))
    done = load_files(silos, "ours", [path])
    found = [(one.id, one.date) for one in silos.documents("ours")]
    assert found == [("x", ""), ("x~2", "2024-02")]
    assert len(done.problems) == 2


def test_without_a_silo_the_examples_are_used(tmp_path: Path) -> None:
    silos = open_silos(tmp_path)
    assert silos.names() == ["cancergov", "civic"]
    about = silos.about("civic")
    assert (about["version"], about["date"], about["licence"]) == ("demo", "2021-02", "CC0 1.0")
    assert silos.search("civic", "BRAF V600E melanoma")[0].document.fields["gene"] == "BRAF"


def test_a_store_of_another_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with sqlite3.connect(path) as made:
        made.execute("PRAGMA user_version = 99")
    with pytest.raises(RecordError, match="form"):
        Staged(path)
    path.write_bytes(b"not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(RecordError):
        Staged(path)


def test_silos_are_read_while_another_process_loads(tmp_path: Path) -> None:
    Staged(tmp_path / FILE_NAME).close()
    loader = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    loader.execute("BEGIN IMMEDIATE")
    loader.execute("INSERT INTO stale VALUES ('a', 'b')")
    opened = Staged(tmp_path / FILE_NAME)
    assert opened.names() == []
    opened.close()
    loader.close()
