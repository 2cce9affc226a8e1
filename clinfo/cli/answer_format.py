"""The forms that articles and answers can be written down in, known before anything is imported
that writes them.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from clinfo.references import registry

REFERENCE_FORMATS = tuple(one.name for one in registry.specs())
OFFICE = {"docx": "docx", "xlsx": "openpyxl"}
"""Forms that are no text, with the package that each needs."""
FORMATS = ("text", "markdown", "json", *REFERENCE_FORMATS, "prisma-s", *OFFICE)

if TYPE_CHECKING:
    Format = str
    ExportFormat = str
    Style = str
    Include = Literal["cited", "relevant", "all"]
else:  # the command line takes the members of an enumeration, and nothing else
    Format = StrEnum("Format", {name: name for name in FORMATS})
    ExportFormat = StrEnum("ExportFormat", {name: name for name in registry.growing()})
    Style = StrEnum("Style", {name: name for name in registry.styles()})
    Include = StrEnum("Include", {name: name for name in ("cited", "relevant", "all")})
