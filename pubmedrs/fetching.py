"""A file fetched over HTTP: resumed where it was cut off, checked, and in its place only when it is whole and right.

While it comes it lies in ``NAME.partial``, beside it ``NAME.partial.json`` with its address and the validator (a strong ETag, else
Last-Modified) that lets a server say whether the rest still belongs to it (RFC 9110, sections 13.1.5 and 14).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import SourceError, SourceUnavailable, UsageError

if TYPE_CHECKING:
    import requests

LARGEST = 500_000_000
"""Bytes; what is longer is not one of these files."""
CHUNK = 65_536
_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/(?:[0-9]+|\*)")
_WHOLE = re.compile(r"bytes \*/([0-9]+)")

Progress = Callable[[int, int | None], None]
"""Told the bytes that are there and, where known, how many there will be."""
Trouble = Callable[[str], None]
"""Told in one line why an attempt failed and when the next one follows."""


@dataclass(frozen=True)
class Patience:
    """How long to try: attempts without a byte of progress between them, first and longest wait, timeouts, all in seconds."""

    tries: int = 6
    first_wait: float = 0.5
    longest_wait: float = 20.0
    connect: float = 10.0
    read: float = 30.0


@dataclass(frozen=True)
class Fetched:
    """A file that is in its place. ``came`` is False where it had been there before."""

    path: Path
    sha256: str
    size: int
    came: bool


class _Again(SourceUnavailable):
    """This attempt failed; another may not. ``after`` are seconds the server asked to wait."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def fetch(
    url: str,
    path: Path,
    sha256: str | None,
    *,
    progress: Progress = lambda done, size: None,
    trouble: Trouble = lambda said: None,
    patience: Patience | None = None,
) -> Fetched:
    """Fetch ``url`` into ``path``; ``sha256`` None is a checksum that nobody knows. ``trouble`` is told of attempts that failed.

    Raises UsageError where another file is there already or the place cannot be written, SourceError where the server refuses
    or sends another file, SourceUnavailable where it gave up; then what came is kept, and the next call goes on from it.
    """
    if not re.match(r"https?://[^/\s]", url):
        raise UsageError(f"the address has to begin with http:// or https://: {url[:80]}")
    if path.exists():
        return _already_there(path, sha256)
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        with lock.acquire(timeout=0):
            try:
                return _fetch(_Transfer(url, path, patience or Patience(), progress, trouble), url, path, sha256)
            finally:
                with contextlib.suppress(OSError):
                    Path(lock.lock_file).unlink()  # nobody waits for it
    except Timeout:
        raise UsageError(f"{path} is being fetched by another process") from None
    except OSError as error:
        raise UsageError(f"the file {path} cannot be written: {error.strerror or 'unknown'}") from None


def _fetch(transfer: _Transfer, url: str, path: Path, sha256: str | None) -> Fetched:
    transfer.run()
    found = _hash(transfer.partial)
    if sha256 is not None and found != sha256 and transfer.resumed:
        # The beginning came in an earlier call and may have been damaged since: once more, from the first byte.
        transfer.forget()
        transfer.run()
        found = _hash(transfer.partial)
    if sha256 is not None and found != sha256:
        transfer.forget()
        raise SourceError(f"what {url} sent is not the published file: SHA-256 {found}, not {sha256}; nothing was saved")
    if path.exists():
        return _already_there(path, found)
    size = transfer.partial.stat().st_size
    os.replace(transfer.partial, path)
    transfer.forget()
    return Fetched(path, found, size, came=True)


