"""The places of the highest scores, without sorting all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def first_places(scores: Any, count: int) -> NDArray[np.intp]:
    """Places of the ``count`` highest scores, from the highest; equal ones by place."""
    import numpy as np

    places: NDArray[np.intp] = np.arange(len(scores))
    if 0 < count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")][:count]
