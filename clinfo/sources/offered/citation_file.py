"""A file of citations, searched in memory: PubMed's XML, RIS, MEDLINE text or CSV."""

from __future__ import annotations

from clinfo.sources.protocols import ArticleSource
from clinfo.sources.registry import Opening, SourceSpec


def _open(asked: Opening) -> ArticleSource:
    from clinfo.sources.kept_file import KeptFile
    from clinfo.sources.memory import Memory
    from clinfo.sources.mesh_lookup import mesh_table

    mesh = mesh_table(asked.settings)
    if asked.cache is None:
        return Memory.from_files([asked.name], asked.name, asked.clock, mesh)
    kept = KeptFile(asked.cache.path.parent / "files", asked.name)
    return Memory.from_kept_file(asked.name, kept, asked.clock, mesh)


SOURCE = SourceSpec(
    name="a citation file",
    title="a citation file",
    note="the citations of a file",
    platform="Citations of the source named below",
    open=_open,
    endings=(".xml", ".xml.gz", ".ris", ".nbib", ".csv"),
)