def _already_there(path: Path, sha256: str | None) -> Fetched:
    try:
        found = _hash(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be opened: {error.strerror or 'unknown'}") from None
    if sha256 is None:
        raise UsageError(f"{path} is there already, and which file it ought to be is not known: move it away to fetch it anew")
    if found != sha256:
        raise UsageError(f"{path} is there already and is another file (SHA-256 {found}): move it away, or choose another --out")
    return Fetched(path, found, path.stat().st_size, came=False)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Transfer:
    """The bytes of one address into a partial file, attempt after attempt."""

    def __init__(self, url: str, path: Path, patience: Patience, progress: Progress, trouble: Trouble) -> None:
        self._url = url
        self.partial = path.with_name(path.name + ".partial")
        self._about = path.with_name(path.name + ".partial.json")
        self._patience = patience
        self._progress = progress
        self._trouble = trouble
        self.resumed = False

    def run(self) -> None:
        """Until the file is whole; an attempt that brought bytes is followed by others as if it had been the first."""
        while True:
            before = self._size()
            try:
                return self._attempts()
            except _Again:
                if self._size() <= before:
                    raise

    def _attempts(self) -> None:
        import requests
        from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_random

        patience = self._patience
        backoff = wait_exponential(patience.first_wait, patience.longest_wait) + wait_random(0, patience.first_wait)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            told = error.after if isinstance(error, _Again) else None
            return min(told, patience.longest_wait) if told is not None else backoff(state)

        def say(state: RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            following = f"attempt {state.attempt_number + 1} of {patience.tries} follows in {state.upcoming_sleep:.1f} s"
            self._trouble(f"{error}; {following}")

        with requests.Session() as session:
            for attempt in Retrying(
                stop=stop_after_attempt(patience.tries), wait=wait, before_sleep=say,
                retry=retry_if_exception_type(_Again), reraise=True,
            ):  # fmt: skip
                with attempt:
                    try:
                        self._once(session)
                    except requests.exceptions.InvalidURL as error:
                        raise UsageError(f"{self._url} is no address: {error}") from None
                    except requests.exceptions.RequestException as error:
                        raise _Again(f"{self._url} did not answer as it should: {_plain(error)}") from None

    def forget(self) -> None:
        """Remove what came so far."""
        for file in (self.partial, self._about):
            file.unlink(missing_ok=True)

    def _once(self, session: requests.Session) -> None:
        offset, validator = self._so_far()
        headers = {"Accept-Encoding": "identity"}  # ranges count the bytes that are sent
        if offset:
            headers |= {"Range": f"bytes={offset}-", "If-Range": validator}
        timeouts = (self._patience.connect, self._patience.read)
        with session.get(self._url, headers=headers, stream=True, timeout=timeouts) as answer:
            if answer.status_code == 416 and offset:
                whole = _WHOLE.fullmatch(answer.headers.get("Content-Range", ""))
                if whole and int(whole[1]) == offset:
                    self.resumed = True
                    return
                self.forget()
                raise _Again(f"{self._url} no longer has the file of which a part had come")
            if answer.status_code == 206 and offset:
                begins = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
                if not begins or int(begins[1]) != offset:
                    self.forget()
                    raise _Again(f"{self._url} sent another part than was asked for")
                self.resumed = True
                self._take(answer, offset)
            elif answer.status_code == 200:
                self.resumed = False
                self._take(answer, 0)
            else:
                self._refused(answer)

    def _refused(self, answer: requests.Response) -> None:
        message = f"{self._url} answered with status {answer.status_code}"
        if answer.status_code == 429 or answer.status_code >= 500:
            after = answer.headers.get("Retry-After", "")
            raise _Again(message, float(after) if after.isdecimal() else None)
        raise SourceError(message)

    def _take(self, answer: requests.Response, offset: int) -> None:
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise SourceError(f"{self._url} sends the file in another encoding than was asked for")
        length = answer.headers.get("Content-Length", "")
        size = offset + int(length) if length.isdecimal() else None
        if size is not None and size > LARGEST:
            raise SourceError(f"{self._url} is {size:,} bytes long: not one of the published files")
        self._note(answer)
        done = offset
        with self.partial.open("ab" if offset else "wb") as file:
            self._progress(done, size)
            for chunk in answer.iter_content(CHUNK):
                file.write(chunk)
                done += len(chunk)
                if done > LARGEST:
                    self.forget()
                    raise SourceError(f"{self._url} sends more than {LARGEST:,} bytes: not one of the published files")
                self._progress(done, size)
        if size is not None and done != size:
            raise _Again(f"{self._url} sent {done:,} of {size:,} bytes")

    def _note(self, answer: requests.Response) -> None:
        """Keep what is needed to ask for the rest later. A weak ETag does not promise the same bytes."""
        etag = answer.headers.get("ETag", "")
        validator = etag if etag.startswith('"') else answer.headers.get("Last-Modified", "")
        self._about.write_text(json.dumps({"url": self._url, "validator": validator}), encoding="utf-8")

    def _so_far(self) -> tuple[int, str]:
        """How many bytes are there, and the validator; 0 where they cannot be gone on with."""
        about: Any = None
        with contextlib.suppress(OSError, ValueError):
            about = json.loads(self._about.read_text(encoding="utf-8"))
        if not isinstance(about, dict) or about.get("url") != self._url or not about.get("validator"):
            return 0, ""
        return self._size(), str(about["validator"])

    def _size(self) -> int:
        return self.partial.stat().st_size if self.partial.exists() else 0


def _plain(error: Exception) -> str:
    """The kind of a failed request in words; the library's own text is long and holds addresses of objects."""
    import requests

    if isinstance(error, requests.exceptions.Timeout):
        return "it took too long"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate cannot be trusted"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the connection was cut"
    if isinstance(error, requests.exceptions.ConnectionError):
        return "no connection"
    return type(error).__name__
