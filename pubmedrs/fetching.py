"""A file fetched over HTTP: resumed where it was cut off, checked, and in its place only when it is
whole and right.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import SourceError, UsageError
from pubmedrs.partial_file import PartialFile
from pubmedrs.transfer import Patience, Progress, Transfer, Trouble


@dataclass(frozen=True)
class Fetched:
    """A file that is in its place. ``came`` is False where it had been there before."""

    path: Path
    sha256: str
    size: int
    came: bool


def fetch(
    url: str,
    path: Path,
    sha256: str | None,
    *,
    progress: Progress = lambda done, size: None,
    trouble: Trouble = lambda said: None,
    patience: Patience | None = None,
) -> Fetched:
    """Fetch ``url`` into ``path``; ``sha256`` None is a checksum that nobody knows. ``trouble`` is
    told of attempts that failed.

    Raises UsageError where another file is there already or the place cannot be written,
    SourceError where the server refuses or sends another file, SourceUnavailable where it gave up;
    then what came is kept, and the next call goes on from it.
    """
    if not re.match(r"https?://[^/\s]", url):
        raise UsageError(f"the address must begin with http:// or https://: {url[:80]}")
    if path.exists():
        return _already_there(path, sha256)
    from filelock import FileLock, Timeout

    partial = PartialFile(path, url)
    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        with lock.acquire(timeout=0):
            try:
                found = _come(
                    Transfer(url, partial, patience or Patience(), progress, trouble),
                    partial,
                    url,
                    sha256,
                )
                return _placed(partial, path, found)
            finally:
                with contextlib.suppress(OSError):
                    Path(lock.lock_file).unlink()  # nobody waits for it
    except Timeout:
        raise UsageError(f"{path} is being fetched by another process") from None
    except OSError as error:
        raise UsageError(
            f"the file {path} cannot be written: {error.strerror or 'unknown'}"
        ) from None


def _come(transfer: Transfer, partial: PartialFile, url: str, sha256: str | None) -> str:
    """The checksum of what came, which is the right one where it is known."""
    transfer.run()
    found = _hash(partial.path)
    if sha256 is not None and found != sha256 and transfer.resumed:
        # The beginning came in an earlier call and may have been damaged since: once more, from the
        # first byte.
        partial.forget()
        transfer.run()
        found = _hash(partial.path)
    if sha256 is not None and found != sha256:
        partial.forget()
        raise SourceError(
            f"the file sent by {url} is not the published file: SHA-256 {found}, not {sha256}; "
            "nothing was saved"
        )
    return found


def _placed(partial: PartialFile, path: Path, sha256: str) -> Fetched:
    if path.exists():  # it came there meanwhile
        return _already_there(path, sha256)
    size = partial.size
    os.replace(partial.path, path)
    partial.forget()
    return Fetched(path, sha256, size, came=True)


def _already_there(path: Path, sha256: str | None) -> Fetched:
    try:
        found = _hash(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be opened: {error.strerror or 'unknown'}") from None
    if sha256 is None:
        raise UsageError(
            f"{path} already exists, and it is not known which file it should be: move it away to "
            "fetch it again"
        )
    if found != sha256:
        raise UsageError(
            f"{path} already exists and is another file (SHA-256 {found}): move it away, or choose "
            "another --out"
        )
    return Fetched(path, found, path.stat().st_size, came=False)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
