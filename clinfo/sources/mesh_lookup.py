"""MeSH for the stages: from the table on this machine, or asked of the E-utilities (db=mesh) and
kept.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.errors import RecordError, SourceError
from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.sources.calls import ResponseCache, in_thread
from clinfo.sources.protocols import ArticleSource, EutilsSource, MeshSource
from clinfo.sources.registry import PUBMED_LANGUAGE
from clinfo.terms.bundled_mesh import bundled_mesh
from clinfo.terms.mesh import LONGEST, Mesh, meant, plain
from clinfo.text.words import key

if TYPE_CHECKING:
    from clinfo.settings import Settings
    from clinfo.sources.entrez import Eutils

KEPT_SECONDS = 30 * 24 * 3600.0
"""MeSH changes once a year."""
BATCH = 20
"""Texts of one search."""
PER_TEXT = 5
"""Records asked for each text: a phrase of db=mesh's MeSH Terms names one, seldom two."""
LEAST = 40
"""Records asked for at least, should a phrase find narrower headings too."""
RECORDS = 200
"""Most records of one ESummary."""
_CACHE_FORM = 2


def mesh_table(settings: Settings) -> Mesh:
    """MeSH as it was loaded on this machine, else as it comes with the program."""
    from clinfo.terms.mesh import Mesh, table_path

    path = table_path(settings.data_dir)
    return Mesh(path) if path.exists() else bundled_mesh()


def mesh_lookup(
    settings: Settings, source: ArticleSource, cache: Cache | None
) -> MeshLookup | None:
    """MeSH for a run: an index's own, else `mesh_table`; None for a source that does not read
    PubMed's language.

    A source behind E-utilities is asked for what the table that comes with the program does not
    know.
    """
    if source.query_prompt != PUBMED_LANGUAGE:
        return None
    table = source.mesh if isinstance(source, MeshSource) else mesh_table(settings)
    if isinstance(source, EutilsSource) and table is bundled_mesh():
        return MeshLookup(table, source.eutils, cache)
    return MeshLookup(table)


class MeshLookup:
    """MeSH from a table on this machine; what it does not know is asked of the E-utilities, where
    there are any: they may have a newer edition.

    What is found there is kept for 30 days where there is a cache. A match is taken from the names
    that the records have, never from the fact that a search found something. Safe to use from many
    tasks at once.
    """

    def __init__(
        self, table: Mesh, eutils: Eutils | None = None, cache: Cache | None = None
    ) -> None:
        self.table = table
        self._eutils = eutils
        self._kept = ResponseCache(cache, KEPT_SECONDS)

    async def match(self, texts: Sequence[str], fresh: bool = False) -> Mapping[str, MeshMatch]:
        """Return what MeSH holds for each text. Raises SourceError where the table cannot be read
        or the E-utilities fail.
        """
        try:
            known = await asyncio.to_thread(self._known, dict.fromkeys(texts))
            # One text of each spelling is asked, whatever its case and spaces.
            spelt = {text: plain(text) for text, one in known.items() if one is None}
            wanted = [text for text in dict.fromkeys(spelt.values()) if 0 < len(text) <= LONGEST]
            newer: Mapping[str, MeshMatch] = {}
            if self._eutils is not None and wanted:
                asked = [text for text in wanted if key(text)]
                newer = await self._newer(self._eutils, asked, fresh)
            for text, form in spelt.items():
                if form in newer:
                    known[text] = replace(newer[form], text=text)
            # What comes nearest takes long, so only what stays unknown is compared.
            return await asyncio.to_thread(
                lambda: {text: one or self.table.match(text) for text, one in known.items()}
            )
        except RecordError as error:
            raise SourceError(str(error)) from None

    def _known(self, texts: Iterable[str]) -> dict[str, MeshMatch | None]:
        return {text: self.table.known_as(text) for text in texts}

    async def _newer(
        self, eutils: Eutils, texts: Sequence[str], fresh: bool
    ) -> dict[str, MeshMatch]:
        """Those of the texts that are names at the E-utilities."""
        keys = {text: Cache.key_of("mesh", _CACHE_FORM, eutils.address, text) for text in texts}
        kept = await self._kept.recall([] if fresh else list(keys.values()), MeshMatch)
        known = {text: kept[place] for text, place in keys.items() if place in kept}
        asked = [text for text in texts if text not in known]
        batches = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
        new = {text: MeshMatch(text, "unknown") for text in asked}
        for matches in await asyncio.gather(*(_named(eutils, batch) for batch in batches)):
            new.update(matches)
        await self._kept.remember({keys[text]: match for text, match in new.items()})
        return {text: one for text, one in (known | new).items() if one.kind != "unknown"}


async def _named(eutils: Eutils, texts: Sequence[str]) -> dict[str, MeshMatch]:
    """Those of the texts that are names."""
    term = " OR ".join(f'"{_phrase(text)}"[MeSH Terms]' for text in texts)
    ids, count = await _search(eutils, term, max(PER_TEXT * len(texts), LEAST))
    descriptors = [one for one in await _records(eutils, ids) if one is not None]
    matches: dict[str, MeshMatch] = {}
    for text in texts:
        if (found := meant(text, descriptors)) is not None:
            matches[text] = MeshMatch(text, *found)
    left = [text for text in texts if text not in matches]
    if count > len(ids) and left and len(texts) > 1:
        for more in await asyncio.gather(*(_named(eutils, [text]) for text in left)):
            matches.update(more)
    return matches


async def _search(eutils: Eutils, term: str, limit: int) -> tuple[list[str], int]:
    result = await in_thread(lambda stop: eutils.esearch(term, limit, stop, db="mesh"))
    ids = [str(id) for id in result.get("idlist") or []]
    return ids, int(result["count"])


async def _records(eutils: Eutils, ids: Sequence[str]) -> list[MeshDescriptor | None]:
    """The descriptors with these ids; None for what is none (db=mesh holds qualifiers and
    supplementary concepts too).
    """
    batches = [ids[start : start + RECORDS] for start in range(0, len(ids), RECORDS)]

    async def summarised(batch: Sequence[str]) -> Mapping[str, Any]:
        return await in_thread(lambda stop: eutils.esummary(batch, stop, db="mesh"))

    records = []
    for batch, result in zip(batches, await asyncio.gather(*map(summarised, batches)), strict=True):
        for id in batch:
            entry = result.get(id)
            if not isinstance(entry, dict) or "error" in entry:
                raise SourceError(
                    "PubMed found MeSH records but did not show all of them", retryable=True
                )
            records.append(_descriptor(entry))
    return records


def _phrase(text: str) -> str:
    """The text as it may stand between quotes in a query."""
    sendable = text.encode(errors="ignore").decode()
    return " ".join(re.sub(r'["“”„«»\[\]*\\]', " ", sendable).split())


def _descriptor(entry: Mapping[str, Any]) -> MeshDescriptor | None:
    """Of a document summary of db=mesh: ``ds_meshterms`` has the heading first, ``ds_idxlinks`` the
    places in the tree.
    """
    ui, names, links = (entry.get(name) for name in ("ds_meshui", "ds_meshterms", "ds_idxlinks"))
    if (
        not isinstance(ui, str)
        or not re.fullmatch(r"D[0-9]+", ui)
        or not isinstance(names, list)
        or not names
    ):
        return None
    places = dict.fromkeys(
        str(link.get("treenum") or "") for link in links or [] if isinstance(link, dict)
    )
    terms = tuple(dict.fromkeys(str(name) for name in names[1:]))
    return MeshDescriptor(ui, str(names[0]), terms, tuple(place for place in places if place))
