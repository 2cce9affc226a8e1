"""WordNet found on this machine, and the line that is said where it is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.metrics import wordnet

ASK = (
    "from benchmarks.pubmedrs200.metrics.wordnet import reader; print(len(reader().synsets('dog')))"
)
needs_debian = pytest.mark.skipif(
    not (wordnet.DEBIAN / "data.noun").is_file(), reason="Debian's wordnet-base is not installed"
)


def _asked(script: str, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name != "NLTK_DATA"}
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        env=known | {"CLINFO_CACHE_DIR": str(cache), "HOME": str(cache / "home"), **environment},
    )


@pytest.mark.slow
@needs_debian
def test_from_debian_with_what_a_killed_copy_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "nltk_data" / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    (folder / "data.noun").write_text("half of it")
    two = [_asked(ASK, tmp_path), _asked(ASK, tmp_path)]
    assert [each.stdout for each in two] == ["8\n", "8\n"], two
    assert sorted(path.name for path in folder.parent.iterdir()) == ["wordnet"]


def test_one_line_says_what_to_install(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from benchmarks.pubmedrs200.metrics import registry, wordnet
from clinfo.errors import UsageError
import nltk.data
nltk.data.path[:] = []
wordnet.DEBIAN = Path({str(tmp_path / "nowhere")!r})
try:
    registry.load(["meteor"])
except UsageError as error:
    print(error)
"""
    asked = _asked(script, tmp_path)
    assert "wordnet-base" in asked.stdout, asked.stderr
    assert "NLTK_DATA" in asked.stdout
    assert len(asked.stdout.splitlines()) == 1
