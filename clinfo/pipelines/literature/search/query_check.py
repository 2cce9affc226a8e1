"""The check of every query before it is sent: plain mistakes are corrected, headings looked up, and
what is left is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clinfo.errors import RecordError, SourceError
from clinfo.pubmed.query import Parsed, parse, printed
from clinfo.pubmed.repairs import heading_texts, repaired, with_headings
from clinfo.pubmed.tree import sentences
from clinfo.records.articles import MeshMatch, Query
from clinfo.sources.mesh_lookup import MeshLookup

UNCHECKED = "MeSH could not be reached, so the headings in this query were not checked."


async def check(
    query: Query, lookup: MeshLookup | None, repair: bool, fresh: bool = False
) -> Query:
    """The query with its mistakes mended where ``repair`` says so, and in ``remarks`` what a reader
    should know of it still.

    A sentence is added to ``repairs`` for each rewrite (`clinfo.pubmed.repairs`,
    `clinfo.pubmed.repairs`). A query that is not repaired stays as it is, byte for byte; that a
    heading in it does not exist is a remark then. Without ``lookup`` headings are left alone; where
    it fails, a remark says that they were not checked. Never raises.
    """
    text, made = query.text, list(query.repairs)
    if repair:
        mended = repaired(text)
        text = mended.text
        made += mended.sentences
    parsed = parse(text)
    remarks = list(query.remarks)
    matches: Mapping[str, MeshMatch] = {}
    if lookup is not None and (wanted := heading_texts(parsed.tree)):
        try:
            matches = await lookup.match(wanted, fresh)
        except (SourceError, RecordError):
            remarks.append(UNCHECKED)
    if repair and parsed.tree is not None:
        tree, rewrites = with_headings(parsed.tree, matches)
        if rewrites:
            made += [rewrite.text for rewrite in rewrites]
            mended = repaired(
                printed(tree)
            )  # a heading that became a phrase may hold what only a phrase must not
            text = mended.text
            made += mended.sentences
            parsed = parse(text)
    elif not repair:
        remarks += _not_in_mesh(parsed, matches)
    remarks += sentences(parsed.remarks)
    return replace(
        query, text=text, repairs=tuple(dict.fromkeys(made)), remarks=tuple(dict.fromkeys(remarks))
    )


def _not_in_mesh(parsed: Parsed, matches: Mapping[str, MeshMatch]) -> list[str]:
    """A sentence for each heading and subheading of a query that MeSH does not have."""
    if parsed.tree is None:
        return []
    told = []
    for rewrite in with_headings(parsed.tree, matches)[1]:
        if rewrite.name == "heading-unknown":
            match = matches.get(rewrite.was)
            near = (
                f" The nearest are: {', '.join(match.suggestions)}."
                if match and match.suggestions
                else ""
            )
            told.append(
                f"{match.edition if match else 'MeSH'} has no heading “{rewrite.was}”; this term "
                f"finds nothing.{near}"
            )
        elif rewrite.name == "subheading-unknown":
            told.append(f"MeSH has no subheading as in “{rewrite.was}”.")
    return told
