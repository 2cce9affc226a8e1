"""A file that is written whole or not at all."""

from pathlib import Path

import pytest

from clinfo.files import whole_file


def test_it_takes_its_name_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with whole_file(path) as file:
        file.write("é\r\n\n")
        file.flush()
        assert path.read_text() == "before"
    assert path.read_bytes() == "é\r\n\n".encode()
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_where_it_is_not_finished_what_was_there_stays(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    def half() -> None:
        with whole_file(path) as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        half()
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]
