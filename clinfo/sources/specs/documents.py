"""Records that come with a question over HTTP; nobody chooses this source by name."""

from clinfo.errors import UsageError
from clinfo.sources.registry import ArticleSource, Opening, SourceSpec


def _open(asked: Opening) -> ArticleSource:
    raise UsageError("the records given with a question are searched with that question only")


SOURCE = SourceSpec(
    name="documents",
    title="the documents given",
    note="the records that came with the question",
    platform="Records that came with the question (not a bibliographic database)",
    open=_open,
    query_prompt="keywords",
    search_page="",
    comes_along=True,
)
