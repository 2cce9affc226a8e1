"""BM25 over texts, by bm25s (Lucene's variant, k1 1.2, b 0.75)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from clinfo.text.terms import FUNCTION_WORDS, stems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.2, 0.75
# The package asks tqdm for bars that it never shows; without widgets a notebook complains of them.
warnings.filterwarnings("ignore", "IProgress not found")


class SparseIndex:
    """An index of texts given as words, which are compared as they are."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        import bm25s

        self._vocabulary = {word for words in texts for word in words}
        self._count = len(texts)
        self._engine: Any = None
        if self._vocabulary:
            self._engine = bm25s.BM25(method="lucene", k1=K1, b=B)
            self._engine.index([list(words) for words in texts], show_progress=False)

    def scores(self, words: Iterable[str]) -> list[float]:
        """The score of each text for words, each of which counts once; 0 where it holds none."""
        scores = self._scored(words)
        return [0.0] * self._count if scores is None else [float(score) for score in scores]

    def best(self, words: Iterable[str], count: int) -> list[int]:
        """Places of the ``count`` texts of the highest scores, from the highest; equal ones by
        place. A text without any of the words is none of them.
        """
        import numpy as np

        scores = self._scored(words)
        if scores is None:
            return []
        places = np.flatnonzero(scores > 0)
        return [int(place) for place in places[first_places(scores[places], count)]]

    def _scored(self, words: Iterable[str]) -> Any:
        known = sorted(set(words) & self._vocabulary)
        return self._engine.get_scores(known) if known else None


def searched_words(text: str) -> list[str]:
    """The words of a text that a search compares: stems without function words."""
    return [stem for stem in stems(text) if stem not in FUNCTION_WORDS]


def first_places(scores: Any, count: int) -> NDArray[np.intp]:
    """Places of the ``count`` highest scores, from the highest; equal ones by place."""
    import numpy as np

    places: NDArray[np.intp] = np.arange(len(scores))
    if 0 < count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")][:count]
