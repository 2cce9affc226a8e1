"""What `full` refuses before it builds an index."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchmarks.full import main
from pubmedrs.records import Review
from pubmedrs.writing import write


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data", "none.csv"], "none.csv cannot be opened"),
        (["--subset", "some"], "no subset is called 'some'"),
        (["--metrics", "rouge_x"], "there is no metric “rouge_x”"),
        (["--published", "data.jsonl"], "data.jsonl is not a folder"),
        (["--systems", "none.toml"], "there is no file none.toml"),
        (["--metrics", "none"], "none.xml is not there"),  # the index comes only now
    ],
)
def test_what_cannot_be_used_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write([Review("1", "T", "Q?", "A", date(2020, 1, 1))], Path("data.jsonl"))
    with pytest.raises(SystemExit) as ended:
        main(["--data", "data.jsonl", "--citations", "none.xml", "--out", "out", *arguments])
    assert ended.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert words in said[-1]
    assert said[-1].startswith("python -m benchmarks full: ")
    assert not Path("out").exists()
    assert not any("Traceback" in line for line in said)
