"""The sources by name: a module is all that one needs, and what a spec says is what the opened
source is.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinfo.errors import FieldError, UsageError
from clinfo.pipelines.literature.request import checked
from clinfo.records.articles import RunRequest
from clinfo.settings import Settings
from clinfo.sources import registry
from clinfo.sources import specs as folder_of_specs
from clinfo.sources.registry import AddressedSource, LinkedSource, MeshSource
from tests.registries import command, shelved
from tests.webapp.small_app import small_app

TOY = """
from clinfo.records.articles import Article, Section
from clinfo.sources.registry import SourceSpec

def _open(asked):
    from clinfo.sources.memory import Memory
    found = Article("pmid:1", "Zinc for the common cold", pmid="1", sections=(Section("Zinc shortened colds."),))
    return Memory([found], name=asked.name)

SOURCE = SourceSpec(
    "toy", "the toy shelf", "one article", "A shelf of one article", _open, receives="The shelf gets the query.", keys=("TOY_KEY",),
    inspect=lambda settings: (True, "one article"),
)
"""  # noqa: E501


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of a source, among those that are looked through."""
    yield from shelved(folder_of_specs, "toy", TOY, tmp_path, monkeypatch)


def shown(folder: Path, *arguments: str) -> str:
    """The command line's output on one line."""
    return " ".join(command(folder_of_specs, folder, *arguments).split())


def test_a_source_of_one_module_is_on_the_command_line(shelf: Path) -> None:
    assert "toy, or a citation file" in shown(shelf, "search", "--help")
    assert "Zinc for the common cold" in shown(shelf, "search", "zinc", "--source", "toy")
    found = shown(shelf, "doctor")
    assert re.search(r"not set: .*TOY_KEY", found)
    asked = (
        "ask",
        "Does zinc shorten the common cold?",
        "--model",
        "extractive",
        "--source",
        "toy",
        "--quiet",
    )
    assert "A shelf of one article." in shown(shelf, *asked, "--format", "prisma-s")
    assert "· toy shelf one article" in found


def test_a_source_of_one_module_is_in_form_and_privacy_table(shelf: Path, tmp_path: Path) -> None:
    client = small_app(tmp_path, sources=()).test_client()
    assert "Toy shelf" in client.get("/advanced").text
    assert "The shelf gets the query." in client.get("/how").text
    assert checked(question="Zinc?", model="extractive", source="toy") == RunRequest(
        "Zinc?", models=checked(question="Zinc?", model="extractive").models, source="toy"
    )
    assert registry.title("toy") == "the toy shelf"


def test_without_the_module_there_is_no_such_source() -> None:
    with pytest.raises(FieldError) as refused:
        checked(question="Zinc?", model="extractive", source="toy")
    assert refused.value.field == "source"
    with pytest.raises(UsageError):
        registry.article_source(Settings(), "toy", None)


def test_what_a_spec_says_is_what_the_opened_source_is() -> None:
    settings = Settings(cache="off")
    abilities = {
        "pubmed": {LinkedSource, AddressedSource},
        "semantic-scholar": {LinkedSource, AddressedSource},
        "demo": {LinkedSource},
    }
    for name, can in abilities.items():
        known, source = registry.spec(name), registry.article_source(settings, name, None)
        assert known is not None
        assert (source.name, source.query_prompt, source.remote) == (
            name,
            known.query_prompt,
            bool(known.receives),
        )
        every = (LinkedSource, AddressedSource, MeshSource)
        assert {one for one in every if isinstance(source, one)} == can


def test_the_order_in_which_sources_are_offered() -> None:
    first = ("pubmed", "semantic-scholar", "local", "demo")
    assert tuple(one for one in registry.names() if one in first) == first
    assert registry.endings() == (
        ".xml", ".xml.gz", ".ris", ".nbib", ".enw", ".bib", ".csv", ".tsv", ".txt", ".json",
    )  # fmt: skip
    assert registry.spec("a/b.xml.gz") is registry.spec("c.xml")
