"""The sources that a host can offer, as a page offers them: with a title, and what each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from clinfo.render.wording import source_name

NOTES: Final[Mapping[str, str]] = {
    "pubmed": "the citations of the National Library of Medicine, as they stand today",
    "semantic-scholar": "papers of all fields, searched with plain key words: no PubMed filter, no MeSH",
    "local": "a copy of PubMed on this host: nothing is sent to NCBI",
    "demo": "a few dozen trials with rewritten abstracts, to try the program with and for nothing else",
}
"""What each source of `clinfo.pipelines.literature.request.SOURCES` is."""


def title(source: str) -> str:
    """``Demo corpus``: the name of a source where it stands by itself."""
    name = source_name(source).removeprefix("the ")
    return name[:1].upper() + name[1:]


def choices(sources: Iterable[str]) -> list[tuple[str, str, str]]:
    """Each source with its title and what it is."""
    return [(source, title(source), NOTES[source]) for source in sources]
