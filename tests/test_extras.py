"""Packages of an extra: used when there, named with what installs them when not."""

import importlib.util
import json
import sys
import tomllib
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from clinfo.extras import install, needed, packages_of


def test_a_package_that_is_there_is_given() -> None:
    assert needed("json", "index") is json


def test_a_missing_one_is_told_with_what_installs_it_here() -> None:
    with pytest.raises(UsageError) as told:
        needed("no_such_package.part", "index")
    assert "no_such_package" in str(told.value)
    assert str(told.value).endswith(install("index"))
    assert sys.executable in install("index")


def test_the_advice_names_the_packages_of_the_extra_and_never_ours() -> None:
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    for extra in extras:
        packages = packages_of(extra)
        assert packages
        assert not [one for one in packages if one.startswith("clinfo")]
        own = [one.partition(";")[0] for one in extras[extra] if not one.startswith("clinfo[")]
        assert set(own) <= set(packages)
    assert set(packages_of("metrics")) < set(packages_of("neural"))


@pytest.mark.parametrize("name", ["clinfo", "clinfo_next"])  # as of `pipx install --suffix=_next`
def test_an_environment_of_pipx_is_told_pipx(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    prefix = tmp_path / "apps" / name  # PIPX_HOME can be any folder
    prefix.mkdir(parents=True)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", "/my tools/python")
    assert "'/my tools/python' " in install("index")
    (prefix / "pipx_metadata.json").touch()
    assert f": pipx inject {name} " in install("index")


def test_an_environment_without_pip_is_told_another_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert f"python3 -m pip --python {sys.executable} install " in install("index")
