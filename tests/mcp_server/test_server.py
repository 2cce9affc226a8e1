"""The words that a caller is told of an error."""

import pytest

from clinfo.errors import IdentifiersFound, RecordError
from clinfo.mcp_server.server import _said
from clinfo.mcp_server.tools.integrity import References


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("the list /home/ann/.local/share/x.gz cannot be read", "the list …/x.gz cannot be read."),
        ("see https://example.org/a/b; and/or 10.1000/a/b/c", None),
        ("two\nlines\x1b[31m?", None),
    ],
)
def test_one_sentence_without_folders_of_the_host(message: str, said: str | None) -> None:
    told = _said(RecordError(message))
    assert told == said or (said is None and "…/" not in told)
    assert "\n" not in told
    assert "\x1b" not in told


def test_identifiers_are_named_by_kind_alone() -> None:
    found = IdentifiersFound("x", where="query", spans=[(0, 4)], kinds=["name", "name"])
    assert _said(found) == (
        "The query seems to identify a patient (name): nothing was sent; remove it and call again."
    )


def test_an_empty_reference_is_an_empty_line() -> None:
    given = {"references": ["PMID: 41", "", {"doi": "10.1000/zn"}, 42]}
    assert References.model_validate(given).references == "PMID: 41\n\n10.1000/zn\n42"
