"""Long texts of the user's own, as guidelines are: Markdown, HTML, text, PDF, JATS."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Document
from clinfo.retrieval.readers import read_document
from clinfo.retrieval.readers.plain import decoded, of_text
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.readers import Content
from clinfo.retrieval.silos.staged import About
from clinfo.text.markup import line_of

_HTML = re.compile(rb"\s*(?:\xef\xbb\xbf\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = (*_HEADINGS, "p", "li", "pre", "blockquote", "dt", "dd", "td", "th", "figcaption")
_LEFT_OUT = ("script", "style", "nav", "noscript", "template", "svg", "form", "footer")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SAID = {"title", "licence", "date", "version", "source"}
MOST_TITLES = 60


def from_file(raw: bytes, name: str, silo: str) -> Content:
    """The document of a file, with the headings under which it stands as its abstraction.

    A Markdown file may begin with lines of title, licence, date, version, source between ``---``.
    Raises RecordError, UsageError.
    """
    id = f"sha256:{sha256(raw).hexdigest()[:16]}"
    about = About()
    if _HTML.match(raw[:1000]):
        document = _html(raw, id, name)
    elif name.lower().endswith((".md", ".markdown", ".txt")):
        text, about = _front(raw, name)
        document = of_text(text, id, name, about.title)
    else:
        document = read_document(raw, name)
    sections = list(dict.fromkeys(" > ".join(one.section) for one in document.blocks))
    titles = "; ".join(one for one in sections[:MOST_TITLES] if one)
    made = SiloDocument(
        silo=silo,
        id=document.id,
        title=document.title or name,
        text=document.text,
        abstractions={"headings": f"{document.title or name}. {titles}".strip()},
        fields={"file": name},
        licence=document.licence,
        date=about.date or document.date,
    )
    lost = tuple(f"{name}: lost: {one}" for one in document.lost)
    return Content((made,), About("", about.licence, about.date, about.version, about.source), lost)


def _front(raw: bytes, name: str) -> tuple[str, About]:
    """The text of a Markdown file and what it says of itself at its beginning."""
    text = decoded(raw, name).replace("\r\n", "\n")
    found = _FRONT.match(text)
    if found is None:
        return text, About()
    pairs = [line.partition(":") for line in found[1].splitlines()]
    said = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in pairs}
    return text[found.end() :], About(**{key: said[key] for key in _SAID if key in said})


def _html(raw: bytes, id: str, name: str) -> Document:
    """The document of a page as Markdown: headings, paragraphs, items and cells, a line each."""
    import lxml.html
    from lxml import etree

    try:
        page: Any = lxml.html.document_fromstring(raw, parser=lxml.html.HTMLParser(huge_tree=False))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise RecordError(f"{name}: no HTML that can be read") from None
    for one in list(page.iter(*_LEFT_OUT)):
        one.drop_tree()
    lines: list[str] = []
    for one in page.iter(*_BLOCKS):
        if any(inner.tag in _BLOCKS for inner in one.iterdescendants() if inner is not one):
            text = " ".join((one.text or "").split())
        else:
            text = line_of(one)
        if text:
            lines.append("#" * _HEADINGS[one.tag] + " " + text if one.tag in _HEADINGS else text)
    title = " ".join((page.findtext(".//title") or "").split())
    return of_text("\n\n".join(lines), id, name, title)
