"""The size of the house against the figures in house.toml, which are only ever lowered, and the
imports of its files.

``python -m tests.house`` prints the table and lowers the figures to what is there now.
"""

import ast
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

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
Lines = Mapping[str, int]
"""Logical lines by room."""


def modules(root: Path = ROOT) -> dict[str, Path]:
    """The files of the house but its tests, by dotted name."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        if package != "tests"
        for path in sorted((root / package).rglob("*.py"))
    }


def built(root: Path = ROOT) -> Lines:
    """The house as it stands in the folder ``root``."""
    lines = Counter(dict.fromkeys(ROOMS, 0))
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            lines[_room(path.relative_to(root))] += logical_lines(path)
    return dict(lines)


def product(lines: Lines) -> int:
    """The logical lines that users run."""
    return sum(count for room, count in lines.items() if ROOMS[room][0].split("/")[0] in PRODUCT)


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


def circle(uses: Mapping[str, set[str]]) -> list[str]:
    """A circle of modules that lead to each other, with its first again at its end; [] where there
    is none.
    """
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def figures(path: Path = FIGURES) -> Lines:
    """The figures that may not be exceeded."""
    held: Lines = tomllib.loads(path.read_text(encoding="utf-8"))["lines"]
    return held


def overgrown(most: Lines, now: Lines) -> dict[str, int]:
    """The rooms that weigh more than they may, with the lines that are too many."""
    over = {room: count - most.get(room, count) for room, count in now.items()}
    return {room: more for room, more in over.items() if more > A_RECIPE}


def lowered(most: Lines, now: Lines) -> Lines:
    """The figures after ``now``: none higher than before."""
    return {room: min(most.get(room, count), count) for room, count in now.items()}


def written(lines: Lines) -> str:
    """The figures as house.toml holds them."""
    head = "# The most that each room may weigh. Only ever lowered."
    return "\n".join([head, "", "[lines]", *(f'"{room}" = {n}' for room, n in lines.items()), ""])


def main() -> None:
    most, now = figures(), built()
    for room, count in now.items():
        figure = most.get(room, count)
        print(f"{room:42} {count:7,} of {figure:7,}{'   over' if count > figure else ''}")
    print(f"{'product':42} {product(now):7,} of {product(most):7,}")
    print("circle of files:", " > ".join(circle(imports(modules()))) or "none")
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
