"""The cache on disk, against real files, threads and processes."""

import logging
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from clinfo.cache import Cache


def test_what_is_put_is_got(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "cache.sqlite")
    assert cache.get("a") is None
    cache.put("a", "one")
    cache.put("b", "two\0\ud800 ü")
    cache.put("a", "three")
    assert cache.get("a") == "three"
    again = Cache(tmp_path / "new" / "cache.sqlite")
    assert again.get("a") == "three"
    assert again.get("b") == "two\0\ud800 ü"


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache.sqlite"
    cache = Cache(path)
    cache.put("a", "one")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes["cache.sqlite"] == 0o600
    assert set(modes.values()) == {0o600}, "the files that SQLite puts beside it as well"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.touch(0o644)
    Cache(path).put("a", "one")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_keys_hold_nothing_of_what_was_asked(tmp_path: Path) -> None:
    key = Cache.key_of("summary", {"question": "Does lumbricine help in gout?"})
    Cache(tmp_path / "cache.sqlite").put(key, "a reply")
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"a reply" in held
    assert b"lumbricine" not in held
    assert len(key) == 64


def test_a_damaged_file_is_said_once_and_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"this is not a database, but it may be somebody's letter " * 100)
    before = path.read_bytes()
    cache = Cache(path)
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            cache.put(f"key {number}", "value")
            assert cache.get(f"key {number}") is None
    assert len(caplog.records) == 1
    assert caplog.records[0].getMessage() == cache.problem
    assert "\n" not in str(cache.problem)
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", ["/proc/clinfo/cache.sqlite", "/dev/null/cache.sqlite"])
def test_a_place_that_cannot_be_written(path: str, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(path)
    cache.put("a", "one")
    assert cache.get("a") is None
    assert len(caplog.records) == 1


def test_the_oldest_make_room(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite", max_bytes=400_000)
    for number in range(400):
        cache.put(f"key {number}", "x" * 5_000)
    cache.close()
    assert (tmp_path / "cache.sqlite").stat().st_size < 600_000
    kept = [number for number in range(400) if cache.get(f"key {number}") is not None]
    assert kept == list(range(kept[0], 400))
    assert len(kept) > 30


def test_many_processes(tmp_path: Path) -> None:
    program = (
        "import sys; from clinfo.cache import Cache\n"
        "cache = Cache(sys.argv[1])\n"
        "for n in range(100): cache.put(f'{sys.argv[2]} {n}', 'value'); cache.get(f'0 {n}')\n"
        "sys.exit(cache.problem is not None)"
    )
    path = tmp_path / "cache.sqlite"
    command = [sys.executable, "-c", program, str(path)]
    workers = [subprocess.Popen([*command, str(worker)]) for worker in range(4)]
    assert [worker.wait(20) for worker in workers] == [0] * 4
    cache = Cache(path)
    assert all(
        cache.get(f"{worker} {number}") == "value" for worker in range(4) for number in range(100)
    )


def test_forget_takes_away_what_no_other_owner_used(tmp_path):
    path = tmp_path / "cache.sqlite"
    first, second, nobody = Cache(path, owner="a"), Cache(path, owner="b"), Cache(path)
    first.put("only a", "1")
    first.put("both", "2")
    nobody.put("nobody's", "3")
    assert second.get("both") == "2"
    assert nobody.forget("a") == 1
    assert [nobody.get(key) for key in ("only a", "both", "nobody's")] == [None, "2", "3"]
    assert nobody.forget("b") == 1
    assert nobody.get("both") is None
    assert nobody.get("nobody's") == "3"


def test_what_is_forgotten_is_in_no_file(tmp_path):
    path = tmp_path / "cache.sqlite"
    cache = Cache(path, owner="a")
    cache.put("key", "what nobody may read any more")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM entries").fetchone()

    def found() -> list[str]:
        return [file.name for file in tmp_path.iterdir() if b"nobody may read" in file.read_bytes()]

    assert cache.forget("a") == 1
    assert found() == ["cache.sqlite-wal"]  # as long as it is being read
    reader.execute("COMMIT")
    assert cache.forget("a") == 0
    assert found() == []
    reader.close()
    cache.close()
