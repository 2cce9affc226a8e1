"""PubMed on this machine's disk: citation files read into an index that answers PubMed's queries,
version by version.
"""

from clinfo.pubmed.index.building import Built, Progress, build, drop
from clinfo.pubmed.index.local_index import Info, LocalIndex, snapshots
from clinfo.pubmed.index.records import LoadedFile, Version

__all__ = [
    "Built",
    "Info",
    "LoadedFile",
    "LocalIndex",
    "Progress",
    "Version",
    "build",
    "drop",
    "snapshots",
]
