"""Reads a full text in JATS, the XML of PubMed Central, with its tables.

No network, no DTD, no entity of the document's own expanded. References, author lists, formulas'
alternatives and pictures are not read; a table that is a picture is said to be lost.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from lxml import etree

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Document
from clinfo.retrieval.registry import trial_numbers
from clinfo.retrieval.writing import Writer, one_line
from clinfo.text.markup import text_of, xml_root

MOST_BYTES = 50_000_000
"""Larger than any article of PMC's open-access subset; what is larger is not read."""
MOST_CELLS = 60_000
_IDS = {"pmc": "pmcid", "pmcid": "pmcid", "pmid": "pmid", "doi": "doi"}
_SKIPPED = frozenset(
    (
        *("ref-list", "graphic", "media", "inline-graphic", "tex-math", "object-id", "label"),
        *("contrib-group", "aff", "supplementary-material", "ack", "fn-group", "author-notes"),
        *("permissions", "bio", "glossary", "notes"),
    )
)
_SPACED = frozenset(
    ("p", "title", "break", "list-item", "td", "th", "tr", "entry", "row", "sec", "label")
)
_APART = frozenset(("table-wrap", "fig", "list", "boxed-text"))
"""What a paragraph may hold and is read after its text."""


def read_jats(raw: bytes, name: str) -> Document:
    """The document in ``raw``; ``name`` is what messages and the document call the file.

    Raises RecordError, of one line, where it is no JATS article or holds no text.
    """
    try:
        root = xml_root(raw)
    except ValueError as error:
        raise RecordError(f"{name}: not well-formed XML ({one_line(str(error))[:120]})") from None
    article = root if _tag(root) == "article" else next(_all(root, "article"), None)
    if article is None:
        raise RecordError(f"{name}: no JATS article (its root element is {_tag(root)[:40]})")
    return _document(article, name)


def _document(article: etree._Element, name: str) -> Document:
    front = next((one for one in _all(article, "front", "front-stub")), article)
    ids = {
        _IDS[kind]: one_line(_text(one))
        for one in _all(front, "article-id")
        if (kind := one.get("pub-id-type", "")) in _IDS
    }
    title = one_line(_text(next(_all(front, "article-title"), None)))
    writer, lost = Writer(), Counter[str]()
    writer.block("title", title)
    for abstract in _all(front, "abstract"):
        if abstract.get("abstract-type") in (None, "", "structured", "summary"):
            writer.section = ("Abstract",)
            _write(abstract, writer, 1, lost)
    body = article.find("{*}body")
    if body is None:
        lost["no full text in the file: only title and abstract"] += 1
    else:
        writer.section = ()
        _write(body, writer, 0, lost)
    for part in article.iterchildren("{*}back", "{*}floats-group"):
        writer.section = ()
        _write(part, writer, 0, lost)
    if not any(one.kind != "title" for one in writer.blocks):
        raise RecordError(f"{name}: no abstract and no text in it")
    text = writer.text
    return Document(
        id=_id(ids) or f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}",
        title=title,
        text=text,
        blocks=tuple(writer.blocks),
        file=name,
        licence=_licence(front),
        date=_date(front),
        category=article.get("article-type", ""),
        registrations=trial_numbers(text),
        lost=tuple(what if n == 1 else f"{what} ({n})" for what, n in lost.items()),
        ids=tuple(f"{kind}:{value}" for kind, value in ids.items()),
        types=_types(article, front),
    )


def _write(parent: etree._Element, writer: Writer, depth: int, lost: Counter[str]) -> None:
    """Write what an element holds, with its sections, paragraphs, lists, captions and tables."""
    for child in parent:
        match _tag(child):
            case "sec" | "app":
                heading = _text(child.find("{*}title"))
                outer = writer.section
                writer.heading(heading, depth)
                _write(child, writer, depth + (1 if one_line(heading) else 0), lost)
                writer.section = outer
            case "p":
                _paragraph(child, writer, depth, lost)
            case "table-wrap":
                _table(child, writer, lost)
            case "fig":
                writer.block("caption", _label_and(child, "caption"))
            case "title" | "label":
                pass
            case "list" | "list-item" | "boxed-text" | "disp-quote" | "table-wrap-group":
                _write(child, writer, depth, lost)
            case "fig-group" | "def-list" | "def-item" | "def" | "statement" | "app-group":
                _write(child, writer, depth, lost)
            case tag if tag and tag not in _SKIPPED:
                writer.block("text", _text(child))


