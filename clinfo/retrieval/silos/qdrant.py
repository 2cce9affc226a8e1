"""The vectors of silos on a Qdrant server, a collection a silo; all else stays in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from clinfo.errors import SourceError, SourceUnavailable
from clinfo.extras import needed
from clinfo.retrieval.silos.staged import Found, Staged
from clinfo.retrieval.silos.vectors import SiloVectors

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder, Vectors

TIMEOUT = 60
"""Seconds that a call to the server may take."""


class QdrantVectors(SiloVectors):
    """Vectors of a Qdrant server; ``client`` is qdrant_client's, also its local mode.

    Calls raise SourceError where the server refuses, SourceUnavailable where it does not answer.
    """

    def __init__(self, staged: Staged, embedder: Embedder, client: Any) -> None:
        super().__init__(staged, embedder)
        self._client = client
        self._models = needed("qdrant_client.models", "qdrant")

    @classmethod
    def client(cls, url: str, key: str | None) -> Any:
        """The client of a server. Raises UsageError without the package."""
        return needed("qdrant_client", "qdrant").QdrantClient(
            url=url, api_key=key, timeout=TIMEOUT, check_compatibility=False
        )

    def _drop(self, silo: str, names: Sequence[str] | None) -> None:
        if names is None:
            self._call("delete_collection", silo)
        elif names:
            points = self._models.PointIdsList(points=list(map(_key, names)))
            self._call("delete", silo, points_selector=points)

    def _put(
        self, silo: str, passages: Sequence[tuple[int, str]], vectors: Vectors
    ) -> list[tuple[int, bytes | None]]:
        models = self._models
        if not self._call("collection_exists", silo):
            params = models.VectorParams(size=len(vectors[0]), distance=models.Distance.DOT)
            self._call("create_collection", silo, vectors_config=params)
        points = [
            models.PointStruct(id=_key(name), vector=vector.tolist(), payload={"name": name})
            for (_, name), vector in zip(passages, vectors, strict=True)
        ]
        self._call("upsert", silo, points=points)
        return [(number, None) for number, _ in passages]

    def _nearest(self, silo: str, vector: Vectors, count: int) -> list[Found]:
        if not self._call("collection_exists", silo):
            return []
        found = self._call("query_points", silo, query=vector.tolist(), limit=count).points
        found = sorted(found, key=lambda one: (-one.score, str(one.id)))
        return self.staged.found("name", [one.payload["name"] for one in found], silo)

    def _call(self, name: str, silo: str, **arguments: Any) -> Any:
        exceptions = needed("qdrant_client.http.exceptions", "qdrant")
        try:
            return getattr(self._client, name)(f"clinfo-{silo}", **arguments)
        except exceptions.UnexpectedResponse as error:
            kind = SourceUnavailable if error.status_code >= 500 else SourceError
            raise kind(f"Qdrant refused: HTTP status {error.status_code}") from None
        except exceptions.ResponseHandlingException as error:
            raise SourceUnavailable(
                f"Qdrant did not answer ({type(error.source).__name__})"
            ) from None


def _key(name: str) -> str:
    return str(uuid5(NAMESPACE_URL, name))
