"""Embedders: each makes a vector of a text, so that texts of like meaning lie near each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clinfo.cache import Cache
    from clinfo.runs.protocols import Budget

    Vectors = NDArray[np.float32]
    """Shape (texts, dimensions); rows have length 1, or 0 for a text without words."""

STATIC = "wordllama"
LOCAL = "sentence-transformers/"


class Embedder(Protocol):
    """Makes vectors of texts; their inner product says how alike two texts are (-1 to 1)."""

    @property
    def name(self) -> str:
        """The name the user chose it by; an index made with one is searched with the same."""

    @property
    def remote(self) -> bool:
        """Return whether text leaves this machine."""

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, in order. Raises ModelError, BudgetReached."""


def embedder_named(
    name: str = STATIC,
    cache: Cache | None = None,
    budget: Budget | None = None,
    **address: Any,
) -> Embedder:
    """The embedder of this name: ``wordllama`` (weights that its package ships),
    ``sentence-transformers/NAME`` (a model on this machine, or its folder), or any of litellm's.

    The last is paid of ``budget``; ``address`` is its api_base and api_key. Raises UsageError where
    a package is missing or the model is not there.
    """
    if name == STATIC:
        from clinfo.retrieval.embedders.static import StaticEmbedder

        return StaticEmbedder()
    if name.startswith(LOCAL):
        from clinfo.retrieval.embedders.encoder import EncoderEmbedder

        return EncoderEmbedder(name.removeprefix(LOCAL))
    from clinfo.retrieval.embedders.provider import ProviderEmbedder

    return ProviderEmbedder(name, cache, budget, **address)


def unit(vectors: Any) -> Vectors:
    """The vectors as float32 of length 1; what has no length, or is not finite, becomes 0."""
    import numpy as np

    given = np.nan_to_num(np.asarray(vectors, np.float32), posinf=0.0, neginf=0.0)
    length = np.linalg.norm(given, axis=1, keepdims=True)
    made: Vectors = np.divide(given, length, out=np.zeros_like(given), where=length > 0)
    return made
