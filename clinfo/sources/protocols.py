"""The protocols of sources of articles, and of what some can do beyond that.

A capability is a protocol that is told by ``isinstance``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from clinfo.records.articles import Fetched, Related, SearchRequest, SearchResult

if TYPE_CHECKING:
    from clinfo.terms.mesh import Mesh


class ArticleSource(Protocol):
    """A source of articles. A source carries its query language: the prompt that teaches it to a
    model.
    """

    @property
    def name(self) -> str:
        """The name the user chose it by."""

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""

    @property
    def query_prompt(self) -> str:
        """Name of the prompt that asks a model for a query in this source's language."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Return what every answer made from this source must say."""

    async def search(self, request: SearchRequest) -> SearchResult:
        """Ids of the best matches. Raises SourceError."""

    async def fetch(self, ids: Sequence[str], fresh: bool = False) -> Fetched:
        """The records of these ids, reconciled by id. Raises SourceError."""


@runtime_checkable
class LinkedSource(ArticleSource, Protocol):
    """A source that knows which articles resemble, cite and are cited by an article."""

    async def related(self, id: str, limit: int, fresh: bool = False) -> Related:
        """At most ``limit`` ids of each kind. Raises SourceError."""


@runtime_checkable
class AddressedSource(Protocol):
    """A source that tells where or what is searched."""

    @property
    def address(self) -> str:
        """An address on the network, or name, version and day of what is searched here; never a
        path.
        """


@runtime_checkable
class MeshSource(Protocol):
    """A source that brings the MeSH by which its queries are read."""

    @property
    def mesh(self) -> Mesh:
        """The table."""
