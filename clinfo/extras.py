"""Things found when they are needed: packages that only some parts need, and what the modules of a
folder declare.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
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
    """Return how an extra is installed, whether Clinfo came as a package or is a checkout."""
    return (
        f'install the extra: pip install "clinfo[{extra}]", or in a checkout pip install '
        f'".[{extra}]"'
    )
