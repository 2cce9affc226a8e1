"""The forms that articles and answers can be written down in, known before anything is imported
that writes them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from clinfo.references import registry

REFERENCE_FORMATS = tuple(one.name for one in registry.specs())
FORMATS = ("text", "markdown", "json", *REFERENCE_FORMATS, "prisma-s")

if TYPE_CHECKING:
    Format = str
    ExportFormat = str
else:  # the command line takes the members of an enumeration, and nothing else
    Format = StrEnum("Format", {name: name for name in FORMATS})
    ExportFormat = StrEnum("ExportFormat", {name: name for name in registry.growing()})


class Include(StrEnum):
    """The articles that the reference formats hold."""

    cited = "cited"
    relevant = "relevant"
    all = "all"
