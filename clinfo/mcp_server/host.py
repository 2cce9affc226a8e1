"""The host of every tool: its settings, source, model and limits."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from clinfo.errors import ServiceError
from clinfo.pipelines.literature.request import request_of
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import open_cache
from clinfo.records.articles import RunRequest
from clinfo.runs.pipeline import Carrier
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings
from clinfo.sources.protocols import ArticleSource
from clinfo.sources.registry import PUBMED_LANGUAGE, article_source

MINUTE = 60.0


class TooManyCalls(ServiceError):
    """The host's limit of calls is reached; a later call may be taken."""


class Gate:
    """Lets in so many calls a minute, and so many at a time; a call that is not let in waits for
    nothing.
    """

    def __init__(
        self, a_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_minute, self._at_once, self._clock = a_minute, at_once, clock
        self._begun: deque[float] = deque()
        self.running = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A place for a call. Raises TooManyCalls."""
        now = self._clock()
        while self._begun and self._begun[0] <= now - MINUTE:
            self._begun.popleft()
        if len(self._begun) >= self._a_minute:
            wait = int(self._begun[0] + MINUTE - now) + 1
            raise TooManyCalls(
                f"this server takes {self._a_minute:,} calls a minute; call again in {wait} s",
                retryable=True,
            )
        if self.running >= self._at_once:
            raise TooManyCalls(
                f"this server works on {self._at_once:,} calls at a time; call again when one has "
                "ended",
                retryable=True,
            )
        self._begun.append(now)
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1


@dataclass(frozen=True)
class Host:
    """The one who answers calls. ``model`` None is what the settings say, by stage."""

    settings: Settings
    model: str | None
    source: ArticleSource
    gate: Gate
    max_seconds: float | None = None

    @property
    def reads_pubmed(self) -> bool:
        """Return whether the source is PubMed, or as PubMed: its language, its records."""
        return self.source.query_prompt == PUBMED_LANGUAGE

    def request(self, **fields: Any) -> RunRequest:
        """The request of a question, with the host's own model, source and limits.

        Raises UsageError that names the field.
        """
        return request_of(
            self.settings,
            self.model,
            source=self.source.name,
            max_cost=self.settings.mcp_max_cost,
            max_seconds=self.max_seconds,
            **fields,
        )

    def chain(self, request: RunRequest) -> Carrier[RunRequest]:
        """The carrier of a request. Raises ClinfoError before any call where that cannot be
        done.
        """
        budget = MemoryBudget(request.max_cost)
        return LITERATURE.assemble(self.settings, request, source=self.source, budget=budget)


def open_host(
    settings: Settings, model: str | None, source: str | None, max_seconds: float | None
) -> Host:
    """The host of these settings. Raises UsageError where no question could be answered with
    them.
    """
    host = Host(
        settings,
        model,
        article_source(settings, source or settings.source, open_cache(settings)),
        Gate(settings.mcp_calls_a_minute, settings.mcp_at_once),
        max_seconds,
    )
    host.chain(host.request(question="Is this server set up?"))
    return host
