"""A file of citations, searched in memory."""

from clinfo.errors import RecordError, UsageError
from clinfo.sources.registry import ArticleSource, Opening, SourceSpec


def _open(asked: Opening) -> ArticleSource:
    from clinfo.sources.memory import Memory
    from clinfo.terms.mesh import mesh_table

    mesh = mesh_table(asked.settings.data_dir)
    try:
        return Memory.from_files([asked.name], asked.name, asked.clock, mesh)
    except RecordError as error:  # of what the user named
        raise UsageError(str(error)) from None


SOURCE = SourceSpec(
    name="a citation file",
    title="a citation file",
    note="the citations of a file",
    platform="Citations of the source named below",
    open=_open,
    endings=(
        *(".xml", ".xml.gz", ".ris", ".nbib", ".enw", ".bib", ".csv", ".tsv", ".txt", ".json"),
    ),
)
