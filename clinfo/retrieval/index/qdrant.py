"""A collection on a Qdrant server, searched as a local index is.

Words are sparse vectors with BM25's weights; how rare a word is the server reckons itself. Passages
travel as payloads, and what may be searched is filtered by the server before it ranks.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

import msgspec

from clinfo.errors import SourceError, SourceUnavailable, UsageError
from clinfo.extras import needed
from clinfo.learned_types import learned
from clinfo.retrieval.index import Filed, Hit, Index, Only, days, hit
from clinfo.retrieval.sparse import K1, B, searched_words

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder, Vectors

USUAL_LENGTH = 60
"""Words that a search compares in a passage of 620 characters: BM25's mean length, which a server
cannot know while passages come in."""
BATCH = 256
TIMEOUT = 60
FORM = 1


class QdrantIndex(Index):
    """A collection of a Qdrant server; ``client`` is qdrant_client's, also its local mode.

    Raises UsageError for a collection of another form or embedder; calls raise SourceError where
    the server refuses, SourceUnavailable where it does not answer.
    """

    def __init__(self, client: Any, collection: str, embedder: Embedder | None = None) -> None:
        super().__init__(embedder)
        self._client = client
        self._collection = collection
        self._models = needed("qdrant_client.models", "qdrant")

    @classmethod
    def at(
        cls, url: str, collection: str, embedder: Embedder | None = None, key: str | None = None
    ) -> QdrantIndex:
        """The collection of a server at an address. Raises UsageError without the package."""
        client = needed("qdrant_client", "qdrant").QdrantClient(
            url=url, api_key=key, timeout=TIMEOUT, check_compatibility=False
        )
        return cls(client, collection, embedder)

    async def add(self, items: Iterable[Filed]) -> None:
        """Put passages into the collection, which is made where there is none; passages known by
        their ids are replaced.
        """
        items = list(items)
        for first in range(0, len(items), BATCH):
            batch = items[first : first + BATCH]
            vectors: Any = [None] * len(batch)
            if self.embedder is not None:
                vectors = await self.embedder.vectors([item.passage.text for item in batch])
            await asyncio.to_thread(self._put, batch, vectors)

    async def remove(self, only: Only) -> None:
        """Take out what ``only`` lets through."""
        if await asyncio.to_thread(self._call, "collection_exists"):
            selector = self._models.FilterSelector(filter=self._filter(only))
            await asyncio.to_thread(self._call, "delete", points_selector=selector)

    def _put(self, items: Sequence[Filed], vectors: Sequence[Any]) -> None:
        models = self._models
        if not self._call("collection_exists"):
            dense: dict[str, Any] = {}
            if self.embedder is not None:
                size, distance = len(vectors[0]), models.Distance.DOT
                dense = {"dense": models.VectorParams(size=size, distance=distance)}
            idf = models.SparseVectorParams(modifier=models.Modifier.IDF)
            self._call(
                "create_collection",
                vectors_config=dense,
                sparse_vectors_config={"words": idf},
                metadata=self._about,
            )
        else:
            self._checked()
        points = []
        for item, vector in zip(items, vectors, strict=True):
            own: dict[str, Any] = {"words": self._words(item.passage.text)}
            if vector is not None:
                own["dense"] = vector.tolist()
            first, last = days(item.fields.get("date", ""))
            payload = {
                "id": item.passage.id,
                "fields": dict(item.fields),
                "days": {"first": first, "last": last},
                "passage": msgspec.to_builtins(item.passage),
            }
            key = str(uuid5(NAMESPACE_URL, item.passage.id))
            points.append(models.PointStruct(id=key, vector=own, payload=payload))
        self._call("upsert", points=points)

    @property
    def _about(self) -> dict[str, Any]:
        return {"form": FORM, "embedder": self.embedder.name if self.embedder else ""}

    def _checked(self) -> None:
        about = self._call("get_collection").config.metadata or {}
        if about != self._about:
            made = about.get("embedder") or "no embedder"
            raise UsageError(
                f"the collection {self._collection} was made with {made}, in form "
                f"{about.get('form')}; build it anew"
            )

    def _words(self, text: str) -> Any:
        """The words as a sparse vector: BM25 without its share of rarity."""
        counts = Counter(zlib.crc32(word.encode()) for word in searched_words(text))
        length = K1 * (1 - B + B * counts.total() / USUAL_LENGTH)
        values = [count * (K1 + 1) / (count + length) for count in counts.values()]
        return self._models.SparseVector(indices=list(counts), values=values)

    def __len__(self) -> int:
        return int(self._call("count").count) if self._call("collection_exists") else 0

    def _sparse(self, text: str, depth: int, only: Only) -> list[Any]:
        indices = sorted({zlib.crc32(word.encode()) for word in searched_words(text)})
        if not indices:
            return []
        wanted = self._models.SparseVector(indices=indices, values=[1.0] * len(indices))
        return self._ranked("words", wanted, depth, only)

    def _dense(self, vector: Vectors, depth: int, only: Only) -> list[Any]:
        return self._ranked("dense", vector.tolist(), depth, only)

    def _ranked(self, using: str, wanted: Any, depth: int, only: Only) -> list[Any]:
        if not self._call("collection_exists"):
            return []
        found = self._call(
            "query_points",
            query=wanted,
            using=using,
            limit=depth,
            query_filter=self._filter(only),
            with_payload=False,
        ).points
        return [one.id for one in sorted(found, key=lambda one: (-one.score, str(one.id)))]

    def _hits(
        self, order: Sequence[tuple[Any, float]], rankings: Mapping[str, Sequence[Any]]
    ) -> tuple[Hit, ...]:
        if not order:
            return ()
        held = self._payloads([key for key, _ in order])
        found = {key: msgspec.convert(payload, learned(Filed)) for key, payload in held.items()}
        return tuple(hit(found[key], key, score, rankings) for key, score in order if key in found)

    def _ids(self, keys: Sequence[Any] | None, only: Only) -> tuple[str, ...]:
        if keys is None:
            return tuple(sorted(self._every(only)))
        held = self._payloads(keys)
        return tuple(held[key]["id"] for key in keys if key in held)

    def _payloads(self, keys: Sequence[Any]) -> dict[Any, dict[str, Any]]:
        records = self._call("retrieve", ids=list(keys)) if keys else []
        return {record.id: record.payload for record in records}

    def _every(self, only: Only) -> Iterator[str]:
        """Ids of all that is let through."""
        place: Any = None
        while self._call("collection_exists"):
            records, place = self._call(
                "scroll",
                scroll_filter=self._filter(only),
                limit=1000,
                offset=place,
                with_payload=["id"],
            )
            yield from (record.payload["id"] for record in records)
            if place is None:
                return

    def _filter(self, only: Only) -> Any:
        models = self._models
        conditions = [
            models.FieldCondition(key=f"fields.{name}", match=models.MatchAny(any=list(wanted)))
            for name, wanted in only.fields.items()
        ]
        if only.since or only.until:
            first, last = only.days
            conditions += [
                models.FieldCondition(key="days.first", range=models.Range(lte=last)),
                models.FieldCondition(key="days.last", range=models.Range(gte=first)),
            ]
        return models.Filter(must=conditions) if conditions else None

    def _call(self, name: str, **arguments: Any) -> Any:
        exceptions = needed("qdrant_client.http.exceptions", "qdrant")
        try:
            return getattr(self._client, name)(self._collection, **arguments)
        except exceptions.UnexpectedResponse as error:
            kind = SourceUnavailable if error.status_code >= 500 else SourceError
            raise kind(f"Qdrant refused: HTTP status {error.status_code}") from None
        except exceptions.ResponseHandlingException as error:
            raise SourceUnavailable(
                f"Qdrant did not answer ({type(error.source).__name__})"
            ) from None
