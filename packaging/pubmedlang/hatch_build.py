"""Takes `clinfo.pubmed` and what it imports, under names of its own: ``clinfo.pubmed.query`` is
``pubmedlang.query``, ``clinfo.text.words`` is ``pubmedlang.base.text.words``.

So it may be installed beside Clinfo. Modules are found by following imports, wherever in a module
they stand; the data of a folder goes with the modules that name it.
"""

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[2]
MINE = "clinfo.pubmed"


def path_of(module: str) -> Path | None:
    """The file of a module of Clinfo."""
    path = ROOT.joinpath(*module.split("."))
    found = (path.with_suffix(".py"), path / "__init__.py")
    return next((one for one in found if one.is_file()), None)


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, or may import."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def files() -> dict[Path, str]:
    """Each file of the wheel's modules, with the module's name in Clinfo."""
    pending = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "clinfo" / "pubmed").rglob("*.py")
    ]
    found: dict[Path, str] = {}
    while pending:
        module = pending.pop().removesuffix(".__init__")
        path = path_of(module) if module.startswith("clinfo.") else None
        if path is not None and path not in found:
            if module == "clinfo.doors":
                continue
            found[path] = module
            pending += [module.rpartition(".")[0], *imported(path)]
    return found


def data_of(path: Path) -> Iterator[Path]:
    """The data beside a module that its text names; all texts beside the head of a package."""
    text = path.read_text("utf-8")
    for beside in path.parent.iterdir():
        is_data = beside.is_file() and beside.suffix != ".py"
        if is_data and (beside.name in text or (path.name == "__init__.py" and "}.txt" in text)):
            yield beside


def renamed(text: str) -> str:
    """A text with the names of the wheel's modules; the front doors of rooms are Clinfo's own."""
    text = re.sub(r"from clinfo import doors\n|__getattr__ = doors.+\n", "", text)
    text = re.sub(r"\bclinfo\.pubmed\b", "pubmedlang", text)
    return re.sub(
        r"\bclinfo\.(?=(?:records|terms|text|errors|files|learned_types)\b)",
        "pubmedlang.base.",
        text,
    )


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the renamed modules and their data to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        work = Path(tempfile.mkdtemp(prefix="pubmedlang-"))
        for number, (path, module) in enumerate(sorted(files().items())):
            inside = path.relative_to(ROOT).as_posix()
            mine = module == MINE or module.startswith(f"{MINE}.")
            start, into = ("clinfo/pubmed", "pubmedlang") if mine else ("clinfo", "pubmedlang/base")
            made = work / f"{number}.py"
            made.write_text(renamed(path.read_text("utf-8")), "utf-8")
            build_data["force_include"][str(made)] = into + inside.removeprefix(start)
            for beside in data_of(path):
                place = beside.relative_to(ROOT).as_posix().removeprefix(start)
                build_data["force_include"][str(beside)] = into + place
