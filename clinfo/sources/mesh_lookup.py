"""MeSH for the stages: from the table on this machine, or asked of the E-utilities (db=mesh) and
kept.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clinfo.cache import Cache
from clinfo.errors import RecordError, SourceError
from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.sources.calls import ResponseCache, in_thread
from clinfo.sources.protocols import ArticleSource, EutilsSource, MeshLookup, MeshSource
from clinfo.sources.registry import PUBMED_LANGUAGE
from clinfo.terms.bundled_mesh import bundled_mesh
from clinfo.terms.mesh import SUGGESTIONS, Mesh, meant, plain
from clinfo.text.stopwords import STOPWORDS
from clinfo.text.words import key, words

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
LONGEST = 250
"""Characters of the longest text that can be a name: NLM's longest entry terms have about 200."""
RECORDS = 200
"""Most records of one ESummary."""
CANDIDATES = 30
"""Records among which the nearest headings are looked for."""
MOST_WORDS = 8
_CACHE_FORM = 1


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
        return TableLookup(table, EutilsLookup(source.eutils, cache))
    return TableLookup(table)


class TableLookup:
    """MeSH from a table on this machine; what it does not know is asked of ``newer``, if there is
    one.
    """

    def __init__(self, table: Mesh, newer: MeshLookup | None = None) -> None:
        self.table = table
        self._newer = newer

    async def match(self, texts: Sequence[str], fresh: bool = False) -> Mapping[str, MeshMatch]:
        """Return what MeSH holds for each text. Raises SourceError where the table cannot be read
        or ``newer`` fails.
        """
        try:
            if self._newer is None:
                return await asyncio.to_thread(
                    lambda: {text: self.table.match(text) for text in dict.fromkeys(texts)}
                )
            known = await asyncio.to_thread(
                lambda: {text: self.table.known_as(text) for text in dict.fromkeys(texts)}
            )
        except RecordError as error:
            raise SourceError(str(error)) from None
        found = {text: match for text, match in known.items() if match is not None}
        unknown = [text for text in known if text not in found]
        return {**found, **(await self._newer.match(unknown, fresh) if unknown else {})}


class EutilsLookup:
    """MeSH asked of the E-utilities: one search and one summary for many texts, one or two searches
    more for an unknown one.

    What is found is kept for 30 days where there is a cache. A match is taken from the names that
    the records have, never from the fact that a search found something. Safe to use from many tasks
    at once.
    """

    def __init__(self, eutils: Eutils, cache: Cache | None = None) -> None:
        self._eutils = eutils
        self._kept = ResponseCache(cache, KEPT_SECONDS)

    async def match(self, texts: Sequence[str], fresh: bool = False) -> Mapping[str, MeshMatch]:
        """Return what MeSH holds for each text. Raises SourceError."""
        # One text of each spelling is asked, whatever its case and spaces.
        spelt = {text: plain(text) for text in texts}
        wanted = [
            text for text in dict.fromkeys(spelt.values()) if key(text) and len(text) <= LONGEST
        ]
        keys = {} if fresh else {self._key(text): text for text in wanted}
        found = {
            keys[place]: match
            for place, match in (await self._kept.recall(list(keys), MeshMatch)).items()
        }
        asked = [text for text in wanted if text not in found]
        batches = [asked[start : start + BATCH] for start in range(0, len(asked), BATCH)]
        new: dict[str, MeshMatch] = {}
        for matches in await asyncio.gather(*map(self._named, batches)):
            new.update(matches)
        unknown = [text for text in asked if text not in new]
        if unknown:
            nearest = await self._nearest(unknown)
            new.update(
                (text, MeshMatch(text, "unknown", None, nearest[text]))
                for text in unknown
                if text in nearest
            )
        await self._kept.remember({self._key(text): match for text, match in new.items()})
        found |= new
        return {
            text: replace(found.get(form, MeshMatch(form, "unknown")), text=text)
            for text, form in spelt.items()
        }

    async def _named(self, texts: Sequence[str]) -> dict[str, MeshMatch]:
        """Those of the texts that are names."""
        term = " OR ".join(f'"{_phrase(text)}"[MeSH Terms]' for text in texts)
        ids, count = await self._search(term, max(PER_TEXT * len(texts), LEAST))
        descriptors = [one for one in await self._records(ids) if one is not None]
        matches: dict[str, MeshMatch] = {}
        for text in texts:
            if (found := meant(text, descriptors)) is not None:
                matches[text] = MeshMatch(text, *found)
        left = [text for text in texts if text not in matches]
        if count > len(ids) and left and len(texts) > 1:
            for more in await asyncio.gather(*(self._named([text]) for text in left)):
                matches.update(more)
        return matches

    async def _nearest(self, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The nearest headings of each text; none for a text where they cannot be asked, which is
        known to be no name anyway.
        """
        from clinfo.terms.mesh_nearest import ranked

        found = await asyncio.gather(*map(self._with_words, texts))
        ids = list(dict.fromkeys(id for hits in found for id in hits or ()))
        try:
            records = dict(zip(ids, await self._records(ids), strict=True))
        except SourceError:
            return {}
        return {
            text: ranked(
                text, [one for id in hits if (one := records[id]) is not None], SUGGESTIONS
            )
            for text, hits in zip(texts, found, strict=True)
            if hits is not None
        }

    async def _with_words(self, text: str) -> list[str] | None:
        """Records that have all words of the text, else any; None where they cannot be asked."""
        content = [word for word in dict.fromkeys(words(text)) if word not in STOPWORDS][
            :MOST_WORDS
        ]
        if not content:
            return []
        try:
            ids, _ = await self._search(" ".join(content), CANDIDATES)
            if not ids and len(content) > 1:
                ids, _ = await self._search(" OR ".join(content), CANDIDATES)
        except SourceError:
            return None
        return ids

    async def _search(self, term: str, limit: int) -> tuple[list[str], int]:
        result = await in_thread(lambda stop: self._eutils.esearch(term, limit, stop, db="mesh"))
        ids = [str(id) for id in result.get("idlist") or []]
        return ids, int(result["count"])

    async def _records(self, ids: Sequence[str]) -> list[MeshDescriptor | None]:
        """The descriptors with these ids; None for what is none (db=mesh holds qualifiers and
        supplementary concepts too).
        """
        batches = [ids[start : start + RECORDS] for start in range(0, len(ids), RECORDS)]

        async def summarised(batch: Sequence[str]) -> Mapping[str, Any]:
            return await in_thread(lambda stop: self._eutils.esummary(batch, stop, db="mesh"))

        records = []
        for batch, result in zip(
            batches, await asyncio.gather(*map(summarised, batches)), strict=True
        ):
            for id in batch:
                entry = result.get(id)
                if not isinstance(entry, dict) or "error" in entry:
                    raise SourceError(
                        "PubMed found MeSH records but did not show all of them", retryable=True
                    )
                records.append(_descriptor(entry))
        return records

    def _key(self, text: str) -> str:
        return Cache.key_of("mesh", _CACHE_FORM, self._eutils.address, text)


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
