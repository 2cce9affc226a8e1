"""Opens files of records: folders, archives and compressed files as they are, within limits."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, TypeAlias

from clinfo.errors import RecordError

MOST_LINE = 128_000_000
"""Bytes of a line, or of a JSON document: the longest record of Synthea has a quarter of it."""
MOST_MEMBERS = 200_000
INFLATED = 200
"""A file that unpacks to more than so many times its size is not read on; notes reach 20."""
FREE = 50_000_000
"""Bytes that any file may unpack to."""
_Readable: TypeAlias = IO[bytes] | gzip.GzipFile
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, RuntimeError)


@dataclass(frozen=True, slots=True)
class Source:
    """One file, or one member of an archive; ``folder`` is the path of the folder it lies in
    below what is read, of the latter's own files its name.

    ``open`` opens it anew; what it reads raises RecordError where the file is damaged or a bomb.
    """

    name: str
    folder: str
    open: Callable[[], BinaryIO]

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The ends of the name in lower case, without those of compression."""
        return tuple(one.lower() for one in Path(self.name).suffixes if one.lower() != ".gz")


def sources(path: Path, root: Path | None = None) -> Iterator[Source]:
    """The files at ``path`` by name; hidden ones are passed over.

    One that cannot be read raises OSError or RecordError when it is opened.
    """
    if path.is_dir():
        for one in sorted(path.rglob("*")):
            if one.is_file() and not any(p.startswith(".") for p in one.relative_to(path).parts):
                yield from sources(one, path)
        return
    name = path.relative_to(root).as_posix() if root else path.name
    try:
        with path.open("rb") as file:
            head = file.read(4)
        if head == b"PK\x03\x04":
            yield from _members(path, name, root)
        else:
            packed = partial(_unpacked, path, name) if head[:2] == b"\x1f\x8b" else None
            yield Source(name, _below(path.parent, root), packed or (lambda: path.open("rb")))
    except (OSError, RecordError) as error:
        yield Source(name, "", partial(_raise, error))


def _below(path: Path, root: Path | None) -> str:
    """The path of a folder below ``root``; its own name where it is the root, or there is none."""
    inner = path.relative_to(root).as_posix() if root else "."
    return path.resolve().name if inner == "." else inner


def _members(path: Path, name: str, root: Path | None) -> Iterator[Source]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = sorted(archive.infolist(), key=lambda one: one.filename)
    except _DAMAGED as error:
        raise RecordError(f"{name}: a damaged archive ({error})") from None
    if len(members) > MOST_MEMBERS:
        raise RecordError(f"{name}: {len(members):,} files in one archive, not read")
    for member in members:
        parts = Path(member.filename).parts
        if not member.is_dir() and not any(one.startswith((".", "__MACOSX")) for one in parts):
            inner = f"{name}: {member.filename}"
            within = _below(path.with_suffix(""), root) if root or len(parts) == 1 else ""
            folder = "/".join((*filter(None, [within]), *parts[:-1]))
            yield Source(inner, folder, partial(_member, path, member, inner))


def _raise(error: Exception) -> BinaryIO:
    raise error


def _unpacked(path: Path, name: str) -> BinaryIO:
    return io.BufferedReader(_Limited(gzip.open(path, "rb"), path.stat().st_size, name), 1 << 16)


def _member(path: Path, member: zipfile.ZipInfo, name: str) -> BinaryIO:
    try:
        with zipfile.ZipFile(path) as archive:  # what was opened of it stays open
            file = archive.open(member)
    except _DAMAGED as error:
        raise RecordError(f"{name}: cannot be unpacked ({error})") from None
    return io.BufferedReader(_Limited(file, member.compress_size, name), 1 << 16)


class _Limited(io.RawIOBase):
    """The content of a compressed file of a ``size``, up to a multiple of it."""

    def __init__(self, file: _Readable, size: int, name: str) -> None:
        self._file, self._left, self._name = file, max(FREE, size * INFLATED), name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        try:
            data = self._file.read(len(view))
        except _DAMAGED as error:
            raise RecordError(f"{self._name}: damaged ({error})") from None
        self._left -= len(data)
        if self._left < 0:
            raise RecordError(
                f"{self._name}: unpacks to more than {INFLATED} times its size, not read on"
            )
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def lines(file: BinaryIO, told: Callable[[str], None]) -> Iterator[tuple[int, str]]:
    """The lines of a text with their numbers, from 1, and with their ends.

    UTF-8, UTF-16 with its mark, else Windows-1252, which is told once. A line longer than MOST_LINE
    is told and passed over. Raises RecordError where the file is no text.
    """
    head = file.peek(4)[:4] if hasattr(file, "peek") else b""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = io.TextIOWrapper(file, "utf-16", errors="replace", newline="\n")
        yield from enumerate(iter(lambda: text.readline(MOST_LINE), ""), 1)
        return
    guessed = False
    for number, raw in enumerate(iter(lambda: file.readline(MOST_LINE), b""), 1):
        if len(raw) == MOST_LINE and not raw.endswith(b"\n"):
            told(f"line {number}: longer than {MOST_LINE // 1_000_000} MB, passed over")
            while (rest := file.readline(MOST_LINE)) and not rest.endswith(b"\n"):
                pass
            continue
        if b"\0" in raw:
            raise RecordError(f"line {number} has a NUL byte: this is not text")
        line, sure = decoded(raw, "utf-8-sig" if number == 1 else "utf-8")
        if not sure and not guessed:
            told(f"line {number}: not UTF-8; this and others like it are read as Windows-1252")
        guessed = guessed or not sure
        yield number, line


def decoded(raw: bytes, *charsets: str) -> tuple[str, bool]:
    """A text in the first of these charsets that reads it, else in Windows-1252, and whether one
    did.
    """
    for name in charsets:
        with suppress(LookupError, UnicodeDecodeError):
            return raw.decode(name), True
    return raw.decode("cp1252", "replace"), False
