"""Things found when they are needed: packages that only some parts need, and what the modules of a
folder declare.
"""

from __future__ import annotations

import pkgutil
import re
import shlex
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from clinfo.errors import UsageError


def needed(module: str, extra: str) -> Any:
    """The module, or UsageError with the command that installs the extra which holds it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or module.split(".")[0] != error.name.split(".")[0]:
            raise  # the package is there, and something it needs is not
        package = module.split(".")[0]
        raise UsageError(f"this feature needs the package {package}; {install(extra)}") from None


@cache
def declared(folder: ModuleType, name: str) -> tuple[Any, ...]:
    """Return what each module of a package calls ``name``, by its ``order``, then by its
    ``name``.
    """
    modules = [
        import_module(f"{folder.__name__}.{one.name}")
        for one in pkgutil.iter_modules(folder.__path__)
    ]
    return tuple(
        sorted((vars(module)[name] for module in modules), key=lambda one: (one.order, one.name))
    )


def install(extra: str) -> str:
    """Return the command that installs the packages of an extra into the environment that runs.

    It names these packages and not Clinfo's own: what an index holds under that name may be
    somebody else's.
    """
    packages = " ".join(f'"{one}"' for one in packages_of(extra))
    return f"install the extra {extra}: {installing(packages)}"


def packages_of(extra: str) -> tuple[str, ...]:
    """The requirements of an extra, as Clinfo's own metadata, or its checkout, states them."""
    from importlib import metadata

    try:
        stated = _of_checkout() or metadata.requires("clinfo") or []
    except metadata.PackageNotFoundError:
        stated = []
    found: list[str] = []
    for one in stated:
        requirement, _, marker = (part.strip() for part in one.partition(";"))
        if re.search(rf"""extra\s*==\s*["']{re.escape(extra)}["']""", marker):
            inner = re.fullmatch(r"clinfo\[(.+)\]", requirement)
            found += (
                [part for name in inner[1].split(",") for part in packages_of(name)]
                if inner
                else [requirement]
            )
    return tuple(dict.fromkeys(found))


def _of_checkout() -> list[str]:
    """The requirements in a checkout's pyproject.toml, as metadata has them; none elsewhere."""
    import tomllib

    path = Path(__file__).parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text("utf-8"))["project"] if path.is_file() else {}
    extras = project.get("optional-dependencies", {}) if project.get("name") == "clinfo" else {}
    return [
        f'{one.partition(";")[0]}; extra == "{extra}"'
        for extra, requirements in extras.items()
        for one in requirements
    ]


def installing(packages: str) -> str:
    """The command that installs packages into the environment that runs."""
    from importlib.util import find_spec

    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():  # its folder has the name that pipx knows it by
        return f"pipx inject {prefix.name} {packages}"
    python = shlex.quote(sys.executable)
    if find_spec("pip"):
        return f"{python} -m pip install {packages}"
    return f"python3 -m pip --python {python} install {packages}"
