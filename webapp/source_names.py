"""The sources of articles as people call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clinfo.render.printable import one_line

NAMES: Final[Mapping[str, str]] = {
    "pubmed": "PubMed",
    "semantic-scholar": "Semantic Scholar",
    "local": "the local index",
    "demo": "the demo corpus",
}


def source_name(source: str) -> str:
    """``the demo corpus``; a source that is not known here as it calls itself."""
    return NAMES.get(source, one_line(source))