def _paragraph(element: etree._Element, writer: Writer, depth: int, lost: Counter[str]) -> None:
    """Write a paragraph; the tables, figures and lists within it come after its text."""
    writer.block("text", _text(element, _APART))
    while (one := next(_all(element, *_APART), None)) is not None:
        holder = etree.Element("holder")  # takes it, and what is in it, out of the paragraph
        holder.append(one)
        _write(holder, writer, depth, lost)


def _table(wrap: etree._Element, writer: Writer, lost: Counter[str]) -> None:
    caption = _label_and(wrap, "caption")
    notes = " ".join(_text(one) for one in wrap.iterfind("{*}table-wrap-foot"))
    tables = list(_all(wrap, "table"))
    if not tables:
        lost["a table that is a picture"] += 1
        writer.block("caption", caption)
        return
    for number, table in enumerate(tables):
        head = [row for part in _all(table, "thead") for row in _all(part, "tr", "row")]
        body = [row for row in _all(table, "tr", "row") if row not in head]
        rows = [_cells(row) for row in (*head, *body)]
        if sum(map(len, rows)) > MOST_CELLS:
            lost["a table of more than 60,000 cells"] += 1
            continue
        header = len(head) or _header_rows(body)
        writer.table(caption, rows, header, notes if number == len(tables) - 1 else "")


def _cells(row: etree._Element) -> list[str]:
    return [_text(cell) for cell in row if _tag(cell) in ("td", "th", "entry")]


def _header_rows(rows: list[etree._Element]) -> int:
    """The rows at the top of a table without a head that hold no figure right of the first
    column.
    """
    for number, row in enumerate(rows[:3]):
        if any(map(str.isdecimal, "".join(_cells(row)[1:]))):
            return number
    return 1 if len(rows) > 1 else 0


def _label_and(element: etree._Element, name: str) -> str:
    label = _text(element.find("{*}label")).strip()
    return f"{label} {_text(element.find('{*}' + name))}".strip()


def _text(element: etree._Element | None, without: frozenset[str] = frozenset()) -> str:
    """The text of an element in one piece."""
    return text_of(element, _SKIPPED | without, _SPACED)


def _all(element: etree._Element, *tags: str) -> Iterator[etree._Element]:
    return element.iter(*(f"{{*}}{tag}" for tag in tags))


def _tag(element: etree._Element) -> str:
    tag = element.tag
    return etree.QName(tag).localname if isinstance(tag, str) else ""


def _id(ids: dict[str, str]) -> str:
    for kind in ("pmcid", "pmid", "doi"):
        if value := ids.get(kind):
            digits = value.upper().removeprefix("PMC")
            return f"pmcid:PMC{digits}" if kind == "pmcid" else f"{kind}:{value}"
    return ""


_RELATED = {"retraction-forward": "Retracted Publication"}
_KINDS = {
    "retraction": "Retraction of Publication",
    "expression-of-concern": "Expression of Concern",
    "correction": "Published Erratum",
}
"""PubMed's publication types of JATS' related articles and article types."""


def _types(article: etree._Element, front: etree._Element) -> tuple[str, ...]:
    related = (one.get("related-article-type", "") for one in _all(front, "related-article"))
    told = [_RELATED.get(one) for one in related] + [_KINDS.get(article.get("article-type", ""))]
    return tuple(dict.fromkeys(one for one in told if one))


def _licence(front: etree._Element) -> str:
    """The address of the licence, else the first words of its text."""
    for one in _all(front, "license"):
        for key, value in one.attrib.items():
            if str(key).endswith("href") and value:
                return str(value)
        for link in _all(one, "license_ref", "ext-link"):
            return one_line(_text(link))
        return one_line(_text(one))[:200]
    return ""


def _date(front: etree._Element) -> str:
    """The earliest date of publication, as far as it is given."""
    dates = []
    for one in _all(front, "pub-date"):
        parts = [one_line(_text(one.find("{*}" + name))) for name in ("year", "month", "day")]
        kept: list[str] = []
        for part, width in zip(parts, (4, 2, 2), strict=True):
            if not part.isascii() or not part.isdigit():
                break
            kept.append(part.zfill(width))
        if kept:
            dates.append("-".join(kept))
    return min(dates, default="")
