"""The flags of ``clinfo ask``, which are those of the declared request."""

from dataclasses import fields

from clinfo.pipelines.literature.request import OPTIONS, at
from clinfo.pubmed.limits import WINDOW as PUBMED_WINDOW
from clinfo.records.request import GROUPS, WINDOW, RunRequest


def test_every_field_is_declared_with_help_and_a_heading() -> None:
    assert {one.field for one in OPTIONS.values()} == {each.name for each in fields(RunRequest)}
    for name, one in OPTIONS.items():
        assert one.option.help.endswith((".", ")")), name
        assert one.option.group in GROUPS, name
        assert one.option.places, name
        assert set(one.option.choices) <= set(one.choices), name
    assert all(one.option.label for one in at("form").values())
    assert WINDOW == PUBMED_WINDOW
