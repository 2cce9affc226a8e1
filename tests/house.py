"""The size of the house and the circles of imports among its files, against the figures
in house.toml, which are only ever lowered.

``python -m tests.house`` prints the table and lowers the figures to what is there now.
"""

import ast
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from clinfo.pipelines import PIPELINES

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_name("house.toml")
PACKAGES = ("clinfo", "webapp", "pubmedrs", "benchmarks", "tests")
PRODUCT = ("clinfo", "webapp", "pubmedrs")
ROOMS: Mapping[str, tuple[str, ...]] = {
    "front": ("clinfo",),
    "records, runs": ("clinfo/records", "clinfo/runs"),
    "llm": ("clinfo/llm",),
    "text": ("clinfo/text",),
    "terms": ("clinfo/terms",),
    "pubmed": ("clinfo/pubmed",),
    "sources, references, integrity, privacy": (
        "clinfo/sources",
        "clinfo/references",
        "clinfo/integrity",
        "clinfo/privacy",
    ),
    "claims": ("clinfo/claims",),
    "evidence": ("clinfo/evidence",),
    "extractive": ("clinfo/extractive",),
    "retrieval": ("clinfo/retrieval",),
    "patients": ("clinfo/patients",),
    "pipelines": ("clinfo/pipelines",),
    **{f"pipelines/{name}": (f"clinfo/pipelines/{name}",) for name in PIPELINES},
    "views, render, cli, mcp_server": (
        "clinfo/views",
        "clinfo/render",
        "clinfo/cli",
        "clinfo/mcp_server",
    ),
    "webapp": ("webapp",),
    "pubmedrs": ("pubmedrs",),
    "benchmarks": ("benchmarks",),
    "tests": ("tests",),
}
"""Folders by room. A file belongs to the innermost of them that holds it."""
A_RECIPE = 100
"""Lines by which a room may be over its figure: a stage, an option or a source fits without another
one. A new pipeline has none until the figures are written next.
"""
_ROOM_OF = {folder: room for room, folders in ROOMS.items() for folder in folders}


@dataclass(frozen=True)
class House:
    """Logical lines by room, and the files of every circle of imports, as dotted names."""

    lines: Mapping[str, int]
    circles: tuple[tuple[str, ...], ...]

    @property
    def circled(self) -> set[str]:
        """Every file that is in a circle."""
        return {name for circle in self.circles for name in circle}

    @property
    def product(self) -> int:
        """The logical lines that users run."""
        return sum(
            count for room, count in self.lines.items() if ROOMS[room][0].split("/")[0] in PRODUCT
        )


@cache
def built(root: Path = ROOT) -> House:
    """The house as it stands in the folder ``root``."""
    lines = Counter(dict.fromkeys(ROOMS, 0))
    modules: dict[str, Path] = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            inside = path.relative_to(root)
            lines[_room(inside)] += logical_lines(path)
            if package != "tests":
                name = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
                modules[name] = path
    return House(dict(lines), circles(imports(modules)))


def logical_lines(path: Path) -> int:
    """The statements of a file as Python reads them; comments and blank lines are none."""
    with path.open("rb") as file:
        return sum(token.type == tokenize.NEWLINE for token in tokenize.tokenize(file.readline))


def nodes(path: Path) -> Iterator[ast.AST]:
    """All that a file says, and the door (``__init__.pyi``) beside it."""
    for each in (path, path.with_suffix(".pyi")):
        if each.exists():
            yield from ast.walk(ast.parse(each.read_text(encoding="utf-8")))


def imports(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """The modules that each imports, wherever in it: at its head, in a function, for types. A
    package that a module lies in is not counted.
    """
    return {
        name: {
            other
            for other in _imported(name, path, modules)
            if other in modules and not f"{name}.".startswith(f"{other}.")
        }
        for name, path in modules.items()
    }


def circles(uses: Mapping[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    """The groups of modules of which each leads to every other one, largest first (Tarjan)."""
    place: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        place[name] = low[name] = len(place)
        stack.append(name)
        for other in sorted(uses[name]):
            if other not in place:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], place[other])
        if low[name] == place[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                found.append(tuple(sorted(stack[at:])))
            del stack[at:]

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 3 * len(uses) + 1_000))
    try:
        for name in sorted(uses):
            if name not in place:
                visit(name)
    finally:
        sys.setrecursionlimit(limit)
    return tuple(sorted(found, key=lambda circle: (-len(circle), circle)))


def figures(path: Path = FIGURES) -> House:
    """The figures that may not be exceeded."""
    held: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return House(held["lines"], tuple(tuple(circle) for circle in held["circles"]))


def overgrown(most: House, now: House) -> dict[str, int]:
    """The rooms that weigh more than they may, with the lines that are too many."""
    over = {room: count - most.lines.get(room, count) for room, count in now.lines.items()}
    return {room: more for room, more in over.items() if more > A_RECIPE}


def lowered(most: House, now: House) -> House:
    """The figures after ``now``: none higher than before, no circle that was not there."""
    lines = {room: min(most.lines.get(room, count), count) for room, count in now.lines.items()}
    kept = (tuple(name for name in circle if name in most.circled) for circle in now.circles)
    return House(lines, tuple(circle for circle in kept if len(circle) > 1))


def written(house: House) -> str:
    """The figures as house.toml holds them."""
    lines = [f'"{room}" = {count}' for room, count in house.lines.items()]
    shown = [
        "  [\n" + "".join(f'    "{name}",\n' for name in circle) + "  ],\n"
        for circle in house.circles
    ]
    head = "# The most that each room may weigh, and the circles still there. Only ever lowered."
    return f"{head}\n\ncircles = [\n{''.join(shown)}]\n\n[lines]\n" + "\n".join(lines) + "\n"


def main() -> None:
    most, now = figures(), built()
    for room, count in now.lines.items():
        figure = most.lines.get(room, count)
        print(f"{room:42} {count:7,} of {figure:7,}{'   over' if count > figure else ''}")
    print(f"{'product':42} {now.product:7,} of {most.product:7,}")
    print(f"circles of files: {len(now.circles)} of {len(most.circles)}")
    for circle in now.circles:
        names = ", ".join(circle[:4]) + (" …" if len(circle) > 4 else "")
        print(f"  {len(circle):3}  {names}")
    FIGURES.write_text(written(lowered(most, now)), encoding="utf-8")


def _room(inside: Path) -> str:
    folders = (parent.as_posix() for parent in inside.parents)
    return next(_ROOM_OF[folder] for folder in folders if folder in _ROOM_OF)


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield whole if whole in modules else base


if __name__ == "__main__":
    main()
