"""A stream of citation XML cut into the texts of its records, in constant memory.

Records are found by their tags, but for those in comments and CDATA sections. Gzip is unpacked on
the way, and another encoding than UTF-8 made UTF-8.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import BinaryIO, NamedTuple

from clinfo.errors import RecordError, SourceError

_RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation", "DeleteCitation")
_SETS = ("PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet")
_CHUNK = 1 << 16
_LONGEST = 1 << 26
"""Bytes of one record, or of a document's head, beyond which a text is refused; no real one comes
near it.
"""
_HIDES = 1 << 20
"""Bytes within which a comment or CDATA section must end; one that does not hides nothing."""
_TAG = 1 << 10
"""Bytes that are enough to see what a tag between records is."""

_HEAD = re.compile(
    rb"""(?:\xef\xbb\xbf)?+(?:\s++|<\?.*?\?>|<!--.*?-->
    |<!DOCTYPE(?:[^<>"'\[]|"[^"]*+"|'[^']*+')*+(?:\[(?:[^\]"'<]|"[^"]*+"|'[^']*+'|<!--.*?-->|<\?.*?\?>|<)*+\]\s*+)?+>)*+
    <(?P<root>[A-Za-z_][\w:.-]*+)(?P<attributes>(?:[^<>"']|"[^"]*+"|'[^']*+')*+)>""",
    re.DOTALL | re.VERBOSE,
)
_ENCODING = re.compile(
    rb"""(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']"""
)
_NAMESPACE = re.compile(rb"""\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"<]*"|'[^'<]*')""")
_HIDDEN = rb"<!--|<!\[CDATA\[|<\?"
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_BETWEEN = re.compile(
    _HIDDEN + rb"|<(?P<name>" + "|".join(_RECORDS).encode() + rb")(?=[\s/>])"
    rb"|</(?P<root>" + "|".join(_SETS).encode() + rb")\s*>|(?P<error><ERROR>)"
)
_SPACES = re.compile(rb"\s*+")
_ERROR = re.compile(rb"<ERROR>(.*?)</ERROR>", re.DOTALL)


class Piece(NamedTuple):
    """The text of one record in UTF-8: its element, the how manieth of the document it is, the
    root's namespaces.
    """

    name: str
    raw: bytes
    number: int = 1
    namespaces: bytes = b""


def cut(stream: BinaryIO) -> Iterator[Piece]:
    """The records of a document in order; a piece may still be damaged XML, and is without its end
    where another record begins in it.

    Raises SourceError where the document is a service's error message, RecordError where it is not
    a citation XML or ends too early; what came before that has been delivered by then.
    """
    text = _Text(stream)
    namespaces, has_root = _read_head(text)
    number = 0
    while (mark := text.seek(_BETWEEN)) is not None:
        text.at = mark.start()
        if name := mark["name"]:
            length = _length(text, name)
            number += 1
            if length is None:
                raise _cut_off(text, number - 1, inside=True)
            piece = text.data[text.at : text.at + length].rstrip()
            yield Piece(name.decode(), piece, number, namespaces)
            text.at += length
        elif mark["root"]:
            text.at = mark.end()
            _check_rest(text, number)
            return
        elif mark["error"] and text.past(0, b"</ERROR>"):
            raise _service_error(_ERROR.search(text.data, text.at)[1])  # type: ignore[index]
        else:
            text.at += text.past(len(mark[0]), _ENDS.get(mark[0], b"")) or len(mark[0])
    if has_root or text.damage is not None or not number:
        raise _cut_off(text, number, inside=False)


@cache
def _inside(name: bytes) -> re.Pattern[bytes]:
    """Finds what may end a record: its end tag, the begin of another, the end of the set."""
    return re.compile(_HIDDEN + rb"|(?P<end></%b\s*>)|<%b(?=[\s/>])|</%bSet" % (name, name, name))


def _length(text: _Text, name: bytes) -> int | None:
    """Bytes of the record that begins where the text stands; None where the document ends inside
    it.
    """
    done = 1
    while (mark := text.seek(_inside(name), done)) is not None:
        if mark[0] in _ENDS:
            opened = mark.end() - text.at
            done = text.past(opened, _ENDS[mark[0]]) or opened
        else:
            return (mark.end() if mark["end"] else mark.start()) - text.at
    return None


class _Text:
    """The part of a document that is in memory: ``data``, read up to ``at``. ``damage`` is what cut
    the stream off, if anything.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.data, self.at = b"", 0
        self.damage: Exception | None = None
        self._chunks = _in_utf8(_unpacked(stream))

    def fill(self) -> bool:
        """Puts more of the document behind ``data`` and drops what has been read; false at its
        end.
        """
        if self.at:
            self.data, self.at = self.data[self.at :], 0
        if len(self.data) > _LONGEST:
            raise RecordError(f"one record is longer than {_LONGEST >> 20} MB")
        pieces, more = [self.data], 0
        try:  # half as much again, so that a long record is not copied for each chunk of it
            while more <= len(self.data) // 2 and (chunk := next(self._chunks, None)) is not None:
                pieces.append(chunk)
                more += len(chunk)
        except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeError) as error:
            self.damage = error
        self.data = b"".join(pieces)
        return len(pieces) > 1

    def seek(self, pattern: re.Pattern[bytes], start: int = 0) -> re.Match[bytes] | None:
        """The next match from ``start`` on, counted from ``at``; None where there is none."""
        while True:
            found = pattern.search(self.data, self.at + start)
            if found is not None and found.end() + _TAG <= len(self.data):
                return found
            if found is None:
                start = max(start, len(self.data) - self.at - _TAG)
            if not self.fill():  # which moves what there is
                return pattern.search(self.data, self.at + start)

    def past(self, start: int, ending: bytes) -> int:
        """Return where ``ending`` ends, both counted from ``at``; 0 where it does not within
        `_HIDES` bytes.
        """
        while (found := self.data.find(ending, self.at + start)) < 0:
            if len(self.data) - self.at - start > _HIDES or not self.fill():
                return 0
        return found - self.at + len(ending)


def _unpacked(stream: BinaryIO) -> Iterator[bytes]:
    first = stream.read(_CHUNK)
    if not first.startswith(b"\x1f\x8b"):
        return chain([first], iter(lambda: stream.read(_CHUNK), b""))
    stream.seek(-len(first), os.SEEK_CUR)
    packed = gzip.GzipFile(fileobj=stream)
    return iter(lambda: packed.read1(_CHUNK), b"")


def _in_utf8(chunks: Iterator[bytes]) -> Iterator[bytes]:
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= _TAG:
            break
    encoding = _encoding(first)
    if encoding is None:
        yield first
        yield from chunks
        return
    for text in codecs.iterdecode(chain([first], chunks), encoding):
        yield text.encode()


def _encoding(beginning: bytes) -> str | None:
    """The encoding of a document that begins so; None for UTF-8."""
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    declared = _ENCODING.match(beginning)
    name = declared[1].decode().lower() if declared else "utf-8"
    try:
        found = codecs.lookup(name).name
    except LookupError as error:
        raise RecordError(f"the XML is in an unknown encoding: {name[:40]}") from error
    # what is declared as two bytes a character and could be read as one is not what it says
    return None if found.startswith(("utf-", "ascii")) else name


def _read_head(text: _Text) -> tuple[bytes, bool]:
    """The namespaces of the root, and whether there is one around the records; the text read up to
    these.
    """
    while (
        (head := _HEAD.match(text.data)) is None and text.fill() and len(text.data) <= _LONGEST >> 6
    ):
        pass
    if head is None:
        if text.damage is not None:
            raise _cut_off(text, 0, inside=False)
        raise _not_citations(text.data)
    root = head["root"].decode()
    if root in _RECORDS:
        text.at = head.start("root") - 1
        return b"", False
    if root not in _SETS:
        while text.fill() and len(text.data) < _CHUNK:
            pass
        if message := _ERROR.search(text.data):
            raise _service_error(message[1])
        raise _not_citations(text.data)
    text.at = head.end()
    if head["attributes"].endswith(b"/"):  # an empty set
        text.data, text.at = b"</" + head["root"] + b">" + text.data[head.end() :], 0
    return b"".join(_NAMESPACE.findall(head["attributes"])), True


def _check_rest(text: _Text, number: int) -> None:
    """Nothing may follow the root but comments; reading to the end also proves the check sum of a
    packed file.
    """
    while True:
        text.at = _SPACES.match(text.data, text.at).end()  # type: ignore[union-attr]
        if len(text.data) - text.at < _TAG and text.fill():
            continue
        if text.damage is not None:
            raise _cut_off(text, number, inside=False)
        if text.at == len(text.data):
            return
        comment = next((one for one in (b"<!--", b"<?") if text.data.startswith(one, text.at)), b"")
        if not comment or not (end := text.past(len(comment), _ENDS[comment])):
            raise RecordError(f"the text continues after its set of {number} records")
        text.at += end


def _cut_off(text: _Text, number: int, *, inside: bool) -> RecordError:
    read = f"{number} record{'' if number == 1 else 's'} read before that"
    if text.damage is not None:
        return RecordError(f"the file is cut off or damaged; {read}")
    if inside:
        return RecordError(f"the text is cut off inside record {number + 1}; {read}")
    return RecordError(
        f"the text is cut off after record {number}"
        if number
        else "the text is cut off before its first record"
    )


def _service_error(message: bytes) -> SourceError:
    return SourceError(
        f"the service answered: {' '.join(message.decode('utf-8', 'replace').split())[:200]}"
    )


def _not_citations(text: bytes) -> RecordError:
    beginning = text[:2000].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not beginning:
        return RecordError("the text is empty where citation XML was expected")
    if re.search(r"<(?:!doctype\s+)?html\b", beginning, re.IGNORECASE):
        return RecordError("the text is a web page (HTML), not citation XML")
    root = re.match(r"(?:<[?!][^>]*>\s*)*<([\w:.-]+)", beginning)
    if root is None:
        return RecordError("the text is not XML")
    return RecordError(f"the XML is not a set of PubMed citations (its root is {root[1]})")
