"""URCA's published groups: RAPTOR's UMAP and Gaussian mixtures, by the extra `trials`.

RAPTOR's own settings (its published code): cosine, 10 dimensions, √(n−1) neighbours, the mixture of
the least BIC among 1 to 50, seed 224. It is reduced once here, and each
passage is in its likeliest group alone. The seed binds on one machine, not across systems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clinfo.extras import needed

if TYPE_CHECKING:
    import numpy as np

DIMENSIONS: Final = 10
MOST: Final = 50
SEED: Final = 224


def umap_clusters(alike: np.ndarray) -> list[list[int]]:
    """The places of texts in groups, as `clustering.clusters` gives them; one group of at most
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
