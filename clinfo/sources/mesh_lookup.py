"""MeSH for the stages, from the table on this machine."""

import asyncio
from collections.abc import Mapping, Sequence

from clinfo.errors import RecordError, SourceError
from clinfo.records.articles import MeshMatch
from clinfo.settings import Settings
from clinfo.sources.registry import PUBMED_LANGUAGE, ArticleSource, MeshSource
from clinfo.terms.mesh import Mesh, bundled_mesh, table_path


def mesh_table(settings: Settings) -> Mesh:
    """MeSH as it was loaded on this machine, else as it comes with the program."""
    path = table_path(settings.data_dir)
    return Mesh(path) if path.exists() else bundled_mesh()


class MeshLookup:
    """MeSH from a table, looked into in a thread."""

    def __init__(self, table: Mesh) -> None:
        self.table = table

    async def match(self, texts: Sequence[str]) -> Mapping[str, MeshMatch]:
        """Return what MeSH holds for each text. Raises SourceError where the table cannot be
        read.
        """
        try:
            return await asyncio.to_thread(
                lambda: {text: self.table.match(text) for text in dict.fromkeys(texts)}
            )
        except RecordError as error:
            raise SourceError(str(error)) from None


def mesh_lookup(settings: Settings, source: ArticleSource) -> MeshLookup | None:
    """MeSH for a run: an index's own, else `mesh_table`; None for a source that does not read
    PubMed's language.
    """
    if source.query_prompt != PUBMED_LANGUAGE:
        return None
    return MeshLookup(source.mesh if isinstance(source, MeshSource) else mesh_table(settings))
