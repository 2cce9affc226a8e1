"""The rooms of clinfo/ and the arrows between them: a room knows only those before it; none grows,
and no files import each other in a new circle.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinfo.pipelines import PIPELINES
from tests import house

ROOT = Path(__file__).resolve().parents[1] / "clinfo"
ORDER = (
    ("doors", "errors", "learned_types"),
    ("files",),
    ("records",),
    ("settings", "extras", "cache"),
    ("text",),
    ("console", "terms"),
    ("runs",),
    ("llm",),
    ("pubmed",),
    ("references",),
    ("sources", "privacy", "patients"),
    ("integrity", "retrieval"),
    ("claims",),
    ("evidence",),
    ("extractive",),
    ("pipelines",),
    ("api",),
    ("views",),
    ("render",),
    ("mcp_server",),
    ("cli",),
    ("__main__",),
)
"""The rooms in the order of the arrows; rooms beside each other do not know each other."""
RANK = {room: place for place, rooms in enumerate(ORDER) for room in rooms}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


NAMES = {name for name, _ in modules()}


def imported(path: Path) -> Iterator[str]:
    """The modules of clinfo that a file imports, wherever in it."""
    for node in house.nodes(path):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] == "clinfo"
        ):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in NAMES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "clinfo")


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def test_every_room_has_its_place() -> None:
    assert {room(name) for name in NAMES} - {""} == set(RANK)


@pytest.mark.parametrize("rooms", ORDER, ids=" and ".join)
def test_the_arrows_point_one_way(rooms: tuple[str, ...]) -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        if room(name) in rooms
        for other in imported(path)
        if room(other) not in ("", room(name)) and RANK[room(other)] >= RANK[room(name)]
    ]
    assert wrong == []


def test_pubmed_needs_texts_terms_and_records_alone() -> None:
    """So that packaging/pubmedlang can be a wheel without the rest."""
    imports = {
        room(other)
        for name, path in modules()
        if room(name) == "pubmed"
        for other in imported(path)
    }
    assert imports == {"errors", "pubmed", "records", "terms", "text"}


def test_no_pipeline_imports_another() -> None:
    """Nor does what they share import one of them."""
    folders = {
        path.name for path in (ROOT / "pipelines").iterdir() if (path / "__init__.py").exists()
    }
    assert folders == set(PIPELINES)
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        if name.startswith("clinfo.pipelines.")
        for other in imported(path)
        if other.startswith("clinfo.pipelines.")
        and other.split(".")[2] in folders - {name.split(".")[2]}
    ]
    assert wrong == []


def test_no_word_of_a_pipeline_stands_in_the_engine() -> None:
    words = ("question2query", "synthesis", "tldr", "pubmed", "literature", "abstract", "retract")
    said = [
        f"{name}: {word}"
        for name, path in modules()
        if room(name) == "runs"
        for word in words
        if word in path.read_text(encoding="utf-8").lower()
    ]
    assert said == []


def test_every_room_has_a_folder_of_tests() -> None:
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    folders = {path.name for path in Path(__file__).parent.iterdir() if path.is_dir()}
    assert rooms - folders == {"records"}, "records hold no code of their own to test"


def test_no_room_grows() -> None:
    over = house.overgrown(house.figures(), house.built())
    assert over == {}, (
        f"lines over tests/house.toml ({house.A_RECIPE} are free): cut elsewhere there"
    )


def test_no_files_import_each_other_in_a_new_circle() -> None:
    """Imports in functions and for types count too."""
    now, most = house.built(), house.figures()
    assert now.circled <= most.circled
    assert len(now.circles) <= len(most.circles)


def test_every_import_counts_for_a_circle(tmp_path: Path) -> None:
    texts = {
        "a": "import b.c\n",
        "b": "",
        "b.c": "from __future__ import annotations\n\n\ndef later():\n    from . import d\n",
        "b.d": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b.c import later\n",
        "e": "import a\n",
    }
    modules = {}
    for name, text in texts.items():
        modules[name] = tmp_path / ("__init__.py" if name == "b" else f"{name}.py")
        modules[name].write_text(text)
    uses = house.imports(modules)
    assert uses == {"a": {"b.c"}, "b": set(), "b.c": {"b.d"}, "b.d": {"b.c"}, "e": {"a"}}
    assert house.circles(uses) == (("b.c", "b.d"),)


def test_figures_are_lowered_never_raised(tmp_path: Path) -> None:
    most = house.House({"text": 10, "llm": 5}, (("a", "b", "c"),))
    now = house.House({"text": 12, "llm": 3}, (("a", "b"), ("d", "e")))
    assert house.overgrown(most, house.House({"text": 111, "llm": 9, "new": 999}, ())) == {
        "text": 101
    }
    low = house.lowered(most, now)
    assert low == house.House({"text": 10, "llm": 3}, (("a", "b"),))
    (tmp_path / "house.toml").write_text(house.written(low))
    assert house.figures(tmp_path / "house.toml") == low


def test_logical_lines_are_statements(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('"""Head."""\n\n# a comment\nx = (\n    1,\n    2,\n)\ny = 1; z = 2\n')
    assert house.logical_lines(path) == 3
