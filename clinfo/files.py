"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from clinfo.errors import UsageError
from clinfo.errors import file_errors as file_errors


@contextmanager
def whole_file(
    path: Path, encoding: str | None = "utf-8", partial: str = ".partial"
) -> Iterator[Any]:
    """A file to write text into (bytes without ``encoding``), which takes its name at the end of
    the block; where that fails, what was there before stays.

    It lies in ``NAME.partial`` until then, or under a name with the end ``partial``. Ends of line
    are written as they are. Raises OSError.
    """
    unfinished = path.with_name(path.name + partial)
    try:
        with (
            unfinished.open("w", encoding=encoding, newline="")
            if encoding
            else unfinished.open("wb")
        ) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def claim(file: IO[Any], taken: str) -> None:
    """Have the file for this process alone until it is closed, where the system and the disk know
    how to. Raises UsageError, which begins with ``taken``, where another has it.
    """
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{taken}; wait for it, or choose another file") from None
    except OSError:
        return  # a network disk without locks


@contextmanager
def private_files() -> Iterator[None]:
    """Let files and folders made in the block be their owner's only; for the whole process."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def sync_folder(folder: Path) -> None:
    """Have names in a folder reach the disk too, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
