"""Groups a study's passages by what they speak of, before each group is read by itself.

Without extras: average linkage over cosine distances of TF-IDF vectors, cut at 0.92. By the extra
`trials` URCA's published groups: RAPTOR's UMAP and Gaussian mixtures with its own settings (cosine,
10 dimensions, √(n−1) neighbours, the mixture of the least BIC among 1 to 50, seed 224). It is
reduced once here, and each passage is in its likeliest group alone; the seed binds on one machine,
not across systems. Any number of passages will do.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from clinfo.extras import needed
from clinfo.pipelines.trials.records import Clusters, Order
from clinfo.retrieval.sparse import searched_words

if TYPE_CHECKING:
    import numpy as np

    from clinfo.retrieval.embedders import Vectors

DIMENSIONS: Final = 10
MOST: Final = 50
SEED: Final = 224
CUT = 0.92
"""The cosine distance up to which two groups are joined: about as many groups of what is chosen for
a question as by the published way (2.3 and 2.5 of two papers).
"""


def grouped(
    texts: Sequence[str],
    way: Clusters = "agglomerative",
    vectors: Callable[[Sequence[str]], Vectors] | None = None,
) -> list[list[int]]:
    """The places of ``texts`` in groups, by their TF-IDF vectors or those that ``vectors`` makes,
    without what these have in common: texts on one question are all alike otherwise. Raises
    UsageError where UMAP is asked and the extra is missing.
    """
    if vectors is None:
        alike = similarities(texts)
    else:
        made = vectors(texts).astype(float)
        alike = _cosines(made - made.mean(axis=0))
    return umap_clusters(alike) if way == "umap" else clusters(alike)


def clusters(alike: np.ndarray, cut: float = CUT) -> list[list[int]]:
    """The places of texts in groups, each in order, by their first members. ``alike`` are the
    texts' cosines.
    """
    import numpy as np

    distance, count = 1.0 - alike, len(alike)
    groups = {place: [place] for place in range(count)}
    np.fill_diagonal(distance, np.inf)
    while len(groups) > 1:
        first, second = sorted(divmod(int(distance.argmin()), count))
        if distance[first, second] > cut:
            break
        sizes = len(groups[first]), len(groups[second])
        merged = (sizes[0] * distance[first] + sizes[1] * distance[second]) / sum(sizes)
        distance[first, :] = distance[:, first] = merged
        distance[first, first] = np.inf
        distance[second, :] = distance[:, second] = np.inf
        groups[first] += groups.pop(second)
    return sorted(sorted(group) for group in groups.values())


def umap_clusters(alike: np.ndarray) -> list[list[int]]:
    """The places of texts in groups, as `clusters` gives them; one group of at most
    11, as in RAPTOR. Raises UsageError without the extra.
    """
    umap, mixture = needed("umap", "trials"), needed("sklearn.mixture", "trials")
    count = len(alike)
    if count <= DIMENSIONS + 1:
        return [list(range(count))] if count else []
    near = round((count - 1) ** 0.5)
    reducer = umap.UMAP(
        n_neighbors=near,
        n_components=DIMENSIONS,
        metric="precomputed",
        random_state=SEED,
        n_jobs=1,
    )
    points = reducer.fit_transform((1.0 - alike).clip(0.0)).astype(float)
    fitted = (
        mixture.GaussianMixture(number, random_state=SEED).fit(points)
        for number in range(1, min(MOST, count))
    )
    labels = min(fitted, key=lambda one: one.bic(points)).predict(points)
    groups = {label: [p for p, own in enumerate(labels) if own == label] for label in labels}
    return sorted(groups.values())


def ordered(
    groups: Sequence[Sequence[int]], scores: Sequence[float], order: Order, seed: int = 0
) -> list[Sequence[int]]:
    """The groups in one of URCA's orders by their similarity to the question, here the mean score
    of their passages; ping-pong puts the best at both ends, beginning at the top or the bottom.
    """

    def score(group: Sequence[int]) -> float:
        return math.fsum(scores[place] for place in group) / len(group)

    falling = sorted(groups, key=lambda group: (-score(group), group[0]))
    made: dict[Order, Callable[[], list[Sequence[int]]]] = {
        "descending": lambda: falling,
        "ascending": lambda: falling[::-1],
        "random": lambda: random.Random(seed).sample(falling, len(falling)),
        "ping-pong-top": lambda: falling[::2] + falling[1::2][::-1],
        "ping-pong-bottom": lambda: falling[1::2] + falling[::2][::-1],
    }
    return made[order]()


def similarities(texts: Sequence[str]) -> np.ndarray:
    """The cosines of the texts' TF-IDF vectors (1 + ln tf, smooth idf); 0 beside an empty one."""
    import numpy as np

    held = [searched_words(text) for text in texts]
    places = {word: n for n, word in enumerate(sorted({word for own in held for word in own}))}
    vectors = np.zeros((len(texts), max(1, len(places))))
    for row, own in enumerate(held):
        for word in own:
            vectors[row, places[word]] += 1
    present = (vectors > 0).sum(axis=0)
    vectors = np.where(vectors > 0, 1 + np.log(np.maximum(vectors, 1)), 0)
    vectors *= np.log((1 + len(texts)) / (1 + present)) + 1
    return _cosines(vectors)


def _cosines(vectors: np.ndarray) -> np.ndarray:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(lengths > 0, lengths, 1)
    return vectors @ vectors.T
