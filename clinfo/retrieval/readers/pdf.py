"""Reads the text of a PDF, by pypdfium2: paragraphs and the headings that papers usually have.

A PDF holds letters in places and no table, section or reading order. What is certainly lost is
said: tables become lines of text, pages of pictures nothing.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from collections.abc import Sequence
from statistics import median

from clinfo.errors import RecordError
from clinfo.extras import needed
from clinfo.retrieval.documents import MOST_CHARACTERS, TOO_LONG, Document
from clinfo.retrieval.registry import trial_numbers
from clinfo.retrieval.writing import Writer, one_line

MOST_PAGES = 500
_EDGE = 2
"""Lines at either end of a page that may be its header or footer."""
_HEADING = re.compile(
    r"(?:\d{1,2}\.?\d?\.?\s{0,3})?(abstract|summary|introduction|background|objectives?|aims?"
    r"|(?:patients|participants|materials?|subjects) and methods|methods?|statistical analys[ie]s"
    r"|results?|findings|outcomes?|discussion|conclusions?|interpretation|references"
    r"|acknowledge?ments|funding)\s{0,2}:?",
    re.IGNORECASE,
)
_LAST = ("references", "acknowledgements", "acknowledgments", "acknowledgement", "funding")
_HYPHEN = re.compile(r"[\ufffe\x02\u00ad][\r\n]*")
"""The sign that PDFium gives for a hyphen at the end of a line."""
_lock = threading.Lock()
"""PDFium is not safe between threads."""


def read_pdf(raw: bytes, name: str) -> Document:
    """The document in ``raw``. Raises RecordError where it is damaged, locked or holds no text, and
    UsageError where the package is missing.
    """
    pages, title = _pages(raw, name)
    empty = sum(not page for page in pages)
    if empty == len(pages):
        raise RecordError(f"{name}: no text in the PDF; pictures of pages are not read")
    # Headers and footers stand at the ends of at least three pages, and of half of them.
    ends = Counter(
        alike for page in pages for alike in {*map(_alike, (*page[:_EDGE], *page[-_EDGE:]))}
    )
    least = max(3, (len(pages) + 1) // 2)
    furniture = {line for line, count in ends.items() if count >= least}
    lines = [line for page in pages for line in page if _alike(line) not in furniture]
    writer = Writer()
    _write(lines, writer)
    if not writer.blocks:
        raise RecordError(f"{name}: no text in the PDF")
    lost = ["tables as such, and the order of columns: a PDF has only lines of text"]
    if empty:
        lost.append(f"{empty} of {len(pages)} pages without text: pictures are not read")
    return Document(
        id=f"sha256:{hashlib.sha256(raw).hexdigest()[:16]}",
        title=one_line(title) or one_line(lines[0])[:200],
        text=writer.text,
        blocks=tuple(writer.blocks),
        file=name,
        registrations=trial_numbers(writer.text),
        lost=tuple(lost),
    )


def _pages(raw: bytes, name: str) -> tuple[list[list[str]], str]:
    """The lines of each page, and the title that the file gives itself."""
    pdfium = needed("pypdfium2", "pdf")
    with _lock:
        try:
            document = pdfium.PdfDocument(raw)
            try:
                if len(document) > MOST_PAGES:
                    raise RecordError(f"{name}: more than {MOST_PAGES} pages, not read")
                texts: list[str] = []
                for page in document:
                    texts.append(page.get_textpage().get_text_range())
                    if sum(map(len, texts)) > MOST_CHARACTERS:
                        raise RecordError(f"{name}: {TOO_LONG}")
                title = document.get_metadata_value("Title") or ""
            finally:
                document.close()
        except pdfium.PdfiumError as error:
            locked = "password" in str(error).lower()
            reason = "locked by a password" if locked else "damaged"
            raise RecordError(f"{name}: the PDF is {reason}") from None
    joined = (_HYPHEN.sub("", text) for text in texts)
    return [[line for line in map(one_line, re.split(r"[\r\n]+", text)) if line]
            for text in joined], title  # fmt: skip


def _alike(line: str) -> str:
    """A line without its numbers, so that headers of pages are alike."""
    return re.sub(r"\d+", "#", line)


def _write(lines: Sequence[str], writer: Writer) -> None:
    """Write paragraphs under their headings, up to the list of references."""
    width = median(map(len, lines)) if lines else 0
    paragraph: list[str] = []

    def close() -> None:
        writer.block("text", " ".join(paragraph))
        paragraph.clear()

    for line in lines:
        if found := _HEADING.fullmatch(line):
            close()
            if found[1].lower() in _LAST and writer.blocks:
                return
            writer.heading(found[1].capitalize(), 0)
            continue
        paragraph.append(line)
        if line[-1] in ".!?" and len(line) < 0.8 * width:
            close()
    close()
