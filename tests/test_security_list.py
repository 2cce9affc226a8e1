"""docs/security.md lists packages at the versions that are installed."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTED = dict(
    re.findall(
        r"^\| ([\w-]+) \| ([\d.]+) \|", (ROOT / "docs/security.md").read_text(), re.MULTILINE
    )
)
PINNED = dict(re.findall(r"^([\w-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
OF_NO_TEXT = {
    *(
        "platformdirs",
        "bm25s",
        "pydantic-settings",
        "rank-bm25",
        "rich",
        "snowballstemmer",
        "tenacity",
    ),
    *("typer", "alembic", "flask-wtf", "prometheus-client", "python-json-logger"),
}
"""Direct dependencies that only work on our own values, or on text that another has read."""


def test_versions_are_those_installed():
    assert LISTED.items() <= PINNED.items()


def test_each_direct_dependency_is_listed_or_named_here():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = ("index", "mcp", "office", "pdf", "plots", "web")
    extras = (project["optional-dependencies"][extra] for extra in named)
    stated = [*project["dependencies"], *(one for extra in extras for one in extra)]
    direct = {re.match(r"[\w-]+", one)[0] for one in stated}
    assert direct - LISTED.keys() == OF_NO_TEXT
