"""A stream of citation XML cut into the texts of its records by their tags, in constant memory.

Gzip is unpacked on the way, and another encoding than UTF-8 made UTF-8.
"""

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
_BETWEEN = re.compile(
    rb"<(?P<name>" + "|".join(_RECORDS).encode() + rb")(?=[\s/>])"
    rb"|</(?:" + "|".join(_SETS).encode() + rb")\s*>|(?P<error><ERROR>)"
)
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
            end = text.seek(_end_of(name), len(mark[0]))
            number += 1
            if end is None:
                raise _cut_off(text, number - 1, inside=True)
            stop = end.end() if end["end"] else end.start()
            yield Piece(name.decode(), text.data[text.at : stop].rstrip(), number, namespaces)
            text.at = stop
        elif mark["error"] and (message := text.seek(_ERROR)):
            raise _service_error(message[1])
        else:
            text.at = mark.end()
            _check_rest(text, number)
            return
    if has_root or text.damaged or not number:
        raise _cut_off(text, number, inside=False)


@cache
def _end_of(name: bytes) -> re.Pattern[bytes]:
    """Finds what ends a record: its end tag, the begin of another, the end of the set."""
    return re.compile(rb"(?P<end></%b\s*>)|<%b(?=[\s/>])|</%bSet" % (name, name, name))


class _Text:
    """The part of a document that is in memory: ``data``, read up to ``at``; ``damaged`` where the
    stream is cut off.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.data, self.at, self.damaged = b"", 0, False
        self._chunks = _chunks(stream)

    def fill(self) -> bool:
        """Puts more of the document behind ``data`` and drops what has been read; false at its
        end.
        """
        self.data, self.at = self.data[self.at :], 0
        if len(self.data) > _LONGEST:
            raise RecordError(f"one record is longer than {_LONGEST >> 20} MB")
        pieces, more = [self.data], 0
        try:  # half as much again, so that a long record is not copied for each chunk of it
            while more <= len(self.data) // 2 and (chunk := next(self._chunks, b"")):
                pieces.append(chunk)
                more += len(chunk)
        except (EOFError, zlib.error, gzip.BadGzipFile, UnicodeError):
            self.damaged = True
        self.data = b"".join(pieces)
        return more > 0

    def seek(self, pattern: re.Pattern[bytes], start: int = 0) -> re.Match[bytes] | None:
        """The next match from ``start`` on, counted from ``at``; None where there is none."""
        while (found := pattern.search(self.data, self.at + start)) is None:
            start = max(start, len(self.data) - self.at - _TAG)
            if not self.fill():
                return None
        return found


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream, unpacked and in UTF-8. Raises RecordError for an unknown encoding."""
    beginning = stream.read(_CHUNK)
    chunks = iter(lambda: stream.read(_CHUNK), b"")
    if beginning.startswith(b"\x1f\x8b"):
        stream.seek(-len(beginning), os.SEEK_CUR)
        packed = gzip.GzipFile(fileobj=stream)
        chunks = iter(lambda: packed.read1(_CHUNK), b"")
        beginning = next(chunks, b"")
    chunks = chain([beginning], chunks)
    declared = _ENCODING.match(beginning)
    name = declared[1].decode().lower() if declared else "utf-8"
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = "utf-16"
    try:
        plain = codecs.lookup(name).name.startswith(("utf-8", "ascii"))
    except LookupError as error:
        raise RecordError(f"the XML is in an unknown encoding: {name[:40]}") from error
    yield from chunks if plain else map(str.encode, codecs.iterdecode(chunks, name))


def _read_head(text: _Text) -> tuple[bytes, bool]:
    """The namespaces of the root, and whether there is one around the records; the text read up to
    these.
    """
    while (
        (head := _HEAD.match(text.data)) is None and text.fill() and len(text.data) <= _LONGEST >> 6
    ):
        pass
    if head is None:
        raise _cut_off(text, 0, inside=False) if text.damaged else _not_citations(text.data)
    root = head["root"].decode()
    if root in _RECORDS:
        text.at = head.start("root") - 1
        return b"", False
    if root not in _SETS:
        while text.fill() and len(text.data) < _CHUNK:
            pass
        message = _ERROR.search(text.data)
        raise _service_error(message[1]) if message else _not_citations(text.data)
    text.at = head.end()
    if head["attributes"].endswith(b"/"):  # an empty set
        text.data, text.at = b"</" + head["root"] + b">" + text.data[head.end() :], 0
    return b"".join(_NAMESPACE.findall(head["attributes"])), True


def _check_rest(text: _Text, number: int) -> None:
    """Nothing may follow the root; reading to the end also proves the check sum of a packed
    file.
    """
    more = True
    while more:
        if text.data[text.at :].strip():
            raise RecordError(f"the text continues after its set of {number} records")
        text.at, more = len(text.data), text.fill()
    if text.damaged:
        raise _cut_off(text, number, inside=False)


def _cut_off(text: _Text, number: int, *, inside: bool) -> RecordError:
    read = f"{number} record{'' if number == 1 else 's'} read before that"
    if text.damaged:
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
