"""One tree of errors.

    ClinfoError                  everything this package raises on purpose
    ├── UsageError          (2)  the request, a flag, a setting or a prompt cannot be used
    │   ├── FieldError      (2)  a field of a request cannot be used
    │   └── PromptError     (2)  a prompt file or prompt text cannot be used
    ├── ServiceError        (4)  something outside failed, after the retries that made sense
    │   ├── SourceError     (4)  the article source
    │   │   ├── QueryRejected      it read what it was asked and will not answer it, however often it is asked
    │   │   ├── SourceUnavailable  it did not answer, or not with data, and may do so later
    │   │   └── WindowExceeded     there are more hits than it hands out for one search
    │   └── ModelError      (4)  the language model
    ├── RecordError         (4)  a saved run or a citation file cannot be read (2 where a flag names the file)
    │   └── StaleIndex      (2)  an index was made by another version and has to be made anew
    ├── IdentifiersFound    (6)  what is asked seems to identify a patient and would leave this machine
    ├── NotForPatients      (6)  a patient's record would go where it was not declared to go
    ├── BudgetReached       (5)  going on would cost more than was allowed
    └── Cancelled         (130)  the person asked to stop

The number is the exit status of the command line. Every error says whether the same call may
succeed later (``retryable``) and how many US dollars it had cost when it was raised (``cost_usd``).
Messages are one line and never hold a key or the text of a question.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

NOTHING_FOUND = 3
"""Exit status where there is an answer, and it is that nothing was found."""


class ClinfoError(Exception):
    """Base of all errors raised on purpose; ``str(error)`` is one line fit for a user."""

    exit_status = 1

    def __init__(self, message: str, *, retryable: bool = False, cost_usd: float = 0.0) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.cost_usd = cost_usd

    def __reduce__(self) -> tuple[object, ...]:
        """So that another process can be sent it, whatever it is made from."""
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(kind: type[ClinfoError], said: tuple[str, ...]) -> ClinfoError:
    return kind.__new__(kind, *said)


class UsageError(ClinfoError):
    """The request, a flag, a setting or a prompt cannot be used as it is."""

    exit_status = 2


class FieldError(UsageError):
    """A field of a request cannot be used; ``field`` is its name in the HTTP interface, ``fault``
    what is wrong.
    """

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}")
        self.field = field
        self.fault = fault


class PromptError(UsageError):
    """A prompt is missing, or holds an unknown placeholder, or lacks a needed one."""


class ServiceError(ClinfoError):
    """Something outside this program failed, after the retries that made sense."""

    exit_status = 4


class SourceError(ServiceError):
    """The article source is unavailable, or rejected what it was asked."""


class QueryRejected(SourceError):
    """The article source refused this query or request; the same one will be refused again."""


class SourceUnavailable(SourceError):
    """The article source gave no usable answer in time; the same request may succeed later."""

    def __init__(self, message: str, *, retryable: bool = True, cost_usd: float = 0.0) -> None:
        super().__init__(message, retryable=retryable, cost_usd=cost_usd)


class WindowExceeded(SourceError):
    """More hits were asked for than the article source hands out for one search, and there are
    more.
    """


class ModelError(ServiceError):
    """The language model is unavailable, or rejected what it was asked.

    Where not ``cost_known``, ``cost_usd`` is the most that it may have cost.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        cost_usd: float = 0.0,
        cost_known: bool = True,
    ) -> None:
        super().__init__(message, retryable=retryable, cost_usd=cost_usd)
        self.cost_known = cost_known


class RecordError(ClinfoError):
    """A saved run or a file of citations cannot be read."""

    exit_status = 4


class StaleIndex(RecordError):
    """An index was made by another version of this program and has to be made anew."""

    exit_status = 2


class IdentifiersFound(ClinfoError):
    """Raised where a text of the request seems to identify a patient.

    ``where`` names the text ("question", "query 1", "filter", "prompt synthesis", …); ``spans`` are
    code points [start, end) of it, ``kinds`` what they seem to be.
    """

    exit_status = 6

    def __init__(
        self,
        message: str,
        *,
        where: str = "question",
        spans: Sequence[tuple[int, int]] = (),
        kinds: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.where = where
        self.spans = tuple(spans)
        self.kinds = tuple(kinds)


class NotForPatients(ClinfoError):
    """Raised where text of a patient's record would go to a model or an address that was not
    declared for it.

    ``kind`` says what it is ("model", "embedder", "index"), ``name`` which.
    ``proxied`` says that it is on this machine, but asked through a proxy.
    """

    exit_status = 6

    def __init__(self, kind: str, name: str, proxied: bool = False) -> None:
        why = (
            "it is on this machine, but HTTP_PROXY or the like would send its text to a proxy; "
            "name its host in NO_PROXY"
            if proxied
            else "it is not on this machine and not named in CLINFO_PATIENT_MODELS"
        )
        super().__init__(f"the {kind} {name[:80]} may not see patients' records: {why}")
        self.kind = kind
        self.name = name


class BudgetReached(ClinfoError):
    """The next call might cost more than what is left of the budget."""

    exit_status = 5


class Cancelled(ClinfoError):
    """The person who started the run asked it to stop."""

    exit_status = 130


@contextmanager
def file_errors(failed: str, kind: type[ClinfoError] = UsageError) -> Iterator[None]:
    """Raise an OSError of the block as ``kind``; its text is ``failed`` and the system's reason."""
    try:
        yield
    except OSError as error:
        raise kind(f"{failed}: {error.strerror or error}") from None
