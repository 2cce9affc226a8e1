"""The bytes at an address into a partial file, attempt after attempt, each going on where the last
one stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clinfo.errors import SourceError, SourceUnavailable, UsageError
from pubmedrs.partial_file import PartialFile

if TYPE_CHECKING:
    import requests
    from tenacity import RetryCallState

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
