"""Refusals of `full` before it builds an index."""

from datetime import date
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.full import _pin, main
from clinfo.errors import UsageError
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
        (["--metrics", "none"], "none.xml cannot be read"),  # all else is in order
    ],
)
def test_what_cannot_be_used_is_said_at_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
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


def test_other_citations_are_refused_before_the_index_is_touched(tmp_path: Path) -> None:
    first, second = tmp_path / "a.xml", tmp_path / "b.xml"
    first.write_text("<PubmedArticleSet/>")
    second.write_text("<PubmedArticleSet></PubmedArticleSet>")
    out = tmp_path / "out"
    _pin([str(first)], out)
    _pin([str(first)], out)
    for others in ([first, second], [second], []):
        with pytest.raises(UsageError, match=r"other --citations \(a\.xml"):
            _pin([str(path) for path in others], out)
    first.write_text("<PubmedArticleSet> </PubmedArticleSet>")
    with pytest.raises(UsageError, match="as they were then"):
        _pin([str(first)], out)
