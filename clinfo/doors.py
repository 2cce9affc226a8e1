"""Front doors: what a room hands out, looked up in its modules when it is first asked for.

The ``__init__.pyi`` beside a room's ``__init__.py`` says what that is, to people, to type checkers
and to `opened`: ``from clinfo.text.wording import day as day``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def handed_out(declared: Path) -> Mapping[str, tuple[str, str]]:
    """By name, the module and the name there, as an ``__init__.pyi`` declares them."""
    return {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in ast.parse(declared.read_text("utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def opened(room: str, file: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a room, whose ``__init__.py`` is ``file``."""

    def found(name: str) -> Any:
        places = {} if name.startswith("__") else handed_out(Path(file).with_suffix(".pyi"))
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module, there = places[name]
        return getattr(import_module(module), there)

    return found
