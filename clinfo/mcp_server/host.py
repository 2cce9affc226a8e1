"""The host of every tool: its settings, source, model and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clinfo.mcp_server.limits import Gate
from clinfo.pipelines.literature.request import request_of
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import open_cache
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.registry import PUBMED_LANGUAGE, article_source

if TYPE_CHECKING:
    from clinfo.records.articles import RunRequest
    from clinfo.runs.pipeline import Carrier
    from clinfo.settings import Settings
    from clinfo.sources.protocols import ArticleSource


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
