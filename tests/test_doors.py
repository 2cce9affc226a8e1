"""Front doors: every name that a room hands out is there; the web app comes in by them alone."""

import ast
import re
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest

from clinfo.doors import handed_out
from tests.test_house import NAMES, USES
from webapp.pipelines import folders

ROOT = Path(__file__).resolve().parents[1]
DOORS = {
    ".".join(path.parent.relative_to(ROOT).parts): handed_out(path)
    for path in sorted((ROOT / "clinfo").rglob("__init__.pyi"))
}


@pytest.mark.parametrize("room", DOORS)
def test_a_door_hands_out_what_it_declares(room: str) -> None:
    module = import_module(room)
    for name, (place, there) in DOORS[room].items():
        assert place in NAMES
        assert getattr(module, name) is getattr(import_module(place), there)
    declared = ast.parse(Path(str(module.__file__)).with_suffix(".pyi").read_text())
    listed = next(one.value for one in declared.body if isinstance(one, ast.Assign))
    assert set(ast.literal_eval(listed)) == set(DOORS[room])
    with pytest.raises(AttributeError):
        module.nothing_of_this_name  # noqa: B018


def test_the_web_app_comes_in_by_the_doors() -> None:
    used = {
        other
        for name in USES
        if name.startswith("webapp")
        for other in USES[name]
        if other in NAMES
    }
    assert len(used) <= 25, sorted(used)


@pytest.mark.parametrize("name", sorted(folders()))
def test_what_a_pipeline_of_the_web_app_names_is_there(name: str) -> None:
    source = (ROOT / "webapp/pipelines" / name / "declared.py").read_text()
    named = re.findall(r'f"\{_HERE\}\.([a-z_]+:[a-z_]+)"', source)
    assert len(named) >= 2
    for place in named:
        resolve_name(f"webapp.pipelines.{name}.{place}")
