"""A local index of PubMed citations, made with ``clinfo index build``."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from clinfo.errors import UsageError
from clinfo.extras import needed
from clinfo.sources.registry import ArticleSource, Opening, SourceSpec

if TYPE_CHECKING:
    from clinfo.settings import Settings


def _open(asked: Opening) -> ArticleSource:
    from clinfo.pubmed.index import LocalIndex
    from clinfo.sources.local import Local

    if asked.settings.index_dir is None:
        raise UsageError(
            "the source local needs CLINFO_INDEX_DIR, the folder of an index made with clinfo "
            "index build"
        )
    needed("tantivy", "index")
    return Local(LocalIndex.open(asked.settings.index_dir), asked.clock)


def _inspect(settings: Settings) -> tuple[bool | None, str]:
    if settings.index_dir is None:
        return None, "none: set CLINFO_INDEX_DIR"
    from clinfo.pubmed.index import LocalIndex

    with closing(LocalIndex.open(settings.index_dir)) as index:
        return True, index.description


SOURCE = SourceSpec(
    name="local",
    title="the local index",
    note="a copy of PubMed on this host: nothing is sent to NCBI",
    platform="A local index of PubMed citations",
    open=_open,
    order=3,
    is_copy=True,
    inspect=_inspect,
    missing=lambda settings: (
        "" if settings.index_dir else "CLINFO_INDEX_DIR, the folder of its index, is not set"
    ),
)
