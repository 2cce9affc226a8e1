"""Qdrant's own engine in this process (qdrant-edge-py), spoken to as its server's client is.

The client's local mode is written in Python anew; this is what runs in a server: its filters, its
rarity of words, its ranking.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any


class Engine:
    """What `QdrantIndex` calls of qdrant_client.QdrantClient, over shards in a folder."""

    def __init__(self, edge: Any, folder: Path) -> None:
        self._edge, self._folder = edge, folder
        self._shards: dict[str, Any] = {}
        self._about: dict[str, Any] = {}

    def collection_exists(self, name: str) -> bool:
        return name in self._shards

    def create_collection(
        self, name: str, vectors_config: Any, sparse_vectors_config: Any, metadata: Any
    ) -> None:
        edge = self._edge
        config = edge.EdgeConfig(
            vectors={
                key: edge.EdgeVectorParams(size=one.size, distance=edge.Distance.Dot)
                for key, one in vectors_config.items()
            },
            sparse_vectors={
                key: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
                for key in sparse_vectors_config
            },
        )
        folder = self._folder / name
        folder.mkdir(parents=True)
        self._shards[name] = edge.EdgeShard.create(str(folder), config)
        self._about[name] = metadata

    def get_collection(self, name: str) -> Any:
        return SimpleNamespace(config=SimpleNamespace(metadata=self._about[name]))

    def upsert(self, name: str, points: Any) -> None:
        made = [
            self._edge.Point(
                one.id, {key: self._vector(own) for key, own in one.vector.items()}, one.payload
            )
            for one in points
        ]
        self._shards[name].update(self._edge.UpdateOperation.upsert_points(made))

    def delete(self, name: str, points_selector: Any) -> None:
        chosen = self._filter(points_selector.filter)
        self._shards[name].update(self._edge.UpdateOperation.delete_points_by_filter(chosen))

    def count(self, name: str) -> Any:
        return SimpleNamespace(count=self._shards[name].count(self._edge.CountRequest(exact=True)))

    def query_points(
        self, name: str, query: Any, using: str, limit: int, query_filter: Any, with_payload: bool
    ) -> Any:
        request = self._edge.QueryRequest(
            limit=limit,
            query=self._edge.Query.Nearest(self._vector(query), using),
            filter=self._filter(query_filter),
            with_payload=with_payload,
        )
        return SimpleNamespace(points=[_known(one) for one in self._shards[name].query(request)])

    def retrieve(self, name: str, ids: Any) -> list[Any]:
        return [_known(one) for one in self._shards[name].retrieve(ids, True, False)]

    def scroll(
        self, name: str, scroll_filter: Any, limit: int, offset: Any, with_payload: Any
    ) -> tuple[list[Any], Any]:
        request = self._edge.ScrollRequest(
            offset=offset,
            limit=limit,
            filter=self._filter(scroll_filter),
            with_payload=with_payload,
        )
        found, after = self._shards[name].scroll(request)
        return [_known(one) for one in found], after

    def _vector(self, own: Any) -> Any:
        if isinstance(own, list):
            return own
        return self._edge.SparseVector(list(own.indices), list(own.values))

    def _filter(self, wanted: Any) -> Any:
        if wanted is None:
            return None
        edge = self._edge
        return edge.Filter(
            must=[
                edge.FieldCondition(one.key, match=edge.MatchAny(one.match.any))
                if one.match is not None
                else edge.FieldCondition(
                    one.key, range=edge.RangeFloat(gte=one.range.gte, lte=one.range.lte)
                )
                for one in wanted.must
            ]
        )


def _known(one: Any) -> Any:
    """A point with its id as the client gives it."""
    score = getattr(one, "score", None)
    return SimpleNamespace(id=str(one.id), score=score, payload=one.payload)
