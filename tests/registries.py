"""Registries whose modules are found in a folder, tried with a module of the test's own."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from clinfo.extras import declared


def shelved(
    package: ModuleType, name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder with one module, NAME.py, which is among those that the package's registry looks
    through for as long as the test runs.
    """
    folder = tmp_path / package.__name__.rpartition(".")[2]
    folder.mkdir()
    (folder / f"{name}.py").write_text(module)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    declared.cache_clear()
    yield folder
    declared.cache_clear()
    sys.modules.pop(f"{package.__name__}.{name}", None)


def command(package: ModuleType, folder: Path, *arguments: str) -> str:
    """Return what the command line writes with the folder among those that are looked through."""
    script = (
        f"import sys; import {package.__name__} as package; "
        "package.__path__.append(sys.argv.pop(1)); "
        "from clinfo.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
