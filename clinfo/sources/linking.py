"""Reads ELink responses: links between articles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinfo.errors import SourceUnavailable

if TYPE_CHECKING:
    from lxml import etree

_DAMAGED = "sent an answer that cannot be read"


def read_links(body: bytes, linkname: str) -> dict[str, tuple[str, ...]]:
    """From an eLinkResult: for each id asked about the ids of ``linkname``, highest score first
    where there are scores.

    An id without links has an empty tuple. A set for several ids at once (asked for with commas) is
    left out, because it does not say what belongs to which. Raises SourceUnavailable for what is
    not an eLinkResult.
    """
    found: dict[str, tuple[str, ...]] = {}
    for links in _root(body, "eLinkResult").iterfind("LinkSet"):
        asked = [id for node in links.iterfind("IdList/Id") if (id := (node.text or "").strip())]
        if len(asked) != 1:
            continue
        scores: dict[str, float] = {}
        for group in links.iterfind("LinkSetDb"):
            if group.findtext("LinkName", "").strip() != linkname:
                continue
            for link in group.iterfind("Link"):
                id = link.findtext("Id", "").strip()
                if id.isdecimal():
                    scores.setdefault(id, _number(link.findtext("Score")))
        # Sorting keeps the service's order among equal scores, and where there are none.
        found[asked[0]] = tuple(sorted(scores, key=lambda id: -scores[id]))
    return found


def _root(body: bytes, tag: str) -> etree._Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise SourceUnavailable(_DAMAGED) from None
    if root.tag != tag:
        raise SourceUnavailable(_DAMAGED)
    return root


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
