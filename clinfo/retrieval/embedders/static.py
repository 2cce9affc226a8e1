"""Wordllama's vectors: each word has one, and a text has the mean of its words'.

A thousand passages a second on one core, 256 dimensions, 16 MB of weights in the package. Knows
words, not sentences: for what BM25 misses because it is worded otherwise.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.extras import needed
from clinfo.retrieval.embedders import STATIC, unit

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Vectors


class StaticEmbedder:
    """The weights that wordllama ships. Raises UsageError where it is not installed."""

    name = STATIC
    remote = False

    def __init__(self) -> None:
        model()

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(_embedded, list(texts))


def _embedded(texts: list[str]) -> Vectors:
    import numpy as np

    if not texts:
        return np.zeros((0, 256), np.float32)
    return unit(model().embed(texts))


@cache
def model() -> Any:
    """The model, loaded once. Its own search for the tokenizer looks in a folder that the package
    does not have; taken for a cache, the package's folder holds weights and tokenizer.
    """
    handlers = list(logging.root.handlers)
    wordllama = needed("wordllama", "dense")
    logging.root.handlers[:] = handlers  # the package would have every library's lines written
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
