"""A question held against a record: how each chunk stands to it, in numbers from which the recovery
and the reranking are learned; and the learned weights (``weights.json``, which is written by
``python -m benchmarks.chart.fit`` and says what it was fitted on).
"""

from __future__ import annotations

import json
import math
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from clinfo.pipelines.chart.index import ChartIndex, vectors_of
from clinfo.pipelines.chart.parsed_question import ChartQuestion, Part
from clinfo.retrieval.sparse import searched_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMES: Final = ("cover", "alike", "told", "first")
"""The features of a chunk, each from 0 to 1: the share of the question's words, and of its
meanings, that the best item in a plan has, the cosine of their vectors, and whether it is the first
in time of those that state nearly the most of the meanings.
"""
CLOSE: Final = 0.02
"""Scores that differ less are held for equal."""
UNSURE: Final = 1.0
"""Weight of the doubt whether what of a question is known is all that it asks for."""
FILE = Path(__file__).with_name("weights.json")


@cache
def _weights() -> dict[str, Any]:
    held: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return held


class Matched:
    """A question and the record that it is put to; what is reckoned of them is kept."""

    def __init__(self, question: ChartQuestion, index: ChartIndex) -> None:
        self.question, self.index = question, index

    @cached_property
    def parts(self) -> list[Part]:
        """The parts of the question without words of plain English that the record never uses:
        these belong to the asking, unless nothing else is asked for.
        """
        every, held = self.question.parts, self.index.holding
        own = [one for one in every if not one.everyday or any(w in held for w in one.names[0])]
        return own if any(not part.faint for part in own) else list(every)

    @cached_property
    def cover(self) -> Floats:
        """The share of the question's weight that each item of the record names, 0 to 1."""
        index, total = self.index, sum(part.weight for part in self.parts) or 1.0
        found = np.zeros(len(index.texts))
        for part in self.parts:
            own = np.zeros(len(index.texts))
            for number, name in enumerate(part.names):
                held = np.zeros(len(index.texts))
                for word in name:
                    if (places := index.holding.get(word)) is not None:
                        held[places] += 1 / len(name)
                own = np.maximum(own, held if number == 0 else np.floor(held + 1e-9))
            found += own * part.weight / total
        return found

    @cached_property
    def told(self) -> Floats:
        """The share of the question's meanings that each occurrence of an item states, 0 to 1, rare
        ones weighing more; meanings that nothing in the record has belong to the asking.
        """
        of, count, holding = self.index.statements
        found, total = np.zeros(count), UNSURE
        for meaning in self.question.meanings:
            if (held := holding.get(meaning)) is not None:
                places, strengths = held
                worth = max(0.0, math.log((count + 1) / (strengths.sum() + 0.5)))
                found[places] += worth * strengths
                total += worth
        shares: Floats = (found / total)[of]
        return shares

    @cached_property
    def near(self) -> Floats:
        """The cosine of the question's telling words with each chunk."""
        index = self.index
        if index.vectors is None:
            return np.zeros(len(index.chunks))
        said = self.question.focus or self.question.text
        asked = np.asarray(vectors_of([said], index.embedder))
        return np.round(np.asarray(index.vectors @ asked[0], float), 6)

    @cached_property
    def words(self) -> Floats:
        """The score of each chunk by BM25."""
        return np.array(self.index.sparse.scores(frozenset(searched_words(self.question.focus))))

    def chance(self, model: Literal["recovery", "rerank"]) -> Floats:
        """The probability that a learned model gives each chunk, 0 to 1, rounded so that every
        machine has the same: that it is one of those that answer (``recovery``, class-weighted), or
        where it stands in their order (``rerank``).
        """
        held = _weights()[model]
        value = self.rows @ [held["weights"][name] for name in NAMES] + held["intercept"]
        found: Floats = np.round(1 / (1 + np.exp(-np.clip(value, -30, 30))), 9)
        return found

    @cached_property
    def rows(self) -> Floats:
        """The features of each chunk, (chunks, len(NAMES))."""
        cover, told, first = np.zeros((3, len(self.near)))
        for one, share in zip(self.index.occurrences, self.told, strict=True):
            if one.plan:
                cover[one.chunk] = max(cover[one.chunk], self.cover[one.item])
                told[one.chunk] = max(told[one.chunk], share)
        first[np.flatnonzero(told >= told.max(initial=0) - CLOSE)[:1]] = 1.0
        return np.column_stack([cover, np.clip(self.near, 0, 1), told, first])
