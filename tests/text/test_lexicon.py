"""The files of words: what their heads promise, and that rules and files name each other."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import clinfo
from clinfo.text import lexicon
from clinfo.text.lexicon import either, groups, words_of

FOLDER = Path(lexicon.__file__).parent
KINDS = sorted(path.stem for path in FOLDER.glob("*.txt"))
GROUPS = [(kind, group) for kind in KINDS for group in groups(kind)]


@cache
def named() -> frozenset[tuple[str, str]]:
    """The kinds and groups that the rules read."""
    return frozenset(_named())


def _named() -> Iterator[tuple[str, str]]:
    for path in Path(clinfo.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "text.lexicon import" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("either", "words_of")
            ):
                kind, group = ast.literal_eval(node.args[0]), node.args[1]
                own = [group.value] if isinstance(group, ast.Constant) else groups(kind)
                yield from ((kind, one) for one in own)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_tells_its_source_and_licence_and_has_each_word_once(kind: str) -> None:
    head, _, lines = (FOLDER / f"{kind}.txt").read_text(encoding="utf-8").partition("\n\n")
    assert {"Source", "Licence"} <= set(re.findall(r"^# (\w+):", head, re.MULTILINE))
    assert all(" = " in line for line in lines.splitlines())
    counts = Counter(line.rpartition(" = ")[0] for line in lines.splitlines())
    assert counts.most_common(1)[0][1] == 1


@pytest.mark.parametrize(("kind", "group"), GROUPS, ids=" ".join)
def test_a_group_is_read_by_a_rule_and_finds_its_words(kind: str, group: str) -> None:
    assert (kind, group) in named() or group.startswith("class:")
    pattern = re.compile(rf"\A(?:{either(kind, group)})\Z")
    for word in words_of(kind, group):
        if "(" not in word and "\\" not in word:
            assert pattern.match(word)


def test_every_group_that_a_rule_names_is_there() -> None:
    assert named() <= set(GROUPS)


def test_a_name_that_no_file_has_is_refused() -> None:
    with pytest.raises(KeyError):
        words_of("months", "no such group")
    with pytest.raises(FileNotFoundError):
        groups("no such kind")
