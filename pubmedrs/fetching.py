"""A file fetched over HTTP: checked, and in its place only when it is whole and right."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.errors import SourceError, SourceUnavailable, UsageError
from clinfo.files import file_errors, whole_file

if TYPE_CHECKING:
    import requests
    from tenacity import RetryCallState

LARGEST = 500_000_000
"""Bytes; what is longer is not one of these files."""
CHUNK = 65_536

Progress = Callable[[int, int | None], None]
"""Told the bytes that are there and, where known, how many there will be."""
Trouble = Callable[[str], None]
"""Told in one line why an attempt failed and when the next one follows."""


@dataclass(frozen=True)
class Patience:
    """Limits of trying: attempts; all else in seconds.

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
    SourceError where the server refuses or sends another file, SourceUnavailable where it gave up.
    """
    if not re.match(r"https?://[^/\s]", url):
        raise UsageError(f"the address must begin with http:// or https://: {url[:80]}")
    if path.exists():
        return _already_there(path, sha256)
    with (
        file_errors(f"the file {path} cannot be written"),
        whole_file(path, None) as file,
    ):
        content = _come(url, patience or Patience(), progress, trouble)
        found = hashlib.sha256(content).hexdigest()
        if sha256 is not None and found != sha256:
            raise SourceError(
                f"the file sent by {url} is not the published file: SHA-256 {found}, not {sha256}; "
                "nothing was saved"
            )
        file.write(content)
    return Fetched(path, found, len(content), came=True)


def _come(url: str, patience: Patience, progress: Progress, trouble: Trouble) -> bytes:
    import requests
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

    backoff = wait_exponential(patience.first_wait, patience.longest_wait)

    def wait(state: RetryCallState) -> float:
        told = getattr(state.outcome and state.outcome.exception(), "after", None)
        return backoff(state) if told is None else float(told)

    def say(state: RetryCallState) -> None:
        trouble(
            f"{state.outcome and state.outcome.exception()}; attempt {state.attempt_number + 1} of "
            f"{patience.tries} follows in {state.upcoming_sleep:.1f} s"
        )

    retrying = Retrying(
        stop=stop_after_attempt(patience.tries),
        wait=wait,
        before_sleep=say,
        retry=retry_if_exception_type(_Again),
        reraise=True,
    )
    with requests.Session() as session:
        return retrying(_once, session, url, patience, progress)


def _once(session: requests.Session, url: str, patience: Patience, progress: Progress) -> bytes:
    import requests

    came = bytearray()
    try:
        with session.get(url, stream=True, timeout=(patience.connect, patience.read)) as answer:
            if answer.status_code != 200:
                raise _refusal(url, answer, patience)
            length = answer.headers.get("Content-Length", "")
            for chunk in answer.iter_content(CHUNK):
                came += chunk
                if len(came) > LARGEST:
                    raise SourceError(
                        f"{url} is longer than {LARGEST:,} bytes: not one of these files"
                    )
                progress(len(came), int(length) if length.isdecimal() else None)
    except requests.exceptions.InvalidURL as error:
        raise UsageError(f"{url} is not an address: {error}") from None
    except requests.exceptions.RequestException as error:
        raise _Again(f"{url} did not answer as it should: {_plain(error)}") from None
    return bytes(came)


def _refusal(url: str, answer: requests.Response, patience: Patience) -> SourceError:
    from clinfo.sources.replies import retry_after

    message = f"{url} answered with status {answer.status_code}"
    if answer.status_code != 429 and answer.status_code < 500:
        return SourceError(message)
    after = retry_after(answer.headers)
    if after is not None and after > patience.longest_asked:
        return SourceUnavailable(f"{message} and asks for a pause of {after:,.0f} seconds")
    return _Again(message, after)


def _plain(error: Exception) -> str:
    """The kind of a failed request in words; the library's own text is long and holds addresses of
    objects.
    """
    import requests

    kinds = {
        requests.exceptions.Timeout: "it took too long",
        requests.exceptions.SSLError: "its certificate cannot be trusted",
        requests.exceptions.ChunkedEncodingError: "the connection was cut",
        requests.exceptions.ConnectionError: "no connection",
    }
    return next(
        (text for kind, text in kinds.items() if isinstance(error, kind)), type(error).__name__
    )


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
