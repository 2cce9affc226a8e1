"""A citation file's own index, kept in the cache's folder."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.servers.eutils import render_set
from clinfo.cache import Cache
from clinfo.records.articles import Article, SearchRequest, SearchResult, Section
from clinfo.settings import Settings
from clinfo.sources.kept_file import KeptFile
from clinfo.sources.registry import article_source

HEAD = 64
"""Bytes of the two checksums before an entry's pickle."""


def _write(file: Path, *titles: str) -> None:
    articles = [
        Article(f"pmid:{pmid}", title, str(pmid), sections=(Section("Zinc and colds."),))
        for pmid, title in enumerate(titles, start=1)
    ]
    file.write_bytes(render_set(articles))


def _ask(file: Path, folder: Path | None, query: str = "zinc") -> tuple[SearchResult, list[str]]:
    """The search and the titles found, by a source of its own."""
    cache = None if folder is None else Cache(folder / "cache.sqlite")
    source = article_source(Settings(), str(file), cache)
    found = asyncio.run(source.search(SearchRequest(query, limit=9)))
    return found, [one.title for one in asyncio.run(source.fetch(found.ids)).articles]


def _entries(folder: Path) -> list[Path]:
    return sorted((folder / "files").iterdir())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "found.xml"
    _write(path, "Zinc for colds", "Colds of children")
    return path


def test_the_second_question_gets_the_same_from_what_is_kept(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    first, titles = _ask(file, folder)
    (entry,) = _entries(folder)
    assert entry.stat().st_mode & 0o777 == 0o600
    state = KeptFile(folder / "files", str(file)).load()
    assert state is not None
    assert [one.article.title for one in state.citations] == ["Zinc for colds", "Colds of children"]
    written = entry.read_bytes()
    second, again = _ask(file, folder)
    assert (second.ids, second.count, second.warnings, again) == (
        first.ids,
        first.count,
        first.warnings,
        titles,
    )
    assert first.count == 2
    assert entry.read_bytes() == written
    assert _ask(file, folder, "children")[1] == ["Colds of children"]


def test_a_changed_file_is_read_again_in_place_of_the_stale_one(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _ask(file, folder)
    _write(file, "Zinc for wounds")
    assert KeptFile(folder / "files", str(file)).load() is None
    assert _ask(file, folder)[1] == ["Zinc for wounds"]
    assert len(_entries(folder)) == 1
    assert KeptFile(folder / "files", str(file)).load() is not None


def test_without_a_cache_nothing_is_kept(file: Path, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))
    assert _ask(file, None)[0].count == 2
    assert set(tmp_path.rglob("*")) == before


class _Calls:
    def __init__(self, target: Path) -> None:
        self._target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._target),)


def test_an_entry_that_is_damaged_or_not_ours_is_passed_over(file: Path, tmp_path: Path) -> None:
    folder, target = tmp_path / "cache", tmp_path / "called"
    _ask(file, folder)
    (entry,) = _entries(folder)
    head, body = entry.read_bytes()[:HEAD], entry.read_bytes()[HEAD:]
    calls = (b"cclinfo.pubmed.index.reading\nReaders\n(tR.", pickle.dumps(_Calls(target)))
    for other in (b"", body[: len(body) // 2], b"\0" * 50, pickle.dumps([]), *calls):
        entry.write_bytes(head + other)
        assert KeptFile(folder / "files", str(file)).load() is None
        assert _ask(file, folder)[0].count == 2
        assert not target.exists()
    assert entry.read_bytes()[HEAD:] == body


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_an_entry_that_others_can_write_is_passed_over(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _ask(file, folder)
    (entry,) = _entries(folder)
    assert KeptFile(folder / "files", str(file)).load() is not None
    entry.chmod(0o620)
    assert KeptFile(folder / "files", str(file)).load() is None
    assert _ask(file, folder)[0].count == 2


def test_a_folder_that_cannot_be_written_hinders_nothing(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "files").write_text("in the way")
    assert _ask(file, folder)[0].count == 2


def test_processes_at_once_get_the_same(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    program = (
        "import sys; from pathlib import Path; from tests.sources.test_kept_file import _ask; "
        "print(_ask(Path(sys.argv[1]), Path(sys.argv[2]))[0].ids)"
    )
    command = [sys.executable, "-c", program, str(file), str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    several = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    said = {one.communicate()[0].strip() for one in several}
    assert said == {str(_ask(file, folder)[0].ids)}
    assert [one.returncode for one in several] == [0, 0, 0]
    assert len(_entries(folder)) == 1
