"""Readers of papers: each makes a document of a file's bytes."""

from __future__ import annotations

from typing import Literal

from clinfo.errors import RecordError
from clinfo.retrieval.documents import MOST_CHARACTERS, TOO_LONG, Document
from clinfo.retrieval.readers.jats import MOST_BYTES as MOST_BYTES

_OTHERS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"PK\x03\x04": "a Word document or another ZIP file",
}
"""Files that are taken for a paper now and then, by how their bytes begin."""


def kind_of(raw: bytes, name: str) -> Literal["jats", "pdf", "plain"]:
    """The kind of a file, by its size and first bytes. Raises RecordError, of one line, for one
    that is certainly none.
    """
    if len(raw) > MOST_BYTES:
        raise RecordError(f"{name}: larger than {MOST_BYTES // 1_000_000} MB, not read")
    if kind := next((kind for start, kind in _OTHERS.items() if raw.startswith(start)), ""):
        wanted = "PDF" if name.lower().endswith(".pdf") else "paper that can be read"
        raise RecordError(f"{name}: {kind}, not a {wanted}")
    head = raw[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    return "pdf" if head.startswith(b"%PDF-") else "jats" if head.startswith(b"<") else "plain"


def read_document(raw: bytes, name: str) -> Document:
    """The document in a file, of the kind that its content shows: JATS, PDF, or text.

    Raises RecordError, of one line, where it cannot be read, and UsageError for a PDF where the
    package that reads it is missing.
    """
    match kind_of(raw, name):
        case "pdf":
            from clinfo.retrieval.readers.pdf import read_pdf as read
        case "jats":
            from clinfo.retrieval.readers.jats import read_jats as read
        case "plain":
            from clinfo.retrieval.readers.plain import read_plain as read
    document = read(raw, name)
    if len(document.text) > MOST_CHARACTERS:
        raise RecordError(f"{name}: {TOO_LONG}")
    return document
