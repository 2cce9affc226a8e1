"""Tables of kinds that users bring along, and OncoTree's two forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import UsageError
from clinfo.terms.closure import Kind, closure, lifted, read_hierarchy
from clinfo.terms.mesh import bundled_mesh

TABLE = """child,parent,source,date
Blue fever,Ward fevers,our ward,2026-01-31
Ward fevers,Fever,our ward,2026-01-31
"""


def node(code: str, name: str, level: int, parent: str | None, *children: Any) -> dict[str, Any]:
    return {
        "code": code, "name": name, "level": level, "parent": parent, "mainType": None,
        "children": {child["code"]: child for child in children},
    }  # fmt: skip


TREE = node(
    "TISSUE", "Tissue", 0, None,
    node(
        "GLOBE", "Globe", 1, "TISSUE",
        node("GLBT", "Globoma", 2, "GLOBE", node("BGLB", "Blue Globoma, NOS", 3, "GLBT")),
    ),
)  # fmt: skip


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def above(name: str, kinds: tuple[Kind, ...]) -> dict[str, str]:
    """What a name is below, with the source."""
    mesh = bundled_mesh()
    rows = closure({name: ""}, mesh)
    return {row.above: row.source for row in lifted(rows, kinds, mesh) if row.name == name}


def test_a_kind_of_a_kind_is_below_the_heading_and_what_is_above_it(tmp_path: Path) -> None:
    found = above("blue fever", read_hierarchy(written(tmp_path, "ward.csv", TABLE)))
    assert found["name:ward fevers"] == "our ward, 2026-01-31"
    fever = bundled_mesh().descriptor("Fever")
    assert fever is not None
    assert f"mesh:{fever.ui}" in found
    assert found["name:fever"]


def test_a_circle_of_names_stands_for_one_thing(tmp_path: Path) -> None:
    table = "child,parent,source,date\nglub,glob,us,2026\nglob,glub,us,2026\n"
    kinds = read_hierarchy(written(tmp_path, "same.csv", table))
    assert set(above("glub", kinds)) == {"name:glub", "name:glob"} == set(above("glob", kinds))


@pytest.mark.parametrize("shape", ["tree", "list"])
def test_oncotree_is_read_as_a_tree_and_as_a_list(tmp_path: Path, shape: str) -> None:
    """A code is another name, an organ is no tumour."""
    (organ,) = TREE["children"].values()
    (globoma,) = organ["children"].values()
    (blue,) = globoma["children"].values()
    flat = [{**one, "children": {}} for one in (TREE, organ, globoma, blue)]
    data = {"TISSUE": TREE} if shape == "tree" else flat
    path = written(tmp_path, "oncotree_2026_05_21.json", json.dumps(data))
    kinds = read_hierarchy(path)
    assert {kind.source for kind in kinds} == {"OncoTree, 2026-05-21"}
    found = above("bglb", kinds)
    assert {"name:blue globoma", "name:globoma", "name:glbt"} <= set(found)
    assert not {"name:globe", "name:tissue"} & set(found)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "child,parent\na,b\n", "source, date is missing"),
        ("a.csv", TABLE + "x,,us,2026\n", "line 4"),
        ("a.csv", TABLE + "x,y,us,soon\n", "line 4"),
        ("a.csv", "child,parent,source,date\n", "no rows"),
        ("a.json", '[{"code": "X"}]', "code, name, level"),
        ("a.json", "{", "no table of kinds"),
        ("a.json", "[1]", "code, name, level"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        read_hierarchy(written(tmp_path, name, text))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.csv"):
        read_hierarchy(tmp_path / "none.csv")
