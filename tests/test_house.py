"""The rooms of clinfo/ and the arrows between them: a room knows only those before it; none grows,
and no files import each other.
"""

from __future__ import annotations

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


MODULES = house.modules()
USES = house.imports(MODULES)
NAMES = {name for name in MODULES if name.split(".")[0] == "clinfo"}


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def test_every_room_has_its_place() -> None:
    assert {room(name) for name in NAMES} - {""} == set(RANK)


@pytest.mark.parametrize("rooms", ORDER, ids=" and ".join)
def test_the_arrows_point_one_way(rooms: tuple[str, ...]) -> None:
    wrong = [
        f"{name} imports {other}"
        for name in NAMES
        if room(name) in rooms
        for other in USES[name]
        if room(other) not in ("", room(name)) and RANK[room(other)] >= RANK[room(name)]
    ]
    assert wrong == []


def test_pubmed_needs_texts_terms_and_records_alone() -> None:
    """So that packaging/pubmedlang can be a wheel without the rest."""
    imports = {room(other) for name in NAMES if room(name) == "pubmed" for other in USES[name]}
    assert imports == {"errors", "files", "pubmed", "records", "terms", "text"}


def test_no_pipeline_imports_another() -> None:
    """Nor does what they share import one of them."""
    folders = {
        path.name for path in (ROOT / "pipelines").iterdir() if (path / "__init__.py").exists()
    }
    assert folders == set(PIPELINES)
    wrong = [
        f"{name} imports {other}"
        for name in NAMES
        if name.startswith("clinfo.pipelines.")
        for other in USES[name]
        if other.startswith("clinfo.pipelines.")
        and other.split(".")[2] in folders - {name.split(".")[2]}
    ]
    assert wrong == []


def test_no_word_of_a_pipeline_stands_in_the_engine() -> None:
    words = ("question2query", "synthesis", "tldr", "pubmed", "literature", "abstract", "retract")
    said = [
        f"{name}: {word}"
        for name in NAMES
        if room(name) == "runs"
        for word in words
        if word in MODULES[name].read_text(encoding="utf-8").lower()
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


def test_no_files_import_each_other() -> None:
    """Imports in functions and for types count too."""
    assert house.circle(USES) == []


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
    assert set(house.circle(uses)) == {"b.c", "b.d"}


def test_figures_are_lowered_never_raised(tmp_path: Path) -> None:
    most = {"text": 10, "llm": 5}
    assert house.overgrown(most, {"text": 111, "llm": 9, "new": 999}) == {"text": 101}
    low = house.lowered(most, {"text": 12, "llm": 3})
    assert low == {"text": 10, "llm": 3}
    (tmp_path / "house.toml").write_text(house.written(low))
    assert house.figures(tmp_path / "house.toml") == low


def test_logical_lines_are_statements(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('"""Head."""\n\n# a comment\nx = (\n    1,\n    2,\n)\ny = 1; z = 2\n')
    assert house.logical_lines(path) == 3
