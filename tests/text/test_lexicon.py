"""The files of words: what their heads promise, and that rules and files name each other."""

import re
from collections import Counter
from pathlib import Path

import pytest

from clinfo.text import lexicon

FOLDER = Path(lexicon.__file__).parent
KINDS = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_tells_its_source_and_licence_and_has_each_word_once(kind: str) -> None:
    head, _, lines = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8").partition("\n\n")
    assert {"Source", "Licence"} <= set(re.findall(r"^# (\w+):", head, re.MULTILINE))
    assert all(" = " in line for line in lines.splitlines())
    counts = Counter(line.rpartition(" = ")[0] for line in lines.splitlines())
    assert counts.most_common(1)[0][1] == 1
