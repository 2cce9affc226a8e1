"""The values of the web app: a run as it is stored, its events, the right to carry it out."""

import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from clinfo.pipelines import DEFAULT

Status = Literal["queued", "running", "done", "failed", "cancelled", "key_needed"]
ENDED: Final[tuple[Status, ...]] = ("done", "failed", "cancelled")
"""The statuses in which a run ends; the only way on from ``failed`` and ``cancelled`` is
`webapp.storage.store.Store.resume`.
"""


@dataclass(frozen=True)
class StoredRun:
    """A run's row, without its events. Times are seconds since 1970, ``last_seq`` is -1 before the
    first event.

    ``request`` is of the class that its ``pipeline`` declares (`clinfo.pipelines`).
    ``visitor`` is the digest of the browser that started it, None for a program; ``owner`` the user
    a trusted proxy named. ``own_key`` says that the run uses a key that the visitor brought;
    ``again_of`` is the run that this one repeats, ``parent`` the one that it follows up.
    ``retryable`` says that a failed run may succeed when it goes on.
    """

    id: str
    request: Any
    status: Status
    created_at: float
    started_at: float | None = None
    ended_at: float | None = None
    visitor: str | None = None
    owner: str | None = None
    shared: bool = False
    own_key: bool = False
    again_of: str | None = None
    last_seq: int = -1
    problem: str | None = None
    retryable: bool = False
    cancel_asked: bool = False
    pipeline: str = DEFAULT
    parent: str | None = None


_CURSOR: Final = re.compile(r"([0-9]{1,12}\.[0-9]{1,9})_([A-Za-z0-9_-]{1,64})", re.ASCII)


def cursor_of(run: StoredRun) -> str:
    """The place of a run in the list of runs, for the address of the page that begins after it."""
    return f"{run.created_at!r}_{run.id}"


def place_of(cursor: str) -> tuple[float, str] | None:
    """The (created_at, id) of a `cursor_of`; None for what is none."""
    parsed = _CURSOR.fullmatch(cursor)
    return None if parsed is None else (float(parsed[1]), parsed[2])


@dataclass(frozen=True)
class StoredEvent:
    """An event of a run: ``body`` is the line of JSON that `clinfo.runs.events.dumps` wrote,
    ``created_at`` when it was made.
    """

    run_id: str
    seq: int
    type: str
    body: str
    created_at: float


@dataclass(frozen=True)
class Head:
    """The progress of a run: what its viewers are told when it changes. ``position`` counts from 1,
    None when not queued.

    ``only_for`` is the user who alone may see the run; None where whoever has its address may.
    """

    status: Status
    last_seq: int
    position: int | None = None
    problem: str | None = None
    retryable: bool = False
    only_for: str | None = None


@dataclass(frozen=True)
class Lease:
    """The right of a worker to write to a run, until another one takes the run over: then ``fence``
    is out of date.
    """

    run_id: str
    worker: str
    fence: int


@dataclass(frozen=True)
class Beat:
    """The reply to a worker's sign of life: runs it has lost to others, and runs it was asked to
    cancel.
    """

    lost: frozenset[str] = frozenset()
    cancelled: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Start:
    """An Idempotency-Key and what was asked with it, as SHA-256: ``key`` of whose it is and of the
    key, ``asked`` of the fields.
    """

    key: str
    asked: str


@dataclass(frozen=True)
class Visitor:
    """A visitor: the digest of the browser's random id (None for a program), the user's name, the
    address. Whoever sends an access token is a user too, of a name that no proxy can give.
    """

    browser: str | None
    user: str | None
    address: str


class LeaseLost(Exception):
    """Another worker has the run now, or it was deleted: nothing may be written to it any more."""


class NotFound(Exception):
    """This run does not exist, or it is none of the visitor's business: both look alike from
    outside.
    """


class Repeated(Exception):
    """Another request has just started a run with the same Idempotency-Key."""


class Refused(Exception):
    """Raised where the request cannot be carried out on the run as it stands; ``str`` is one line
    for its reader.
    """


class Busy(Exception):
    """Too much at the moment: ``str`` is one line for the visitor, ``retry_after`` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
