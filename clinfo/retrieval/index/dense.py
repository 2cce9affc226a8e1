"""Nearest vectors: exactly, by NumPy, up to 50,000; beyond, by usearch's graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.extras import needed
from clinfo.retrieval.places import first_places

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clinfo.retrieval.embedders import Vectors

EXACT = 50_000
"""Vectors of which each is compared: some 5 ms of 256 dimensions."""
CONNECTIVITY, EXPANSION_ADD, EXPANSION_SEARCH = 16, 128, 256
"""Of the graph; recall at 10 is at least 0.95 of the exact search's."""
_BLOCK = 100_000


class DenseIndex:
    """Vectors of length 1 in places 0, 1 …; ``graph`` is usearch's index of them, if there is one.

    ``vectors`` may be float16 and lie in a file.
    """

    def __init__(self, vectors: Vectors, graph: Any = None) -> None:
        self.vectors = vectors
        self._graph = graph

    @classmethod
    def built(cls, vectors: Vectors) -> DenseIndex:
        """The index of these vectors. Raises UsageError where usearch is needed and missing."""
        import numpy as np

        if len(vectors) <= EXACT:
            return cls(vectors)
        graph = _graph(vectors.shape[1])
        for first in range(0, len(vectors), _BLOCK):
            block = vectors[first : first + _BLOCK]
            graph.add(np.arange(first, first + len(block)), block)
        return cls(vectors, graph)

    @classmethod
    def opened(cls, folder: Path) -> DenseIndex:
        """The index that `save` wrote; it is read as far as it is needed."""
        import numpy as np

        vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        graph = None
        if (file := folder / "graph.usearch").exists():
            graph = _graph(vectors.shape[1])
            graph.view(str(file))
        return cls(vectors, graph)

    def save(self, folder: Path) -> None:
        """Write the index into an empty folder."""
        import numpy as np

        np.save(folder / "vectors.npy", self.vectors)
        if self._graph is not None:
            self._graph.save(str(folder / "graph.usearch"))

    def nearest(
        self, vector: Vectors, count: int, allowed: NDArray[np.intp] | None = None
    ) -> list[int]:
        """Places of the ``count`` vectors nearest to one, of those ``allowed`` (in order; None:
        all), nearest first; equal ones by place.
        """
        if self._graph is None or (allowed is not None and len(allowed) <= EXACT):
            return self._exact(vector, count, allowed)
        wanted = count
        if allowed is not None:  # so many that enough of them are among those found
            wanted = 2 * count * len(self.vectors) // len(allowed)
        found = [int(key) for key in self._graph.search(vector, wanted).keys]
        if allowed is None:
            return found
        import numpy as np

        kept = [key for key, own in zip(found, np.isin(found, allowed), strict=True) if own]
        return kept[:count] if len(kept) >= count else self._exact(vector, count, allowed)

    def _exact(self, vector: Vectors, count: int, allowed: NDArray[np.intp] | None) -> list[int]:
        import numpy as np

        size = len(self.vectors) if allowed is None else len(allowed)
        likeness = np.empty(size, np.float32)
        for first in range(0, size, _BLOCK):
            part = slice(first, min(first + _BLOCK, size))
            rows = self.vectors[part] if allowed is None else self.vectors[allowed[part]]
            likeness[part] = rows.astype(np.float32, copy=False) @ vector
        order = first_places(likeness, count)
        return [int(place) for place in (order if allowed is None else allowed[order])]


def _graph(dimensions: int) -> Any:
    return needed("usearch.index", "dense").Index(
        ndim=dimensions,
        metric="ip",
        dtype="f16",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_ADD,
        expansion_search=EXPANSION_SEARCH,
    )
