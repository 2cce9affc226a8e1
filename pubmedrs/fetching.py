"""A file fetched over HTTP: resumed where it was cut off, checked, and in its place only when it is
whole and right.
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
from clinfo.files import file_errors

if TYPE_CHECKING:
    import requests
    from tenacity import RetryCallState


class PartialFile:
    """The beginning of the file at ``url``, beside ``place``, where the whole will be. All methods
    raise OSError.

    The bytes lie in ``NAME.partial``, beside it ``NAME.partial.json`` with their address and the
    validator (a strong ETag, else Last-Modified) that lets a server say whether the rest still
    belongs to them (RFC 9110, sections 13.1.5 and 14).
    """

    def __init__(self, place: Path, url: str) -> None:
        self.path = place.with_name(place.name + ".partial")
        self._about = place.with_name(place.name + ".partial.json")
        self._url = url

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def so_far(self) -> tuple[int, str]:
        """Return how many bytes are there, and their validator; 0 and "" where they cannot be
        resumed.
        """
        about: Any = None
        with contextlib.suppress(OSError, ValueError):
            about = json.loads(self._about.read_text(encoding="utf-8"))
        if (
            not isinstance(about, dict)
            or about.get("url") != self._url
            or not about.get("validator")
        ):
            return 0, ""
        return self.size, str(about["validator"])

    def begin(self, validator: str) -> None:
        """Begin anew with nothing, and note the validator of what is to come; "" where it has
        none.
        """
        self.path.write_bytes(
            b""
        )  # before the note: bytes that were there are not those that the new validator stands for
        self._about.write_text(
            json.dumps({"url": self._url, "validator": validator}), encoding="utf-8"
        )

    def forget(self) -> None:
        """Remove everything."""
        for file in (self.path, self._about):
            file.unlink(missing_ok=True)


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
    """Limits of trying: attempts without a byte of progress between them; all else in seconds.

    ``first_wait`` and ``longest_wait`` are our own between attempts; a server may ask for up to
    ``longest_asked``, and where it asks for more, it is left alone.
    """

    tries: int = 6
    first_wait: float = 0.5
    longest_wait: float = 20.0
    longest_asked: float = 120.0
    connect: float = 10.0
    read: float = 30.0


class _Again(SourceUnavailable):
    """This attempt failed; another may not. ``after`` are seconds the server asked to wait."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class Transfer:
    """One address into its partial file. ``resumed``: whether the last attempt went on with bytes
    of an earlier one.
    """

    def __init__(
        self,
        url: str,
        partial: PartialFile,
        patience: Patience,
        progress: Progress,
        trouble: Trouble,
    ) -> None:
        self._url = url
        self._partial = partial
        self._patience = patience
        self._progress = progress
        self._trouble = trouble
        self.resumed = False

    def run(self) -> None:
        """Until the file is whole; an attempt that brought bytes is followed by others as if it had
        been the first.

        Raises SourceError where the server refuses, SourceUnavailable where it was given up,
        UsageError for an address that is none, and OSError.
        """
        while True:
            before = self._partial.size
            try:
                return self._attempts()
            except _Again:
                if self._partial.size <= before:
                    raise

    def _attempts(self) -> None:
        import requests
        from tenacity import (
            Retrying,
            retry_if_exception_type,
            stop_after_attempt,
            wait_exponential,
            wait_random,
        )

        patience = self._patience
        backoff = wait_exponential(patience.first_wait, patience.longest_wait) + wait_random(
            0, patience.first_wait
        )

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            told = error.after if isinstance(error, _Again) else None
            return told if told is not None else backoff(state)

        def say(state: RetryCallState) -> None:
            error = state.outcome.exception() if state.outcome else None
            following = (
                f"attempt {state.attempt_number + 1} of {patience.tries} follows in "
                f"{state.upcoming_sleep:.1f} s"
            )
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
                        raise UsageError(f"{self._url} is not an address: {error}") from None
                    except requests.exceptions.RequestException as error:
                        raise _Again(
                            f"{self._url} did not answer as it should: {_plain(error)}"
                        ) from None

    def _once(self, session: requests.Session) -> None:
        offset, validator = self._partial.so_far()
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
                self._partial.forget()
                raise _Again(f"{self._url} no longer has the partly fetched file")
            if answer.status_code == 206 and offset:
                begins = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
                if not begins or int(begins[1]) != offset:
                    self._partial.forget()
                    raise _Again(f"{self._url} sent another part than requested")
                self.resumed = True
                self._take(answer, offset)
            elif answer.status_code == 200:
                self.resumed = False
                self._take(answer, 0)
            else:
                self._refused(answer)

    def _refused(self, answer: requests.Response) -> None:
        from clinfo.sources.replies import retry_after

        message = f"{self._url} answered with status {answer.status_code}"
        if answer.status_code != 429 and answer.status_code < 500:
            raise SourceError(message)
        after = retry_after(answer.headers)
        if after is not None and after > self._patience.longest_asked:
            raise SourceUnavailable(f"{message} and asks for a pause of {after:,.0f} seconds")
        raise _Again(message, after)

    def _take(self, answer: requests.Response, offset: int) -> None:
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise SourceError(f"{self._url} sends the file in another encoding than requested")
        length = answer.headers.get("Content-Length", "")
        size = offset + int(length) if length.isdecimal() else None
        if size is not None and size > LARGEST:
            raise SourceError(f"{self._url} is {size:,} bytes long: not one of the published files")
        if not offset:
            self._partial.begin(_validator(answer))
        done = offset
        with self._partial.path.open("ab") as file:
            self._progress(done, size)
            for chunk in answer.iter_content(CHUNK):
                file.write(chunk)
                done += len(chunk)
                if done > LARGEST:
                    self._partial.forget()
                    raise SourceError(
                        f"{self._url} sends more than {LARGEST:,} bytes: not one of the published "
                        "files"
                    )
                self._progress(done, size)
        if size is not None and done != size:
            raise _Again(f"{self._url} sent {done:,} of {size:,} bytes")


def _validator(answer: requests.Response) -> str:
    """Return what tells this version of a file from others, "" where nothing does. A weak ETag does
    not promise the same bytes.
    """
    etag = answer.headers.get("ETag", "")
    return etag if etag.startswith('"') else answer.headers.get("Last-Modified", "")


def _plain(error: Exception) -> str:
    """The kind of a failed request in words; the library's own text is long and holds addresses of
    objects.
    """
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
    with file_errors(f"the file {path} cannot be written"):
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
    with file_errors(f"{path} cannot be opened"):
        found = _hash(path)
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
