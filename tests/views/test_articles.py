"""The fate of an article, as every page says it."""

from dataclasses import replace

import pytest

from clinfo.records.answer import ReadArticle
from clinfo.views.evidence import article_view

READ = ReadArticle(
    id="pmid:1",
    pmid="1",
    title="A trial.",
    relevant=True,
    reason="it answers",
    judge="m",
    summary=None,
    flags=(),
)


@pytest.mark.parametrize(
    ("changes", "state", "kept"),
    [
        ({}, "relevant", True),
        ({"relevant": False}, "irrelevant", False),
        ({"relevant": None}, "unreadable", True),
        ({"relevant": None, "judge": ""}, "waiting", False),
    ],
)
def test_the_state_of_an_article(changes: dict[str, object], state: str, kept: bool) -> None:
    view = article_view(replace(READ, **changes))
    assert (view.state, view.kept) == (state, kept)
    assert view.reason == ("" if state == "waiting" else "it answers")
